// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/detail/row_places.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/memory/memory.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace glt::io::detail {

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

/// Edges of a range of rows, row by row, within a row ordered by id.
///
/// @shape  offsets [rows + 1] · columns, ids [E]
struct range_rows {
  buffer<device::cpu, edge_offset> offsets;
  buffer<device::cpu, global_id> columns;
  buffer<device::cpu, edge_id> ids;
};

/// Compresses the edges of the rows [first, last).
///
/// @pre    every edge has a row in the range; not checked
/// @cost   O(E + rows) if the edges of every row are added in the order of their ids, else O(E log E); 16 bytes an edge
///         beside the edges
[[nodiscard]] inline range_rows compress_range(host_view<moving_edge const> edges, global_id first, global_id last) {
  glt::detail::row_places rows(last - first);
  for (auto const& edge : edges) {
    rows.count(edge.row - first);
  }
  auto const num_edges = rows.finish_counting();
  range_rows made{{}, buffer<device::cpu, global_id>(num_edges), buffer<device::cpu, edge_id>(num_edges)};
  for (auto const& edge : edges) {
    auto const place = rows.place(edge.row - first);
    made.columns[place] = edge.column;
    made.ids[place] = edge.id;
  }
  made.offsets = std::move(rows).offsets();
  glt::detail::order_rows_by_id(std::as_const(made.offsets).view(), made.columns.view(), made.ids.view());
  return made;
}

} // namespace glt::io::detail
