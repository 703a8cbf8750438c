// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/report/detail/number_text.hpp>
#include <glt/io/report/detail/svg_bars.hpp>
#include <glt/io/report/detail/svg_canvas.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// Points that are joined, by x.
struct svg_line {
  std::string name;
  char const* colour = "#0072b2";
  std::vector<std::pair<double, double>> points{};
};

/// Lines over one horizontal axis; points whose y is not finite are left out.
struct svg_line_chart {
  std::string title;
  std::string across; ///< what x is
  std::vector<svg_line> lines{};
};

/// A distance of ticks of at most so many steps: 1, 2 or 5 times a power of ten.
[[nodiscard]] inline double tick_step(double range, int steps) {
  auto const least = range / steps;
  if (!(least > 0) || !std::isfinite(least)) {
    return 1;
  }
  auto const power = std::pow(10, std::floor(std::log10(least)));
  return round_step(std::max(least / power - 1e-9, 1.0)) * power;
}

// An axis from tick to tick around the numbers.
struct svg_axis {
  double first = 0;
  double last = 1;
  double step = 1;

  static svg_axis around(double low, double high, int steps) {
    auto const step = tick_step(high > low ? high - low : std::max(std::abs(high), 1.0), steps);
    svg_axis made{std::floor(low / step) * step, std::ceil(high / step) * step, step};
    made.last = made.last > made.first ? made.last : made.first + step;
    return made;
  }
  [[nodiscard]] double share(double value) const { return (value - first) / (last - first); }
  [[nodiscard]] std::string text(double value) const {
    auto const digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return std::abs(value) >= 1e4 ? (value < 0 ? "-" : "") + short_number(std::abs(value)) : trimmed(value, digits);
  }
};

/// Draws a chart of lines; a point says its numbers under the pointer.
inline void draw_lines(svg_canvas& canvas, svg_box const& box, svg_line_chart const& chart) {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::pair across(far, -far);
  std::pair up(far, -far);
  std::vector<svg_bar_layer> names;
  for (auto const& line : chart.lines) {
    names.push_back({line.name, line.colour, {}});
    for (auto const& [x, y] : line.points) {
      if (std::isfinite(x) && std::isfinite(y)) {
        across = {std::min(across.first, x), std::max(across.second, x)};
        up = {std::min(up.first, y), std::max(up.second, y)};
      }
    }
  }
  auto const nothing = across.first > across.second;
  auto const horizontal = nothing ? svg_axis() : svg_axis::around(across.first, across.second, 8);
  auto const vertical = nothing ? svg_axis() : svg_axis::around(up.first, up.second, 5);

  canvas.text(box.x, box.y + 14, chart.title, {.size = 13, .bold = true});
  auto const top = box.y + 22 + draw_legend(canvas, {box.x, box.y + 22, box.width, 0}, names) + 12;
  auto const left = box.x + 58;
  auto const right = box.x + box.width - 34;
  auto const bottom = box.y + box.height - 36;
  auto const x_of = [&](double x) { return left + horizontal.share(x) * (right - left); };
  auto const y_of = [&](double y) { return bottom - vertical.share(y) * (bottom - top); };
  auto const ticks = [](svg_axis const& axis) {
    return static_cast<int>(std::lround((axis.last - axis.first) / axis.step));
  };
  for (int i = 0; i <= ticks(vertical); ++i) {
    auto const value = vertical.first + i * vertical.step;
    canvas.line(left, y_of(value), right, y_of(value), i == 0 ? "#333333" : "#dddddd");
    canvas.text(left - 5, y_of(value) + 3.5, vertical.text(value), {.anchor = "end"});
  }
  for (int i = 0; i <= ticks(horizontal); ++i) {
    auto const value = horizontal.first + i * horizontal.step;
    canvas.text(x_of(value), bottom + 13, horizontal.text(value), {.anchor = "middle"});
  }
  canvas.text((left + right) / 2, bottom + 28, chart.across, {.size = 11, .anchor = "middle"});
  for (auto const& line : chart.lines) {
    std::vector<std::pair<double, double>> places;
    for (auto const& [x, y] : line.points) {
      if (std::isfinite(x) && std::isfinite(y)) {
        places.emplace_back(x_of(x), y_of(y));
        canvas.dot(places.back().first, places.back().second, 2, line.colour,
                   line.name + ", " + chart.across + " " + horizontal.text(x) + ": " + trimmed(y, 6));
      }
    }
    canvas.polyline(places, line.colour);
  }
}

} // namespace glt::io::detail
