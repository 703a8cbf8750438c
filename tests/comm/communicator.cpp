// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/error.hpp>
#include <glt/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// What rank `from` sends to rank `to` in exchange number `round`; any rank can work it out.
std::vector<std::byte> message_of(int from, int to, int round, std::int64_t bytes) {
  random_stream stream(random_key(7).fold(static_cast<std::uint64_t>(round)),
                       static_cast<std::uint64_t>(from * 100 + to));
  std::vector<std::byte> message(static_cast<std::size_t>(bytes));
  for (auto& byte : message) {
    byte = static_cast<std::byte>(stream.next() & 0xFFU);
  }
  return message;
}

std::int64_t size_of(int from, int to, int round) {
  if (from == to) {
    return 0;
  }
  random_stream stream(random_key(8).fold(static_cast<std::uint64_t>(round)),
                       static_cast<std::uint64_t>(from * 100 + to));
  return stream.below(3) == 0 ? 0 : static_cast<std::int64_t>(stream.below(round % 3 == 0 ? 5000 : 50));
}

// Slices of both directions with gaps between them, so that offsets matter.
struct slices {
  std::vector<std::int64_t> sizes, offsets;
  std::vector<std::byte> data;

  template <class Size>
  slices(int ranks, Size size) {
    std::int64_t end = 3;
    for (int peer = 0; peer < ranks; ++peer) {
      sizes.push_back(size(peer));
      offsets.push_back(end);
      end += sizes.back() + 1 + peer;
    }
    data.resize(static_cast<std::size_t>(end), std::byte{0xEE});
  }
  void put(int peer, std::vector<std::byte> const& message) {
    std::ranges::copy(message, data.begin() + offsets[static_cast<std::size_t>(peer)]);
  }
  [[nodiscard]] std::vector<std::byte> at(int peer) const {
    auto const first = data.begin() + offsets[static_cast<std::size_t>(peer)];
    return {first, first + sizes[static_cast<std::size_t>(peer)]};
  }
  [[nodiscard]] outgoing out() const { return {data.data(), sizes, offsets}; }
  [[nodiscard]] incoming in() { return {data.data(), sizes, offsets}; }
};

struct exchange_case {
  template <class Comm>
  exchange_case(Comm const& comm, int round)
      : sent(comm.size(), [&](int to) { return size_of(comm.rank(), to, round); }),
        received(comm.size(), [&](int from) { return size_of(from, comm.rank(), round); }), before(received.data) {
    for (int to = 0; to < comm.size(); ++to) {
      sent.put(to, message_of(comm.rank(), to, round, size_of(comm.rank(), to, round)));
    }
  }
  template <class Comm>
  void check(Comm const& comm, int round) {
    for (int from = 0; from < comm.size(); ++from) {
      CHECK(received.at(from) == message_of(from, comm.rank(), round, size_of(from, comm.rank(), round)));
      for (std::size_t i = 0; i < before.size(); ++i) { // put back what may have been written
        auto const begin = static_cast<std::size_t>(received.offsets[static_cast<std::size_t>(from)]);
        if (i >= begin && i < begin + static_cast<std::size_t>(received.sizes[static_cast<std::size_t>(from)])) {
          received.data[i] = std::byte{0xEE};
        }
      }
    }
    CHECK(received.data == before); // nothing else was
  }
  slices sent, received;
  std::vector<std::byte> before;
};

} // namespace

TEST_CASE("ranks of a communicator are numbered from 0, and a copy is the same handle") {
  on_ranks([](auto comm) {
    CHECK(comm.rank() >= 0);
    CHECK(comm.rank() < comm.size());
    std::vector<std::int64_t> seen(static_cast<std::size_t>(comm.size()), 0);
    seen[static_cast<std::size_t>(comm.rank())] = 1;
    auto copy = comm;
    copy.all_reduce(std::span(seen), reduction::sum);
    comm.barrier();
    CHECK(seen == std::vector<std::int64_t>(seen.size(), 1));
  });
}

