// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/partition/partitioner.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace glt::io::detail {

struct item_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Returns the share of n items that a rank reads: ranges of equal size, in the order of the ranks.
[[nodiscard]] inline item_range slice_of(std::int64_t n, int ranks, int rank) {
  return {glt::detail::first_place(n, ranks, rank), glt::detail::first_place(n, ranks, rank + 1)};
}

/// Processes this rank's slice of n items by `shuffle_in_rounds`, and reports the progress of its pieces.
///
/// @comm   collective; as `glt::detail::shuffle_in_rounds`
/// @throws collective_error  on every rank, if `work` or `take` throws on a rank
template <communicator Comm, class Work, class Take>
void shuffle_in_rounds(Comm& comm, glt::detail::record_shuffle<Comm>& shuffle, std::int64_t n,
                       std::int64_t items_a_round, task_progress now, task_progress::callback const& on_progress,
                       Work work, Take take) {
  auto const own = slice_of(n, comm.size(), comm.rank());
  now.total = own.last - own.first;
  glt::detail::shuffle_in_rounds(
      comm, shuffle, own.first, own.last, items_a_round,
      [&](std::int64_t first, std::int64_t last) {
        work(first, last);
        now.done = last - own.first;
        if (on_progress) {
          on_progress(now);
        }
      },
      take);
}

/// Edge on its way to the part that owns its destination.
struct moving_edge {
  global_id row;    ///< destination
  global_id column; ///< source
  edge_id id;
};

/// Store for more edges than fit in memory: files by ranges of rows, until each range is taken.
///
/// @where  `buffer_bytes` of memory, but at least 64 edges a range, and 24 bytes an edge in files of the folder; a file
///         is removed when its range is taken, at the latest by the destructor
class edge_spill {
public:
  /// Makes a store in which range i holds the rows in [first_rows[i], first_rows[i + 1]).
  ///
  /// @throws precondition_error  if first_rows has fewer than 2 elements or descends
  edge_spill(std::filesystem::path folder, std::vector<global_id> first_rows, std::int64_t buffer_bytes)
      : folder_(std::move(folder)), first_rows_(std::move(first_rows)) {
    if (first_rows_.size() < 2 || !std::ranges::is_sorted(first_rows_)) {
      throw precondition_error(glt::detail::message("edge_spill with ", first_rows_.size(),
                                                    " bounds; give ascending ones, one more than ranges"));
    }
    ranges_.resize(first_rows_.size() - 1);
    auto const edges = buffer_bytes / static_cast<std::int64_t>(sizeof(moving_edge));
    waiting_limit_ = static_cast<std::size_t>(std::max<std::int64_t>(edges / num_ranges(), 64));
  }
  edge_spill(edge_spill const&) = delete;
  edge_spill& operator=(edge_spill const&) = delete;
  ~edge_spill() {
    std::error_code ignored;
    for (int range = 0; range < num_ranges(); ++range) {
      std::filesystem::remove(path_of(range), ignored);
    }
  }

  [[nodiscard]] int num_ranges() const noexcept { return static_cast<int>(ranges_.size()); }
  [[nodiscard]] global_id begin(int range) const noexcept { return first_rows_[static_cast<std::size_t>(range)]; }
  [[nodiscard]] global_id end(int range) const noexcept { return first_rows_[static_cast<std::size_t>(range) + 1]; }

  /// @throws precondition_error  if the row is in no range
  /// @throws io_error            if its file cannot be written
  void add(moving_edge const& edge) {
    auto const above = std::ranges::upper_bound(first_rows_, edge.row);
    if (above == first_rows_.begin() || above == first_rows_.end()) {
      throw precondition_error(glt::detail::message("edge ", edge.id, " of row ", edge.row, ", outside [",
                                                    first_rows_.front(), ", ", first_rows_.back(),
                                                    "), the rows of this spill"));
    }
    auto const range = static_cast<std::size_t>(above - first_rows_.begin()) - 1;
    auto& waiting = ranges_[range].waiting;
    waiting.push_back(edge);
    if (waiting.size() >= waiting_limit_) {
      flush(static_cast<int>(range));
    }
  }

