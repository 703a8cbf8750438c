// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Columns of edges that grow in files, piece after piece, because they may not fit in memory.
class staged_edges {
public:
  /// @throws io_error  if no file can be created in the folder
  explicit staged_edges(std::filesystem::path const& folder, std::string const& name = "edges")
      : sources_(folder / (name + "-sources")), destinations_(folder / (name + "-destinations")),
        weights_(folder / (name + "-weights")), times_(folder / (name + "-times")) {}

  [[nodiscard]] std::int64_t size() const noexcept { return sources_.size(); }

  /// Appends the columns of a piece.
  ///
  /// @throws io_error  if they cannot be written
  void take(raw_data::edge_table& piece) {
    move(piece.sources, sources_);
    move(piece.destinations, destinations_);
    move(piece.weights, weights_);
    move(piece.times, times_);
  }

  /// Columns mapped from the files, which are removed with them.
  struct columns {
    buffer<device::cpu, global_id> sources;
    buffer<device::cpu, global_id> destinations;
    buffer<device::cpu, float> weights;
    buffer<device::cpu, std::int64_t> times;

    [[nodiscard]] edge_columns view() const {
      return {.sources = sources.view(),
              .destinations = destinations.view(),
              .weights = weights.view(),
              .times = times.view()};
    }
  };

  /// @throws io_error  as `scratch_array::take`
  [[nodiscard]] columns finish() && {
    return {std::move(sources_).take(), std::move(destinations_).take(), std::move(weights_).take(),
            std::move(times_).take()};
  }

private:
  template <class T>
  static void move(std::vector<T>& values, scratch_array<T>& out) {
    out.append(host_view<T const>(values));
    values.clear();
  }

  scratch_array<global_id> sources_;
  scratch_array<global_id> destinations_;
  scratch_array<float> weights_;
  scratch_array<std::int64_t> times_;
};

/// Rows of an array that grow in a file.
class staged_rows {
public:
  /// @shape  a row: `row_shape`
  /// @throws io_error  if the file cannot be created
  staged_rows(std::filesystem::path file, element_type type, std::vector<std::int64_t> row_shape)
      : type_(type), shape_(std::move(row_shape)), bytes_(std::move(file)) {
    shape_.insert(shape_.begin(), 0);
  }

  /// @pre    the elements are of the type of the array, and make whole rows; not checked
  /// @throws io_error  if they cannot be written
  template <class T>
  void append(host_view<T const> elements) {
    bytes_.append(
        {reinterpret_cast<std::byte const*>(elements.data()), elements.size() * static_cast<std::int64_t>(sizeof(T))});
  }

  /// Returns the array, mapped from the file, which is removed with it.
  ///
  /// @throws io_error  as `scratch_array::take`
  [[nodiscard]] array finish() && {
    auto row_bytes = glt::detail::size_of(type_);
    for (std::size_t i = 1; i < shape_.size(); ++i) {
      row_bytes *= shape_[i];
    }
    shape_[0] = row_bytes == 0 ? 0 : bytes_.size() / row_bytes;
    return {type_, std::move(shape_), std::move(bytes_).take()};
  }

private:
  element_type type_;
  std::vector<std::int64_t> shape_;
  scratch_array<std::byte> bytes_;
};

// Makes a folder in one that exists, unless it is there and empty.
inline void make_empty_folder(std::filesystem::path const& folder) {
  std::error_code fault;
  std::filesystem::create_directory(folder, fault);
  if (fault || !std::filesystem::is_empty(folder, fault) || fault) {
    throw io_error(folder.string(), 0,
                   fault ? "cannot be made a folder: " + fault.message() + "; choose another place"
                         : "is not empty; remove it or choose another");
  }
}

/// Reads a graph without types piece by piece, and writes it as `write_npy_folder` would. Every rank reads some of the
/// lines.
///
/// `read(edges)` reads this rank's share and returns its rows of the vertices' features. `count(num_edges, edges)` gets
/// the number of edges on all ranks and the edges of this rank, and returns the number of vertices. `read` adds a file
/// to the watch before it reads it: a file that is changed before all ranks have read it is an error.
///
/// @comm   collective; `read` must not communicate, `count` may
template <communicator Comm, class Read, class Count>
void stage_graph(Comm& comm, input_watch const& watch, std::filesystem::path const& folder, Read read, Count count) {
  auto const agreed = [&](auto work) {
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, glt::detail::failure_of(work));
  };
  agreed([&] {
    if (comm.rank() == 0) {
      make_empty_folder(folder);
    }
  });
  raw_data::node_table nodes;
  staged_edges::columns columns;
  agreed([&] {
    staged_edges edges(folder, "rank" + std::to_string(comm.rank()));
    with_inputs(&watch, [&] { nodes.features = read(edges); });
    columns = std::move(edges).finish();
  });
  agreed([&] { watch.check(); });
  auto num_edges = columns.sources.size();
  comm.all_reduce(std::span<std::int64_t>(&num_edges, 1), reduction::sum);
  nodes.num_nodes = count(num_edges, columns.view());
  raw_data::edge_table const untyped;
  raw_data_view piece{.name = {}, .nodes = {&nodes, 1}, .edges = {}};
  piece.edges.push_back({.source = untyped.source,
                         .name = untyped.name,
                         .destination = untyped.destination,
                         .columns = columns.view(),
                         .features = {},
                         .links = {}});
  write_npy_folder_together(comm, folder, piece);
}

