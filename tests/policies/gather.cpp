// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/elements.hpp"
#include "support/errors.hpp"
#include "support/policies.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class Id>
std::vector<Id> random_ids(std::int64_t count, std::int64_t below) {
  std::vector<Id> ids;
  random_stream draws(random_key(3), static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<Id>(draws.below(static_cast<std::uint64_t>(below))));
  }
  return ids;
}

// Rows of a matrix, each element for itself.
template <class To, class From, class Id>
std::vector<std::byte> expected_bytes(std::vector<From> const& rows, std::int64_t columns, std::vector<Id> const& ids,
                                      std::vector<float> const& scales) {
  std::vector<To> out;
  for (auto const id : ids) {
    for (std::int64_t c = 0; c < columns; ++c) {
      auto value = element_as<To>(rows[static_cast<std::size_t>(std::int64_t{id} * columns + c)]);
      if constexpr (std::is_integral_v<From> && !std::is_same_v<From, To>) {
        value = scales.empty() ? value : value * static_cast<To>(scales[static_cast<std::size_t>(c)]);
      }
      out.push_back(value);
    }
  }
  return bytes_of(out);
}

template <class From, class To, class Id, class Policy>
void check_gather(std::int64_t columns, std::int64_t count, std::int64_t in_shift, std::int64_t out_shift, bool scaled,
                  Policy const& policy) {
  CAPTURE(columns);
  CAPTURE(count);
  CAPTURE(in_shift);
  CAPTURE(out_shift);
  constexpr auto space = Policy::space;
  constexpr std::int64_t rows = 37;
  auto const values = any_numbers<From>(rows * columns, 5);
  auto const ids = random_ids<Id>(count, rows);
  auto const scales = any_numbers<float>(scaled ? columns : 0, 6);
  shifted_matrix<Policy, From> in(values, rows, columns, in_shift, policy);
  shifted_matrix<Policy, To> out(std::vector<To>(static_cast<std::size_t>(count * columns), To{}), count, columns,
                                 out_shift, policy);
  auto const id_buffer = make_buffer<Policy>(ids, policy);
  auto const scale_buffer = make_buffer<Policy>(scales, policy);
  feature_view<space, From> const features{.features = in.view(), .scales = scale_buffer.view()};
  gather_rows(policy.executor(), features, id_buffer.view(), out.view());
  CHECK(out.bytes() == expected_bytes<To>(values, columns, ids, scales));
}

} // namespace

TEST_CASE_TEMPLATE("rows are gathered as every type they can become, whatever their width and place", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  for_each_element_pair([&]<class Pair>(Pair) {
    using from = typename Pair::from;
    using to = typename Pair::to;
    for (std::int64_t const columns : {0, 1, 3, 7, 16, 33, 128}) {
      for (std::int64_t const shift : {0, 1}) {
        check_gather<from, to, local_id>(columns, 301, shift, shift, false, policy);
      }
    }
    for (std::int64_t const count : {0, 1, 2, 3, 4, 5}) {
      check_gather<from, to, local_id>(7, count, 0, 0, std::is_integral_v<from>, policy);
    }
    check_gather<from, to, local_id>(32, 75, 4, 8, std::is_integral_v<from>, policy);
    check_gather<from, to, local_id>(33, 75, 8, 2, std::is_integral_v<from>, policy);
  });
}

TEST_CASE_TEMPLATE("ids of 64 bits gather what those of 32 bits do", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (std::int64_t const columns : {1, 7, 128}) {
    check_gather<float, float, global_id>(columns, 2049, 0, 0, false, policy);
    check_gather<bfloat16, float, global_id>(columns, 2049, 0, 0, false, policy);
  }
}

TEST_CASE_TEMPLATE("what is no number stays none", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  std::vector<float> const none(8, std::numeric_limits<float>::quiet_NaN());
  auto const in = make_buffer<Policy>(none, policy);
  auto const ids = make_buffer<Policy>(std::vector<local_id>{1, 0}, policy);
  buffer<Policy, bfloat16> out(8, policy);
  gather_rows(policy.executor(), matrix_view<Policy::space, float const>(in.data(), 2, 4), ids.view(),
              matrix_view<Policy::space, bfloat16>(out.data(), 2, 4));
  for (auto const each : to_vector(policy, out.view())) {
    CHECK(std::isnan(static_cast<float>(each)));
  }
}

