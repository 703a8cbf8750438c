// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/policies.hpp"

#include <doctest/doctest.h>

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;
using glt::detail::slice_exchange;
using glt::dist::device_comm;

namespace {

constexpr detail::call_site site{.what = detail::operation::user, .step = 4};

std::int64_t rows_of(int from, int to, int round) {
  return round == 0 || (from + 2 * to + round) % 4 == 0 ? 0 : (from * 7 + to * 5 + round * 11) % 90;
}

std::int64_t value_of(int from, int to, std::int64_t i) {
  return from * 100000 + to * 10000 + i;
}

// What one rank sends to all others, or gets from them, by rank.
struct slices_of {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> values;
  slices_of(int ranks, std::int64_t columns, auto count, auto value) {
    for (int peer = 0; peer < ranks; ++peer) {
      counts.push_back(count(peer));
      for (std::int64_t i = 0; i < counts.back() * columns; ++i) {
        values.push_back(value(peer, i));
      }
    }
  }
};

slices_of sent_by(int rank, int ranks, int round, std::int64_t columns) {
  return {ranks, columns, [&](int to) { return rows_of(rank, to, round); },
          [&](int to, std::int64_t i) { return value_of(rank, to, i); }};
}
slices_of received_by(int rank, int ranks, int round, std::int64_t columns) {
  return {ranks, columns, [&](int from) { return rows_of(from, rank, round); },
          [&](int from, std::int64_t i) { return value_of(from, rank, i); }};
}

template <class Policy>
void exchange_all(threads_comm comm, std::int64_t round_bytes) {
  Policy const policy;
  slice_exchange<threads_comm, Policy> exchange(comm, policy, {.round_bytes = round_bytes});
  for (int round = 0; round < 4; ++round) {
    for (std::int64_t const columns : {1, 3}) {
      auto const sent = sent_by(comm.rank(), comm.size(), round, columns);
      auto const expected = received_by(comm.rank(), comm.size(), round, columns);
      auto const headers = exchange.exchange_counts(site, sent.counts, 7);
      CHECK(headers.back().value == 7);
      CHECK(std::vector(exchange.received_counts().begin(), exchange.received_counts().end()) == expected.counts);
      CHECK(exchange.anything() == (round > 0 && comm.size() > 1));
      auto const out = make_buffer<Policy>(sent.values, policy);
      auto in = make_buffer<Policy>(std::vector<std::int64_t>(expected.values.size() + 1, -1), policy);
      exchange.start(out.view(), in.view(), columns);
      exchange.wait();
      auto arrived = to_vector(policy, in.view());
      CHECK(arrived.back() == -1);
      arrived.pop_back();
      CHECK(arrived == expected.values);

      auto back = make_buffer<Policy>(std::vector<std::int64_t>(sent.values.size(), -1), policy);
      exchange.start_back(in.view(), back.view(), columns);
      exchange.wait();
      exchange.wait();
      CHECK(to_vector(policy, back.view()) == sent.values);
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("rows of views find their ranks, and answers the way back", Policy, GLT_TEST_ONE_POLICY) {
  for (int const ranks : {1, 2, 3, 4}) {
    for (std::int64_t const round_bytes : {16, 1 << 20}) {
      run_threads(ranks, [&](threads_comm comm) { exchange_all<Policy>(comm, round_bytes); });
    }
  }
}

TEST_CASE_TEMPLATE("one slice goes to several ranks", Policy, GLT_TEST_ONE_POLICY) {
  run_threads(3, [](threads_comm comm) {
    Policy const policy;
    slice_exchange<threads_comm, Policy> exchange(comm, policy);
    std::vector<std::int64_t> counts(3, 2);
    counts[static_cast<std::size_t>(comm.rank())] = 0;
    exchange.exchange_counts(site, counts);
    auto const first = std::int64_t{10} * comm.rank();
    auto const out = make_buffer<Policy>(std::vector<std::int64_t>{-1, first, first + 1}, policy);
    buffer<Policy, std::int64_t> in(4, policy);
    exchange.start_from(std::vector<std::int64_t>(3, 1), out.view(), in.view());
    exchange.wait();
    std::vector<std::int64_t> expected;
    for (std::int64_t rank = 0; rank < 3; ++rank) {
      if (rank != comm.rank()) {
        expected.insert(expected.end(), {10 * rank, 10 * rank + 1});
      }
    }
    CHECK(to_vector(policy, in.view()) == expected);
  });
}

TEST_CASE_TEMPLATE("a communicator for the memory of a policy", Policy, GLT_TEST_ONE_POLICY) {
  run_threads(3, [](threads_comm comm) {
    Policy const policy;
    device_comm carrier(comm, policy, {.round_bytes = 64});
    auto const sent = sent_by(comm.rank(), 3, 1, 2);
    auto const expected = received_by(comm.rank(), 3, 1, 2);
    auto counts = sent.counts;
    auto received_counts = expected.counts;
    auto const self = static_cast<std::size_t>(comm.rank());
    std::int64_t own = counts[self];
    counts[self] = received_counts[self] = 0;
    auto sent_values = sent.values;
    auto expected_values = expected.values;
    auto const cut = [&](std::vector<std::int64_t>& values, std::vector<std::int64_t> const& sizes) {
      std::int64_t begin = 0;
      for (std::size_t i = 0; i < self; ++i) {
        begin += 2 * sizes[i];
      }
      values.erase(values.begin() + begin, values.begin() + begin + 2 * own);
    };
    cut(sent_values, counts);
    cut(expected_values, received_counts);
    auto const out = make_buffer<Policy>(sent_values, policy);
    buffer<Policy, std::int64_t> in(static_cast<std::int64_t>(expected_values.size()), policy);
    detail::exchange_rows(carrier, out.view(), counts, in.view(), received_counts, 2);
    CHECK(to_vector(policy, in.view()) == expected_values);
  });
}

TEST_CASE_TEMPLATE("views that are too short are refused, and failures reach all ranks", Policy, GLT_TEST_ONE_POLICY) {
  run_threads(2, [](threads_comm comm) {
    Policy const policy;
    slice_exchange<threads_comm, Policy> exchange(comm, policy);
    std::vector<std::int64_t> const counts{2, 2};
    exchange.exchange_counts(site, counts);
    buffer<Policy, std::int64_t> three(3, policy);
    buffer<Policy, std::int64_t> four(4, policy);
    CHECK(names(thrown<precondition_error>([&] { exchange.start(three.view(), four.view()); }),
                "start: send has 3 elements, but its slices have 4 rows of 1"));
    CHECK(names(thrown<precondition_error>([&] { exchange.start_back(four.view(), three.view()); }), "receive has 3"));
    CHECK(names(thrown<precondition_error>([&] { exchange.start(four.view(), four.view(), -1); }), "-1 columns"));
    CHECK(thrown<collective_error>([&] {
            exchange.exchange_counts(site, counts, 0, comm.rank() == 1 ? "no memory" : "");
          }) == "rank 1: no memory");
  });
}
