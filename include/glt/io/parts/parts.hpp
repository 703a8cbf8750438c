// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/data_part.hpp>
#include <glt/io/parts/detail/data_part.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/detail/parts_merge.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_describe.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>

namespace glt::io {

namespace detail {

/// Returns the first part of a rank if P parts are shared out over R ranks. The parts of rank r end before the first
/// part of rank r + 1.
[[nodiscard]] inline int first_part_of_rank(int num_parts, int rank, int num_ranks) noexcept {
  return static_cast<int>(std::int64_t{num_parts} * rank / num_ranks);
}

[[nodiscard]] inline part_content load_content_for_rank(parts_folder const& folder, int rank, int num_ranks,
                                                        load_options const& options) {
  auto const num_parts = folder.num_parts();
  if (rank < 0 || rank >= num_ranks) {
    throw precondition_error(glt::detail::message("rank ", rank, " of ", num_ranks, "; ranks count from 0"));
  }
  if (num_ranks > num_parts) {
    throw precondition_error(glt::detail::message(
        folder.path().string(), " holds ", num_parts, " parts, too few for ", num_ranks, " ranks; start ", num_parts,
        " ranks or fewer, or partition the ", "data set again into ", num_ranks, " parts"));
  }
  if (num_ranks == num_parts) {
    return folder.load(rank, options);
  }
  std::vector<partition_book> books;
  for (std::size_t t = 0; t < folder.info().nodes.size(); ++t) {
    auto const& fine = folder.info().nodes[t].offsets;
    std::vector<global_id> offsets;
    for (int r = 0; r <= num_ranks; ++r) {
      offsets.push_back(fine[static_cast<std::size_t>(first_part_of_rank(num_parts, r, num_ranks))]);
    }
    books.emplace_back(std::move(offsets), static_cast<std::int64_t>(folder.info().xxh3));
  }
  std::vector<part_content> parts;
  auto const end = first_part_of_rank(num_parts, rank + 1, num_ranks);
  for (int part = first_part_of_rank(num_parts, rank, num_ranks); part < end; ++part) {
    parts.push_back(folder.load(part, options));
  }
  if (parts.size() == 1) {
    parts[0].graph.books = std::move(books);
    parts[0].graph.part = rank;
    return std::move(parts[0]);
  }
  return merge_parts(parts, std::move(books), rank);
}

} // namespace detail

/// Loads a rank's share of the parts, for at most as many ranks as parts; for `dist::data_set`. Several neighbouring
/// parts are merged, and the books then describe R parts.
///
/// The array of features that `options` name becomes the tensor "x", the labels become "y". All other arrays keep their
/// names and types.
///
/// @throws precondition_error  if the rank is outside [0, num_ranks), there are more ranks than parts, or no type has
///                             features of the requested name
/// @throws io_error            as `parts_folder::load`
/// @cost   as `parts_folder::load` if each rank has one part, else a copy of all arrays; a copy of labels that are not
///         int64 and, without types, of features that are not float32
[[nodiscard]] inline dist::data_part<device::cpu> load_for_rank(parts_folder const& folder, int rank, int num_ranks,
                                                                load_options const& options = {}) {
  return detail::make_data_part(detail::load_content_for_rank(folder, rank, num_ranks, options), options);
}

} // namespace glt::io
