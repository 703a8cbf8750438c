// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/qualities.hpp"
#include "support/xml.hpp"

#include <glt/io/report/quality_svg.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

bool contains(std::vector<std::string> const& texts, std::string const& wanted) {
  return std::ranges::find(texts, wanted) != texts.end();
}

} // namespace

TEST_CASE("the picture has every number of every part") {
  auto const quality = glt_test::random_quality(5);
  auto const svg = glt::io::quality_svg(quality, {.title = "1 < 2 & 3"});
  auto const hints = glt_test::hints_of(svg);
  CHECK(hints.at(0) == "1 < 2 & 3");
  for (int p = 0; p < 5; ++p) {
    auto const& part = quality.parts[static_cast<std::size_t>(p)];
    auto const bar = "part " + std::to_string(p) + ", ";
    CHECK(contains(hints, bar + "at the boundary: " + std::to_string(part.num_boundary_vertices)));
    CHECK(contains(hints, bar + "from other parts (cut): " + std::to_string(part.num_cut_edges)));
    CHECK(contains(hints, bar + "from the part itself: " + std::to_string(part.num_edges - part.num_cut_edges)));
    CHECK(contains(hints, bar + "halo: " + std::to_string(part.halo_size)));
    CHECK(contains(hints, bar + "volume: " + std::to_string(part.communication_volume)));
    CHECK(contains(hints, bar + "train: " + std::to_string(part.num_train)));
    CHECK(contains(hints, bar + "test: " + std::to_string(part.num_test)));
    for (int to = 0; to < 5; ++to) {
      CHECK(contains(hints, "from part " + std::to_string(p) + ", to part " + std::to_string(to) + ": " +
                                std::to_string(quality.edges(p, to)) + " edges"));
    }
  }
  auto const texts = glt_test::texts_of(svg);
  CHECK(contains(texts, "1 < 2 & 3"));
  CHECK(contains(texts, "Seeds"));
  CHECK(std::ranges::none_of(hints, [](auto const& hint) { return hint.find("valid") != std::string::npos; }));
  CHECK(std::ranges::none_of(texts, [](auto const& text) { return text.starts_with("valid"); })); // there is none
  CHECK_FALSE(contains(texts, "Vertices by type"));
  CHECK_FALSE(contains(texts, "Edges by type"));
  CHECK(std::ranges::any_of(texts,
                            [](auto const& text) { return text.starts_with("5 parts, 1009 vertices, 9081 edges"); }));
}

TEST_CASE("types have bars") {
  auto const quality = glt_test::academic_quality(3);
  auto const svg = glt::io::quality_svg(quality);
  auto const texts = glt_test::texts_of(svg);
  auto const hints = glt_test::hints_of(svg);
  CHECK(contains(texts, "Vertices by type"));
  CHECK(contains(texts, "Edges by type"));
  CHECK(contains(texts, "(author, writes, paper)"));
  CHECK_FALSE(contains(texts, "Seeds"));
  for (auto const& type : quality.node_types) {
    for (std::size_t p = 0; p < 3; ++p) {
      auto const vertices = type.parts[p].num_vertices;
      CHECK(contains(hints, "part " + std::to_string(p) + ", " + type.name + ": " + std::to_string(vertices)) ==
            (vertices > 0));
    }
  }
  for (auto const& type : quality.edge_types) {
    CHECK(contains(hints, "(" + type.type.source + ", " + type.type.name + ", " + type.type.destination +
                              ") cut: " + std::to_string(type.num_cut_edges)));
  }
}

TEST_CASE("no text touches another, whatever the parts, types and names") {
  for (int const parts : {1, 2, 7, 12, 33, 64, 65, 256}) {
    CAPTURE(parts);
    CHECK(glt_test::touching_texts(glt::io::quality_svg(glt_test::random_quality(parts))) == "");
  }
  CHECK(glt_test::touching_texts(glt::io::quality_svg(glt_test::academic_quality(5))) == "");
  CHECK(glt_test::touching_texts(
            glt::io::quality_svg(glt_test::awkward_quality(3), {.title = std::string(500, 'W')})) == "");
}

TEST_CASE("of many types the smallest share a colour") {
  auto const quality = glt_test::awkward_quality(2);
  auto const svg = glt::io::quality_svg(quality);
  auto const texts = glt_test::texts_of(svg);
  CHECK(std::ranges::count_if(texts, [](auto const& text) { return text.starts_with("other types ("); }) == 1);
  CHECK(std::ranges::any_of(texts, [](auto const& text) { return text.ends_with(" more types"); }));
  std::int64_t shown = 0;
  for (auto const& hint : glt_test::hints_of(svg)) {
    auto const colon = hint.rfind(": ");
    bool const of_types = hint.starts_with("part ") && hint.find(", inner") == std::string::npos &&
                          hint.find(", at the") == std::string::npos && hint.find(", from") == std::string::npos &&
                          hint.find(", halo") == std::string::npos && hint.find(", volume") == std::string::npos;
    shown += of_types ? std::stoll(hint.substr(colon + 2)) : 0;
  }
  CHECK(shown == quality.num_vertices);
}

TEST_CASE("a graph without vertices has a picture") {
  glt::partition_quality nothing;
  nothing.parts.resize(3);
  nothing.edges_between.resize(9);
  auto const texts = glt_test::texts_of(glt::io::quality_svg(nothing));
  CHECK(contains(texts, "3 parts, 0 vertices, 0 edges: 0 cut (0.0 %), communication volume 0, "
                        "replication factor 1.00"));
}
