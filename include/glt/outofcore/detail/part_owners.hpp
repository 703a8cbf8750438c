// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/outofcore/detail/shuffle_rounds.hpp>

namespace glt::io::detail {

/// Assignment of parts to the ranks that make them: each rank makes neighbouring parts, as equal in number as possible.
class part_owners {
public:
  part_owners(int num_parts, int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      parts_.push_back(slice_of(num_parts, ranks, rank));
      rank_of_.resize(static_cast<std::size_t>(parts_.back().last), rank);
    }
  }

  /// Returns the parts of a rank; possibly none, if there are more ranks than parts.
  [[nodiscard]] item_range parts_of(int rank) const noexcept { return parts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int rank_of(int part) const noexcept { return rank_of_[static_cast<std::size_t>(part)]; }

private:
  std::vector<item_range> parts_;
  std::vector<int> rank_of_;
};

} // namespace glt::io::detail
