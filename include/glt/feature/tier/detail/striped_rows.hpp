// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/chunk_grid.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Borrowed rows, striped over the memories of G devices that reach each other: row r is row r / G of device r mod G.
///
/// @shape  [H, F] over G devices
template <memory_space Space, class T>
class striped_rows {
public:
  /// Makes a view without rows.
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

  /// Returns the same rows as bytes.
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
  /// Makes a table without rows.
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

} // namespace glt::detail
