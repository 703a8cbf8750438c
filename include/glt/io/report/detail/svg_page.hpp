// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/report/detail/svg_bars.hpp>
#include <glt/io/report/detail/svg_canvas.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

namespace glt::io::detail {

// Eight colours that are told apart by people of any colour vision; the order is that of layers of bars.
inline constexpr std::array<char const*, 8> layer_colours{"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                          "#56b4e9", "#d55e00", "#f0e442", "#999999"};

// Pictures have two panels of this size in a row.
inline constexpr double page_margin = 30;
inline constexpr double panel_gap = 30;
inline constexpr double panel_width = 475;
inline constexpr double panel_height = 250;
inline constexpr double page_width = 2 * (page_margin + panel_width) + panel_gap;

/// Draws charts in panels from `top` downwards, and returns where they end; draw(canvas, box, chart) draws one.
template <class Charts, class Draw>
double draw_panels(svg_canvas& canvas, double top, Charts const& charts, Draw draw) {
  for (std::size_t i = 0; i < charts.size(); ++i) {
    auto const x = page_margin + (i % 2 == 0 ? 0 : panel_width + panel_gap);
    draw(canvas, svg_box{x, top, panel_width, panel_height}, charts[i]);
    top += i % 2 == 1 || i + 1 == charts.size() ? panel_height + panel_gap : 0;
  }
  return top;
}

/// A picture of a title and charts.
template <class Charts, class Draw>
[[nodiscard]] std::string page_of(std::string const& title, Charts const& charts, Draw draw) {
  svg_canvas canvas;
  canvas.text(page_margin, 38, shortened(title, 90), {.size = 20, .bold = true});
  auto const end = draw_panels(canvas, 60, charts, draw);
  return canvas.file(page_width, end, title);
}

/// All of a small file.
///
/// @throws io_error  if it cannot be read
[[nodiscard]] inline std::string read_text(std::filesystem::path const& path) {
  input_file file(path);
  std::string text(static_cast<std::size_t>(file.size()), ' ');
  file.read(text.data(), file.size());
  return text;
}

} // namespace glt::io::detail