  /// Takes the edges of a range in the order in which they were added; the range is empty afterwards.
  ///
  /// @throws io_error  if the edges cannot be read back
  [[nodiscard]] buffer<device::cpu, moving_edge> take(int range) {
    auto& [waiting, in_file] = ranges_[static_cast<std::size_t>(range)];
    buffer<device::cpu, moving_edge> edges(in_file + std::ssize(waiting));
    if (in_file > 0) {
      input_file file(path_of(range));
      file.read(edges.data(), in_file * static_cast<std::int64_t>(sizeof(moving_edge)));
      std::error_code ignored;
      std::filesystem::remove(path_of(range), ignored);
    }
    std::ranges::copy(waiting, edges.begin() + in_file);
    waiting = {};
    in_file = 0;
    return edges;
  }

private:
  struct range_edges {
    std::vector<moving_edge> waiting;
    std::int64_t in_file = 0;
  };

  [[nodiscard]] std::filesystem::path path_of(int range) const { return folder_ / ("edges-" + std::to_string(range)); }

  // Opens the file anew each time, so that the limit on open files does not limit the number of ranges.
  void flush(int range) {
    auto& [waiting, in_file] = ranges_[static_cast<std::size_t>(range)];
    auto const path = path_of(range);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), in_file == 0 ? "wb" : "ab"),
                                                         std::fclose);
    auto const size = static_cast<std::int64_t>(sizeof(moving_edge));
    if (!file || std::fwrite(waiting.data(), sizeof(moving_edge), waiting.size(), file.get()) != waiting.size() ||
        std::fflush(file.get()) != 0) {
      throw io_error(
          path.string(), in_file * size,
          glt::detail::message("cannot be written: ", std::strerror(errno),
                               "; edges that do not fit memory wait here: make room or choose another folder"));
    }
    in_file += std::ssize(waiting);
    waiting.clear();
  }

  std::filesystem::path folder_;
  std::vector<global_id> first_rows_;
  std::vector<range_edges> ranges_;
  std::size_t waiting_limit_ = 0;
};

/// Edges of a range of rows, row by row, within a row ordered as by `sort_rows`.
///
/// @shape  offsets [rows + 1] · columns, ids [E]
struct range_rows {
  buffer<device::cpu, edge_offset> offsets;
  buffer<device::cpu, global_id> columns;
  buffer<device::cpu, edge_id> ids;
};

/// Compresses the edges of the rows [first, last), and puts them in order of time if they have times.
///
/// @shape  times_by_id [edges of the type] or empty
/// @pre    every edge has a row in the range; not checked
/// @cost   O(E + rows) if the edges of every row are added in this order, else O(E log E); 16 bytes an edge beside the
///         edges, 8 more with times, and 32 bytes an edge of the longest row that is out of order
[[nodiscard]] inline range_rows compress_range(host_view<moving_edge const> edges, global_id first, global_id last,
                                               host_view<std::int64_t const> times_by_id = {}) {
  glt::detail::row_places rows(last - first);
  for (auto const& edge : edges) {
    rows.count(edge.row - first);
  }
  auto const num_edges = rows.finish_counting();
  range_rows made{{}, buffer<device::cpu, global_id>(num_edges), buffer<device::cpu, edge_id>(num_edges)};
  buffer<device::cpu, std::int64_t> times(times_by_id.empty() ? 0 : num_edges);
  for (auto const& edge : edges) {
    auto const place = rows.place(edge.row - first);
    made.columns[place] = edge.column;
    made.ids[place] = edge.id;
    if (!times.empty()) {
      times[place] = times_by_id[edge.id];
    }
  }
  made.offsets = std::move(rows).offsets();
  glt::detail::sort_rows(made.offsets.cview(), made.columns.view(), made.ids.view(), times.cview());
  return made;
}

