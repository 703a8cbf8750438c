// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt::dist {

/// Moves slices of arrays between ranks where both sides know all sizes; that of the own rank is only copied.
/// Reusable.
class slice_exchange {
public:
  /// @shape  from_offsets, to_offsets [R + 1], elements from 0: slice p of `from` goes to rank p, slice p of
  ///         `to` comes from there
  /// @comm   collective; one variable exchange, or none where `anything` is false on every rank: no slice
  ///         then goes to another one
  template <communicator Comm, bytes_copyable T>
  void run(Comm& comm, bool anything, std::span<T const> from, std::span<std::int64_t const> from_offsets,
           std::span<T> to, std::span<std::int64_t const> to_offsets) {
    constexpr auto item = static_cast<std::int64_t>(sizeof(T));
    auto const self = static_cast<std::size_t>(comm.rank());
    detail::copy_bytes(to.data() + to_offsets[self], from.data() + from_offsets[self],
                       (from_offsets[self + 1] - from_offsets[self]) * item);
    if (anything) {
      out_.set(from_offsets, self, item);
      in_.set(to_offsets, self, item);
      comm.all_to_all_v({reinterpret_cast<std::byte const*>(from.data()), out_.sizes, out_.begins},
                        {reinterpret_cast<std::byte*>(to.data()), in_.sizes, in_.begins});
    }
  }

private:
  // In bytes, the own slice left out.
  struct slices {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> begins;

    void set(std::span<std::int64_t const> offsets, std::size_t self, std::int64_t item_bytes) {
      sizes.resize(offsets.size() - 1);
      begins.resize(offsets.size() - 1);
      for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        sizes[rank] = rank == self ? 0 : (offsets[rank + 1] - offsets[rank]) * item_bytes;
        begins[rank] = offsets[rank] * item_bytes;
      }
    }
  };

  slices out_;
  slices in_;
};

} // namespace glt::dist