TEST_CASE("all_to_all brings every block of every rank to its place") {
  auto const body = [](auto comm) {
    for (std::int64_t const bytes : {0, 1, 16, 17, 1000}) {
      std::vector<std::byte> send;
      std::vector<std::byte> expected;
      for (int peer = 0; peer < comm.size(); ++peer) {
        auto const out = message_of(comm.rank(), peer, 1, bytes);
        auto const in = message_of(peer, comm.rank(), 1, bytes);
        send.insert(send.end(), out.begin(), out.end());
        expected.insert(expected.end(), in.begin(), in.end());
      }
      std::vector<std::byte> received(send.size());
      comm.all_to_all(send.data(), received.data(), bytes);
      CHECK(received == expected);
    }
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("all_to_all_v moves slices of random sizes, and nothing beside them") {
  auto const body = [](auto comm) {
    for (int round = 0; round < 12; ++round) {
      exchange_case data(comm, round);
      comm.all_to_all_v(data.sent.out(), data.received.in());
      data.check(comm, round);
    }
  };
  on_ranks(body);
  on_ranks_limited(body);
  on_ranks_limited(body, some_ranks, 1);
}

TEST_CASE("what is sent and what is received may lie in one array, in any order") {
  auto const body = [](auto comm) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> out;
    std::vector<std::int64_t> in;
    std::vector<std::byte> data(ranks * 60);
    for (int peer = 0; peer < comm.size(); ++peer) {
      sizes.push_back(peer == comm.rank() ? 0 : 20 + comm.rank() + peer);
      out.push_back((comm.size() - 1 - peer) * 60);
      in.push_back(out.back() + 30);
      std::ranges::copy(message_of(comm.rank(), peer, 5, sizes.back()), data.begin() + out.back());
    }
    comm.all_to_all_v({data.data(), sizes, out}, {data.data(), sizes, in});
    auto const check = [&] {
      for (int peer = 0; peer < comm.size(); ++peer) {
        auto const p = static_cast<std::size_t>(peer);
        auto const first = data.begin() + in[p];
        CHECK(std::vector(first, first + sizes[p]) == message_of(peer, comm.rank(), 5, sizes[p]));
        std::fill(first, first + sizes[p], std::byte{0});
      }
    };
    check();
    comm.start_all_to_all_v({data.data(), sizes, out}, {data.data(), sizes, in}).wait();
    check();
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("a started exchange lets other calls through and is complete after wait") {
  auto const body = [](auto comm) {
    for (int round = 0; round < 6; ++round) {
      exchange_case data(comm, round);
      auto request = [&] { // the arrays of sizes are gone before the exchange is complete
        auto const out_sizes = data.sent.sizes;
        auto const in_sizes = data.received.sizes;
        return comm.start_all_to_all_v({data.sent.data.data(), out_sizes, data.sent.offsets},
                                       {data.received.data.data(), in_sizes, data.received.offsets});
      }();
      std::int64_t one = 1;
      comm.all_reduce(std::span(&one, 1), reduction::sum);
      CHECK(one == comm.size());
      auto moved = std::move(request);
      moved.wait();
      moved.wait(); // does nothing
      data.check(comm, round);
    }
    exchange_case data(comm, 3);
    {
      auto const forgotten = comm.start_all_to_all_v(data.sent.out(), data.received.in());
    }
    data.check(comm, 3);
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("replies arrive with their sizes, empty ones and none at all included") {
  auto const body = [](auto comm) {
    reply_buffer replies;
    for (int round = 0; round < 9; ++round) {
      auto const asks = [&](int from, int to) {
        return from != to &&
               (round == 0 ||
                random_stream(random_key(9), static_cast<std::uint64_t>(round * 10000 + from * 100 + to)).below(2) ==
                    0);
      };
      auto const bytes = [&](int from, int to) { // multiples of the limit are the hard case
        return asks(to, from) ? size_of(from, to, round) / 16 * (round % 2 == 0 ? 16 : 7) : 0;
      };
      slices sent(comm.size(), [&](int to) { return bytes(comm.rank(), to); });
      std::vector<char> asked;
      std::vector<char> answering;
      for (int peer = 0; peer < comm.size(); ++peer) {
        sent.put(peer, message_of(comm.rank(), peer, round, bytes(comm.rank(), peer)));
        asked.push_back(asks(comm.rank(), peer) ? 1 : 0);
        answering.push_back(asks(peer, comm.rank()) ? 1 : 0);
      }
      comm.all_to_all_replies(sent.out(), asked, answering, replies);
      REQUIRE(replies.sizes.size() == asked.size());
      for (int peer = 0; peer < comm.size(); ++peer) {
        auto const reply = replies.from(peer);
        CHECK(std::vector(reply.begin(), reply.end()) ==
              message_of(peer, comm.rank(), round, bytes(peer, comm.rank())));
      }
    }
  };
  on_ranks(body);
  on_ranks_limited(body);
  on_ranks_limited(body, some_ranks, 1);
}

namespace {

template <class T, class Comm>
void check_reductions(Comm& comm) {
  for (std::size_t const length : {0U, 1U, 5U, 37U}) {
    auto const element = [&](int rank, std::size_t i) {
      return static_cast<T>((rank + 1) * (i % 2 == 0 ? 3 : -2)) + static_cast<T>(i);
    };
    std::vector<T> sums;
    std::vector<T> smallest;
    std::vector<T> largest;
    for (std::size_t i = 0; i < length; ++i) {
      T sum = 0;
      for (int rank = 0; rank < comm.size(); ++rank) {
        sum += element(rank, i);
      }
      sums.push_back(sum);
      smallest.push_back(std::min(element(0, i), element(comm.size() - 1, i)));
      largest.push_back(std::max(element(0, i), element(comm.size() - 1, i)));
    }
    auto const reduced = [&](reduction op) {
      std::vector<T> values;
      for (std::size_t i = 0; i < length; ++i) {
        values.push_back(element(comm.rank(), i));
      }
      comm.all_reduce(std::span(values), op);
      return values;
    };
    CHECK(reduced(reduction::sum) == sums);
    CHECK(reduced(reduction::min) == smallest);
    CHECK(reduced(reduction::max) == largest);
  }
}

} // namespace

TEST_CASE("all_reduce combines elementwise, for every type and operation") {
  auto const body = [](auto comm) {
    check_reductions<std::int32_t>(comm);
    check_reductions<std::int64_t>(comm);
    check_reductions<float>(comm);
    check_reductions<double>(comm);
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("broadcast brings the bytes of any root to all ranks") {
  auto const body = [](auto comm) {
    for (int root = 0; root < comm.size(); ++root) {
      for (std::int64_t const bytes : {0, 1, 16, 33}) {
        auto data = message_of(comm.rank(), 0, 2, bytes);
        comm.broadcast(data.data(), bytes, root);
        CHECK(data == message_of(root, 0, 2, bytes));
      }
    }
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("split groups ranks by any color and numbers them by order") {
  on_ranks([](auto comm) {
    auto const color = comm.rank() % 2 == 0 ? -5 : 1 << 30;
    auto part = comm.split(color, -comm.rank());
    auto const group = comm.rank() % 2 == 0 ? (comm.size() + 1) / 2 : comm.size() / 2;
    CHECK(part.size() == group);
    CHECK(part.rank() == group - 1 - comm.rank() / 2);
    std::int64_t sum = comm.rank();
    part.all_reduce(std::span(&sum, 1), reduction::sum);
    std::int64_t expected = 0;
    for (int rank = comm.rank() % 2; rank < comm.size(); rank += 2) {
      expected += rank;
    }
    CHECK(sum == expected);
    auto alone = part.split(part.rank(), 0);
    CHECK(alone.size() == 1);
    alone.barrier();
    auto same_order = comm.split(0, 0);
    CHECK(same_order.rank() == comm.rank());
  });
}

TEST_CASE("a duplicate carries traffic of its own and outlives its parent") {
  on_ranks([](auto comm) {
    auto other = comm.duplicate();
    CHECK(other.rank() == comm.rank());
    CHECK(other.size() == comm.size());
    exchange_case first(comm, 0);
    exchange_case second(comm, 4);
    auto early = comm.start_all_to_all_v(first.sent.out(), first.received.in());
    auto late = other.start_all_to_all_v(second.sent.out(), second.received.in());
    if (comm.rank() % 2 == 0) { // each rank may wait in its own order
      late.wait();
      early.wait();
    } else {
      early.wait();
      late.wait();
    }
    first.check(comm, 0);
    second.check(comm, 4);
    std::optional parent(comm.duplicate());
    auto child = parent->duplicate();
    parent.reset();
    child.barrier();
    CHECK(child.size() == comm.size());
  });
}

TEST_CASE("arguments that cannot be right are refused before anything is sent") {
  on_ranks([](auto comm) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    auto const self = static_cast<std::size_t>(comm.rank());
    std::vector<std::int64_t> const none(ranks, 0);
    std::vector<std::int64_t> const longer(ranks + 1, 0);
    std::vector<char> const nobody(ranks, 0);
    auto own = none;
    own[self] = 8;
    auto negative = none;
    negative[0] = -3;
    auto const exchange = [&](auto const& sizes, auto const& offsets) {
      return thrown<precondition_error>([&] { comm.all_to_all_v({nullptr, sizes, offsets}, {nullptr, none, none}); });
    };
    CHECK(names(exchange(longer, none), "outgoing sizes", std::to_string(ranks + 1)));
    CHECK(names(exchange(none, longer), "outgoing offsets"));
    CHECK(names(exchange(own, none), "this rank itself", "8"));
    CHECK(names(exchange(negative, none), "-3"));
    CHECK(names(thrown<precondition_error>(
                    [&] { comm.start_all_to_all_v({nullptr, none, none}, {nullptr, own, none}).wait(); }),
                "incoming sizes"));
    CHECK(names(thrown<precondition_error>([&] { comm.broadcast(nullptr, 0, comm.size()); }), "root", "no rank"));
    CHECK(names(thrown<precondition_error>([&] { comm.broadcast(nullptr, -1, 0); }), "-1"));
    CHECK(names(thrown<precondition_error>([&] { comm.all_to_all(nullptr, nullptr, -2); }), "-2"));
    reply_buffer replies;
    auto myself = nobody;
    myself[self] = 1;
    CHECK(names(
        thrown<precondition_error>([&] { comm.all_to_all_replies({nullptr, none, none}, myself, nobody, replies); }),
        "itself"));
    if (ranks > 1) {
      auto unasked = none;
      unasked[(self + 1) % ranks] = 4;
      CHECK(names(thrown<precondition_error>(
                      [&] { comm.all_to_all_replies({nullptr, unasked, none}, nobody, nobody, replies); }),
                  "expects no reply"));
    }
    comm.barrier(); // all ranks are still in step
  });
}

TEST_CASE("calls that are made again allocate nothing") {
  on_ranks([](auto comm) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    auto const self = static_cast<std::size_t>(comm.rank());
    std::vector<std::int64_t> sizes(ranks, 8);
    sizes[self] = 0;
    std::vector<std::int64_t> offsets(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      offsets[rank] = static_cast<std::int64_t>(8 * rank);
    }
    std::vector<char> mask(ranks, 1);
    mask[self] = 0;
    std::vector<std::byte> sent(8 * ranks);
    std::vector<std::byte> received(8 * ranks);
    std::vector<double> sums(3);
    std::vector<detail::call_header> headers;
    reply_buffer replies;
    auto const call_all = [&] {
      detail::exchange_headers(comm, {}, sizes, 0, {}, headers);
      comm.all_to_all_v({sent.data(), sizes, offsets}, {received.data(), sizes, offsets});
      auto request = comm.start_all_to_all_v({sent.data(), sizes, offsets}, {received.data(), sizes, offsets});
      request.wait();
      comm.all_to_all_replies({sent.data(), sizes, offsets}, mask, mask, replies);
      comm.all_reduce(std::span(sums), reduction::sum);
      comm.barrier();
    };
    // Ranks may be a call apart, and each such meeting wants memory once.
    for (int i = 0; i < 20; ++i) {
      call_all();
    }
    auto const before = num_allocations();
    for (int i = 0; i < 5; ++i) {
      call_all();
    }
    auto const allocations = num_allocations() - before;
    comm.barrier();
    CHECK(allocations == 0);
  });
}
