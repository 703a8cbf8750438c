// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/reproducible_graph.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

/// a bᵀ of rows in slices, and its value.
struct product {
  glt::detail::exact_sums sums;
  at::Tensor value;

  product(at::Tensor const& a, at::Tensor const& b, int bits) {
    auto const scales_of_a = glt::detail::scales_of(glt::detail::largest_along(a, 1), bits).t();
    auto const scales_of_b = glt::detail::scales_of(glt::detail::largest_along(b, 1), bits).t();
    sums = glt::detail::multiply_columns(a.t(), b.t(), scales_of_a, scales_of_b, bits);
    value = glt::detail::value_of(sums, scales_of_a.t(), scales_of_b, bits);
  }
};

} // namespace

TEST_CASE("products of rows are near those of doubles, and a row's bits do not depend on the others") {
  at::manual_seed(2);
  for (std::int64_t const columns : {0, 1, 37, 5000}) {
    auto const a = at::randn({19, columns}) * at::randn({19, 1}).exp();
    auto const b = at::randn({columns, 6});
    auto const made = glt::detail::multiply_rows(a, b);
    auto const expected = a.to(at::kDouble).mm(b.to(at::kDouble));
    CHECK((made - expected).abs().sum().item<double>() <= 1e-4 * (1 + expected.abs().sum().item<double>()) / 19);
    CHECK((made.scalar_type() == at::kFloat));
    for (std::int64_t row = 0; row < 19; ++row) {
      CHECK(at::equal(glt::detail::multiply_rows(a.narrow(0, row, 1), b), made.narrow(0, row, 1)));
    }
  }
}

TEST_CASE("sums of products do not depend on the order of the terms, nor on how they are divided") {
  at::manual_seed(4);
  auto const a = at::randn({5, 9000}, at::kDouble);
  auto const b = at::randn({3, 9000}, at::kDouble);
  auto const bits = glt::detail::slice_bits(9000);
  product const whole(a, b, bits);
  auto const order = at::randperm(9000);
  product const shuffled(a.index_select(1, order), b.index_select(1, order), bits);
  CHECK(at::equal(shuffled.sums.high, whole.sums.high));
  CHECK(at::equal(shuffled.sums.low, whole.sums.low));
  auto const error = (whole.value - a.mm(b.t())).abs().max().item<double>();
  CHECK(error < 1e-7);
  CHECK(error > 0); // doubles have more bits
}

TEST_CASE("the largest terms do not overflow") {
  for (std::int64_t const terms : {std::int64_t{1}, std::int64_t{100'000}}) {
    auto const bits = glt::detail::slice_bits(std::int64_t{1} << 40); // as for far more of them
    CHECK(bits == 10);
    auto const ones = at::full({1, terms}, 1.0 - 0x1p-40, at::kDouble);
    CHECK(product(ones, ones, bits).value.item<double>() == doctest::Approx(static_cast<double>(terms)).epsilon(1e-5));
  }
  CHECK(glt::detail::slice_bits(0) == 20);
  CHECK(glt::detail::slice_bits(std::int64_t{1} << 22) == 19);
}

TEST_CASE("small columns beside large ones lose nothing where the other factor makes up for it") {
  auto const a = at::tensor({1e18, 1.0}).view({1, 2});
  CHECK(glt::detail::multiply_rows(a, at::tensor({0.0, 1.0}).view({2, 1})).item<double>() == 1);
  at::manual_seed(6);
  auto const scales = at::logspace(-30, 30, 61, 10.0, at::kDouble);
  auto const rows = at::rand({5, 61}, at::kDouble) + 1;
  auto const columns = at::rand({61, 4}, at::kDouble) + 1;
  auto const made = glt::detail::multiply_rows(rows * scales, columns / scales.unsqueeze(1));
  CHECK((made / rows.mm(columns) - 1).abs().max().item<double>() < 1e-9);
  auto const largest = at::full({1, 1}, 0x1p1023, at::kDouble);
  CHECK(glt::detail::multiply_rows(at::ones({1, 1}, at::kDouble), largest).item<double>() == 0x1p1023);
}

TEST_CASE("extreme values keep their magnitude, zeros are zeros, and what is not finite stays in its row") {
  auto const b = at::ones({2, 1}, at::kDouble);
  for (double const value : {1e-300, 1e-30, 1.0, 1e30, 1e300}) {
    auto const a = at::full({1, 2}, value, at::kDouble);
    CHECK(glt::detail::multiply_rows(a, b).item<double>() == doctest::Approx(2 * value).epsilon(1e-9));
  }
  auto a = at::zeros({3, 2});
  a[1][0] = std::numeric_limits<float>::quiet_NaN();
  auto const made = glt::detail::multiply_rows(a, at::ones({2, 2}));
  CHECK(made[0].abs().sum().item<double>() == 0);
  CHECK(made[1].isnan().all().item<bool>());
  CHECK(made[2].abs().sum().item<double>() == 0);
}
