// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/batch_norm.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/serial.hpp>

#include "support/batch_rows.hpp"
#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt_test::batch_rows;
using glt_test::on_ranks;

namespace {

constexpr double eps = 1e-3;

std::vector<double> weights_of(std::int64_t columns) {
  std::vector<double> weights;
  for (std::int64_t column = 0; column < columns; ++column) {
    weights.push_back(0.75 - 0.5 * static_cast<double>(column));
  }
  return weights;
}

std::vector<double> biases_of(std::int64_t columns) {
  return std::vector<double>(static_cast<std::size_t>(columns), 0.25);
}

// The normalized joined rows, by the definition.
std::vector<double> naive_normalized(batch_rows<double> const& x) {
  auto const statistics = x.statistics();
  std::vector<double> normalized;
  for (std::int64_t i = 0; i < x.rows * x.columns; ++i) {
    auto const column = static_cast<std::size_t>(i % x.columns);
    auto const variance = statistics.deviations[column] / static_cast<double>(x.rows);
    normalized.push_back((x.values[static_cast<std::size_t>(i)] - statistics.mean[column]) / std::sqrt(variance + eps));
  }
  return normalized;
}

// The sum over the joined rows of coefficient · y².
double naive_loss(batch_rows<double> const& x, std::vector<double> const& weights, std::vector<double> const& biases,
                  std::vector<double> const& coefficients) {
  auto const normalized = naive_normalized(x);
  double loss = 0;
  for (std::size_t i = 0; i < normalized.size(); ++i) {
    auto const column = i % weights.size();
    auto const y = normalized[i] * weights[column] + biases[column];
    loss += coefficients[i] * y * y;
  }
  return loss;
}

// What a rank gets of a forward and a backward pass of that loss.
template <class T>
struct outcome {
  std::vector<T> y;
  std::vector<T> gradient;
  glt::detail::batch_gradients sums;
};

template <class T, class Policy = glt::device::cpu>
outcome<T> run_rank(auto comm, batch_rows<T> const& joined, std::vector<double> const& coefficients,
                    Policy policy = {}) {
  constexpr auto space = Policy::space;
  auto const rows = joined.rows_of(comm.rank(), comm.size());
  auto const columns = joined.columns;
  auto const own = glt::make_buffer(joined.of_rank(comm.rank(), comm.size()), policy);
  auto const factors = weights_of(columns);
  auto const shifts = biases_of(columns);
  auto const weights = glt::make_buffer(std::vector<T>(factors.begin(), factors.end()), policy);
  auto const biases = glt::make_buffer(std::vector<T>(shifts.begin(), shifts.end()), policy);
  glt::buffer<Policy, T> y(rows * columns, policy);
  glt::buffer<Policy, T> into(rows * columns, policy);
  glt::matrix_view<space, T const> const x(own.data(), rows, columns);
  glt::detail::batch_norm_parameters<space, T> const parameters{
      .eps = eps, .weight = weights.view(), .bias = biases.view()};

  auto const statistics = glt::detail::gather_batch_statistics(comm, x, policy);
  glt::detail::normalize_batch(x, statistics, parameters, glt::matrix_view<space, T>(y.data(), rows, columns), policy);
  outcome<T> result{.y = glt::to_vector(policy, y.view()), .gradient = {}, .sums = {}};
  std::vector<T> of_y;
  for (std::size_t i = 0; i < result.y.size(); ++i) {
    auto const first = static_cast<std::size_t>(joined.begin(comm.rank(), comm.size()) * columns);
    of_y.push_back(static_cast<T>(2 * coefficients[first + i]) * result.y[i]);
  }
  auto const there = glt::make_buffer(of_y, policy);
  glt::matrix_view<space, T const> const gradient(there.data(), rows, columns);
  result.sums = glt::detail::gather_batch_gradients(comm, gradient, x, statistics, eps, policy);
  glt::detail::write_batch_gradient(gradient, x, statistics, result.sums.joined, parameters,
                                    glt::matrix_view<space, T>(into.data(), rows, columns), policy);
  result.gradient = glt::to_vector(policy, into.view());
  return result;
}

std::vector<double> coefficients_of(batch_rows<double> const& x) {
  return batch_rows<double>(x.rows, x.columns, 0.25, 7).values;
}

template <class Policy = glt::device::cpu>
void check_slopes(auto comm, std::int64_t rows, std::int64_t columns) {
  INFO(rows, " rows of ", columns, " columns, rank ", comm.rank(), " of ", comm.size());
  batch_rows<double> const x(rows, columns, 1);
  auto const coefficients = coefficients_of(x);
  auto const weights = weights_of(columns);
  auto const biases = biases_of(columns);
  auto const result = run_rank<double, Policy>(comm, x, coefficients);
  auto const first = static_cast<std::size_t>(x.begin(comm.rank(), comm.size()) * columns);
  auto const normalized = naive_normalized(x);
  for (std::size_t i = 0; i < result.y.size(); ++i) {
    auto const column = i % weights.size();
    CHECK(result.y[i] == doctest::Approx(normalized[first + i] * weights[column] + biases[column]).epsilon(1e-12));
  }

  constexpr double step = 1e-4;
  auto const slope = [&](auto loss_at) { // of fourth order
    return (8 * (loss_at(step) - loss_at(-step)) - (loss_at(2 * step) - loss_at(-2 * step))) / (12 * step);
  };
  for (std::size_t i = 0; i < result.gradient.size(); ++i) {
    auto const wanted = slope([&](double by) {
      auto moved = x;
      moved.values[first + i] += by;
      return naive_loss(moved, weights, biases, coefficients);
    });
    CHECK(result.gradient[i] == doctest::Approx(wanted).epsilon(1e-6));
  }
  auto shares = result.sums.own;
  comm.all_reduce(std::span(shares.plain), glt::reduction::sum);
  comm.all_reduce(std::span(shares.normalized), glt::reduction::sum);
  for (std::size_t column = 0; column < weights.size(); ++column) {
    auto const of_bias = slope([&](double by) {
      auto moved = biases;
      moved[column] += by;
      return naive_loss(x, weights, moved, coefficients);
    });
    auto const of_weight = slope([&](double by) {
      auto moved = weights;
      moved[column] += by;
      return naive_loss(x, moved, biases, coefficients);
    });
    CHECK(result.sums.joined.plain[column] == doctest::Approx(of_bias).epsilon(1e-6));
    CHECK(result.sums.joined.normalized[column] == doctest::Approx(of_weight).epsilon(1e-6));
    CHECK(shares.plain[column] == doctest::Approx(of_bias).epsilon(1e-6));
    CHECK(shares.normalized[column] == doctest::Approx(of_weight).epsilon(1e-6));
  }
}

} // namespace

