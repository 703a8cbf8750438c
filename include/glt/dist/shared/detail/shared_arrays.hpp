// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

#include <array>
#include <cstring>
#include <iterator>
#include <span>

namespace glt::detail {

/// Layout of N arrays in one block of bytes: their lengths, then the arrays, each from a new cache line on.
template <std::size_t N>
class shared_arrays {
public:
  /// @shape  sizes [N], in bytes
  explicit shared_arrays(std::array<std::int64_t, N> const& sizes) noexcept : sizes_(sizes) {}

  /// Reads the lengths from a block that was written.
  ///
  /// @throws precondition_error  if the length of the block contradicts them
  [[nodiscard]] static shared_arrays of(std::span<std::byte const> block) {
    std::array<std::int64_t, N> sizes{};
    if (block.size() >= sizeof(sizes)) {
      std::memcpy(sizes.data(), block.data(), sizeof(sizes));
    }
    shared_arrays const made(sizes);
    if (std::ssize(block) != made.bytes()) {
      throw precondition_error(message("block of ", block.size(), " bytes for arrays that take ", made.bytes(),
                                       "; share the same things on all ranks"));
    }
    return made;
  }

  /// Returns the bytes of the whole block.
  [[nodiscard]] std::int64_t bytes() const noexcept { return offset(N); }

  /// Writes the lengths and copies the arrays; the caller writes an array with a null pointer at its `place`.
  ///
  /// @shape  block [bytes()] · arrays [N], of the sizes given
  void write(std::span<std::byte> block, std::array<void const*, N> const& arrays) const noexcept {
    std::memcpy(block.data(), sizes_.data(), sizeof(sizes_));
    for (std::size_t i = 0; i < N; ++i) {
      if (arrays[i] != nullptr) {
        copy_bytes(place(block, i), arrays[i], sizes_[i]);
      }
    }
  }

  /// Returns the address of array i in a block.
  [[nodiscard]] std::byte* place(std::span<std::byte> block, std::size_t i) const noexcept {
    return block.data() + offset(i);
  }

  /// Returns array i of a block.
  template <bytes_copyable T>
  [[nodiscard]] host_view<T const> view(std::span<std::byte const> block, std::size_t i) const noexcept {
    return {reinterpret_cast<T const*>(block.data() + offset(i)), sizes_[i] / static_cast<std::int64_t>(sizeof(T))};
  }

private:
  static constexpr std::int64_t line_bytes = 64;
  [[nodiscard]] static constexpr std::int64_t lines(std::int64_t bytes) noexcept {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
  }
  [[nodiscard]] std::int64_t offset(std::size_t i) const noexcept {
    auto at = lines(static_cast<std::int64_t>(sizeof(sizes_)));
    for (std::size_t before = 0; before < i; ++before) {
      at += lines(sizes_[before]);
    }
    return at;
  }

  std::array<std::int64_t, N> sizes_;
};

} // namespace glt::detail
