// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

/// Class or target of a vertex.
using label_type = std::int64_t;

/// Storage that rows of features are read from, such as a file larger than memory.
///
/// Concurrent calls: `read` may run concurrently.
class row_storage {
public:
  row_storage() = default;
  row_storage(row_storage const&) = delete;
  row_storage& operator=(row_storage const&) = delete;
  virtual ~row_storage() = default;

  /// Writes the stored bytes of rows, one row after the other. Returns how many of them a cache of the storage had.
  ///
  /// @shape  rows [n], in any order and more than once · out [n, bytes of a row], written
  /// @pre    every row exists; not checked
  /// @throws io_error  if a row cannot be read; `out` then holds anything
  virtual std::int64_t read(host_view<std::int64_t const> rows, std::byte* out) const = 0;
};

// Refuses rows that only a storage has.
inline void check_addresses(void const* rows, std::int64_t size, row_storage const* storage) {
  if (rows == nullptr && size > 0 && storage != nullptr) {
    throw precondition_error(
        "features that are read from several files have no addresses; gather rows of them, or open "
        "the data without `disk`");
  }
}

} // namespace detail

/// Borrowed features of V vertices, one row each, and optionally their labels. Integer features may have scales: an
/// element then stands for the stored integer times the scale of its column. With a storage, gathers of the host read
/// rows by it; all else uses the addresses of the same rows, such as a mapped file. Rows of a storage of several files
/// have no addresses: `features.data()` is null.
///
/// @shape  features [V, F] · labels [V] or empty · scales [F] or empty
template <memory_space Space, bytes_copyable T>
struct feature_view {
  matrix_view<Space, T const> features;
  array_view<Space, detail::label_type const> labels{};
  array_view<Space, float const> scales{};
  detail::row_storage const* storage = nullptr;

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

  /// With a storage, gathers of the host read rows by it. The addresses of the rows hold the same bytes, or `rows` is
  /// empty.
  ///
  /// @throws precondition_error  if num_vertices or num_columns is negative, rows does not have num_vertices ·
  ///         num_columns elements, labels are neither absent nor one per vertex, scales are neither absent nor one per
  ///         column, or elements with scales are not integers
  feature_store(std::int64_t num_vertices, std::int64_t num_columns, buffer<Policy, T> rows,
                buffer<Policy, detail::label_type> labels = {}, buffer<Policy, float> scales = {},
                std::shared_ptr<detail::row_storage const> storage = nullptr)
      : num_vertices_(num_vertices), num_columns_(num_columns), rows_(std::move(rows)), labels_(std::move(labels)),
        scales_(std::move(scales)), storage_(std::move(storage)) {
    if (num_vertices < 0 || num_columns < 0) {
      throw precondition_error(
          detail::message("features of shape [", num_vertices, ", ", num_columns, "]; both are 0 or more"));
    }
    if (num_vertices > 0 && num_columns > std::numeric_limits<std::int64_t>::max() / num_vertices) {
      throw precondition_error(detail::message("features of shape [", num_vertices, ", ", num_columns,
                                               "]; the number of elements does not fit 64 bits"));
    }
    if (rows_.size() != num_vertices * num_columns && !(storage_ != nullptr && rows_.empty())) {
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
    return {{rows_.data(), num_vertices_, num_columns_}, labels_.view(), scales_.view(), storage_.get()};
  }
  /// Returns the policy of the rows.
  [[nodiscard]] Policy const& policy() const noexcept { return rows_.policy(); }

private:
  std::int64_t num_vertices_ = 0;
  std::int64_t num_columns_ = 0;
  buffer<Policy, T> rows_;
  buffer<Policy, detail::label_type> labels_;
  buffer<Policy, float> scales_;
  std::shared_ptr<detail::row_storage const> storage_; // null: rows are read at their addresses
};

/// Copies features into memory of a policy, with their labels and scales if there are any.
///
///     auto const on_gpu = copy<device::cuda>(store.view());
///
/// @shape  features [V, F], and so is the result
/// @where  from ordinary memory, which may change afterwards
/// @throws precondition_error  if the rows have no addresses
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] feature_store<Policy, T> copy(feature_view<memory_space::host, T> features, Policy policy = {}) {
  detail::check_addresses(features.features.data(), features.num_vertices() * features.num_columns(), features.storage);
  return {features.num_vertices(), features.num_columns(), make_buffer<Policy>(features.features.flat(), policy),
          make_buffer<Policy>(features.labels, policy), make_buffer<Policy>(features.scales, policy)};
}

