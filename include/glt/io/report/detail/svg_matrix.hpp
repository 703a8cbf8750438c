// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/report/detail/number_text.hpp>
#include <glt/io/report/detail/svg_bars.hpp>
#include <glt/io/report/detail/svg_canvas.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace glt::io::detail {

/// A square matrix whose diagonal is another matter than the rest.
///
/// @shape  values [size * size], 0 or more, row-major
struct svg_matrix {
  std::string title;
  std::string unit; ///< of the values
  std::string row;  ///< what a row stands for, and likewise a column
  std::string column;
  std::string diagonal; ///< what the values on the diagonal are
  std::int64_t size = 1;
  std::vector<std::int64_t> const& values;

  /// Calls f(row, column, value).
  template <class F>
  void for_each(F f) const {
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) {
        f(i, j, values[static_cast<std::size_t>(i * size + j)]);
      }
    }
  }
};

/// From nothing to most; the lightness falls evenly, so the steps are told apart without colours too.
inline constexpr std::array<char const*, 9> heat_colours{"#f7f7f7", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6",
                                                         "#4292c6", "#2171b5", "#08519c", "#08306b"};
inline constexpr char const* diagonal_colour = "#e8dcc4";

/// The largest value of every heat colour: equal steps from 0 to the largest of all, or steps that double if in
/// equal ones most values would have the lightest colour.
[[nodiscard]] inline std::array<std::int64_t, heat_colours.size()> heat_bounds(svg_matrix const& matrix) {
  std::int64_t largest = 0;
  std::int64_t coloured = 0;
  std::int64_t light = 0;
  matrix.for_each([&](std::int64_t i, std::int64_t j, std::int64_t value) {
    largest = i == j ? largest : std::max(largest, value);
  });
  constexpr std::int64_t steps = heat_colours.size() - 1;
  matrix.for_each([&](std::int64_t i, std::int64_t j, std::int64_t value) {
    coloured += i != j && value > 0 ? 1 : 0;
    light += i != j && value > 0 && value <= largest / steps ? 1 : 0;
  });
  std::array<std::int64_t, heat_colours.size()> bounds{};
  for (std::int64_t step = 1; step <= steps; ++step) {
    bounds[static_cast<std::size_t>(step)] =
        2 * light > coloured ? largest >> (steps - step) : largest / steps * step + largest % steps * step / steps;
  }
  return bounds;
}

/// Which of the heat colours a value has.
[[nodiscard]] inline std::size_t heat_level(std::int64_t value,
                                            std::array<std::int64_t, heat_colours.size()> const& bounds) {
  return static_cast<std::size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin());
}

/// Draws the colours of a matrix from the lightest at the bottom to the darkest, with their values.
inline void draw_heat_legend(svg_canvas& canvas, double x, double y, svg_matrix const& matrix,
                             std::array<std::int64_t, heat_colours.size()> const& bounds) {
  constexpr double swatch = 18;
  constexpr double indent = swatch + 6;
  canvas.text(x, y + 10, matrix.unit, {.size = 11});
  y += 20;
  for (auto level = heat_colours.size() - 1; level > 0; --level) {
    if (bounds[level] > bounds[level - 1]) {
      canvas.rectangle(x, y, swatch, swatch, heat_colours[level]);
      canvas.text(x + indent, y + 13, "up to " + short_number(static_cast<double>(bounds[level])));
      y += swatch;
    }
  }
  canvas.rectangle(x, y, swatch, swatch, heat_colours[0]);
  canvas.text(x + indent, y + 13, "0");
  y += swatch + 10;
  canvas.rectangle(x, y, swatch, swatch, diagonal_colour);
  canvas.text(x + indent, y + 13, matrix.diagonal);
}

/// Draws the cells; few of them say their numbers under the pointer, many are outlines of one colour each.
inline void draw_cells(svg_canvas& canvas, svg_matrix const& matrix,
                       std::array<std::int64_t, heat_colours.size()> const& bounds, double gap) {
  constexpr std::int64_t most_with_hints = 64;
  std::array<std::string, heat_colours.size() + 1> outlines; // the last one of the diagonal
  auto const colour = [](std::size_t kind) {
    return kind < heat_colours.size() ? heat_colours[kind] : diagonal_colour;
  };
  matrix.for_each([&](std::int64_t i, std::int64_t j, std::int64_t value) {
    auto const kind = i == j ? heat_colours.size() : heat_level(value, bounds);
    if (matrix.size <= most_with_hints) {
      canvas.rectangle(static_cast<double>(j), static_cast<double>(i), 1 - gap, 1 - gap, colour(kind),
                       matrix.row + " " + std::to_string(i) + ", " + matrix.column + " " + std::to_string(j) + ": " +
                           std::to_string(value) + " " + matrix.unit);
    } else {
      outlines[kind] += "M" + std::to_string(j) + " " + std::to_string(i) + "h1v1h-1z";
    }
  });
  for (std::size_t kind = 0; kind < outlines.size(); ++kind) {
    if (!outlines[kind].empty()) {
      canvas.path(outlines[kind], colour(kind));
    }
  }
}

/// Draws a matrix as a heat map with its legend at the right; numbers stand in the cells where there is room.
inline void draw_matrix(svg_canvas& canvas, svg_box const& box, svg_matrix const& matrix) {
  auto const bounds = heat_bounds(matrix);
  constexpr double legend = 130;
  constexpr double room_for_number = 34;
  auto const left = box.x + 58;
  auto const top = box.y + 58;
  auto const side = std::min(box.x + box.width - legend - left, box.y + box.height - top);
  auto const cell = side / static_cast<double>(matrix.size);
  canvas.text(box.x, box.y + 14, matrix.title, {.size = 13, .bold = true});
  canvas.text(left + side / 2, box.y + 34, matrix.column, {.size = 11, .anchor = "middle"});
  canvas.text(box.x + 10, top + side / 2, matrix.row, {.size = 11, .anchor = "middle", .upwards = true});
  canvas.begin_group(left, top, cell);
  draw_cells(canvas, matrix, bounds, cell >= 8 ? 1 / cell : 0);
  canvas.end_group();

  auto const digits = static_cast<double>(std::to_string(matrix.size - 1).size());
  auto const every_row = label_step(cell, 13);
  auto const every_column = label_step(cell, 8 + 6 * digits);
  for (std::int64_t i = 0; i < matrix.size; ++i) {
    auto const middle = (static_cast<double>(i) + 0.5) * cell;
    if (i % every_row == 0) {
      canvas.text(left - 5, top + middle + 3.5, std::to_string(i), {.anchor = "end"});
    }
    if (i % every_column == 0) {
      canvas.text(left + middle, top - 5, std::to_string(i), {.anchor = "middle"});
    }
  }
  constexpr std::size_t first_dark = 6;
  if (cell >= room_for_number) {
    matrix.for_each([&](std::int64_t i, std::int64_t j, std::int64_t value) {
      canvas.text(
          left + (static_cast<double>(j) + 0.5) * cell, top + (static_cast<double>(i) + 0.5) * cell + 3.5,
          short_number(static_cast<double>(value)),
          {.anchor = "middle", .colour = i != j && heat_level(value, bounds) >= first_dark ? "#ffffff" : "#1a1a1a"});
    });
  }
  draw_heat_legend(canvas, left + side + 20, top, matrix, bounds);
}

} // namespace glt::io::detail
