// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/view.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using glt::array_view;
using glt::host_matrix;
using glt::host_view;
using glt::matrix_view;
using glt::memory_space;

namespace {

template <class T>
using device_view = array_view<memory_space::device, T>;

template <class View>
concept iterable = requires(View view) { view.begin(); };

} // namespace

static_assert(std::is_trivially_copyable_v<host_view<int>> && std::is_trivially_copyable_v<host_matrix<float>>);
static_assert(sizeof(host_view<int>) == 2 * sizeof(void*) && sizeof(host_matrix<int>) == 3 * sizeof(void*));
static_assert(std::ranges::contiguous_range<host_view<int>> && std::ranges::sized_range<host_view<int>>);

// Where the host may look.
static_assert(iterable<host_view<int>> && iterable<array_view<memory_space::pinned, int>> &&
              !iterable<device_view<int>>);

// Const is added and never removed; spaces do not convert into each other.
static_assert(std::convertible_to<host_view<int>, host_view<int const>>);
static_assert(!std::constructible_from<host_view<int>, host_view<int const>>);
static_assert(std::convertible_to<device_view<int>, device_view<int const>>);
static_assert(!std::constructible_from<device_view<int const>, host_view<int>>);
static_assert(!std::constructible_from<host_view<int const>, device_view<int>>);
static_assert(!std::constructible_from<host_view<int const>, array_view<memory_space::pinned, int>>);
static_assert(!std::constructible_from<device_view<int>, std::vector<int>&>);
static_assert(std::convertible_to<host_matrix<int>, host_matrix<int const>>);
static_assert(!std::constructible_from<host_matrix<int>, host_matrix<int const>>);
static_assert(!std::constructible_from<host_matrix<int>, matrix_view<memory_space::device, int>>);

// Ranges: a temporary only as const elements, and only elements of the same type.
static_assert(std::convertible_to<std::vector<int>&, host_view<int>>);
static_assert(std::convertible_to<std::vector<int> const&, host_view<int const>>);
static_assert(!std::constructible_from<host_view<int>, std::vector<int> const&>);
static_assert(!std::constructible_from<host_view<int>, std::vector<int>>);
static_assert(std::constructible_from<host_view<int const>, std::vector<int>>);
static_assert(std::constructible_from<host_view<int>, std::span<int>>);
static_assert(!std::constructible_from<host_view<long long>, std::vector<int>&>);
static_assert(std::convertible_to<host_view<int>&, std::span<int>>);

TEST_CASE("a view borrows vectors, arrays and spans") {
  std::vector<int> values{3, 1, 4, 1, 5};
  host_view<int> const view = values;
  CHECK(view.data() == values.data());
  CHECK(view.size() == 5);
  view[2] = 40;
  CHECK(values[2] == 40);
  std::array<std::string, 2> words{"a", "b"};
  CHECK(host_view<std::string const>(words)[1] == "b");
  CHECK(host_view<int>(std::span(values).subspan(1, 3)).size() == 3);
  CHECK(std::accumulate(view.begin(), view.end(), 0) == 3 + 1 + 40 + 1 + 5);
  CHECK(std::ranges::max(view) == 40);
}

TEST_CASE("a view may be empty") {
  host_view<int> const none;
  CHECK(none.empty());
  CHECK(none.size() == 0);
  CHECK(none.data() == nullptr);
  CHECK(none.begin() == none.end());
  std::vector<int> nothing;
  CHECK(host_view<int>(nothing).empty());
  host_matrix<int> const flat;
  CHECK(flat.rows() == 0);
  CHECK(flat.columns() == 0);
  CHECK(flat.flat().empty());
}

TEST_CASE("subview keeps the elements' places") {
  std::vector<std::int64_t> values(7);
  std::iota(values.begin(), values.end(), 10);
  host_view<std::int64_t const> const view = values;
  auto const middle = view.subview(2, 3);
  CHECK(std::vector<std::int64_t>(middle.begin(), middle.end()) == std::vector<std::int64_t>{12, 13, 14});
  CHECK(view.subview(7, 0).empty());
}

TEST_CASE("a matrix is row-major without gaps") {
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 0.0F);
  host_matrix<float> const matrix(values.data(), 3, 4);
  CHECK(matrix.rows() == 3);
  CHECK(matrix.columns() == 4);
  CHECK(matrix(2, 1) == 9);
  CHECK(matrix.row(1).data() == values.data() + 4);
  CHECK(matrix.row(1).size() == 4);
  CHECK(matrix.flat().size() == 12);
  matrix(0, 3) = -1;
  CHECK(host_matrix<float const>(matrix).row(0)[3] == -1);
}

TEST_CASE("a view of device memory can be passed around and cut without being read") {
  auto* const nowhere = reinterpret_cast<int*>(std::uintptr_t{4096});
  device_view<int> const view(nowhere, 10);
  CHECK(view.subview(3, 2).data() == nowhere + 3);
  CHECK(view.size() == 10);
  matrix_view<memory_space::device, int> const matrix(nowhere, 2, 5);
  CHECK(matrix.row(1).data() == nowhere + 5);
}

TEST_CASE("algorithms return places in a view that is gone, and adaptors take it") {
  std::vector<int> values{3, 9, 4};
  auto const view = [&] { return host_view<int>(values); };
  *std::ranges::max_element(view()) = 1;
  CHECK(values[1] == 1);
  auto const last = view() | std::views::drop(2);
  CHECK(std::ranges::equal(last, std::vector{4}));
  static_assert(!std::ranges::range<device_view<int>>);
}

TEST_CASE("spaces know who reaches them") {
  static_assert(glt::detail::host_accessible(memory_space::host) &&
                !glt::detail::device_accessible(memory_space::host));
  static_assert(glt::detail::host_accessible(memory_space::pinned) &&
                glt::detail::device_accessible(memory_space::pinned));
  static_assert(!glt::detail::host_accessible(memory_space::device) &&
                glt::detail::device_accessible(memory_space::device));
  CHECK(host_view<int>::space == memory_space::host);
  CHECK(matrix_view<memory_space::pinned, int>::space == memory_space::pinned);
}
