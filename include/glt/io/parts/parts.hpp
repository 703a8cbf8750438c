// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/parts/detail/parts_merge.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_content.hpp>
#include <glt/io/parts/parts_describe.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_loaded.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>

namespace glt::io {

/// Loads one part of a folder that `write_parts` made; checks every array against the manifest.
///
/// @throws precondition_error  as `parts_folder::load`
/// @throws io_error            as `parts_folder` and its `load`
/// @cost   as `parts_folder::load`
[[nodiscard]] inline loaded_part read_part(std::filesystem::path const& dir, int part,
                                           load_options const& options = {}) {
  return parts_folder(dir).load(part, options);
}

namespace detail {

/// Returns the first part of a rank if P parts are shared out over R ranks. The parts of rank r end before the first
/// part of rank r + 1.
[[nodiscard]] inline int first_part_of_rank(int num_parts, int rank, int num_ranks) noexcept {
  return static_cast<int>(std::int64_t{num_parts} * rank / num_ranks);
}

} // namespace detail

/// Loads a rank's share of the parts, for at most as many ranks as parts. Several neighbouring parts are merged, and
/// the books then describe R parts.
///
/// @throws precondition_error  if the rank is outside [0, num_ranks), or there are more ranks than parts
/// @throws io_error            as `parts_folder::load_hetero`
/// @cost   as `parts_folder::load_hetero` if each rank has one part; else a copy of all arrays
[[nodiscard]] inline part_content load_hetero_for_rank(parts_folder const& folder, int rank, int num_ranks,
                                                       load_options const& options = {}) {
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
    return folder.load_hetero(rank, options);
  }
  std::vector<partition_book> books;
  for (std::size_t t = 0; t < folder.info().nodes.size(); ++t) {
    auto const& fine = folder.info().nodes[t].offsets;
    std::vector<global_id> offsets;
    for (int r = 0; r <= num_ranks; ++r) {
      offsets.push_back(fine[static_cast<std::size_t>(detail::first_part_of_rank(num_parts, r, num_ranks))]);
    }
    books.emplace_back(std::move(offsets), static_cast<std::int64_t>(folder.info().xxh3));
  }
  std::vector<part_content> parts;
  auto const end = detail::first_part_of_rank(num_parts, rank + 1, num_ranks);
  for (int part = detail::first_part_of_rank(num_parts, rank, num_ranks); part < end; ++part) {
    parts.push_back(folder.load_hetero(part, options));
  }
  if (parts.size() == 1) {
    parts[0].graph.books = std::move(books);
    parts[0].graph.part = rank;
    return std::move(parts[0]);
  }
  return detail::merge_parts(parts, std::move(books), rank);
}

/// Loads a rank's share of a graph without types.
///
/// @throws precondition_error  as `load_hetero_for_rank` and `make_loaded_part`
/// @throws io_error            as `load_hetero_for_rank`
/// @cost   as `load_hetero_for_rank`
[[nodiscard]] inline loaded_part load_for_rank(parts_folder const& folder, int rank, int num_ranks,
                                               load_options const& options = {}) {
  return detail::make_loaded_part(load_hetero_for_rank(folder, rank, num_ranks, options), options.feature);
}

} // namespace glt::io