// Calls visit(source, destination, place) for every edge and for the reverse of every edge but self-loops. Places have
// the order of `symmetrize`, with gaps.
template <class Visit>
void for_both_ways(checked_pairs const& edges, Visit visit) {
  auto const num_edges = edges.sources.size();
  for (std::int64_t e = 0; e < num_edges; ++e) {
    visit(edges.sources[e], edges.destinations[e], e);
    if (edges.sources[e] != edges.destinations[e]) {
      visit(edges.destinations[e], edges.sources[e], num_edges + e);
    }
  }
}

inline std::vector<std::int64_t> count_both_ways(checked_pairs const& edges) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(edges.num_sources), 0);
  edges.for_each(0, edges.sources.size(), [&](std::int64_t, global_id source, global_id destination) {
    ++counts[static_cast<std::size_t>(destination)];
    if (source != destination) {
      ++counts[static_cast<std::size_t>(source)];
    }
  });
  return counts;
}

/// Makes every edge go both ways, without duplicates and within a limit of memory. Returns the edges of
/// `remove_duplicates(symmetrize(…))`, in their order.
///
/// @shape  edges [E], between vertices of one type → at most [2 E]
/// @where  8 bytes a vertex, and about `memory_bytes`, more if a single vertex has more edges; 96 bytes an edge in
///         temporary files of `folder`
/// @throws precondition_error  or io_error, as `checked_pairs::for_each`
/// @throws io_error            if the folder cannot be written
/// @cost   O(E log E); two passes over the edges, and two over files
[[nodiscard]] inline detail::staged_edges::columns
stage_both_ways(detail::checked_pairs const& edges, std::filesystem::path const& folder, std::int64_t memory_bytes) {
  constexpr auto edge_bytes = static_cast<std::int64_t>(sizeof(detail::moving_edge));
  auto const num_vertices = edges.num_sources;
  auto const most_edges = std::max<std::int64_t>(memory_bytes / 2 / edge_bytes, 1);
  auto const waiting_bytes = memory_bytes / 8;

  std::vector<global_id> rows;
  detail::append_bounds(detail::count_both_ways(edges), 0, num_vertices, most_edges, rows);
  rows.push_back(num_vertices);
  std::vector<global_id> places;
  auto const num_places = 2 * edges.sources.size();
  for (std::int64_t first = 0; first < num_places; first += most_edges) {
    places.push_back(first);
  }
  places.resize(std::max<std::size_t>(places.size(), 1), 0);
  places.push_back(num_places);

  // Duplicates are in one row; the first of them returns to its place.
  auto const in_order = make_folders(folder.parent_path(), folder.filename() / "in-order");
  detail::edge_spill kept(in_order, std::move(places), waiting_bytes);
  {
    detail::edge_spill by_row(folder, std::move(rows), waiting_bytes);
    detail::for_both_ways(edges, [&](global_id source, global_id destination, std::int64_t place) {
      by_row.add({.row = destination, .column = source, .id = place});
    });
    for (int range = 0; range < by_row.num_ranges(); ++range) {
      auto taken = by_row.take(range);
      std::ranges::sort(taken, {},
                        [](detail::moving_edge const& edge) { return std::tuple(edge.row, edge.column, edge.id); });
      for (auto const* edge = taken.begin(); edge != taken.end(); ++edge) {
        if (edge == taken.begin() || std::pair(edge->row, edge->column) != std::pair(edge[-1].row, edge[-1].column)) {
          kept.add({.row = edge->id, .column = edge->column, .id = edge->row});
        }
      }
    }
  }
  detail::staged_edges made(folder, "both-ways");
  raw_data::edge_table piece;
  for (int range = 0; range < kept.num_ranges(); ++range) {
    auto taken = kept.take(range);
    std::ranges::sort(taken, {}, &detail::moving_edge::row);
    for (auto const& edge : taken) {
      piece.sources.push_back(edge.column);
      piece.destinations.push_back(edge.id);
      if (std::ssize(piece.sources) == std::int64_t{1} << 12) {
        made.take(piece);
      }
    }
  }
  made.take(piece);
  return std::move(made).finish();
}

} // namespace glt::io::detail
