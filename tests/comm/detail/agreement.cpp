// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class Comm>
std::vector<detail::call_header> exchanged(Comm& comm, detail::call_site site, std::int64_t value = 0,
                                           std::string const& failure = {}) {
  std::vector<std::int64_t> counts;
  for (int peer = 0; peer < comm.size(); ++peer) {
    counts.push_back(100 * comm.rank() + peer);
  }
  std::vector<detail::call_header> received(counts.size());
  detail::exchange_headers(comm, site, counts, value, failure, received);
  return received;
}

template <class Comm>
void check_headers(Comm& comm) {
  auto const headers = exchanged(comm, {detail::operation::sample, 5, 2}, -comm.rank());
  for (int from = 0; from < comm.size(); ++from) {
    auto const& header = headers[static_cast<std::size_t>(from)];
    CHECK(header.count == 100 * from + comm.rank());
    CHECK(header.total == comm.size() * (100 * from) + comm.size() * (comm.size() - 1) / 2);
    CHECK(header.value == -from);
    CHECK(header.site() == detail::call_site{detail::operation::sample, 5, 2});
  }
}

} // namespace

TEST_CASE("headers tell every rank what the others have for it") {
  auto const body = [](auto comm) {
    check_headers(comm);
    minimal_communicator archetype(comm);
    check_headers(archetype);
  };
  on_ranks(body);
  on_ranks_limited(body);
  serial_comm alone;
  check_headers(alone);
}

TEST_CASE("the failure of the lowest failing rank reaches all ranks, word for word") {
  auto const body = [](auto comm) {
    for (int failing = 0; failing < comm.size(); ++failing) {
      auto const failure =
          comm.rank() >= failing ? "seed " + std::to_string(70 + comm.rank()) + " is bad" : std::string();
      try {
        exchanged(comm, {detail::operation::collect, comm.rank(), 0}, 0,
                  failure); // sites differ too: the failure counts
        CHECK_MESSAGE(false, "nothing was thrown");
      } catch (collective_error const& error) {
        CHECK(error.rank() == failing);
        CHECK(error.cause() == "seed " + std::to_string(70 + failing) + " is bad");
      }
    }
    check_headers(comm); // the communicator is as good as before
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("a long cause is cut to the same text on all ranks") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const failure = comm.rank() == last ? std::string(5000, 'x') : std::string();
    auto const text = thrown<collective_error>([&] { exchanged(comm, {}, 0, failure); });
    CHECK(text == "rank " + std::to_string(last) + ": " + std::string(511, 'x'));
  });
}

TEST_CASE("ranks at different calls are told who is where") {
  on_ranks(
      [](auto comm) {
        auto const site = comm.rank() < 2 ? detail::call_site{detail::operation::sample, 3, 1}
                                          : detail::call_site{detail::operation::gather_gradients, 3, 0};
        auto const text = thrown<collective_error>([&] { exchanged(comm, site); });
        CHECK(names(text, "rank 2: is at gather_gradients step 3 hop 0 while rank 0 is at sample step 3 hop 1"));
        check_headers(comm);
      },
      {3, 4});
  on_ranks(
      [](auto comm) {
        auto const text = thrown<collective_error>(
            [&] { exchanged(comm, {detail::operation::sample, 4, comm.rank() == 0 ? 0 : 1}); });
        CHECK(names(text, "rank 1", "hop 1 while rank 0", "hop 0"));
      },
      {2, 3, 4});
}

TEST_CASE("a single rank throws its failure as a collective error") {
  serial_comm comm;
  CHECK(thrown<collective_error>([&] { exchanged(comm, {}, 0, "no rows"); }) == "rank 0: no rows");
}

TEST_CASE("arrays that do not have one element per rank are refused") {
  serial_comm comm;
  std::vector<detail::call_header> headers(1);
  std::vector<std::int64_t> const two{0, 0};
  CHECK(names(thrown<precondition_error>([&] { detail::exchange_headers(comm, {}, two, 0, {}, headers); }), "counts",
              "2"));
}

TEST_CASE("the total of values") {
  std::vector<detail::call_header> headers(3);
  CHECK(detail::total_value({}) == 0);
  headers[0].value = 5;
  headers[2].value = -2;
  CHECK(detail::total_value(headers) == 3);
}

TEST_CASE("every operation has a name") {
  CHECK(detail::name_of(detail::operation::leave) == "leave");
  CHECK(detail::name_of(detail::operation::user) == "user");
  CHECK(detail::name_of(static_cast<detail::operation>(77)) == "unknown operation");
}
