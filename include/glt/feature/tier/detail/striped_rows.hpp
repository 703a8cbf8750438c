// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Divider of numbers below 2³¹ by a number of 1 or more that is known only at run time. It uses one multiplication and
/// a shift, because GPUs have no instruction for division.
///
/// @source Granlund & Montgomery, "Division by invariant integers using multiplication", PLDI 1994
class small_divisor {
public:
  /// @pre    1 <= divisor < 2³¹; not checked
  explicit small_divisor(std::int64_t divisor) noexcept
      : divisor_(static_cast<std::uint32_t>(divisor)), shift_(31 + static_cast<int>(std::bit_width(divisor_ - 1))),
        factor_(static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_)) {}

  [[nodiscard]] GLT_HOST_DEVICE std::uint32_t divisor() const noexcept { return divisor_; }
  /// Returns the quotient, without the remainder.
  ///
  /// @pre    number < 2³¹; not checked
  [[nodiscard]] GLT_HOST_DEVICE std::uint32_t quotient(std::uint32_t number) const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{number} * factor_) >> shift_);
  }

private:
  std::uint32_t divisor_;
  int shift_;
  std::uint32_t factor_;
};

/// One round of `for_each_chunk`: f(row, chunk) by a single index.
template <class F>
struct chunk_round {
  F f;
  small_divisor chunks;
  std::int64_t first_row;
  std::int64_t first_chunk;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const index = static_cast<std::uint32_t>(i);
    auto const row = chunks.quotient(index);
    f(first_row + row, first_chunk + (index - row * chunks.divisor()));
  }
};

/// Calls f(row, chunk) for all rows and all chunks of each. Neighbouring chunks have neighbouring indices, so that the
/// threads of a GPU read and write neighbouring bytes.
///
/// Indices have 31 bits, which are cheap to divide; more chunks take several rounds of at most `most` chunks each.
template <executor Executor, class F>
void for_each_chunk(Executor const& ex, std::int64_t rows, std::int64_t chunks, F f,
                    std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
  for (std::int64_t chunk = 0, wide = 0; chunk < chunks; chunk += wide) {
    wide = std::min(chunks - chunk, most);
    for (std::int64_t row = 0, high = 0; row < rows; row += high) {
      high = std::min(rows - row, most / wide);
      ex.for_each(high * wide, chunk_round<F>{f, small_divisor(wide), row, chunk});
    }
  }
}

/// Borrowed rows, striped over the memories of G devices that reach each other: row r is row r / G of device r mod G.
///
/// @shape  [H, F] over G devices
template <memory_space Space, class T>
class striped_rows {
public:
  striped_rows() noexcept {} // g++ 12 does not survive a default with initialisers of members in some units

  /// Makes a view of the rows of one device.
  explicit striped_rows(matrix_view<Space, T const> rows) noexcept
      : first_(rows.data()), rows_(rows.rows()), columns_(rows.columns()),
        addresses_(reinterpret_cast<std::uintptr_t>(rows.data())) {}

  /// @shape  devices [G], the address of the rows of each · addresses: these or-ed together
  /// @pre    G >= 1; not checked: see `stripe_table`
  striped_rows(array_view<Space, T const* const> devices, std::int64_t rows, std::int64_t columns,
               std::uintptr_t addresses) noexcept
      : devices_(devices.data()), num_devices_(devices.size()), rows_(rows), columns_(columns), addresses_(addresses) {}

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t columns() const noexcept { return columns_; }
  [[nodiscard]] GLT_HOST_DEVICE int num_devices() const noexcept { return static_cast<int>(num_devices_.divisor()); }
  /// Returns the addresses of the rows of the devices, or-ed together.
  [[nodiscard]] std::uintptr_t addresses() const noexcept { return addresses_; }

  [[nodiscard]] striped_rows<Space, std::byte> bytes() const noexcept {
    auto const row_bytes = columns_ * static_cast<std::int64_t>(sizeof(T));
    if (devices_ == nullptr) {
      return striped_rows<Space, std::byte>(
          matrix_view<Space, std::byte const>(reinterpret_cast<std::byte const*>(first_), rows_, row_bytes));
    }
    return {
        array_view<Space, std::byte const* const>(reinterpret_cast<std::byte const* const*>(devices_), num_devices()),
        rows_, row_bytes, addresses_};
  }

