// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

/// Returns the memory of `vertices` hot rows and their look-up table.
[[nodiscard]] constexpr std::int64_t hot_bytes(std::int64_t vertices, std::int64_t row_bytes) noexcept {
  return vertices * row_bytes + id_table<device::cpu>::bytes_of(vertices);
}

/// Returns the largest number of hot rows that fit the budget with their look-up table.
///
/// @cost   O(1)
[[nodiscard]] constexpr std::int64_t hot_capacity(std::int64_t budget_bytes, std::int64_t row_bytes) noexcept {
  constexpr auto most = std::int64_t{std::numeric_limits<local_id>::max()};
  return first_where(1, most + 1, [&](std::int64_t rows) { return hot_bytes(rows, row_bytes) > budget_bytes; }) - 1;
}

template <device_policy Policy, class Element>
[[nodiscard]] auto copy_of(array_view<Policy::space, Element> from, Policy const& policy) {
  buffer<Policy, std::remove_const_t<Element>> copied(from.size(), policy);
  if (from.size() > 0) {
    policy.resource().copy(copied.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(Element));
  }
  return copied;
}

/// Rows of vertices (or edges) of other ranks, of any row type, and the table that finds them.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy, class Rows>
class hot_table {
public:
  [[nodiscard]] std::int64_t size() const noexcept { return vertices_.size(); }
  /// Returns the table from a vertex, or edge, to its row.
  [[nodiscard]] id_table<Policy> const& vertices() const noexcept { return vertices_; }
  /// Returns the number of the partitioning whose vertices these are; 0 if unknown. See `partition_book::partitioning`.
  [[nodiscard]] std::int64_t partitioning() const noexcept { return partitioning_; }

protected:
  hot_table() = default;
  hot_table(buffer<Policy, global_id> vertices, Rows rows, std::int64_t num_rows, std::int64_t partitioning)
      : vertices_(std::move(vertices), "hot vertex"), rows_(std::move(rows)), partitioning_(partitioning) {
    if (size() != num_rows) {
      throw precondition_error(message(num_rows, " hot rows for ", size(), " vertices; give one per vertex"));
    }
  }

  [[nodiscard]] Rows const& stored() const noexcept { return rows_; }

private:
  id_table<Policy> vertices_;
  Rows rows_;
  std::int64_t partitioning_ = 0;
};

/// Refuses hot rows of another partitioning, in which each id may be another vertex.
///
/// @throws precondition_error  if both partitionings are known and differ
template <device_policy Policy, class Rows>
void check_partitioning_of(hot_table<Policy, Rows> const& hot, partition_book const& book) {
  if (hot.size() > 0 && hot.partitioning() != 0 && book.partitioning() != 0 &&
      hot.partitioning() != book.partitioning()) {
    throw precondition_error("hot rows of another partitioning than the features, in which an id is another vertex; "
                             "take both from one folder of parts");
  }
}

} // namespace glt::detail
