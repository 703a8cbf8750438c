// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/manifest.hpp>

#include <nlohmann/json.hpp>

#include <string>

using namespace glt;
using namespace glt_test;

namespace {

io::manifest small_manifest() {
  io::manifest made;
  made.name = "small";
  made.partitioner = {.name = "ldg", .options = {{"passes", "5"}}, .key = 7};
  auto& nodes = made.nodes.emplace_back();
  nodes.name = "paper";
  nodes.offsets = {0, 3, 5};
  nodes.train = nodes.valid = nodes.test = {1, 0};
  auto& edges = made.edges.emplace_back();
  edges.type = {"paper", "cites", "paper"};
  edges.edges = {4, 2};
  edges.halo = {0, 0};
  return made;
}

} // namespace

TEST_CASE("the text says what the manifest holds, with lists of numbers on one line") {
  auto const text = io::detail::to_json(small_manifest());
  auto const json = nlohmann::ordered_json::parse(text);
  CHECK(json["format"] == "glt-parts");
  CHECK(json["num_parts"] == 2);
  CHECK(json["partitioner"]["options"]["passes"] == "5");
  CHECK(json["node_types"][0]["num_nodes"] == 5);
  CHECK(json["edge_types"][0]["num_edges"] == 6);
  CHECK(names(text, "\"offsets\": [0, 3, 5]", "\"version\": 2"));
  CHECK(text == io::detail::to_json(small_manifest()));
}

TEST_CASE("the sum at the end of the text is that of the text") {
  auto made = small_manifest();
  auto const before = io::detail::to_json(made);
  made.name = "smalm";
  auto const after = io::detail::to_json(made);
  CHECK(before.size() == after.size());
  CHECK(before.substr(before.rfind("xxh3")) != after.substr(after.rfind("xxh3")));
}

TEST_CASE("a name that is no UTF-8 cannot be stored") {
  auto made = small_manifest();
  made.name = "caf\xE9";
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(io::detail::to_json(made)); }), "cannot be stored"));
}
