// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

namespace glt::dist {

/// How many rows of a request are marked; they come first.
[[nodiscard]] inline std::int64_t num_marked(std::span<wire_row const> rows) noexcept {
  return std::ranges::find_if_not(rows, is_marked) - rows.begin();
}

/// Item i of a message is the row that number i of a request names.
struct row_requested {
  wire_row const* rows;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return row_of(rows[i]); }
};

/// How requested rows lie in a message: all features as they are stored, then the labels of the marked rows,
/// which come first in the request.
template <device_policy Policy, bytes_copyable T>
class row_message {
  static constexpr auto label_bytes = static_cast<std::int64_t>(sizeof(label_type));

public:
  /// Borrows the rows of this rank, which must outlive this.
  row_message(feature_view<Policy::space, T> local, Policy policy)
      : local_(local), row_bytes_(local.num_columns() * static_cast<std::int64_t>(sizeof(T))),
        policy_(std::move(policy)) {}

  /// Bytes of a row with its label.
  [[nodiscard]] std::int64_t largest_row() const noexcept { return row_bytes_ + label_bytes; }

  [[nodiscard]] std::int64_t bytes(std::span<wire_row const> rows) const noexcept {
    return std::ssize(rows) * row_bytes_ + num_marked(rows) * label_bytes;
  }

  /// Writes rows of this rank and returns the end of the message; `out` has room for bytes(rows).
  ///
  /// @pre    the rows exist; not checked
  std::byte* pack(std::span<wire_row const> rows, std::byte* out) const {
    detail::transfer_rows(policy_.executor(), std::ssize(rows), local_, row_requested{rows.data()}, detail::rows_in_order{},
                     reinterpret_cast<T*>(out));
    out += std::ssize(rows) * row_bytes_;
    auto const labels = num_marked(rows);
    for (std::int64_t i = 0; i < labels; ++i, out += label_bytes) {
      detail::copy_bytes(out, &local_.labels[row_of(rows[static_cast<std::size_t>(i)])], label_bytes);
    }
    return out;
  }

  /// Puts the rows of a message in their places, converted if the result has other elements, and returns its
  /// end.
  ///
  /// @shape  places [rows]
  /// @pre    scales are the same on all ranks; not checked
  template <class Out>
    requires detail::gathers_as<T, Out>
  std::byte const* unpack(std::byte const* in, std::span<wire_row const> rows, std::span<std::int64_t const> places,
                          collected_rows<Policy, Out>& out) const {
    feature_view<Policy::space, T> const sent{
        .features = {reinterpret_cast<T const*>(in), std::ssize(rows), local_.num_columns()}, .scales = local_.scales};
    detail::transfer_rows<detail::streamed_writes>(policy_.executor(), std::ssize(rows), sent, detail::rows_in_order{},
                                              detail::rows_listed<std::int64_t>{places.data()}, out.features.data());
    in += std::ssize(rows) * row_bytes_;
    auto const labels = num_marked(rows);
    for (std::int64_t i = 0; i < labels; ++i, in += label_bytes) {
      detail::copy_bytes(&out.labels[places[static_cast<std::size_t>(i)]], in, label_bytes);
    }
    return in;
  }

private:
  feature_view<Policy::space, T> local_;
  std::int64_t row_bytes_;
  Policy policy_;
};

} // namespace glt::dist
