// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/checks.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt {

/// offsets[i] = counts[0] + … + counts[i − 1]; one offset more than counts.
inline void prefix_sums(std::span<std::int64_t const> counts, std::vector<std::int64_t>& offsets) {
  offsets.assign(counts.size() + 1, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    offsets[i + 1] = offsets[i] + counts[i];
  }
}

/// Sizes and offsets in bytes of consecutive slices, one per rank: what a variable exchange wants to know.
class byte_counts {
public:
  /// The slice of rank p has counts[p] items of `item_bytes` bytes.
  void set(std::span<std::int64_t const> counts, std::size_t item_bytes) {
    sizes_.assign(counts.begin(), counts.end());
    for (auto& size : sizes_) {
      size *= static_cast<std::int64_t>(item_bytes);
    }
    prefix_sums(sizes_, offsets_);
  }

  [[nodiscard]] std::int64_t total() const noexcept { return offsets_.back(); }
  [[nodiscard]] std::int64_t offset(std::size_t rank) const noexcept { return offsets_[rank]; }

  [[nodiscard]] outgoing out(void const* data) const noexcept {
    return {static_cast<std::byte const*>(data), sizes_, std::span(offsets_).first(sizes_.size())};
  }
  [[nodiscard]] incoming in(void* data) const noexcept {
    return {static_cast<std::byte*>(data), sizes_, std::span(offsets_).first(sizes_.size())};
  }

private:
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> offsets_{0};
};

/// Sends slices of rows to their ranks and receives theirs; slices lie in the order of the ranks, without
/// gaps.
///
/// @shape  send [sum of send_counts · columns] · send_counts [R], rows; 0 for the own rank · receive_counts
///         [R], rows, as the other ranks count them · receive [sum of receive_counts · columns], written
/// @comm   collective; one variable exchange
/// @throws precondition_error  if columns is negative, or send or receive is not as long as its counts say
template <communicator C, bytes_copyable T>
void exchange_rows(C& comm, host_view<T const> send, std::span<std::int64_t const> send_counts,
                   host_view<T> receive, std::span<std::int64_t const> receive_counts,
                   std::int64_t columns = 1) {
  if (columns < 0) {
    throw precondition_error(detail::message("exchange_rows: rows of ", columns, " columns; pass 0 or more"));
  }
  byte_counts sent;
  byte_counts received;
  sent.set(send_counts, sizeof(T) * static_cast<std::size_t>(columns));
  received.set(receive_counts, sizeof(T) * static_cast<std::size_t>(columns));
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  if (sent.total() != send.size() * item || received.total() != receive.size() * item) {
    throw precondition_error(detail::message("exchange_rows: ", send.size(), " elements to send and ",
                                             receive.size(), " to receive, but the counts say ",
                                             sent.total() / item, " and ", received.total() / item));
  }
  comm.all_to_all_v(sent.out(send.data()), received.in(receive.data()));
}

} // namespace glt
