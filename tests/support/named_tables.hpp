// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/core/view.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/buffer.hpp>

#include "once.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace glt_test {

/// A number of a vertex or edge, a tensor and a column, small enough for every element type.
inline float named_value(std::int64_t item, std::int64_t tensor, std::int64_t column) {
  return static_cast<float>((item * 7 + tensor * 29 + column * 3) % 113);
}

/// The rows of tensor number `tensor`, for the items of a list.
template <class T>
glt::feature_store<glt::device::cpu, T> named_store(std::vector<std::int64_t> const& items, std::int64_t tensor,
                                                    std::int64_t columns, std::vector<float> const& scales = {}) {
  std::vector<T> values;
  for (auto const item : items) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(static_cast<T>(named_value(item, tensor, c)));
    }
  }
  using glt::device::cpu;
  return {static_cast<std::int64_t>(items.size()),
          columns,
          glt::make_buffer<cpu>(values),
          {},
          glt::make_buffer<cpu>(scales)};
}

/// Tensors of all kinds for the items of a list.
inline glt::feature_table<glt::device::cpu> named_table(std::vector<std::int64_t> const& items) {
  glt::feature_table<glt::device::cpu> table(static_cast<std::int64_t>(items.size()));
  table.add("title", named_store<glt::float16>(items, 0, 5));
  table.add("year", named_store<std::int64_t>(items, 1, 1));
  table.add("small", named_store<std::int8_t>(items, 2, 3, {0.5F, 2, 1}));
  table.add("dense", named_store<float>(items, 3, 40));
  table.add("none", named_store<double>(items, 4, 0));
  table.add("label", named_store<std::int64_t>(items, 5, 1));
  return table;
}

/// The table of all items below a number, made once in a program.
inline glt::feature_table<glt::device::cpu> const& whole_table(std::int64_t count) {
  return once(count, [count] {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return named_table(all);
  });
}

/// The rows of a tensor as numbers of type T.
template <class T>
std::vector<T> elements_of(auto const& rows) {
  auto const all = rows.template as<T>().flat();
  return {all.begin(), all.end()};
}

/// The bits of what `whole` has for these items, as T.
template <class T>
std::vector<T> gathered(glt::feature_table<glt::device::cpu> const& whole, char const* name,
                        std::vector<std::int64_t> const& items) {
  auto const rows = whole.template gather<T>(name, glt::host_view<std::int64_t const>(items));
  auto const all = rows.view().features.flat();
  return {all.begin(), all.end()};
}

} // namespace glt_test
