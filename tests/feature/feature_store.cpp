// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/feature/feature_store.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

using store = feature_store<device::cpu, float>;

static_assert(!std::is_copy_constructible_v<store> && std::is_nothrow_move_constructible_v<store>);
static_assert(std::is_trivially_copyable_v<feature_view<memory_space::host, float>>);

TEST_CASE("rows and labels are those it was built from") {
  store built(3, 2, make_buffer<device::cpu>(std::vector<float>{0, 1, 2, 3, 4, 5}),
              make_buffer<device::cpu>(std::vector<detail::label_type>{7, -1, 9}));
  auto const moved = std::move(built);
  CHECK(moved.view().num_vertices() == 3);
  CHECK(moved.view().num_columns() == 2);
  CHECK(moved.view().features(1, 0) == 2);
  CHECK(moved.view().features.row(2)[1] == 5);
  CHECK(moved.view().labels[2] == 9);
}

TEST_CASE("labels, columns and vertices may be missing") {
  store const unlabelled(2, 1, make_buffer<device::cpu>(std::vector<float>{1, 2}));
  CHECK(unlabelled.view().labels.empty());
  store const narrow(4, 0, {}, make_buffer<device::cpu>(std::vector<detail::label_type>{1, 2, 3, 4}));
  CHECK(narrow.view().num_vertices() == 4);
  CHECK(narrow.view().labels.size() == 4);
  store const nothing(0, 5, {});
  CHECK(nothing.view().num_vertices() == 0);
  CHECK(nothing.view().num_columns() == 5);
  CHECK(store{}.view().num_columns() == 0);
}

TEST_CASE("shapes that do not fit are refused with their numbers") {
  auto const build = [](std::int64_t vertices, std::int64_t columns, std::vector<float> const& rows,
                        std::vector<detail::label_type> const& labels) {
    return thrown<precondition_error>(
        [&] { store(vertices, columns, make_buffer<device::cpu>(rows), make_buffer<device::cpu>(labels)); });
  };
  CHECK(names(build(-1, 2, {}, {}), "[-1, 2]"));
  CHECK(names(build(1, -2, {}, {}), "[1, -2]"));
  CHECK(names(build(2, 2, {1, 2, 3}, {}), "[2, 2]", "4 elements", "3"));
  CHECK(names(build(2, 1, {1, 2}, {1}), "1 labels", "2 vertices"));
  CHECK(names(build(2, 1, {1, 2}, {1, 2, 3}), "3 labels", "2 vertices"));
}

TEST_CASE("a shape whose number of elements wraps around to 0 is refused") {
  constexpr auto big = std::int64_t{1} << 40;
  CHECK(names(thrown<precondition_error>([&] { store(big, big, {}); }), "1099511627776", "64 bits"));
}

TEST_CASE("scales belong to integer columns, one each") {
  using quantized = feature_store<device::cpu, std::int8_t>;
  auto const scales = std::vector<float>{0.5F, 2};
  quantized const built(1, 2, make_buffer<device::cpu>(std::vector<std::int8_t>{3, -4}), {},
                        make_buffer<device::cpu>(scales));
  CHECK(built.view().scales[1] == 2);
  CHECK(store(1, 2, make_buffer<device::cpu>(scales)).view().scales.empty());
  auto const complaint = thrown<precondition_error>([&] { quantized(0, 3, {}, {}, make_buffer<device::cpu>(scales)); });
  CHECK(names(complaint, "2 scales for 3 columns"));
  CHECK(names(thrown<precondition_error>([&] { store(0, 2, {}, {}, make_buffer<device::cpu>(scales)); }),
              "not integers"));
}
