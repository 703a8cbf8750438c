// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/report/detail/number_text.hpp>
#include <glt/io/report/detail/svg_canvas.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace glt::io::detail {

/// Where a chart is drawn.
struct svg_box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// One layer of stacked bars.
///
/// @shape  values [bars], 0 or more
struct svg_bar_layer {
  std::string name;
  char const* colour = "#0072b2";
  std::vector<std::int64_t> values;
};

/// Bars side by side, numbered from 0, with a line at the mean height.
///
/// @shape  layers 1 or more, with as many values each; the first is at the bottom
struct svg_bar_chart {
  std::string title;
  std::string unit; ///< of the values
  std::string bar;  ///< what a bar stands for
  std::vector<svg_bar_layer> layers;
  bool balances = false; ///< the legend says how even every layer is
};

/// The largest by the mean, as text; 1 if all are 0.
template <class Number>
[[nodiscard]] std::string max_by_mean(std::vector<Number> const& numbers) {
  auto const sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  auto const largest = numbers.empty() ? 0.0 : static_cast<double>(std::ranges::max(numbers));
  return "max/mean " + fixed(sum > 0 ? largest * static_cast<double>(numbers.size()) / sum : 1, 2);
}

/// Of labels 0, 1, 2 … at a distance, how many to go on so that they do not touch.
[[nodiscard]] inline std::int64_t label_step(double distance, double room) {
  return static_cast<std::int64_t>(round_step(room / distance));
}

/// Draws the names of layers in rows, and returns the height of the rows.
inline double draw_legend(svg_canvas& canvas, svg_box const& box, std::vector<svg_bar_layer> const& layers,
                          bool balances = false) {
  constexpr double row = 15;
  double x = box.x;
  double y = box.y;
  for (auto const& layer : layers) {
    auto const name = shortened(layer.name, 24) + (balances ? " (" + max_by_mean(layer.values) + ")" : "");
    auto const width = 26 + 6 * static_cast<double>(places(name));
    if (x > box.x && x + width > box.x + box.width) {
      x = box.x;
      y += row;
    }
    canvas.rectangle(x, y + 2, 10, 10, layer.colour);
    canvas.text(x + 14, y + 11, name);
    x += width;
  }
  return y + row - box.y;
}

/// Draws a bar chart; a bar says its numbers under the pointer, and at the top where there is room.
inline void draw_bars(svg_canvas& canvas, svg_box const& box, svg_bar_chart const& chart) {
  auto const bars = chart.layers.front().values.size();
  std::vector<double> heights(bars);
  for (auto const& layer : chart.layers) {
    for (std::size_t bar = 0; bar < bars; ++bar) {
      heights[bar] += static_cast<double>(layer.values[bar]);
    }
  }
  auto const highest = std::ranges::max(heights);
  auto const mean = std::accumulate(heights.begin(), heights.end(), 0.0) / static_cast<double>(bars);
  canvas.text(box.x, box.y + 14, chart.title, {.size = 13, .bold = true});
  canvas.text(box.x + box.width, box.y + 14, max_by_mean(heights), {.anchor = "end"});
  auto top = box.y + 22;
  if (chart.layers.size() > 1) {
    top += draw_legend(canvas, {box.x, top, box.width, 0}, chart.layers, chart.balances);
  }
  top += 18;
  auto const left = box.x + 58;
  auto const right = box.x + box.width - 34;
  auto const bottom = box.y + box.height - 36;
  auto const step = round_step(highest / 5);
  auto const limit = step * std::max(1.0, std::ceil(highest / step));
  auto const level = [&](double value) { return bottom - value / limit * (bottom - top); };

  for (double tick = 0; tick <= limit; tick += step) {
    canvas.line(left, level(tick), right, level(tick), tick == 0 ? "#333333" : "#dddddd");
    canvas.text(left - 5, level(tick) + 3.5, short_number(tick), {.anchor = "end"});
  }
  auto const slot = (right - left) / static_cast<double>(bars);
  constexpr double widest = 60;
  auto const width = std::min(widest, std::max(slot - 4, slot * 0.8));
  constexpr double room_for_number = 32;
  auto const every = label_step(slot, 8 + 6 * static_cast<double>(std::to_string(bars - 1).size()));
  for (std::size_t bar = 0; bar < bars; ++bar) {
    auto const x = left + static_cast<double>(bar) * slot;
    double below = 0;
    for (auto const& layer : chart.layers) {
      auto const value = static_cast<double>(layer.values[bar]);
      if (value > 0) {
        canvas.rectangle(
            x + (slot - width) / 2, level(below + value), width, level(below) - level(below + value), layer.colour,
            chart.bar + " " + std::to_string(bar) + ", " + layer.name + ": " + std::to_string(layer.values[bar]));
      }
      below += value;
    }
    if (slot >= room_for_number) {
      canvas.text(x + slot / 2, top - 5, short_number(below), {.size = 9, .anchor = "middle"});
    }
    if (static_cast<std::int64_t>(bar) % every == 0) {
      canvas.text(x + slot / 2, bottom + 13, std::to_string(bar), {.anchor = "middle"});
    }
  }
  canvas.line(left, level(mean), right, level(mean), "#333333", true);
  canvas.text(right + 4, level(mean) + 3.5, "mean", {.size = 9});
  canvas.text((left + right) / 2, bottom + 28, chart.bar, {.size = 11, .anchor = "middle"});
  canvas.text(box.x + 10, (top + bottom) / 2, chart.unit, {.size = 11, .anchor = "middle", .upwards = true});
}

} // namespace glt::io::detail
