// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

/// Owner of every vertex: part p owns the global ids [begin(p), end(p)).
///
/// It has P + 1 offsets for graphs of any size. Parts may be empty.
///
/// Concurrent calls: const members may run concurrently.
class partition_book {
public:
  /// Makes a book with one part without vertices.
  partition_book() : offsets_{0, 0} {}

  /// @param  partitioning  tells partitionings into parts of the same sizes apart, such as a checksum; 0 if unknown
  /// @shape  offsets [P + 1]
  /// @throws precondition_error  if there is no part, the first offset is not 0, offsets descend, or a part
  ///                             has more vertices than a `local_id` can number
  explicit partition_book(std::vector<global_id> offsets, std::int64_t partitioning = 0)
      : offsets_(std::move(offsets)), partitioning_(partitioning) {
    if (offsets_.size() < 2) {
      throw precondition_error(detail::message("partition book of ", offsets_.size(),
                                               " offsets; give one per part and a last one, for 1 part or more"));
    }
    if (offsets_.front() != 0) {
      throw precondition_error(
          detail::message("offset 0 of the partition book is ", offsets_.front(), "; the first part begins at 0"));
    }
    for (std::size_t p = 0; p + 1 < offsets_.size(); ++p) {
      if (offsets_[p + 1] < offsets_[p]) {
        throw precondition_error(detail::message("offset ", p + 1, " of the partition book is ", offsets_[p + 1],
                                                 ", less than the one before it, ", offsets_[p],
                                                 "; offsets never descend"));
      }
      if (offsets_[p + 1] - offsets_[p] > std::numeric_limits<local_id>::max()) {
        throw precondition_error(detail::message("part ", p, " has ", offsets_[p + 1] - offsets_[p],
                                                 " vertices, more than ", std::numeric_limits<local_id>::max(),
                                                 "; make more parts"));
      }
    }
  }

  [[nodiscard]] int num_parts() const noexcept { return static_cast<int>(offsets_.size()) - 1; }
  [[nodiscard]] std::int64_t num_vertices() const noexcept { return offsets_.back(); }

  /// Returns the first global id of a part; @pre part is in [0, num_parts()), not checked (likewise `end` and `size`).
  [[nodiscard]] global_id begin(int part) const noexcept { return offsets_[static_cast<std::size_t>(part)]; }
  [[nodiscard]] global_id end(int part) const noexcept { return offsets_[static_cast<std::size_t>(part) + 1]; }
  [[nodiscard]] std::int64_t size(int part) const noexcept { return end(part) - begin(part); }

  /// Returns the part that owns a vertex.
  ///
  /// @throws precondition_error  if the id is not in [0, V)
  /// @cost   O(log P)
  [[nodiscard]] int owner(global_id vertex) const {
    if (vertex < 0 || vertex >= num_vertices()) {
      throw precondition_error(detail::message("vertex ", vertex, " is outside [0, ", num_vertices(),
                                               "), the global ids of the partition book"));
    }
    return static_cast<int>(std::ranges::upper_bound(offsets_, vertex) - offsets_.begin()) - 1;
  }

  /// Returns the local id of a vertex in its part.
  ///
  /// @throws precondition_error  if the id is not in [0, V)
  /// @cost   O(log P)
  [[nodiscard]] local_id local(global_id vertex) const { return static_cast<local_id>(vertex - begin(owner(vertex))); }

  /// @shape  [P + 1]
  [[nodiscard]] std::span<global_id const> offsets() const noexcept { return offsets_; }

  /// Returns the number that tells this partitioning from others into parts of the same sizes; 0 if unknown.
  [[nodiscard]] std::int64_t partitioning() const noexcept { return partitioning_; }

  [[nodiscard]] bool operator==(partition_book const&) const = default;
  /// Returns true if the parts have the same sizes, and the partitionings do not differ or one is unknown.
  [[nodiscard]] bool matches(partition_book const& other) const noexcept {
    return offsets_ == other.offsets_ &&
           (partitioning_ == other.partitioning_ || partitioning_ == 0 || other.partitioning_ == 0);
  }

private:
  std::vector<global_id> offsets_;
  std::int64_t partitioning_ = 0;
};

} // namespace glt
