// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/xml.hpp"

#include <glt/io/report/detail/svg_bars.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

using namespace glt::io::detail;

namespace {

std::string picture(svg_bar_chart const& chart) {
  svg_canvas canvas;
  draw_bars(canvas, {10, 10, 475, 250}, chart);
  return canvas.file(495, 270, "test");
}

bool contains(std::vector<std::string> const& texts, std::string const& wanted) {
  return std::ranges::find(texts, wanted) != texts.end();
}

} // namespace

TEST_CASE("every bar says its numbers, and heights are in proportion") {
  auto const svg =
      picture({"Fruit", "kg", "tree", {{"apples", "#000001", {10, 0, 30}}, {"pears", "#000002", {5, 5, 5}}}});
  auto const texts = glt_test::texts_of(svg);
  for (char const* const text :
       {"Fruit", "kg", "tree", "apples", "pears", "0", "1", "2", "15", "5", "35", "mean", "max/mean 1.91"}) {
    CAPTURE(text);
    CHECK(contains(texts, text));
  }
  auto const hints = glt_test::hints_of(svg);
  CHECK(hints == std::vector<std::string>{"test", "tree 0, apples: 10", "tree 0, pears: 5", "tree 1, pears: 5",
                                          "tree 2, apples: 30", "tree 2, pears: 5"});
  std::vector<double> heights;
  for (auto const& element : glt_test::xml_reader(svg).elements()) {
    if (element.name == "rect" && element.attributes.at("fill") == "#000001") {
      heights.push_back(std::stod(element.attributes.at("height")));
    }
  }
  REQUIRE(heights.size() == 3); // the first is the legend's
  CHECK(heights[2] == doctest::Approx(3 * heights[1]).epsilon(0.001));
}

TEST_CASE("no text touches another, for any number of bars and any size of numbers") {
  for (std::int64_t const largest : {std::int64_t{0}, std::int64_t{1}, std::int64_t{9999}, std::int64_t{123'456'789},
                                     std::numeric_limits<std::int64_t>::max()}) {
    for (std::size_t const bars : {1, 2, 10, 11, 12, 13, 40, 99, 101, 256, 1000}) {
      CAPTURE(largest);
      CAPTURE(bars);
      std::vector<std::int64_t> values(bars, largest);
      values[bars / 2] = largest / 3;
      svg_bar_chart chart{"Title", "unit", "bar", {{"one layer", "#123456", values}}};
      CHECK(glt_test::touching_texts(picture(chart)) == "");
      chart.balances = true;
      for (auto& value : values) {
        value /= 8;
      }
      chart.layers.assign(8, {"one of the layers", "#123456", values});
      CHECK(glt_test::touching_texts(picture(chart)) == "");
    }
  }
}

TEST_CASE("labels are thinned out to round numbers") {
  CHECK(label_step(100, 20) == 1);
  CHECK(label_step(10, 20) == 2);
  CHECK(label_step(1.5, 26) == 20);
}

TEST_CASE("the check of texts sees texts that touch") {
  svg_canvas canvas;
  canvas.text(10, 20, "abc");
  canvas.text(20, 22, "def");
  CHECK(glt_test::touching_texts(canvas.file(50, 50, "")) == "abc touches def");
  CHECK(glt_test::touching_texts(canvas.file(20, 50, "")) == "outside: abc");
}
