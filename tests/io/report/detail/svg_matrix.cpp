// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/xml.hpp"

#include <glt/io/report/detail/svg_matrix.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace glt::io::detail;

namespace {

svg_matrix matrix_of(std::int64_t size, std::vector<std::int64_t> const& values) {
  return {"Trade", "tons", "from", "to", "at home", size, values};
}

std::string picture(std::int64_t size, std::vector<std::int64_t> const& values) {
  svg_canvas canvas;
  draw_matrix(canvas, {10, 10, 650, 530}, matrix_of(size, values));
  return canvas.file(670, 560, "test");
}

} // namespace

TEST_CASE("colours have equal steps, or steps that double where most values are small") {
  std::vector<std::int64_t> const even{1000, 80, 40, 1000};
  CHECK(heat_bounds(matrix_of(2, even)) == std::array<std::int64_t, 9>{0, 10, 20, 30, 40, 50, 60, 70, 80});
  std::vector<std::int64_t> const uneven{0, 1, 2, 3, 0, 512, 0, 0, 0};
  CHECK(heat_bounds(matrix_of(3, uneven)) == std::array<std::int64_t, 9>{0, 4, 8, 16, 32, 64, 128, 256, 512});
  std::vector<std::int64_t> const nothing{7};
  CHECK(heat_bounds(matrix_of(1, nothing)) == std::array<std::int64_t, 9>{});
  std::vector<std::int64_t> const few{0, 3, 1, 0};
  CHECK(heat_bounds(matrix_of(2, few)) == std::array<std::int64_t, 9>{0, 0, 0, 1, 1, 1, 2, 2, 3});
  auto const most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> const huge{0, most, most, 0};
  auto const bounds = heat_bounds(matrix_of(2, huge));
  CHECK(std::ranges::is_sorted(bounds));
  CHECK(bounds.back() == most);
  CHECK(heat_level(0, bounds) == 0);
  CHECK(heat_level(1, bounds) == 1);
  CHECK(heat_level(most, bounds) == 8);
}

TEST_CASE("every cell has the colour of its value and says it") {
  std::vector<std::int64_t> const values{500, 80, 0, 40, 600, 79, 8, 1, 700};
  auto const svg = picture(3, values);
  std::map<std::string, std::string> colours; // by hint
  auto const elements = glt_test::xml_reader(svg).elements();
  for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
    if (elements[i].name == "rect" && elements[i + 1].name == "title") {
      colours[elements[i + 1].text] = elements[i].attributes.at("fill");
    }
  }
  CHECK(colours.size() == 9);
  CHECK(colours.at("from 0, to 0: 500 tons") == diagonal_colour);
  CHECK(colours.at("from 0, to 1: 80 tons") == heat_colours[8]);
  CHECK(colours.at("from 0, to 2: 0 tons") == heat_colours[0]);
  CHECK(colours.at("from 1, to 0: 40 tons") == heat_colours[4]);
  CHECK(colours.at("from 2, to 1: 1 tons") == heat_colours[1]);
  auto const texts = glt_test::texts_of(svg);
  for (char const* const text :
       {"Trade", "tons", "from", "to", "at home", "up to 80", "up to 10", "500", "79", "700"}) {
    CAPTURE(text);
    CHECK(std::ranges::find(texts, text) != texts.end());
  }
}

TEST_CASE("no text touches another, for any size and any numbers") {
  for (std::int64_t const largest : {std::int64_t{0}, std::int64_t{5}, std::int64_t{9999}, std::int64_t{123'456'789}}) {
    for (std::int64_t const size : {1, 2, 9, 13, 14, 40, 64, 65, 101, 256}) {
      CAPTURE(largest);
      CAPTURE(size);
      CHECK(glt_test::touching_texts(
                picture(size, std::vector<std::int64_t>(static_cast<std::size_t>(size * size), largest))) == "");
    }
  }
}

TEST_CASE("many cells are outlines of one colour each, which cover the square") {
  std::int64_t const size = 65;
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < size * size; ++i) {
    values.push_back(i % 9);
  }
  std::size_t cells = 0;
  std::size_t paths = 0;
  for (auto const& element : glt_test::xml_reader(picture(size, values)).elements()) {
    if (element.name == "path") {
      ++paths;
      cells += static_cast<std::size_t>(std::ranges::count(element.attributes.at("d"), 'M'));
    }
  }
  CHECK(paths == 10);
  CHECK(cells == values.size());
}
