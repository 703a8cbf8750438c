// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/bytes.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/collected_rows.hpp>
#include <glt/dist/requests.hpp>
#include <glt/feature/copy_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

namespace glt::dist {

/// How requested rows lie in a message: all features, then the labels of the marked rows, which come first in
/// the request.
template <device_policy Policy, bytes_copyable T>
class row_message {
  static constexpr auto label_bytes = static_cast<std::int64_t>(sizeof(label_type));
  using features = feature_view<Policy::space, T>;

public:
  row_message(std::int64_t num_columns, Policy policy)
      : row_bytes_(num_columns * static_cast<std::int64_t>(sizeof(T))), policy_(std::move(policy)) {}

  /// Bytes of a row with its label.
  [[nodiscard]] std::int64_t largest_row() const noexcept { return row_bytes_ + label_bytes; }

  [[nodiscard]] std::int64_t bytes(std::span<wire_row const> rows) const noexcept {
    return std::ssize(rows) * row_bytes_ + num_marked(rows) * label_bytes;
  }

  /// Writes the rows and returns the end of the message; `out` has room for bytes(rows).
  ///
  /// @pre    the rows are those of `local`; not checked
  std::byte* pack(features local, std::span<wire_row const> rows, std::byte* out) const {
    policy_.executor().for_ranges(
        std::ssize(rows), detail::copied_rows_per_range,
        detail::copy_rows<requested, detail::rows_in_order>{
            .in = reinterpret_cast<std::byte const*>(local.features.data()),
            .out = out,
            .row_bytes = row_bytes_,
            .from = {rows.data()},
            .to = {}});
    out += std::ssize(rows) * row_bytes_;
    auto const labels = num_marked(rows);
    for (std::int64_t i = 0; i < labels; ++i, out += label_bytes) {
      detail::copy_bytes(out, &local.labels[row_of(rows[static_cast<std::size_t>(i)])], label_bytes);
    }
    return out;
  }

  /// Copies the rows of a message to their places and returns its end.
  ///
  /// @shape  places [rows]
  std::byte const* unpack(std::byte const* in, std::span<wire_row const> rows, std::span<std::int64_t const> places,
                          collected_rows<Policy, T>& out) const {
    using in_order_to_listed =
        detail::copy_rows<detail::rows_in_order, detail::rows_listed<std::int64_t>, detail::streamed_writes>;
    policy_.executor().for_ranges(std::ssize(rows), detail::copied_rows_per_range,
                                  in_order_to_listed{.in = in,
                                                     .out = reinterpret_cast<std::byte*>(out.features.data()),
                                                     .row_bytes = row_bytes_,
                                                     .from = {},
                                                     .to = {places.data()}});
    in += std::ssize(rows) * row_bytes_;
    auto const labels = num_marked(rows);
    for (std::int64_t i = 0; i < labels; ++i, in += label_bytes) {
      detail::copy_bytes(&out.labels[places[static_cast<std::size_t>(i)]], in, label_bytes);
    }
    return in;
  }

private:
  struct requested {
    wire_row const* rows;
    [[nodiscard]] std::int64_t operator()(std::int64_t i) const noexcept { return row_of(rows[i]); }
  };

  [[nodiscard]] static std::int64_t num_marked(std::span<wire_row const> rows) noexcept {
    return std::ranges::find_if_not(rows, is_marked) - rows.begin();
  }

  std::int64_t row_bytes_;
  Policy policy_;
};

} // namespace glt::dist
