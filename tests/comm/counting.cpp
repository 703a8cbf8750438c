// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/ranks.hpp"

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/serial.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

bool equal(detail::traffic_count const& count, std::int64_t collectives, std::int64_t messages, std::int64_t bytes) {
  return count.collectives == collectives && count.messages == messages && count.bytes == bytes && count.seconds >= 0;
}

} // namespace

TEST_CASE("every kind of call is counted exactly, empty messages are not") {
  on_ranks([](auto inner) {
    counting_comm comm(inner);
    auto copy = comm; // counts together with comm
    auto const ranks = comm.size();
    auto const others = std::int64_t{ranks - 1};
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(ranks), 0);
    std::vector<detail::call_header> headers(counts.size());
    detail::exchange_headers(copy, {}, counts, 0, {}, headers);
    CHECK(equal(comm.counts().headers, ranks == 1 ? 0 : 1, others, 40 * others));

    // Everybody sends 10 bytes to the next rank, and nothing to the others.
    auto const next = static_cast<std::size_t>((comm.rank() + 1) % ranks);
    auto const before = static_cast<std::size_t>((comm.rank() + ranks - 1) % ranks);
    std::vector<std::byte> sent(10);
    std::vector<std::byte> received(10);
    auto out = counts;
    auto in = counts;
    std::vector<char> asked(counts.size(), 0);
    std::vector<char> answering(counts.size(), 0);
    if (ranks > 1) {
      out[next] = 10;
      in[before] = 10;
      asked[before] = 1;
      answering[next] = 1;
    }
    auto const one = std::int64_t{ranks > 1 ? 1 : 0};
    copy.all_to_all_v({sent.data(), out, counts}, {received.data(), in, counts});
    copy.start_all_to_all_v({sent.data(), out, counts}, {received.data(), in, counts}).wait();
    CHECK(equal(comm.counts().payload, 2, 2 * one, 20 * one));
    reply_buffer replies;
    copy.all_to_all_replies({sent.data(), out, counts}, asked, answering, replies);
    copy.all_to_all_replies({sent.data(), counts, counts}, asked, answering,
                            replies); // an empty reply is a message
    CHECK(equal(comm.counts().replies, 2, 2 * one, 10 * one));

    std::vector<double> values(3);
    copy.all_reduce(std::span(values), reduction::sum);
    CHECK(equal(comm.counts().reduce, 1, one, 24 * one));
    copy.broadcast(sent.data(), 10, 0);
    copy.barrier();
    CHECK(equal(comm.counts().other, 2, comm.rank() == 0 ? one : 0, comm.rank() == 0 ? 10 * one : 0));
    auto const total = comm.counts().total();
    CHECK(total.collectives == 7 + (ranks == 1 ? 0 : 1));
    CHECK(total.bytes == 40 * others + 54 * one + (comm.rank() == 0 ? 10 * one : 0));
    copy.reset();
    CHECK(equal(comm.counts().total(), 0, 0, 0));
  });
}

TEST_CASE("a duplicate counts for its communicator, too, and a split for itself") {
  on_ranks([](auto inner) {
    counting_comm comm(inner);
    auto other = comm.duplicate();
    auto part = comm.split(0, 0);
    CHECK(equal(comm.counts().other, 2, 0, 0));
    other.barrier();
    part.barrier();
    part.barrier();
    CHECK(equal(comm.counts().other, 3, 0, 0));
    CHECK(equal(other.counts().other, 3, 0, 0));
    CHECK(equal(part.counts().other, 2, 0, 0));
    CHECK(equal(comm.own_counts().other, 2, 0, 0));
    CHECK(equal(other.own_counts().other, 1, 0, 0));
    comm.reset();
    CHECK(equal(other.counts().total(), 0, 0, 0));
    CHECK(equal(comm.own_counts().total(), 0, 0, 0));
    CHECK(equal(other.own_counts().other, 1, 0, 0));
  });
  counting_comm alone{serial_comm{}};
  std::byte byte{};
  alone.broadcast(&byte, 1, 0);
  CHECK(equal(alone.counts().total(), 1, 0, 0));
}
