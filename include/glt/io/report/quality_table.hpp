// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/report/detail/number_text.hpp>
#include <glt/partition/quality/partition_quality.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt::io {

namespace detail {

// Rows of cells; columns are aligned to the right, the first column to the left.
class aligned_rows {
public:
  using row = std::vector<std::string>;

  void add(row cells) { rows_.push_back(std::move(cells)); }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (auto const& cells : rows_) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (std::size_t c = 0; c < cells.size(); ++c) {
        widths[c] = std::max(widths[c], places(cells[c]));
      }
    }
    std::string text;
    for (auto const& cells : rows_) {
      std::string line;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        std::string const gap(widths[c] - places(cells[c]), ' ');
        line += c == 0 ? cells[c] + gap : "  " + gap + cells[c];
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

private:
  std::vector<row> rows_;
};

// Column of the table of parts; columns of seeds are shown if there are any.
struct count_column {
  char const* name;
  std::int64_t glt::detail::part_counts::* count;
};

inline std::vector<count_column> shown_columns(partition_quality const& quality) {
  std::vector<count_column> columns{{"vertices", &partition_quality::num_vertices},
                                    {"boundary", &partition_quality::num_boundary_vertices},
                                    {"halo", &partition_quality::halo_size},
                                    {"volume", &partition_quality::communication_volume}};
  for (auto const& [name, count] :
       {count_column{"train", &partition_quality::num_train}, count_column{"valid", &partition_quality::num_valid},
        count_column{"test", &partition_quality::num_test}}) {
    if (quality.*count > 0) {
      columns.push_back({name, count});
    }
  }
  return columns;
}

inline std::string percent(glt::detail::edge_counts const& edges) {
  return fixed(100 * edges.cut_fraction(), 1);
}

inline aligned_rows::row count_row(std::string name, glt::detail::part_counts const& counts,
                                   std::vector<count_column> const& columns) {
  aligned_rows::row row{std::move(name), std::to_string(counts.num_edges), std::to_string(counts.num_cut_edges),
                        percent(counts)};
  for (auto const& column : columns) {
    row.push_back(std::to_string(counts.*column.count));
  }
  return row;
}

// Starts the rows of several tables or parts, with the names of the columns at the top.
inline aligned_rows headed_rows(std::string first, std::vector<count_column> const& columns) {
  aligned_rows::row head{std::move(first), "edges", "cut", "cut %"};
  for (auto const& column : columns) {
    head.emplace_back(column.name);
  }
  aligned_rows rows;
  rows.add(std::move(head));
  return rows;
}

inline aligned_rows::row balance_row(glt::detail::part_table const& table, std::vector<count_column> const& columns) {
  aligned_rows::row row{"max/mean", fixed(table.balance(&glt::detail::edge_counts::num_edges), 3),
                        fixed(table.balance(&glt::detail::edge_counts::num_cut_edges), 3), ""};
  for (auto const& column : columns) {
    row.push_back(fixed(table.balance(column.count), 3));
  }
  return row;
}

} // namespace detail

/// Returns the quality of a partition as plain text: a row per part, totals, max/mean, and tables of node and edge
/// types, if any.
///
/// Columns of seeds appear if there are seeds. A separate table shows the number of vertices of a type in every part.
[[nodiscard]] inline std::string quality_table(partition_quality const& quality) {
  auto const columns = detail::shown_columns(quality);
  auto parts = detail::headed_rows("part", columns);
  for (std::size_t p = 0; p < quality.parts.size(); ++p) {
    parts.add(detail::count_row(std::to_string(p), quality.parts[p], columns));
  }
  parts.add(detail::count_row("total", quality, columns));
  parts.add(detail::balance_row(quality, columns));
  auto text = parts.text() + "\nreplication factor " + detail::fixed(quality.replication_factor(), 3) +
              ", communication volume " + std::to_string(quality.communication_volume) + ", " +
              std::to_string(quality.num_cut_edges) + " of " + std::to_string(quality.num_edges) + " edges cut (" +
              detail::percent(quality) + " %)\n";
  if (!quality.node_types.empty()) {
    auto types = detail::headed_rows("node type", columns);
    detail::aligned_rows by_part;
    detail::aligned_rows::row head{"vertices of part"};
    detail::aligned_rows::row balances{"max/mean"};
    for (auto const& type : quality.node_types) {
      types.add(detail::count_row(type.name, type, columns));
      head.push_back(type.name);
      balances.push_back(detail::fixed(type.balance(&partition_quality::num_vertices), 3));
    }
    by_part.add(std::move(head));
    for (std::size_t p = 0; p < quality.parts.size(); ++p) {
      detail::aligned_rows::row row{std::to_string(p)};
      for (auto const& type : quality.node_types) {
        row.push_back(std::to_string(type.parts[p].num_vertices));
      }
      by_part.add(std::move(row));
    }
    by_part.add(std::move(balances));
    text += "\n" + types.text() + "\n" + by_part.text();
  }
  if (!quality.edge_types.empty()) {
    detail::aligned_rows types;
    types.add({"edge type", "edges", "cut", "cut %"});
    for (auto const& of_type : quality.edge_types) {
      auto const& [source, name, destination] = of_type.type;
      types.add({"(" + source + ", " + name + ", " + destination + ")", std::to_string(of_type.num_edges),
                 std::to_string(of_type.num_cut_edges), detail::percent(of_type)});
    }
    text += "\n" + types.text();
  }
  return text;
}

} // namespace glt::io