/// Counts the edges into every vertex of a type and checks their ends; every rank reads its slice of the edges.
///
/// @shape  ends: the ends of `edges` → [num_destinations], by row_of(destination)
/// @comm   collective; one header exchange and a reduction of 8 bytes a vertex
/// @throws collective_error  on every rank, as `checked_pairs::for_each`, or if the numbers of sources, destinations
///                           and any weights or times differ
template <communicator Comm, class RowOf>
[[nodiscard]] std::vector<std::int64_t> count_in_edges(Comm& comm, edge_columns const& edges, checked_pairs const& ends,
                                                       RowOf row_of) {
  std::vector<std::int64_t> counts;
  auto const& of_type = ends.of_type;
  auto const failure = glt::detail::failure_of([&] {
    if (edges.sources.size() != edges.destinations.size()) {
      throw precondition_error(glt::detail::message(edges.sources.size(), " sources and ", edges.destinations.size(),
                                                    " destinations of edges", of_type,
                                                    "; every edge needs one of each"));
    }
    for (auto const values : {edges.weights.size(), edges.times.size()}) {
      if (values != 0 && values != edges.sources.size()) {
        throw precondition_error(glt::detail::message(values, " weights or times for ", edges.sources.size(), " edges",
                                                      of_type, "; give one per edge or none"));
      }
    }
    counts.assign(static_cast<std::size_t>(ends.num_destinations), 0);
    auto const [first, last] = slice_of(edges.sources.size(), comm.size(), comm.rank());
    ends.for_each(first, last, [&](edge_id, global_id, global_id destination) {
      ++counts[static_cast<std::size_t>(row_of(destination))];
    });
  });
  glt::detail::agree(
      comm, {.what = glt::detail::operation::shuffle}, failure, edges.sources.size(), [](auto own, auto first) {
        return glt::detail::message("has ", own, " edges, but rank 0 has ", first, "; give all ranks the same list");
      });
  comm.all_reduce(std::span<std::int64_t>(counts), reduction::sum);
  return counts;
}

/// Appends the bounds of ranges of the rows [first, last). A range has at most `most_edges` edges and at most twice as
/// many rows, or a single row.
///
/// @shape  counts: edges of every row
inline void append_bounds(std::vector<std::int64_t> const& counts, global_id first, global_id last,
                          std::int64_t most_edges, std::vector<global_id>& bounds) {
  auto const most_rows = std::max<std::int64_t>(2 * most_edges, 1);
  std::int64_t edges = 0;
  bounds.push_back(first);
  for (auto row = first; row < last; ++row) {
    auto const own = counts[static_cast<std::size_t>(row)];
    if ((edges > 0 && edges + own > most_edges) || row - bounds.back() == most_rows) {
      bounds.push_back(row);
      edges = 0;
    }
    edges += own;
  }
}

/// Returns the number of edges of a range for which `compress_range` fits in memory, with such times or with none.
[[nodiscard]] inline std::int64_t edges_of_range(memory_plan const& plan,
                                                 host_view<std::int64_t const> times_by_id = {}) noexcept {
  auto const an_edge = static_cast<std::int64_t>(sizeof(moving_edge) + sizeof(global_id) + sizeof(edge_id));
  return plan.for_edges / 4 / (times_by_id.empty() ? an_edge : 2 * an_edge);
}

/// Moves edges to the ranks that keep their rows, where they wait in spills. make_edge(e, source, destination) returns
/// an edge as it is to arrive.
///
/// @comm   collective; as `shuffle_in_rounds`
/// @throws collective_error  on every rank, as `checked_pairs::for_each`, or if a spill cannot be written
/// @cost   reads every edge once, and sends 24 bytes for it
template <communicator Comm, class MakeEdge, class RankOfRow>
void spill_edges(Comm& comm, checked_pairs const& ends, MakeEdge make_edge, memory_plan const& plan,
                 task_progress::callback const& on_progress, RankOfRow rank_of_row, edge_spill& spill) {
  glt::detail::record_shuffle shuffle(comm, sizeof(moving_edge));
  shuffle_in_rounds(
      comm, shuffle, ends.sources.size(), plan.items_a_round(sizeof(moving_edge)),
      {.what = "moving edges to their parts", .unit = "edges"}, on_progress,
      [&](std::int64_t first, std::int64_t last) {
        ends.for_each(first, last, [&](edge_id e, global_id source, global_id destination) {
          moving_edge const edge = make_edge(e, source, destination);
          shuffle.add(rank_of_row(edge.row), &edge);
        });
      },
      [&](std::byte const* record) {
        moving_edge edge{};
        std::memcpy(&edge, record, sizeof(edge));
        spill.add(edge);
      });
}

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
