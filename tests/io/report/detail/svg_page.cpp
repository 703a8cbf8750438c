// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/xml.hpp"

#include <glt/io/report/detail/svg_page.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace glt::io::detail;

TEST_CASE("panels stand two in a row below the title, and the page ends behind them") {
  std::vector<std::pair<double, double>> places;
  auto const svg = page_of("three", std::vector<int>{1, 2, 3}, [&](svg_canvas&, svg_box const& box, int) {
    places.emplace_back(box.x, box.y);
    CHECK(box.width == panel_width);
  });
  REQUIRE(places.size() == 3);
  CHECK(places[1] == std::pair(places[0].first + panel_width + panel_gap, places[0].second));
  CHECK(places[2] == std::pair(places[0].first, places[0].second + panel_height + panel_gap));
  auto const root = glt_test::xml_reader(svg).elements().at(0);
  CHECK(std::stod(root.attributes.at("height")) >= places[2].second + panel_height);
  CHECK(std::stod(root.attributes.at("width")) == page_width);
}
