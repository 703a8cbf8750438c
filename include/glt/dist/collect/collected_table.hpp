// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/any_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::dist {

/// Request for one tensor of a collector of named tensors.
struct tensor_request {
  std::string name;
  std::optional<element_type> type{}; ///< element type of the result; the stored type if empty
  bool seeds_only = false;            ///< only for the seeds, such as labels
};

} // namespace glt::dist

namespace glt::detail {

/// One tensor of a `collected_table`.
///
/// @shape  bytes [num_rows · num_columns · size_of(type)]
template <device_policy Policy>
struct collected_tensor {
  std::string name;
  element_type type = element_type::float32;
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  buffer<Policy, std::byte> bytes{};

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.name, self.type, self.num_rows, self.num_columns, self.bytes);
  }

  /// Returns the rows. Their scales have been applied if `type` is not the stored type.
  [[nodiscard]] any_rows<Policy::space> rows() const noexcept { return {type, bytes.data(), num_rows, num_columns}; }
};

} // namespace glt::detail

namespace glt::dist {

/// Rows that a batch needs, of several tensors; reusable.
///
///     auto const x = table["title"].template as<float>(); // matrix_view, [N, F]
///
/// @shape  one row per vertex, in the order of the vertices; `seeds_only` tensors have one row per seed
template <device_policy Policy>
struct collected_table {
  using tensor_type = detail::collected_tensor<Policy>; ///< name and rows
  using rows_type = detail::any_rows<Policy::space>;    ///< rows of any element type, with `as<T>()`

  std::vector<tensor_type> tensors;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.tensors);
  }

  /// Returns the rows of a tensor.
  ///
  /// @throws precondition_error  if no tensor has that name; the text lists the names
  [[nodiscard]] rows_type operator[](std::string_view name) const { return detail::find_named(tensors, name).rows(); }
};

} // namespace glt::dist
