// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/pair_arrays.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/io/text/detail/columns.hpp>

#include <filesystem>

namespace glt::io::detail {

// Returns the shape of a table's numbers; a single column becomes a list.
inline std::vector<std::int64_t> shape_of_numbers(array const& numbers) {
  auto shape = numbers.shape();
  if (shape[1] == 1) {
    shape.pop_back();
  }
  return shape;
}

// Reader of tables into memory.
class tables_in_memory {
public:
  using edges_type = raw_data::edge_table;

  explicit tables_in_memory(read_options const& reading) : reading_(reading) {}

  [[nodiscard]] array read_floats(std::filesystem::path const& file) const {
    return read_columns<float>(file, {}, reading_);
  }
  [[nodiscard]] array read_numbers(std::filesystem::path const& file) const {
    auto const numbers = read_columns<double>(file, {}, reading_);
    bool const whole = std::ranges::all_of(numbers.values<double>(), is_integer<double>);
    if (whole) {
      return array::of(host_view<std::int64_t const>(integers_of(numbers, file.string())), shape_of_numbers(numbers));
    }
    return array::of(host_view<float const>(floats_of(numbers, file.string())), shape_of_numbers(numbers));
  }

  void read_pairs(std::filesystem::path const& file, raw_data::edge_table& edges) const {
    auto pairs = to_pairs(read_columns<global_id>(file, {.columns = 2}, reading_), file.string(), pair_layout::columns);
    edges.sources = std::move(pairs.sources);
    edges.destinations = std::move(pairs.destinations);
  }
  void read_weights(std::filesystem::path const& file, raw_data::edge_table& edges) const {
    edges.weights = floats_of(read_columns<float>(file, {.columns = 1}, reading_), file.string());
  }
  void read_times(std::filesystem::path const& file, raw_data::edge_table& edges) const {
    edges.times = integers_of(read_columns<std::int64_t>(file, {.columns = 1}, reading_), file.string());
  }
  [[nodiscard]] static edge_columns columns_of(raw_data::edge_table const& edges) { return view_of(edges).columns; }

private:
  read_options const& reading_;
};

} // namespace glt::io::detail
