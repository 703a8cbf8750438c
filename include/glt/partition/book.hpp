// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

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

namespace detail {

/// Borrowed offsets of a `partition_book` in memory of `Space`; finds the owner of a vertex on a GPU, too.
///
/// Trivially copyable; pass it by value.
///
/// @shape  offsets [P + 1]
template <memory_space Space>
class book_view {
public:
  constexpr book_view() noexcept = default;
  GLT_HOST_DEVICE constexpr explicit book_view(array_view<Space, global_id const> offsets) noexcept
      : offsets_(offsets) {}

  [[nodiscard]] GLT_HOST_DEVICE constexpr int num_parts() const noexcept {
    return static_cast<int>(offsets_.size()) - 1;
  }
  /// Returns the first global id of a part; @pre part is in [0, num_parts()), not checked.
  [[nodiscard]] GLT_HOST_DEVICE constexpr global_id begin(int part) const noexcept { return offsets_[part]; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_vertices() const noexcept { return offsets_[num_parts()]; }

  /// Returns the part that owns a vertex; num_parts() if the vertex is not in [0, V).
  ///
  /// @cost   O(log P)
  [[nodiscard]] GLT_HOST_DEVICE constexpr int owner(global_id vertex) const noexcept {
    if (vertex < 0) {
      return num_parts();
    }
    int first = 0; // the first offset above the vertex is in (first, last]
    int last = num_parts() + 1;
    while (last - first > 1) {
      auto const middle = first + (last - first) / 2;
      (offsets_[middle] <= vertex ? first : last) = middle;
    }
    return first;
  }

private:
  array_view<Space, global_id const> offsets_;
};

} // namespace detail

/// New vertex ids that are contiguous in every part, and the original ids.
struct relabelling {
  partition_book book;
  buffer<device::cpu, global_id> original;   ///< [V], original id by new id
  buffer<device::cpu, global_id> renumbered; ///< [V], new id by original id
};

namespace detail {

/// Counts the vertices of every part.
///
/// @shape  part_of [V] → book of num_parts parts
/// @throws precondition_error  if num_parts < 1, or naming the first vertex whose part is not in [0, num_parts)
/// @cost   O(V + P)
[[nodiscard]] inline partition_book make_partition_book(host_view<local_id const> part_of, int num_parts) {
  if (num_parts < 1) {
    throw precondition_error(detail::message("partition into ", num_parts, " parts; ask for 1 or more"));
  }
  std::vector<global_id> offsets(static_cast<std::size_t>(num_parts) + 1, 0);
  for (std::int64_t v = 0; v < part_of.size(); ++v) {
    if (part_of[v] < 0 || part_of[v] >= num_parts) {
      throw precondition_error(
          detail::message("part of vertex ", v, " is ", part_of[v], ", outside [0, ", num_parts, ")"));
    }
    ++offsets[static_cast<std::size_t>(part_of[v]) + 1];
  }
  for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
    offsets[p + 1] += offsets[p];
  }
  return partition_book(std::move(offsets));
}

} // namespace detail

/// Numbers the vertices part by part; inside a part they keep their original order.
///
/// @shape  part_of [V] → original [V] · renumbered [V]
/// @throws precondition_error  if num_parts < 1, or naming the first vertex whose part is not in [0, num_parts)
/// @cost   O(V + P)
[[nodiscard]] inline relabelling make_relabelling(host_view<local_id const> part_of, int num_parts) {
  relabelling made{detail::make_partition_book(part_of, num_parts), buffer<device::cpu, global_id>(part_of.size()),
                   buffer<device::cpu, global_id>(part_of.size())};
  std::vector<global_id> next(made.book.offsets().begin(), made.book.offsets().end());
  for (std::int64_t v = 0; v < part_of.size(); ++v) {
    auto const id = next[static_cast<std::size_t>(part_of[v])]++;
    made.original[id] = v;
    made.renumbered[v] = id;
  }
  return made;
}

} // namespace glt