namespace detail {

/// Returns the largest magnitude of every column.
///
/// @shape  rows [V, F] → [F]
/// @throws precondition_error  if an element is not finite; its place is named
/// @cost   O(V · F)
[[nodiscard]] inline std::vector<float> column_maxima(host_matrix<float const> rows) {
  constexpr std::uint32_t infinity = 0x7F800000;
  auto const width = static_cast<std::size_t>(rows.columns());
  std::vector<std::uint32_t> largest(width, 0); // magnitudes are ordered as their bits; beyond infinity come NaNs
  for (std::int64_t r = 0; r < rows.rows(); ++r) {
    auto const* const row = rows.row(r).data();
    for (std::size_t c = 0; c < width; ++c) {
      largest[c] = std::max(largest[c], bits_of(row[c]) & 0x7FFFFFFFU);
    }
  }
  auto const odd = std::ranges::find_if(largest, [](std::uint32_t bits) { return bits >= infinity; });
  if (odd != largest.end()) {
    auto const column = odd - largest.begin();
    std::int64_t row = 0;
    while ((bits_of(rows(row, column)) & 0x7FFFFFFFU) < infinity) {
      ++row;
    }
    throw precondition_error(message("row ", row, " column ", column, " is ", rows(row, column),
                                     "; only finite numbers have a scale: replace it first"));
  }
  std::vector<float> maxima(width);
  std::ranges::transform(largest, maxima.begin(), float_of);
  return maxima;
}

/// Returns the scales with which columns of 8-bit integers reach the largest magnitudes of these rows: the smallest
/// float for which 127 scales are not less than the magnitude; 0 for a column of zeros.
///
/// @shape  rows [V, F] → [F]
/// @throws precondition_error  if an element is not finite; its place is named
/// @cost   O(V · F)
[[nodiscard]] inline std::vector<float> int8_scales(host_matrix<float const> rows) {
  auto scales = column_maxima(rows);
  for (auto& scale : scales) {
    auto const largest = static_cast<double>(scale);
    scale = static_cast<float>(largest / 127);
    if (127 * static_cast<double>(scale) < largest) {
      scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
    }
  }
  return scales;
}

// Rounds to one of the integers −127 … 127, symmetric around 0; clamps values beyond them.
struct quantize_range {
  float const* in;
  float const* scales;
  std::int64_t columns;
  std::int8_t* out;

  void operator()(std::int64_t first, std::int64_t last) const {
    for (auto r = first; r < last; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const value = static_cast<double>(in[r * columns + c]);
        auto const steps = scales[c] > 0 ? value / static_cast<double>(scales[c]) : 0;
        out[r * columns + c] = static_cast<std::int8_t>(std::nearbyint(std::clamp(steps, -127.0, 127.0)));
      }
    }
  }
};

} // namespace detail

/// Stores rows in 8 bits an element: element = integer · scale of its column, the integer rounded to the nearest, ties
/// to even. With the scales of the largest magnitudes, the error of an element is at most half the scale plus the
/// rounding of the product to `float`. With smaller scales, larger elements are clamped to 127 scales.
///
/// Parts of one matrix need the same scales: column by column the largest that any part has, quantized with its own
/// scales.
///
/// @shape  rows [V, F] · scales [F] → V rows of F columns, with scales
/// @throws precondition_error  if there is not one scale per column, a scale is negative or not finite, or an
///                             element is not finite
/// @where  computed on the host; policies of GPUs get a copy
/// @cost   O(V · F)
template <device_policy Policy = device::cpu>
[[nodiscard]] feature_store<Policy, std::int8_t>
quantize_rows(host_matrix<float const> rows, host_view<float const> scales, buffer<Policy, std::int64_t> labels = {},
              Policy policy = {}) {
  if (scales.size() != rows.columns()) {
    throw precondition_error(
        detail::message(scales.size(), " scales for ", rows.columns(), " columns; give one per column"));
  }
  for (std::int64_t c = 0; c < scales.size(); ++c) {
    if (!(scales[c] >= 0 && scales[c] <= std::numeric_limits<float>::max())) {
      throw precondition_error(detail::message("scale ", c, " is ", scales[c], "; scales are finite and 0 or more"));
    }
  }
  static_cast<void>(detail::column_maxima(rows)); // refuses elements that are not finite
  using maker = std::conditional_t<host_policy<Policy>, Policy, device::cpu>;
  maker host;
  if constexpr (host_policy<Policy>) {
    host = policy;
  }
  buffer<maker, std::int8_t> integers(rows.rows() * rows.columns(), host);
  host.executor().for_ranges(rows.rows(), std::int64_t{64},
                             detail::quantize_range{rows.data(), scales.data(), rows.columns(), integers.data()});
  if constexpr (host_policy<Policy>) {
    return {rows.rows(), rows.columns(), std::move(integers), std::move(labels), make_buffer<Policy>(scales, policy)};
  } else {
    return {rows.rows(), rows.columns(), make_buffer<Policy>(integers, policy), std::move(labels),
            make_buffer<Policy>(scales, policy)};
  }
}

/// Stores rows in 8 bits an element, with the scales of their largest magnitudes: `view().scales` of the result.
template <device_policy Policy = device::cpu>
[[nodiscard]] feature_store<Policy, std::int8_t> quantize_rows(host_matrix<float const> rows, Policy policy = {}) {
  return quantize_rows<Policy>(rows, detail::int8_scales(rows), {}, std::move(policy));
}

} // namespace glt