TEST_CASE_TEMPLATE("a result of another shape is refused, and nothing is written", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  auto const in = make_buffer<Policy>(std::vector<float>{0, 1, 2, 3, 4, 5}, policy);
  auto const ids = make_buffer<Policy>(std::vector<local_id>{2, 0}, policy);
  auto out = make_buffer<Policy>(std::vector<float>(6, -1), policy);
  for (auto const& shape : {std::pair(3, 2), std::pair(2, 3)}) {
    auto const rows = shape.first;
    auto const columns = shape.second;
    auto const complaint = thrown<precondition_error>([&] {
      gather_rows(policy.executor(), matrix_view<space, float const>(in.data(), 3, 2), ids.view(),
                  matrix_view<space, float>(out.data(), rows, columns));
    });
    CHECK(names(complaint, "2 rows of 2 columns", "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]"));
  }
  CHECK(to_vector(policy, out.view()) == std::vector<float>(6, -1));
}

#if defined(GLT_TEST_THRUST)
TEST_CASE("features, ids and results may lie in three spaces that the executor reaches") {
  emulated_cpp const gpu;
  emulated_zero_copy const pinned;
  auto const in = make_buffer<emulated_zero_copy>(std::vector<float>{0, 1, 2, 3, 4, 5}, pinned);
  auto const ids = make_buffer<emulated_cpp>(std::vector<local_id>{2, 0, 2}, gpu);
  buffer<emulated_zero_copy, double> out(6, pinned);
  gather_rows(gpu.executor(), matrix_view<memory_space::pinned, float const>(in.data(), 3, 2), ids.view(),
              matrix_view<memory_space::pinned, double>(out.data(), 3, 2));
  CHECK(to_vector(pinned, out.view()) == std::vector<double>{4, 5, 0, 1, 4, 5});
}
#endif

namespace {

template <class From, class To, class Policy>
void check_in_order(std::int64_t columns, std::int64_t count, Policy const& policy) {
  CAPTURE(columns);
  CAPTURE(count);
  constexpr std::int64_t rows = 37;
  auto const values = any_numbers<From>(rows * columns, 5);
  auto const ids = random_ids<std::int64_t>(count, rows);
  shifted_matrix<Policy, From> in(values, rows, columns, 0, policy);
  shifted_matrix<Policy, To> out(std::vector<To>(static_cast<std::size_t>(count * columns), To{}), count, columns, 0,
                                 policy);
  auto const listed = make_buffer<Policy>(ids, policy);
  auto const* const from = reinterpret_cast<std::byte const*>(in.view().data());
  auto* const to = reinterpret_cast<std::byte*>(out.view().data());
  auto const bytes_of_row = [&](std::size_t element) { return columns * static_cast<std::int64_t>(element); };
  glt::detail::transfer_located_rows<From, To>(
      policy.executor(), count, columns, nullptr,
      glt::detail::rows_at<std::byte const, glt::detail::rows_listed<std::int64_t>>{
          from, bytes_of_row(sizeof(From)), {std::as_const(listed).view().data()}},
      glt::detail::rows_at<std::byte, glt::detail::rows_in_order>{to, bytes_of_row(sizeof(To)), {}},
      reinterpret_cast<std::uintptr_t>(from), reinterpret_cast<std::uintptr_t>(to), rows);
  CHECK(out.bytes() == expected_bytes<To>(values, columns, ids, {}));
}

} // namespace

TEST_CASE_TEMPLATE("rows of a large table far away are read in the order in which they lie", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  for (std::int64_t const columns : {1, 4, 33}) {
    for (std::int64_t const count : {0, 1, 2, 5, 517}) {
      check_in_order<float, float>(columns, count, policy);
      check_in_order<std::int8_t, float>(columns, count, policy);
    }
  }
}

TEST_CASE("tables count as large and far away beyond what a GPU keeps in mind") {
  using glt::detail::rows_far_away;
  constexpr std::int64_t rows_of_half = std::int64_t{1} << 20; // rows of 512 bytes
  CHECK(rows_far_away<memory_space::pinned>(rows_of_half, 512) == 0);
  CHECK(rows_far_away<memory_space::pinned>(rows_of_half + 1, 512) == rows_of_half + 1);
  CHECK(rows_far_away<memory_space::device>(10 * rows_of_half, 512) == 0);
  CHECK(rows_far_away<memory_space::host>(10 * rows_of_half, 512) == 0);
}
