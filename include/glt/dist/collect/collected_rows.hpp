// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt::dist {

/// Rows that a batch needs; reusable.
///
/// @shape  features [N · F], row-major, in the order of the vertices · labels [M] of the first M vertices · num_rows is
///         N, also of features without columns
template <device_policy Policy, bytes_copyable T>
struct collected_rows {
  buffer<Policy, T> features;
  buffer<Policy, detail::label_type> labels;
  std::int64_t num_rows = 0;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.features, self.labels, self.num_rows);
  }
};

} // namespace glt::dist

namespace glt::detail {

/// Numbers of rows that a `feature_collector` has collected, by source.
struct collected_counts {
  std::int64_t own = 0;         ///< of this rank
  std::int64_t in_place = 0;    ///< of other ranks, read where they lie
  std::int64_t cached = 0;      ///< of other ranks, found among the hot rows
  std::int64_t remote = 0;      ///< of other ranks, requested by messages
  std::int64_t repeated = 0;    ///< of other ranks, copied from another batch of the same `bulk`
  std::int64_t disk = 0;        ///< of tensors on this rank's disk, read for this or other ranks; each tensor counts
  std::int64_t disk_cached = 0; ///< of `disk`, found in the cache of the disk's rows

  /// Returns the hit ratio of the hot rows: cached / (cached + remote), or 0 if nothing was cached.
  [[nodiscard]] double hit_ratio() const noexcept {
    return cached == 0 ? 0 : static_cast<double>(cached) / static_cast<double>(cached + remote);
  }
  /// Returns the hit ratio of the cache of the disk's rows: disk_cached / disk, or 0 if nothing was read from disk.
  [[nodiscard]] double disk_hit_ratio() const noexcept {
    return disk == 0 ? 0 : static_cast<double>(disk_cached) / static_cast<double>(disk);
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.own, self.in_place, self.cached, self.remote, self.repeated, self.disk, self.disk_cached);
  }
  collected_counts& operator+=(collected_counts const& other) noexcept { return combine(*this, other, std::plus<>()); }
};

/// Seconds that the calling thread has spent in a `feature_collector`, by phase.
struct collector_seconds {
  double requesting = 0; ///< sorting vertices by owner, agreeing with other ranks, sending requests
  double own_rows = 0;   ///< copying rows of this rank and rows that are read in place
  double packing = 0;    ///< copying rows that other ranks requested
  double exchanging = 0; ///< sending and receiving rows; waiting for other ranks included
  double unpacking = 0;  ///< copying received rows to their places

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.requesting, self.own_rows, self.packing, self.exchanging, self.unpacking);
  }
  collector_seconds& operator+=(collector_seconds const& other) noexcept {
    return combine(*this, other, std::plus<>());
  }
};

/// Request for one tensor of a collector of named tensors.
struct tensor_request {
  std::string name;
  std::optional<element_type> type{}; ///< element type of the result; the stored type if empty
  bool seeds_only = false;            ///< only for the seeds, such as labels
};

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

/// Rows that a batch needs, of several tensors; reusable.
///
///     auto const x = table["title"].template as<float>(); // matrix_view, [N, F]
///
/// @shape  one row per vertex, in the order of the vertices; `seeds_only` tensors have one row per seed
template <device_policy Policy>
struct collected_table {
  using tensor_type = collected_tensor<Policy>; ///< name and rows
  using rows_type = any_rows<Policy::space>;    ///< rows of any element type, with `as<T>()`

  std::vector<tensor_type> tensors;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.tensors);
  }

  /// Returns the rows of a tensor.
  ///
  /// @throws precondition_error  if no tensor has that name; the text lists the names
  [[nodiscard]] rows_type operator[](std::string_view name) const { return find_named(tensors, name).rows(); }
};

} // namespace glt::detail
