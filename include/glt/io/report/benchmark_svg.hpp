// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/io/report/detail/number_text.hpp>
#include <glt/io/report/detail/svg_bars.hpp>
#include <glt/io/report/detail/svg_canvas.hpp>
#include <glt/io/report/detail/svg_page.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::io {

namespace detail {

// Seconds by benchmark, of one report of Google Benchmark: the median of repetitions.
struct benchmark_times {
  std::string name;                      // of the report
  std::vector<std::string> benchmarks{}; // in its order
  std::map<std::string, double> seconds{};
};

[[nodiscard]] inline benchmark_times read_benchmarks(std::filesystem::path const& path) {
  auto const report = nlohmann::json::parse(read_text(path), nullptr, false);
  if (!report.is_object() || !report.contains("benchmarks") || !report["benchmarks"].is_array()) {
    throw io_error(path.string(), 0,
                   "is no report of Google Benchmark; make it with --benchmark_format=json or bench/run.sh --json");
  }
  static std::map<std::string, double> const units{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  benchmark_times made{.name = path.stem().string()};
  std::map<std::string, std::vector<double>> repetitions;
  try {
    for (auto const& one : report["benchmarks"]) {
      if (one.value("run_type", "iteration") != "iteration" || one.value("error_occurred", false)) {
        continue; // the median is taken of single runs
      }
      auto const name = one.at("name").get<std::string>();
      if (!repetitions.contains(name)) {
        made.benchmarks.push_back(name);
      }
      repetitions[name].push_back(one.at("real_time").get<double>() * units.at(one.value("time_unit", "ns")));
    }
  } catch (std::exception const& fault) {
    throw io_error(path.string(), 0,
                   std::string("has a benchmark of another form (") + fault.what() + "); make it again");
  }
  for (auto& [name, times] : repetitions) {
    std::ranges::sort(times);
    made.seconds[name] = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
  }
  return made;
}

// Seconds in the unit that shows them best.
[[nodiscard]] inline std::string time_text(double seconds) {
  auto const digits = [](double value) { return trimmed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); };
  for (auto const& [least, unit] : {std::pair(1.0, " s"), std::pair(1e-3, " ms"), std::pair(1e-6, " µs")}) {
    if (seconds >= least) {
      return digits(seconds / least) + unit;
    }
  }
  return digits(seconds * 1e9) + " ns";
}

} // namespace detail

/// Reports of Google Benchmark beside each other as an SVG picture: the time of every benchmark as lying bars, one for each
/// report, in proportion to the longest of the benchmark, with the ratio to the first report.
///
/// @shape  reports 1 or more; benchmarks that some do not have are shown for the others
/// @throws io_error  if a file cannot be read or is no such report
[[nodiscard]] inline std::string benchmark_svg(std::span<std::filesystem::path const> reports,
                                               std::string const& title = "Benchmarks") {
  std::vector<detail::benchmark_times> all;
  std::vector<std::string> names;
  std::vector<detail::svg_bar_layer> legend;
  for (auto const& report : reports) {
    all.push_back(detail::read_benchmarks(report));
    legend.push_back({all.back().name, detail::layer_colours[legend.size() % detail::layer_colours.size()], {}});
    for (auto const& name : all.back().benchmarks) {
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  constexpr double bar = 14;
  constexpr double label = 190;
  auto const width = detail::page_width - 2 * detail::page_margin;
  detail::svg_canvas canvas;
  canvas.text(detail::page_margin, 38, detail::shortened(title, 90), {.size = 20, .bold = true});
  auto y = 60 + detail::draw_legend(canvas, {detail::page_margin, 60, width, 0}, legend) + 12;
  for (auto const& name : names) {
    canvas.text(detail::page_margin, y + 12, detail::shortened(name, 150), {.size = 11});
    y += 18;
    double most = 0;
    double first = 0;
    for (auto const& report : all) {
      auto const found = report.seconds.find(name);
      most = std::max(most, found == report.seconds.end() ? 0 : found->second);
      first = first == 0 && found != report.seconds.end() ? found->second : first;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const found = all[i].seconds.find(name);
      if (found == all[i].seconds.end()) {
        continue;
      }
      auto const length = most > 0 ? found->second / most * (width - label) : 0;
      auto const text = detail::time_text(found->second) +
                        (i > 0 && first > 0 ? " (" + detail::fixed(found->second / first, 2) + " times)" : "");
      canvas.rectangle(detail::page_margin, y, length, bar - 3, legend[i].colour,
                       name + ", " + all[i].name + ": " + text);
      canvas.text(detail::page_margin + length + 6, y + 9, text, {.size = 9});
      y += bar;
    }
    y += 10;
  }
  return canvas.file(detail::page_width, y + detail::page_margin, title);
}

} // namespace glt::io
