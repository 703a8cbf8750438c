// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/parts/parts_folder.hpp>
#include <glt/partition/book.hpp>

namespace glt::io::detail {

/// Returns the owners of the vertices if P parts are shared out over R ranks. Rank r begins at P · r / R parts: whole
/// parts, and of the next one that share of its vertices.
[[nodiscard]] inline partition_book book_of_ranks(partition_book const& parts, int num_ranks) {
  std::vector<global_id> offsets;
  for (int rank = 0; rank <= num_ranks; ++rank) {
    auto const place = std::int64_t{parts.num_parts()} * rank;
    auto const part = static_cast<int>(place / num_ranks);
    auto const share = place % num_ranks;
    offsets.push_back(parts.offsets()[static_cast<std::size_t>(part)] +
                      (share == 0 ? 0 : parts.size(part) * share / num_ranks));
  }
  return partition_book(std::move(offsets), parts.partitioning());
}

/// Returns the owners of the vertices of a type if ranks share out their in-edges of all types. Rank r begins at the
/// vertex before which the number of in-edges is nearest to r / R of all; all ranks that open a folder find the same.
///
/// @throws io_error  if a file of row offsets cannot be read or has another shape than the manifest says
/// @cost   a bisection in one part's row offsets a rank
[[nodiscard]] inline partition_book book_by_edges(parts_folder const& folder, int node_type, int num_ranks) {
  auto const parts = folder.book(node_type);
  auto const schema = folder.info().schema();
  std::vector<std::int64_t> before{0}; // in-edges of the parts before each
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts.num_parts()); ++part) {
    before.push_back(before.back());
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      before.back() +=
          schema.destination_type(e) == node_type ? folder.info().edges[static_cast<std::size_t>(e)].edges[part] : 0;
    }
  }
  if (before.back() == 0) {
    return book_of_ranks(parts, num_ranks);
  }
  std::vector<global_id> offsets{0};
  for (int rank = 1; rank < num_ranks; ++rank) {
    auto const edges = before.back() / num_ranks * rank + before.back() % num_ranks * rank / num_ranks;
    auto const part = static_cast<int>(std::ranges::upper_bound(before, edges) - before.begin()) - 1;
    offsets.push_back(parts.begin(part) +
                      folder.rows_with(part, node_type, edges - before[static_cast<std::size_t>(part)]));
  }
  offsets.push_back(parts.num_vertices());
  return partition_book(std::move(offsets), parts.partitioning());
}

/// Returns the owners of the vertices of each type, by equal shares of parts or of in-edges.
[[nodiscard]] inline std::vector<partition_book> books_of_ranks(parts_folder const& folder, int num_ranks,
                                                                bool balance_edges) {
  std::vector<partition_book> made;
  for (int t = 0; t < folder.info().schema().num_node_types(); ++t) {
    made.push_back(balance_edges ? book_by_edges(folder, t, num_ranks) : book_of_ranks(folder.book(t), num_ranks));
  }
  return made;
}

} // namespace glt::io::detail
