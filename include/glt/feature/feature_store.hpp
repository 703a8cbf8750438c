// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

/// Class or target of a vertex.
using label_type = std::int64_t;

} // namespace detail

/// Borrowed features of V vertices, one row each, and optionally their labels. Integer features may have scales: an
/// element then stands for the stored integer times the scale of its column.
///
/// @shape  features [V, F] · labels [V] or empty · scales [F] or empty
template <memory_space Space, bytes_copyable T>
struct feature_view {
  matrix_view<Space, T const> features;
  array_view<Space, detail::label_type const> labels{};
  array_view<Space, float const> scales{};

  [[nodiscard]] constexpr std::int64_t num_vertices() const noexcept { return features.rows(); }
  [[nodiscard]] constexpr std::int64_t num_columns() const noexcept { return features.columns(); }
};

/// Owner of the features of V vertices and optionally their labels and the scales of integer columns; move-only.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  rows [V · F], row-major · labels [V] or empty · scales [F] or empty
template <device_policy Policy, bytes_copyable T>
class feature_store {
public:
  using policy_type = Policy;
  using value_type = T;

  feature_store() = default;

  /// @throws precondition_error  if num_vertices or num_columns is negative, rows does not have num_vertices ·
  ///         num_columns elements, labels are neither absent nor one per vertex, scales are neither absent nor one per
  ///         column, or elements with scales are not integers
  feature_store(std::int64_t num_vertices, std::int64_t num_columns, buffer<Policy, T> rows,
                buffer<Policy, detail::label_type> labels = {}, buffer<Policy, float> scales = {})
      : num_vertices_(num_vertices), num_columns_(num_columns), rows_(std::move(rows)), labels_(std::move(labels)),
        scales_(std::move(scales)) {
    if (num_vertices < 0 || num_columns < 0) {
      throw precondition_error(
          detail::message("features of shape [", num_vertices, ", ", num_columns, "]; both are 0 or more"));
    }
    if (num_vertices > 0 && num_columns > std::numeric_limits<std::int64_t>::max() / num_vertices) {
      throw precondition_error(detail::message("features of shape [", num_vertices, ", ", num_columns,
                                               "]; the number of elements does not fit 64 bits"));
    }
    if (rows_.size() != num_vertices * num_columns) {
      throw precondition_error(detail::message("features of shape [", num_vertices, ", ", num_columns, "] need ",
                                               num_vertices * num_columns, " elements, not ", rows_.size()));
    }
    if (!labels_.empty() && labels_.size() != num_vertices) {
      throw precondition_error(
          detail::message(labels_.size(), " labels for ", num_vertices, " vertices; give one per vertex or none"));
    }
    if (!scales_.empty() && scales_.size() != num_columns) {
      throw precondition_error(
          detail::message(scales_.size(), " scales for ", num_columns, " columns; give one per column or none"));
    }
    if (!scales_.empty() && !std::is_integral_v<T>) {
      throw precondition_error("scales for columns that are not integers; multiply them in before");
    }
  }

  [[nodiscard]] feature_view<Policy::space, T> view() const {
    return {{rows_.data(), num_vertices_, num_columns_}, labels_.view(), scales_.view()};
  }
  /// Returns the policy of the rows.
  [[nodiscard]] Policy const& policy() const noexcept { return rows_.policy(); }

private:
  std::int64_t num_vertices_ = 0;
  std::int64_t num_columns_ = 0;
  buffer<Policy, T> rows_;
  buffer<Policy, detail::label_type> labels_;
  buffer<Policy, float> scales_;
};

} // namespace glt
