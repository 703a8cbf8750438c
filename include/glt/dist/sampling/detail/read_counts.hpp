// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/members.hpp>

namespace glt::detail {

/// Counts of the rows that were read, by their owners.
struct read_counts {
  std::int64_t own = 0;      ///< of this rank
  std::int64_t in_place = 0; ///< of other ranks, read in place
  std::int64_t remote = 0;   ///< of other ranks, requested by message

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.own, self.in_place, self.remote);
  }
  read_counts& operator+=(read_counts const& other) noexcept { return combine(*this, other, std::plus<>()); }
};

} // namespace glt::detail
