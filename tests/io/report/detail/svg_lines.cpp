// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/xml.hpp"

#include <glt/io/report/detail/svg_lines.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace glt::io::detail;

namespace {

std::string picture(svg_line_chart const& chart) {
  svg_canvas canvas;
  draw_lines(canvas, {10, 10, 475, 250}, chart);
  return canvas.file(495, 270, "test");
}

} // namespace

TEST_CASE("ticks are 1, 2 or 5 times a power of ten apart") {
  CHECK(tick_step(10, 5) == 2);
  CHECK(tick_step(11, 5) == 5);
  CHECK(tick_step(0.1, 5) == doctest::Approx(0.02));
  CHECK(tick_step(0.00011, 5) == doctest::Approx(0.00005));
  CHECK(tick_step(7e6, 8) == doctest::Approx(1e6));
  CHECK(tick_step(0, 5) == 1);
  CHECK(tick_step(std::numeric_limits<double>::infinity(), 5) == 1);
}

TEST_CASE("points stand in proportion, and those without a number are left out") {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  auto const svg = picture({"Loss", "epoch", {{"run", "#000001", {{0, 1}, {1, nan}, {2, 0.5}, {4, 0}}}}});
  std::vector<std::pair<double, double>> places;
  for (auto const& element : glt_test::xml_reader(svg).elements()) {
    if (element.name == "circle") {
      places.emplace_back(std::stod(element.attributes.at("cx")), std::stod(element.attributes.at("cy")));
    }
  }
  REQUIRE(places.size() == 3);
  CHECK(places[1].first - places[0].first == doctest::Approx(places[2].first - places[1].first));
  CHECK(places[1].second - places[0].second == doctest::Approx(places[2].second - places[1].second).epsilon(0.01));
  CHECK(places[0].second < places[1].second); // up is more
  CHECK(glt_test::touching_texts(svg) == "");
}

TEST_CASE("charts of nothing, of one point and of large, small and negative numbers have axes") {
  for (auto const& [low, high] :
       std::vector<std::pair<double, double>>{{3, 3}, {0, 0}, {-2, 5}, {0.12345, 0.12346}, {0, 1e9}, {-1e7, -1e5}}) {
    CAPTURE(low);
    CHECK(glt_test::touching_texts(picture({"t", "x", {{"a", "#000001", {{1, low}, {2, high}}}}})) == "");
  }
  CHECK(glt_test::touching_texts(picture({"t", "x", {}})) == "");
}
