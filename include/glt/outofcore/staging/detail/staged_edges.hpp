// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/scratch_array.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Columns of edges that grow in files, piece after piece, because they may not fit in memory.
class staged_edges {
public:
  /// @throws io_error  if no file can be created in the folder
  explicit staged_edges(std::filesystem::path const& folder, std::string const& name = "edges")
      : sources_(folder / (name + "-sources")), destinations_(folder / (name + "-destinations")),
        weights_(folder / (name + "-weights")), times_(folder / (name + "-times")) {}

  [[nodiscard]] std::int64_t size() const noexcept { return sources_.size(); }

  /// Appends the columns of a piece.
  ///
  /// @throws io_error  if they cannot be written
  void take(raw_data::edge_table& piece) {
    move(piece.sources, sources_);
    move(piece.destinations, destinations_);
    move(piece.weights, weights_);
    move(piece.times, times_);
  }

  /// Columns mapped from the files, which are removed with them.
  struct columns {
    buffer<device::cpu, global_id> sources;
    buffer<device::cpu, global_id> destinations;
    buffer<device::cpu, float> weights;
    buffer<device::cpu, std::int64_t> times;

    [[nodiscard]] edge_columns view() const {
      return {.sources = sources.view(),
              .destinations = destinations.view(),
              .weights = weights.view(),
              .times = times.view()};
    }
  };

  /// @throws io_error  as `scratch_array::take`
  [[nodiscard]] columns finish() && {
    return {std::move(sources_).take(), std::move(destinations_).take(), std::move(weights_).take(),
            std::move(times_).take()};
  }

private:
  template <class T>
  static void move(std::vector<T>& values, scratch_array<T>& out) {
    out.append(host_view<T const>(values));
    values.clear();
  }

  scratch_array<global_id> sources_;
  scratch_array<global_id> destinations_;
  scratch_array<float> weights_;
  scratch_array<std::int64_t> times_;
};

/// Rows of an array that grow in a file.
class staged_rows {
public:
  /// @shape  a row: `row_shape`
  /// @throws io_error  if the file cannot be created
  staged_rows(std::filesystem::path file, element_type type, std::vector<std::int64_t> row_shape)
      : type_(type), shape_(std::move(row_shape)), bytes_(std::move(file)) {
    shape_.insert(shape_.begin(), 0);
  }

  /// @pre    the elements are of the type of the array, and make whole rows; not checked
  /// @throws io_error  if they cannot be written
  template <class T>
  void append(host_view<T const> elements) {
    bytes_.append(
        {reinterpret_cast<std::byte const*>(elements.data()), elements.size() * static_cast<std::int64_t>(sizeof(T))});
  }

  /// Returns the array, mapped from the file, which is removed with it.
  ///
  /// @throws io_error  as `scratch_array::take`
  [[nodiscard]] array finish() && {
    auto row_bytes = glt::detail::size_of(type_);
    for (std::size_t i = 1; i < shape_.size(); ++i) {
      row_bytes *= shape_[i];
    }
    shape_[0] = row_bytes == 0 ? 0 : bytes_.size() / row_bytes;
    return {type_, std::move(shape_), std::move(bytes_).take()};
  }

private:
  element_type type_;
  std::vector<std::int64_t> shape_;
  scratch_array<std::byte> bytes_;
};

} // namespace glt::io::detail