TEST_CASE("rows and gradients are those of the joined rows, by finite differences") {
  on_ranks([](auto comm) {
    for (std::int64_t const rows : {2, 3, 17}) {
      for (std::int64_t const columns : {1, 3, 9}) {
        check_slopes(comm, rows, columns);
      }
    }
  });
}

TEST_CASE_TEMPLATE("rows and gradients on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) { check_slopes<Policy>(comm, 19, 10); });
}

TEST_CASE("float rows differ from double ones by a rounding only") {
  on_ranks([](auto comm) {
    batch_rows<float> const x(613, 13, 2);
    batch_rows<double> same(613, 13, 2);
    same.values.assign(x.values.begin(), x.values.end());
    auto const coefficients = coefficients_of(same);
    auto const rough = run_rank(comm, x, coefficients);
    auto const fine = run_rank(comm, same, coefficients);
    REQUIRE(rough.y.size() == fine.y.size());
    double largest = 0;
    for (auto const gradient : fine.gradient) {
      largest = std::max(largest, std::abs(gradient));
    }
    for (std::size_t i = 0; i < fine.y.size(); ++i) {
      CHECK(static_cast<double>(rough.y[i]) == doctest::Approx(fine.y[i]).epsilon(1e-6));
      CHECK(std::abs(static_cast<double>(rough.gradient[i]) - fine.gradient[i]) < 1e-6 * largest);
    }
  });
}

TEST_CASE("without columns there is nothing to normalize, on all ranks alike") {
  on_ranks([](auto comm) {
    auto const nothing = run_rank(comm, batch_rows<double>(9, 0, 1), {});
    CHECK(nothing.y.empty());
    CHECK(nothing.gradient.empty());
    CHECK(nothing.sums.joined.plain.empty());
  });
}

TEST_CASE("weight and bias are 1 and 0 where there are none, and rows may be normalized in place") {
  std::vector<double> x{1, 10, 3, 30};
  glt::host_matrix<double> const rows(x.data(), 2, 2);
  auto const statistics = glt::detail::gather_batch_statistics(glt::serial_comm(), rows);
  glt::detail::normalize_batch(rows, statistics, {.eps = 0, .weight = {}, .bias = {}}, rows);
  CHECK(x == std::vector<double>{-1, -1, 1, 1});
}

