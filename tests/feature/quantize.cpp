// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;
using device::cpu;

namespace {

// The text of the error at quantizing a matrix, with given scales or with its own.
std::string complaint(host_matrix<float const> matrix) {
  return thrown<precondition_error>([&] { static_cast<void>(quantize_rows(matrix)); });
}
std::string complaint(host_matrix<float const> matrix, std::vector<float> const& scales) {
  return thrown<precondition_error>([&] { static_cast<void>(quantize_rows<cpu>(matrix, scales)); });
}

// Columns of very different sizes; some all zero.
std::vector<float> random_values(std::int64_t rows, std::int64_t columns) {
  std::vector<float> values;
  random_stream draws(random_key(9), static_cast<std::uint64_t>(columns));
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    auto const c = i % columns;
    auto const unit = static_cast<float>(draws.below(2'000'001)) / 1'000'000 - 1;
    values.push_back(c % 5 == 4 ? 0 : std::ldexp(unit, static_cast<int>(c % 60) - 40));
  }
  return values;
}

std::vector<float> restored(feature_store<cpu, std::int8_t> const& store) {
  auto const view = store.view();
  std::vector<global_id> ids(static_cast<std::size_t>(view.num_vertices()));
  std::iota(ids.begin(), ids.end(), 0);
  std::vector<float> out(static_cast<std::size_t>(view.num_vertices() * view.num_columns()));
  gather_rows(exec::sequential{}, view, host_view<global_id const>(ids),
              host_matrix<float>(out.data(), view.num_vertices(), view.num_columns()));
  return out;
}

} // namespace

TEST_CASE("no element is off by more than half the scale of its column") {
  for (std::int64_t const columns : {1, 3, 127, 128, 130}) {
    for (std::int64_t const rows : {0, 1, 201}) {
      auto const values = random_values(rows, columns);
      host_matrix<float const> const matrix(values.data(), rows, columns);
      auto const store = quantize_rows(matrix, cpu(2));
      REQUIRE(store.view().scales.size() == columns);
      auto const back = restored(store);
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto const scale = static_cast<double>(store.view().scales[static_cast<std::int64_t>(i) % columns]);
        auto const error = std::fabs(static_cast<double>(back[i]) - static_cast<double>(values[i]));
        auto const rounding = std::fabs(static_cast<double>(values[i])) * 1e-7;
        wrong += error <= scale / 2 * (1 + 1e-12) + rounding ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a scale is the smallest float of which 127 reach the largest magnitude, down to the smallest numbers") {
  std::vector<float> const maxima{0,
                                  127,
                                  1,
                                  0.1F,
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::denorm_min(),
                                  128 * std::numeric_limits<float>::denorm_min()};
  auto const scales = glt::detail::int8_scales(host_matrix<float const>(maxima.data(), 1, std::ssize(maxima)));
  REQUIRE(scales.size() == maxima.size());
  CHECK(scales[0] == 0);
  CHECK(scales[1] == 1);
  CHECK(scales[5] == std::numeric_limits<float>::denorm_min());
  for (std::size_t i = 1; i < maxima.size(); ++i) {
    CHECK(127 * static_cast<double>(scales[i]) >= static_cast<double>(maxima[i]));
    CHECK(127 * static_cast<double>(std::nextafter(scales[i], 0.0F)) < static_cast<double>(maxima[i]));
  }
  std::vector<float> const tiny{-std::numeric_limits<float>::denorm_min(), 0, std::numeric_limits<float>::denorm_min()};
  CHECK(restored(quantize_rows(host_matrix<float const>(tiny.data(), 3, 1))) == tiny);
}

TEST_CASE("integers are the nearest ones, ties go to the even one, and what is too large ends at 127") {
  std::vector<float> const values{0.5F, 1.5F, -2.5F, -0.6F, 63.4F, 127, 128, 1e30F, -1e30F, -0.0F};
  std::vector<float> const scale{1};
  auto const store = quantize_rows<cpu>(host_matrix<float const>(values.data(), 10, 1), scale);
  std::vector<std::int8_t> const found(store.view().features.data(), store.view().features.data() + 10);
  CHECK(found == std::vector<std::int8_t>{0, 2, -2, -1, 63, 127, 127, 127, -127, 0});
  std::vector<float> const none{0};
  auto const zeros = quantize_rows<cpu>(host_matrix<float const>(values.data(), 10, 1), none);
  CHECK(restored(zeros) == std::vector<float>(10, 0.0F));
}

TEST_CASE("the largest magnitude of a column is found, and no rows have none") {
  std::vector<float> const values{1, -5, 0, -3, 4, -0.0F};
  CHECK(detail::column_maxima(host_matrix<float const>(values.data(), 2, 3)) == std::vector<float>{3, 5, 0});
  CHECK(detail::column_maxima(host_matrix<float const>(nullptr, 0, 2)) == std::vector<float>{0, 0});
  CHECK(detail::column_maxima(host_matrix<float const>(nullptr, 3, 0)).empty());
}

TEST_CASE("what has no scale is refused with its place") {
  for (float const odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    std::vector<float> const values{1, 2, 3, 4, 5, odd};
    host_matrix<float const> const matrix(values.data(), 2, 3);
    CHECK(names(complaint(matrix), "row 1 column 2"));
    CHECK(names(complaint(matrix, {1, 1, 1}), "row 1 column 2"));
    std::vector<float> const good{1, 2, 3};
    CHECK(names(complaint(host_matrix<float const>(good.data(), 1, 3), {1, std::fabs(odd), 1}), "scale 1"));
  }
  std::vector<float> const values{1, 2};
  host_matrix<float const> const matrix(values.data(), 1, 2);
  CHECK(names(complaint(matrix, {1, -1}), "scale 1 is -1"));
  CHECK(names(complaint(matrix, {1}), "1 scales for 2 columns"));
}
