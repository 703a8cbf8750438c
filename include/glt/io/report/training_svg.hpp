// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/io/report/detail/svg_lines.hpp>
#include <glt/io/report/detail/svg_page.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace glt::io {

namespace detail {

// The charts of a curve: which keys they show, by a part of the name.
struct training_panel {
  char const* title;
  std::string_view word;
};
inline constexpr std::array<training_panel, 3> training_panels{
    {{"Loss", "loss"}, {"Accuracy", "acc"}, {"Seconds", "seconds"}}};

// Adds the lines of a log to charts, one of every key with a number; objects without an epoch are left out.
inline void add_training_log(std::filesystem::path const& path, std::string const& before,
                             std::span<svg_line_chart> charts) {
  std::istringstream lines(read_text(path));
  std::int64_t number = 0;
  bool any = false;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    auto const object = nlohmann::ordered_json::parse(text, nullptr, false);
    if (text.empty()) {
      continue;
    }
    if (!object.is_object()) {
      throw io_error(
          path.string(), 0,
          glt::detail::message("line ", number, " is no JSON object; give a file that train --log has made"));
    }
    if (!object.contains("epoch") || !object["epoch"].is_number()) {
      continue;
    }
    for (auto const& [key, value] : object.items()) {
      auto const panel = std::ranges::find_if(training_panels,
                                              [&](auto const& one) { return key.find(one.word) != std::string::npos; });
      if (panel == training_panels.end() || !(value.is_number() || value.is_null())) {
        continue;
      }
      auto& found = charts[static_cast<std::size_t>(panel - training_panels.begin())].lines;
      auto line = std::ranges::find(found, before + key, &svg_line::name);
      if (line == found.end()) {
        auto const colour = layer_colours[found.size() % layer_colours.size()];
        line = found.insert(found.end(), {.name = before + key, .colour = colour});
      }
      line->points.emplace_back(object["epoch"].get<double>(),
                                value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
      any = true;
    }
  }
  if (!any) {
    throw io_error(path.string(), 0,
                   "has no line with an \"epoch\" and a loss, accuracy or seconds; give a file that "
                   "train --log has made");
  }
}

} // namespace detail

/// Training curves as an SVG picture: loss, accuracy and seconds by epoch, of one run or several beside each other.
///
/// A log is JSON lines, objects with "epoch" and numbers whose keys name a loss, an accuracy ("acc…") or "seconds"; other
/// objects and keys are left out.
///
/// @shape  logs 1 or more
/// @throws io_error  if a file cannot be read, a line of it is no JSON object, or it has nothing to show
[[nodiscard]] inline std::string training_svg(std::span<std::filesystem::path const> logs,
                                              std::string const& title = "Training") {
  std::vector<detail::svg_line_chart> charts;
  for (auto const& panel : detail::training_panels) {
    charts.push_back({.title = panel.title, .across = "epoch"});
  }
  for (auto const& log : logs) {
    detail::add_training_log(log, logs.size() > 1 ? log.stem().string() + " " : "", charts);
  }
  std::erase_if(charts, [](auto const& chart) { return chart.lines.empty(); });
  return detail::page_of(
      title, charts, [](auto& canvas, auto const& box, auto const& chart) { detail::draw_lines(canvas, box, chart); });
}

} // namespace glt::io