TEST_CASE("the gradient costs one header exchange and one payload exchange") {
  on_ranks([](auto comm) {
    glt::counting_comm counted(comm);
    std::vector<float> const x(12, 1);
    glt::host_matrix<float const> const rows(x.data(), 3, 4);
    auto const statistics = glt::detail::gather_batch_statistics(comm, rows);
    static_cast<void>(glt::detail::gather_batch_gradients(counted, rows, rows, statistics, eps));
    CHECK(counted.counts().total().collectives == (comm.size() == 1 ? 0 : 2));
    CHECK(counted.counts().payload.bytes == 16 * 4 * (comm.size() - 1));
  });
}

TEST_CASE("a gradient that does not fit on one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    std::vector<double> const x(20, 1);
    glt::host_matrix<double const> const rows(x.data(), 5, 4);
    auto const statistics = glt::detail::gather_batch_statistics(comm, rows);
    auto const refused = [&](glt::host_matrix<double const> gradient, glt::host_matrix<double const> of,
                             glt::detail::batch_statistics const& known, auto policy) {
      return glt_test::thrown<glt::collective_error>(
          [&] { static_cast<void>(glt::detail::gather_batch_gradients(comm, gradient, of, known, eps, policy)); });
    };
    glt::device::cpu const cpu;
    glt::host_matrix<double const> const fewer(x.data(), comm.rank() == last ? 4 : 5, 4);
    CHECK(glt_test::names(refused(fewer, rows, statistics, cpu), text, "rows [5, 4]", "a gradient of [4, 4]"));
    auto short_of_one = statistics;
    if (comm.rank() == last) {
      short_of_one.deviations.pop_back();
    }
    CHECK(glt_test::names(refused(rows, rows, short_of_one, cpu), text, "deviations of 3", "one per column"));
    if (comm.size() > 1) {
      glt::host_matrix<double const> const narrow(x.data(), 5, 3);
      auto known = statistics;
      known.mean.pop_back();
      known.deviations.pop_back();
      auto const error =
          comm.rank() == last ? refused(narrow, narrow, known, cpu) : refused(rows, rows, statistics, cpu);
      CHECK(glt_test::names(error, text, "3 columns while rank 0 has 4"));
    }
    glt_test::scarce_resource::allocations_left = comm.rank() == last ? 1 : -1;
    auto const scarce = refused(rows, rows, statistics, glt_test::scarce_policy{});
    glt_test::scarce_resource::allocations_left = -1;
    CHECK(glt_test::names(scarce, text, "alloc"));
    CHECK(refused(rows, rows, statistics, cpu) == "(nothing was thrown)"); // all ranks are still together
  });
}

TEST_CASE("ranks in different passes learn it") {
  on_ranks(
      [](auto comm) {
        std::vector<double> const x(20, 1);
        glt::host_matrix<double const> const rows(x.data(), 5, 4);
        auto const statistics = glt::detail::gather_batch_statistics(comm, rows);
        auto const error = glt_test::thrown<glt::collective_error>([&] {
          if (comm.rank() == 1) {
            static_cast<void>(glt::detail::gather_batch_statistics(comm, rows));
          } else {
            static_cast<void>(glt::detail::gather_batch_gradients(comm, rows, rows, statistics, eps));
          }
        });
        CHECK(glt_test::names(error, "rank 1", "step 0", "step 1", "same calls in the same order"));
      },
      {2, 3});
}

TEST_CASE("what the rank alone does refuses shapes that do not fit") {
  std::vector<double> x(20, 1);
  glt::host_matrix<double> const rows(x.data(), 5, 4);
  glt::host_matrix<double> const fewer(x.data(), 4, 4);
  auto const statistics = glt::detail::gather_batch_statistics(glt::serial_comm(), rows);
  glt::detail::batch_gradient_sums const sums{.plain = x, .normalized = x};
  glt::host_view<double const> const three(x.data(), 3);
  using glt::precondition_error;
  CHECK_THROWS_AS(glt::detail::normalize_batch(rows, statistics, {}, fewer), precondition_error);
  CHECK_THROWS_AS(glt::detail::normalize_batch(rows, {}, {}, rows), precondition_error);
  CHECK_THROWS_AS(glt::detail::normalize_batch(rows, statistics, {.eps = eps, .weight = three, .bias = {}}, rows),
                  precondition_error);
  CHECK_THROWS_AS(glt::detail::normalize_batch(rows, statistics, {.eps = eps, .weight = {}, .bias = three}, rows),
                  precondition_error);
  CHECK_THROWS_AS(glt::detail::write_batch_gradient(rows, rows, statistics, sums, {}, rows), precondition_error);
  CHECK_THROWS_AS(glt::detail::write_batch_gradient(fewer, rows, statistics, sums, {}, rows), precondition_error);
}
