// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/slice_exchange.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include "support/distant_policy.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

// More is tested over all policies in tests/policies.

TEST_CASE("slices arrive in the order of their ranks, the own one included") {
  on_ranks([](auto comm) {
    glt::detail::slice_exchange<decltype(comm)> exchange(comm);
    // Rank a sends (a + b) % 3 numbers to rank b.
    auto const size = [](int a, int b) { return (a + b) % 3; };
    for (int round = 0; round < 2; ++round) {
      std::vector<std::int64_t> from;
      std::vector<std::int64_t> counts;
      std::vector<std::int64_t> expected;
      for (int rank = 0; rank < comm.size(); ++rank) {
        counts.push_back(size(comm.rank(), rank));
        for (int i = 0; i < size(comm.rank(), rank); ++i) {
          from.push_back(1000 * round + 100 * comm.rank() + 10 * rank + i);
        }
        for (int i = 0; i < size(rank, comm.rank()); ++i) {
          expected.push_back(1000 * round + 100 * rank + 10 * comm.rank() + i);
        }
      }
      std::vector<std::int64_t> to(expected.size(), -1);
      exchange.exchange_counts({.step = round}, counts);
      exchange.start(glt::host_view<std::int64_t const>(from), glt::host_view<std::int64_t>(to));
      exchange.wait();
      CHECK(to == expected);
    }
  });
}

TEST_CASE("own rows of a view are copied and never sent, and where there are no others nothing is") {
  on_ranks([](auto host) {
    using gpu = distant_policy<>;
    counting_comm comm(host);
    detail::slice_exchange<decltype(comm), gpu> exchange(comm);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(host.size()), 0);
    counts[static_cast<std::size_t>(host.rank())] = 3;
    exchange.exchange_counts({.step = 1}, counts);
    CHECK(!exchange.anything());
    CHECK(exchange.received_offsets().back() == 3);
    auto const sent = make_buffer<gpu>(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    buffer<gpu, std::int32_t> received(6);
    exchange.start(sent.view(), received.view(), 2);
    exchange.wait();
    CHECK(to_vector(gpu(), received.view()) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    CHECK(comm.counts().payload.collectives == 0);
  });
}

TEST_CASE("own rows that stay apart are neither counted among those that are received nor copied") {
  on_ranks([](auto comm) {
    glt::detail::slice_exchange<decltype(comm)> exchange(comm);
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 2);
    exchange.exchange_counts({.step = 1}, counts, 0, {}, glt::detail::own_rows::apart);
    std::vector<std::int64_t> expected_counts(counts);
    expected_counts[static_cast<std::size_t>(comm.rank())] = 0;
    CHECK(std::ranges::equal(exchange.received_counts(), expected_counts));
    std::vector<std::int64_t> const from(2 * counts.size(), comm.rank());
    std::vector<std::int64_t> expected;
    for (int rank = 0; rank < comm.size(); ++rank) {
      expected.insert(expected.end(), rank == comm.rank() ? 0 : 2, rank);
    }
    REQUIRE(exchange.received_offsets().back() == static_cast<std::int64_t>(expected.size()));
    std::vector<std::int64_t> to(expected.size(), -1);
    exchange.start(glt::host_view<std::int64_t const>(from), glt::host_view<std::int64_t>(to));
    exchange.wait();
    CHECK(to == expected);
  });
}

TEST_CASE("a slice exchange of the host's memory needs no staging") {
  auto const body = [](auto host) {
    counting_comm comm(host);
    detail::slice_exchange<decltype(comm), device::cpu> exchange(comm);
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(host.size()), 20);
    exchange.exchange_counts({.step = 1}, counts);
    auto const rows = static_cast<std::size_t>(20 * host.size());
    auto const sent = make_buffer<device::cpu>(std::vector<std::int32_t>(rows, host.rank()));
    buffer<device::cpu, std::int32_t> received(static_cast<std::int64_t>(rows));
    comm.reset();
    exchange.start(sent.view(), received.view());
    exchange.wait();
    for (std::int64_t i = 0; i < received.size(); ++i) {
      CHECK(received[i] == i / 20);
    }
    CHECK(comm.counts().payload.collectives == (host.size() > 1 ? 1 : 0));
    CHECK(comm.counts().payload.bytes == (host.size() - 1) * 80);
  };
  on_ranks(body);
  on_ranks_limited(body);
}
