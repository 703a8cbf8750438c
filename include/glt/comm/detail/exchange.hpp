// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/checks.hpp>

namespace glt::detail {

/// Writes offsets[i] = counts[0] + … + counts[i − 1]; one offset more than counts.
inline void prefix_sums(std::span<std::int64_t const> counts, std::vector<std::int64_t>& offsets) {
  offsets.assign(counts.size() + 1, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    offsets[i + 1] = offsets[i] + counts[i];
  }
}

/// Sizes and offsets in bytes of consecutive slices, one per rank, for a variable exchange.
class byte_counts {
public:
  /// Sets the slice of rank p to counts[p] items of `item_bytes` bytes.
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

// The bytes of both sides of `exchange_rows`.
struct row_bytes {
  byte_counts sent;
  byte_counts received;

  row_bytes(std::int64_t send_size, std::span<std::int64_t const> send_counts, std::int64_t receive_size,
            std::span<std::int64_t const> receive_counts, std::int64_t columns, std::int64_t item) {
    if (columns < 0) {
      throw precondition_error(message("exchange_rows: rows of ", columns, " columns; pass 0 or more"));
    }
    sent.set(send_counts, static_cast<std::size_t>(item * columns));
    received.set(receive_counts, static_cast<std::size_t>(item * columns));
    if (sent.total() != send_size * item || received.total() != receive_size * item) {
      throw precondition_error(message("exchange_rows: ", send_size, " elements to send and ", receive_size,
                                       " to receive, but the counts say ", sent.total() / item, " and ",
                                       received.total() / item));
    }
  }
};

/// Sends a slice of rows to every rank and receives one from each; slices lie in rank order, without gaps.
///
/// @shape  send [sum of send_counts · columns] · send_counts [R], rows; 0 for this rank · receive_counts
///         [R], rows, as the other ranks count them · receive [sum of receive_counts · columns], written
/// @where  memory of any space that the communicator carries
/// @comm   collective; one variable exchange
/// @throws precondition_error  if columns is negative, or send or receive is not as long as its counts say
template <communicator C, memory_space Space, bytes_copyable T>
void exchange_rows(C& comm, array_view<Space, T const> send, std::span<std::int64_t const> send_counts,
                   array_view<Space, T> receive, std::span<std::int64_t const> receive_counts,
                   std::int64_t columns = 1) {
  static_assert(carries_space<C>(Space),
                "this communicator does not carry memory of the views: dist::device_comm takes it "
                "through memory of the host");
  row_bytes const bytes(send.size(), send_counts, receive.size(), receive_counts, columns, sizeof(T));
  comm.all_to_all_v(bytes.sent.out(send.data()), bytes.received.in(receive.data()));
}

/// Exchanges one number with every rank, such as the size of a later message that only its sender knows.
///
/// @shape  sizes [R], the number for every rank · received [R], written
/// @comm   collective; one all-to-all of 8 bytes a rank
/// @throws precondition_error  if sizes or received do not have R elements
template <communicator C>
void exchange_sizes(C& comm, std::span<std::int64_t const> sizes, std::span<std::int64_t> received) {
  check_length("exchange_sizes", "sizes", sizes.size(), comm.size());
  check_length("exchange_sizes", "received", received.size(), comm.size());
  comm.all_to_all(reinterpret_cast<std::byte const*>(sizes.data()), reinterpret_cast<std::byte*>(received.data()),
                  sizeof(std::int64_t));
}

} // namespace glt::detail
