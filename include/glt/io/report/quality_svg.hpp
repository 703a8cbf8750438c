// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/report/detail/number_text.hpp>
#include <glt/io/report/detail/svg_bars.hpp>
#include <glt/io/report/detail/svg_canvas.hpp>
#include <glt/io/report/detail/svg_matrix.hpp>
#include <glt/io/report/detail/svg_page.hpp>
#include <glt/partition/quality/partition_quality.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace glt::io {

/// What a picture says beside the numbers.
struct quality_svg_options {
  std::string title = "Partition quality";
};

namespace detail {

// A layer of bars: a number of every part.
inline svg_bar_layer layer_of(std::string name, std::size_t colour, glt::detail::part_table const& table,
                              std::function<std::int64_t(glt::detail::part_counts const&)> const& number) {
  svg_bar_layer layer{std::move(name), layer_colours[colour], {}};
  std::ranges::transform(table.parts, std::back_inserter(layer.values), number);
  return layer;
}

// Vertices by type; of more types than there are colours, the smallest share the last one.
inline svg_bar_chart type_chart(partition_quality const& quality) {
  std::vector<glt::detail::node_type_quality const*> types;
  for (auto const& type : quality.node_types) {
    types.push_back(&type);
  }
  if (types.size() > layer_colours.size()) {
    std::ranges::sort(types, {}, [](auto const* type) { return std::pair(-type->num_vertices, type); });
  }
  svg_bar_chart chart{"Vertices by type", "vertices", "part", {}, true};
  for (std::size_t t = 0; t < types.size(); ++t) {
    auto layer =
        layer_of(types[t]->name, std::min(t, layer_colours.size() - 1), *types[t], &partition_quality::num_vertices);
    if (t < layer_colours.size()) {
      chart.layers.push_back(std::move(layer));
    } else {
      auto& others = chart.layers.back();
      others.name = "other types";
      std::ranges::transform(others.values, layer.values, others.values.begin(), std::plus<>());
    }
  }
  return chart;
}

inline std::vector<svg_bar_chart> charts_of(partition_quality const& quality) {
  std::vector<svg_bar_chart> charts;
  charts.push_back(
      {"Vertices",
       "vertices",
       "part",
       {layer_of("inner", 0, quality, [](auto const& part) { return part.num_vertices - part.num_boundary_vertices; }),
        layer_of("at the boundary", 1, quality, &partition_quality::num_boundary_vertices)}});
  charts.push_back({"Edges into the part",
                    "edges",
                    "part",
                    {layer_of("from the part itself", 0, quality,
                              [](auto const& part) { return part.num_edges - part.num_cut_edges; }),
                     layer_of("from other parts (cut)", 1, quality, &partition_quality::num_cut_edges)}});
  charts.push_back({"Halo: vertices needed of other parts",
                    "vertices",
                    "part",
                    {layer_of("halo", 0, quality, &partition_quality::halo_size)}});
  charts.push_back({"Communication volume: rows sent to other parts",
                    "rows",
                    "part",
                    {layer_of("volume", 0, quality, &partition_quality::communication_volume)}});
  svg_bar_chart seeds{"Seeds", "seeds", "part", {}, true};
  auto const add_split = [&](char const* name, std::size_t colour, std::int64_t total, auto number) {
    if (total > 0) {
      seeds.layers.push_back(layer_of(name, colour, quality, number));
    }
  };
  add_split("train", 0, quality.num_train, &partition_quality::num_train);
  add_split("valid", 1, quality.num_valid, &partition_quality::num_valid);
  add_split("test", 2, quality.num_test, &partition_quality::num_test);
  if (!seeds.layers.empty()) {
    charts.push_back(std::move(seeds));
  }
  if (!quality.node_types.empty()) {
    charts.push_back(type_chart(quality));
  }
  return charts;
}

// The edge types as lying bars, inside and cut, those with the most edges first.
inline void draw_edge_types(svg_canvas& canvas, svg_box const& box, partition_quality const& quality) {
  std::vector<glt::detail::edge_type_quality const*> types;
  for (auto const& type : quality.edge_types) {
    types.push_back(&type);
  }
  std::ranges::sort(types, {}, [](auto const* type) { return std::pair(-type->num_edges, type); });
  auto const most = static_cast<double>(std::max<std::int64_t>(types.front()->num_edges, 1));
  canvas.text(box.x, box.y + 14, "Edges by type", {.size = 13, .bold = true});
  auto y = box.y + 22;
  y += draw_legend(canvas, {box.x, y, box.width, 0},
                   {{"inside a part", layer_colours[0], {}}, {"cut", layer_colours[1], {}}});
  constexpr double row = 40;
  for (std::size_t t = 0; t < types.size(); ++t, y += row) {
    if (y + 2 * row > box.y + box.height && t + 1 < types.size()) {
      canvas.text(box.x, y + 18, std::to_string(types.size() - t) + " more types");
      break;
    }
    auto const& type = *types[t];
    auto const name = "(" + type.type.source + ", " + type.type.name + ", " + type.type.destination + ")";
    auto const inside = static_cast<double>(type.num_edges - type.num_cut_edges) / most * box.width;
    auto const cut = static_cast<double>(type.num_cut_edges) / most * box.width;
    canvas.text(box.x, y + 18, shortened(name, static_cast<std::size_t>(box.width / 6)));
    canvas.rectangle(box.x, y + 22, inside, 6, layer_colours[0],
                     name + " inside a part: " + std::to_string(type.num_edges - type.num_cut_edges));
    canvas.rectangle(box.x + inside, y + 22, cut, 6, layer_colours[1],
                     name + " cut: " + std::to_string(type.num_cut_edges));
    canvas.text(box.x, y + 38,
                short_number(static_cast<double>(type.num_edges)) + " edges, " + fixed(100 * type.cut_fraction(), 1) +
                    " % cut",
                {.size = 9});
  }
}

} // namespace detail

