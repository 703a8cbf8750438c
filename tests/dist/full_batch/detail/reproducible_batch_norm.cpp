// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/reproducible_batch_norm.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/threads.hpp>

#include "support/batch_rows.hpp"
#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <vector>

using glt_test::batch_rows;
using glt_test::on_ranks;

namespace {

constexpr double eps = 1e-3;
constexpr std::int64_t num_rows = 613;
constexpr std::int64_t num_columns = 11;

// Rows whose sums depend on their order: of very different size, and far from 0 in later columns.
batch_rows<float> uneven_rows(double salt) {
  batch_rows<float> rows(num_rows, num_columns, 0);
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    auto const place = static_cast<double>(i);
    rows.values[i] = static_cast<float>(std::sin(place * 13 + salt) * std::pow(10.0, static_cast<double>(i % 7) - 3) +
                                        static_cast<double>(i % num_columns) * 100);
  }
  return rows;
}

void reverse_rows(batch_rows<float>& of) {
  for (std::int64_t row = 0; row < of.rows / 2; ++row) {
    std::swap_ranges(of.values.begin() + row * of.columns, of.values.begin() + (row + 1) * of.columns,
                     of.values.begin() + (of.rows - 1 - row) * of.columns);
  }
}

// What all ranks together make of a forward and a backward pass.
struct outcome {
  glt::detail::batch_statistics statistics;
  glt::detail::batch_gradient_sums joined;
  glt::detail::batch_gradient_sums sum_of_own{std::vector<double>(num_columns, 0), std::vector<double>(num_columns, 0)};
};

template <class Policy = glt::device::cpu>
outcome run(int ranks, batch_rows<float> const& x, batch_rows<float> const& gradient, Policy policy = {}) {
  outcome result;
  std::mutex lock;
  glt::run_threads(ranks, [&](glt::threads_comm comm) {
    constexpr auto space = Policy::space;
    auto const rows = x.rows_of(comm.rank(), ranks);
    auto const own = glt::make_buffer(x.of_rank(comm.rank(), ranks), policy);
    auto const of_y = glt::make_buffer(gradient.of_rank(comm.rank(), ranks), policy);
    glt::matrix_view<space, float const> const in(own.data(), rows, num_columns);
    glt::matrix_view<space, float const> const by(of_y.data(), rows, num_columns);
    auto const statistics = glt::detail::gather_reproducible_statistics(comm, in, policy);
    auto const sums = glt::detail::gather_reproducible_gradients(comm, by, in, statistics, eps, policy);
    std::scoped_lock const hold(lock);
    result.statistics = statistics;
    result.joined = sums.joined;
    for (std::size_t column = 0; column < num_columns; ++column) {
      result.sum_of_own.plain[column] += sums.own.plain[column];
      result.sum_of_own.normalized[column] += sums.own.normalized[column];
    }
  });
  return result;
}

void check_same_bits(outcome const& made, outcome const& expected) {
  CHECK(made.statistics.rows == num_rows);
  CHECK(made.statistics.mean == expected.statistics.mean);
  CHECK(made.statistics.deviations == expected.statistics.deviations);
  for (auto const* sums : {&made.joined, &made.sum_of_own}) {
    CHECK(sums->plain == expected.joined.plain);
    CHECK(sums->normalized == expected.joined.normalized);
  }
}

} // namespace

TEST_CASE("statistics and sums of gradients have the same bits on any number of ranks and threads, in any order") {
  auto x = uneven_rows(0);
  auto gradient = uneven_rows(5);
  auto const expected = run(1, x, gradient);
  for (bool const is_reversed : {false, true}) {
    for (int const ranks : {1, 2, 3, 4}) {
      INFO(ranks, " ranks", is_reversed ? ", reversed" : "");
      check_same_bits(run(ranks, x, gradient, glt::device::cpu(ranks == 2 ? 3 : 1)), expected);
    }
    reverse_rows(x);
    reverse_rows(gradient);
  }
}

TEST_CASE_TEMPLATE("statistics and sums of gradients have the same bits on any policy", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  auto const x = uneven_rows(0);
  check_same_bits(run<Policy>(2, x, x), run(1, x, x));
}

TEST_CASE("reproducible statistics and sums of gradients are the others but for rounding") {
  on_ranks([](auto comm) {
    auto const joined = uneven_rows(0);
    auto const own = joined.of_rank(comm.rank(), comm.size());
    glt::host_matrix<float const> const x(own.data(), joined.rows_of(comm.rank(), comm.size()), num_columns);
    glt::counting_comm counted(comm);
    auto const made = glt::detail::gather_reproducible_statistics(counted, x);
    CHECK(counted.counts().total().collectives <= 4);
    auto const wanted = joined.statistics();
    auto const sums = glt::detail::gather_reproducible_gradients(comm, x, x, made, eps);
    auto const others = glt::detail::gather_batch_gradients(comm, x, x, made, eps);
    for (std::size_t column = 0; column < num_columns; ++column) {
      CHECK(made.mean[column] == doctest::Approx(wanted.mean[column]).epsilon(1e-13));
      CHECK(made.deviations[column] == doctest::Approx(wanted.deviations[column]).epsilon(1e-12));
      CHECK(sums.joined.plain[column] == doctest::Approx(others.joined.plain[column]).epsilon(1e-11));
      CHECK(sums.joined.normalized[column] == doctest::Approx(others.joined.normalized[column]).epsilon(1e-11));
      CHECK((comm.rank() == 0 || sums.own.plain[column] == 0));
    }
  });
}

TEST_CASE("what does not fit on one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    std::vector<double> x(20, 1);
    auto const refused = [&](std::int64_t rows, std::int64_t columns, auto policy) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::detail::gather_reproducible_statistics(
            comm, glt::host_matrix<double const>(x.data(), rows, columns), policy));
      });
    };
    glt::device::cpu const cpu;
    CHECK(glt_test::names(refused(0, 4, cpu), "over 0 rows", "give two or more"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(2, comm.rank() == last ? 3 : 4, cpu), text, "3 columns while rank 0 has 4"));
    }
    glt_test::scarce_resource::allocations_left = comm.rank() == last ? 0 : -1;
    auto const scarce = refused(5, 4, glt_test::scarce_policy{});
    glt_test::scarce_resource::allocations_left = -1;
    CHECK(glt_test::names(scarce, text, "alloc"));
    for (double const odd : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      x[7] = comm.rank() == last ? odd : 1;
      CHECK(glt_test::names(refused(5, 4, cpu), text, "infinite, not a number"));
      x[7] = 1;
    }
    glt::host_matrix<double const> const rows(x.data(), 5, 4);
    auto const statistics = glt::detail::gather_reproducible_statistics(comm, rows);
    glt::host_matrix<double const> const fewer(x.data(), comm.rank() == last ? 4 : 5, 4);
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                            static_cast<void>(
                                glt::detail::gather_reproducible_gradients(comm, fewer, rows, statistics, eps));
                          }),
                          text, "a gradient of [4, 4]"));
  });
}
