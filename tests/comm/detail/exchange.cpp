// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <glt/comm/detail/exchange.hpp>
#include <glt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("prefix sums have one element more than counts") {
  std::vector<std::int64_t> offsets{9, 9};
  detail::prefix_sums({}, offsets);
  CHECK(offsets == std::vector<std::int64_t>{0});
  detail::prefix_sums(std::vector<std::int64_t>{3, 0, 4}, offsets);
  CHECK(offsets == std::vector<std::int64_t>{0, 3, 3, 7});
}

TEST_CASE("byte counts turn items into bytes without gaps") {
  detail::byte_counts counts;
  CHECK(counts.total() == 0);
  counts.set(std::vector<std::int64_t>{2, 0, 3}, 12);
  CHECK(counts.total() == 60);
  CHECK(counts.offset(2) == 24);
  auto const out = counts.out(nullptr);
  CHECK(std::vector(out.sizes.begin(), out.sizes.end()) == std::vector<std::int64_t>{24, 0, 36});
  CHECK(std::vector(out.offsets.begin(), out.offsets.end()) == std::vector<std::int64_t>{0, 24, 24});
}

TEST_CASE("rows arrive in the order of the ranks") {
  auto const body = [](auto comm) {
    constexpr std::int64_t columns = 3;
    auto const rows = [&](int from, int to) { return std::int64_t{from == to ? 0 : (from + 2 * to) % 4}; };
    std::vector<std::int64_t> send_counts;
    std::vector<std::int64_t> receive_counts;
    std::vector<float> sent;
    std::vector<float> expected;
    for (int peer = 0; peer < comm.size(); ++peer) {
      send_counts.push_back(rows(comm.rank(), peer));
      receive_counts.push_back(rows(peer, comm.rank()));
      for (std::int64_t i = 0; i < send_counts.back() * columns; ++i) {
        sent.push_back(static_cast<float>(comm.rank() * 1000 + peer * 100 + i));
      }
      for (std::int64_t i = 0; i < receive_counts.back() * columns; ++i) {
        expected.push_back(static_cast<float>(peer * 1000 + comm.rank() * 100 + i));
      }
    }
    std::vector<float> received(expected.size());
    minimal_communicator archetype(comm);
    detail::exchange_rows(archetype, host_view<float const>(sent), send_counts, host_view<float>(received),
                          receive_counts, columns);
    CHECK(received == expected);
    sent.push_back(0);
    CHECK(names(thrown<precondition_error>([&] {
                  detail::exchange_rows(comm, host_view<float const>(sent), send_counts, host_view<float>(received),
                                        receive_counts, columns);
                }),
                std::to_string(sent.size()) + " elements to send"));
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("sizes that only their sender knows are told to the others") {
  on_ranks([](auto comm) {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> expected;
    for (int peer = 0; peer < comm.size(); ++peer) {
      sizes.push_back(comm.rank() * 10 + peer);
      expected.push_back(peer * 10 + comm.rank());
    }
    std::vector<std::int64_t> received(sizes.size(), -1);
    detail::exchange_sizes(comm, sizes, received);
    CHECK(received == expected);
    sizes.pop_back();
    CHECK(names(thrown<precondition_error>([&] { detail::exchange_sizes(comm, sizes, received); }),
                "exchange_sizes: sizes"));
    received.push_back(0);
    sizes.push_back(0);
    CHECK(names(thrown<precondition_error>([&] { detail::exchange_sizes(comm, sizes, received); }), "received has"));
  });
}

TEST_CASE("rows of a negative number of columns are refused") {
  on_ranks([](auto comm) {
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 0);
    CHECK(names(thrown<precondition_error>([&] {
                  detail::exchange_rows(comm, host_view<float const>(), counts, host_view<float>(), counts, -1);
                }),
                "-1 columns"));
  });
}