/// The quality of a partition as an SVG picture: bars of every part, the edges between parts as a heat map and,
/// if there are any, the types.
///
/// The file stands alone. Numbers are written where there is room; under the pointer, a bar and a cell (of up to
/// 64 parts) say theirs in full.
[[nodiscard]] inline std::string quality_svg(partition_quality const& quality,
                                             quality_svg_options const& options = {}) {
  constexpr double margin = detail::page_margin;
  constexpr double between = detail::panel_gap;
  constexpr double width = detail::page_width;
  constexpr double matrix_width = 650;
  constexpr double matrix_height = 530;
  detail::svg_canvas canvas;
  auto const number = [](std::int64_t count) { return detail::short_number(static_cast<double>(count)); };
  canvas.text(margin, 38, detail::shortened(options.title, 90), {.size = 20, .bold = true});
  canvas.text(margin, 60,
              std::to_string(quality.num_parts()) + (quality.num_parts() == 1 ? " part, " : " parts, ") +
                  number(quality.num_vertices) + " vertices, " + number(quality.num_edges) + " edges: " +
                  number(quality.num_cut_edges) + " cut (" + detail::fixed(100 * quality.cut_fraction(), 1) +
                  " %), communication volume " + number(quality.communication_volume) + ", replication factor " +
                  detail::fixed(quality.replication_factor(), 2),
              {.size = 12});
  auto const y = detail::draw_panels(canvas, 84, detail::charts_of(quality),
                                     [](auto& on, detail::svg_box const& box, detail::svg_bar_chart const& chart) {
                                       detail::draw_bars(on, box, chart);
                                     });
  detail::draw_matrix(canvas, {margin, y, matrix_width, matrix_height},
                      {"Edges between parts", "edges", "from part", "to part", "inside a part", quality.num_parts(),
                       quality.edges_between});
  if (!quality.edge_types.empty()) {
    auto const x = margin + matrix_width + between;
    detail::draw_edge_types(canvas, {x, y, width - margin - x, matrix_height}, quality);
  }
  return canvas.file(width, y + matrix_height + margin, options.title);
}

} // namespace glt::io