  /// Returns the address of a row.
  ///
  /// @pre    0 <= row < rows(); not checked
  [[nodiscard]] GLT_HOST_DEVICE T const* row(std::int32_t row) const noexcept {
    if (devices_ == nullptr) {
      return first_ + row * columns_;
    }
    auto const number = static_cast<std::uint32_t>(row);
    auto const row_of_device = num_devices_.quotient(number);
    return devices_[number - row_of_device * num_devices_.divisor()] + std::int64_t{row_of_device} * columns_;
  }

private:
  T const* first_ = nullptr;          // of one device
  T const* const* devices_ = nullptr; // of several: in memory, because GPUs have no arrays in registers
  small_divisor num_devices_{1};
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::uintptr_t addresses_ = 0;
};

/// Owner of the addresses of the rows of several devices, in the memory of the device that reads them; move-only.
template <device_policy Policy, bytes_copyable T>
class stripe_table {
  static constexpr memory_space space = Policy::space;

public:
  stripe_table() = default;

  /// Borrows the rows of every device; row r of all is row r / G of stripes[r mod G].
  ///
  /// @throws precondition_error  if there is no device, a device has other columns than the first, or a device does not
  ///         have its share of the rows
  explicit stripe_table(std::span<matrix_view<space, T const> const> stripes, Policy policy = {}) {
    if (stripes.empty()) {
      throw precondition_error("rows over 0 devices; give one or more");
    }
    std::int64_t rows = 0;
    std::uintptr_t addresses = 0;
    std::vector<T const*> begins;
    for (auto const& stripe : stripes) {
      rows += stripe.rows();
      addresses |= reinterpret_cast<std::uintptr_t>(stripe.data());
      begins.push_back(stripe.data());
    }
    auto const devices = static_cast<std::int64_t>(stripes.size());
    auto const columns = stripes.front().columns();
    for (std::int64_t d = 0; d < devices; ++d) {
      auto const& stripe = stripes[static_cast<std::size_t>(d)];
      auto const expected = rows / devices + (d < rows % devices ? 1 : 0);
      if (stripe.columns() != columns || stripe.rows() != expected) {
        throw precondition_error(message("device ", d, " has [", stripe.rows(), ", ", stripe.columns(), "] of ", rows,
                                         " rows that are striped over the devices; give [", expected, ", ", columns,
                                         "]"));
      }
    }
    if (devices == 1) {
      view_ = striped_rows<space, T>(stripes.front());
    } else {
      begins_ = make_buffer<Policy>(begins, std::move(policy));
      view_ = striped_rows<space, T>(std::as_const(begins_).view(), rows, columns, addresses);
    }
  }

  [[nodiscard]] striped_rows<space, T> view() const noexcept { return view_; }

private:
  buffer<Policy, T const*> begins_;
  striped_rows<space, T> view_;
};

/// Position of the row of a vertex: number s ≥ 0 among the hot rows, or number −1 − s among the cold ones.
using tier_slot = std::int32_t;

/// Hot rows of some features and the position of every row; empty if there are no slots.
///
/// @shape  hot [H, bytes of a row] · slots [V]
template <memory_space Space>
struct row_tier {
  striped_rows<Space, std::byte> hot{};
  tier_slot const* slots = nullptr;
};

/// Address of row from(i), which is hot or cold.
template <memory_space Space, class From>
struct tiered_rows_at {
  row_tier<Space> tier;
  std::byte const* cold;
  From from;

  [[nodiscard]] GLT_HOST_DEVICE std::byte const* operator()(std::int64_t i) const { return at(key(i)); }
  /// Returns a number by which cold rows lie in order in memory.
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t key(std::int64_t i) const { return tier.slots[from(i)]; }
  [[nodiscard]] GLT_HOST_DEVICE std::byte const* at(std::int64_t key) const {
    auto const slot = static_cast<tier_slot>(key);
    return slot >= 0 ? tier.hot.row(slot) : cold + std::int64_t{~slot} * tier.hot.columns();
  }
};

} // namespace glt::detail
