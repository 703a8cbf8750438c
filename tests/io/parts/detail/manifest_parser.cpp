// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The manifest of a folder with everything that one may hold.
io::manifest const& known_manifest() {
  static auto const made = [] {
    scratch_folder const scratch;
    auto const data = hetero_known_set();
    io::write_parts(scratch / "parts", data, random_labels(data, 2),
                    {.partitioner = {"by \"hand\"", {{"slack", "1.1"}, {"passes", "2"}}, UINT64_MAX},
                     .hot = {{.node_type = 1, .by_part = {{0, 1, 2, 3}, {4}}}},
                     .halo = true});
    return io::detail::read_manifest(scratch / "parts");
  }();
  return made;
}

// A text of JSON with the checksum that it ought to have.
std::string signed_text(nlohmann::ordered_json value) {
  std::string const none(16, '0');
  value["xxh3"] = none;
  auto text = value.dump();
  io::detail::checksum sum;
  sum.add(text.data(), static_cast<std::int64_t>(text.size()));
  return text.replace(text.rfind(none), none.size(), io::detail::checksum_text(sum.value()));
}

// What is wrong with a manifest one of whose values is another one, in JSON.
std::string fault(std::string const& pointer, std::string const& value) {
  auto json = nlohmann::ordered_json::parse(io::detail::to_json(known_manifest()));
  json[nlohmann::ordered_json::json_pointer(pointer)] = nlohmann::ordered_json::parse(value);
  return thrown<io_error>([&] { static_cast<void>(io::detail::parse_manifest(signed_text(json), "m.json")); });
}

std::string fault_of(std::string const& text) {
  return thrown<io_error>([&] { static_cast<void>(io::detail::parse_manifest(text, "m.json")); });
}

} // namespace

TEST_CASE("a manifest comes back from its text") {
  auto const text = io::detail::to_json(known_manifest());
  auto const of_text = [](std::string const& json) { // but for its checksum, which is that of the text
    auto made = io::detail::parse_manifest(json, "m.json");
    CHECK(made.xxh3 != 0);
    made.xxh3 = known_manifest().xxh3;
    return made;
  };
  CHECK(of_text(text) == known_manifest());
  CHECK(io::detail::to_json(io::detail::parse_manifest(text, "m.json")) == text);
  auto const json = nlohmann::ordered_json::parse(text);
  CHECK(of_text(signed_text(json)) == known_manifest());
  CHECK(io::detail::parse_manifest(signed_text(json), "m.json").xxh3 !=
        io::detail::parse_manifest(text, "m.json").xxh3);
  CHECK(json["node_types"][0]["features"][1]["file"] == "feature-labels.npy");
  CHECK(names(text, "\"offsets\": [0, ", "\"version\": 2"));
}

TEST_CASE("a text that was changed anywhere is refused") {
  auto const text = io::detail::to_json(known_manifest());
  for (std::size_t at = 0; at < text.size(); at += 13) {
    for (int const bit : {0, 3, 5}) {
      auto changed = text;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      REQUIRE(names(fault_of(changed), "m.json: "));
    }
    REQUIRE(names(fault_of(text.substr(0, at)), "m.json: "));
  }
}

TEST_CASE("what is no manifest, or one of another version, is told what it is") {
  CHECK(names(fault_of(""), "is no JSON"));
  CHECK(names(fault_of("not JSON"), "is no JSON"));
  CHECK(names(fault_of("[]"), "is no object"));
  CHECK(names(fault_of(std::string(1'000'000, '[')), "is no JSON"));
  CHECK(names(fault_of("{}"), "glt-parts"));
  CHECK(names(fault_of(R"({"part_method": "metis", "num_parts": 2})"), "glt-parts"));
  CHECK(names(fault_of(R"({"format": "glt-parts"})"), "lacks \"version\""));
  CHECK(names(fault_of(R"({"format": "glt-parts", "version": 1})"), "is of version 1", "reads version 2", "partition"));
  CHECK(names(fault_of(R"({"format": "glt-parts", "version": -1})"), "version is no whole number"));
  CHECK(names(fault_of(R"({"format": "glt-parts", "version": 2})"), "lacks \"xxh3\""));
  CHECK(names(fault_of(R"({"format": "glt-parts", "version": 2, "xxh3": ""})"), "checksum"));
  scratch_folder const scratch;
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_manifest(scratch.path())); }), "manifest.json",
              "no such file"));
}

TEST_CASE("hostile values are refused with their place") {
  for (auto const* pointer : {"/name",
                              "/num_parts",
                              "/partitioner",
                              "/node_types",
                              "/edge_types",
                              "/files",
                              "/partitioner/options",
                              "/partitioner/key",
                              "/node_types/0",
                              "/node_types/0/name",
                              "/node_types/0/num_nodes",
                              "/node_types/0/offsets",
                              "/node_types/0/offsets/1",
                              "/node_types/0/features",
                              "/node_types/0/features/0/dtype",
                              "/node_types/0/features/0/row_shape",
                              "/node_types/0/labels",
                              "/node_types/0/times",
                              "/node_types/0/train",
                              "/node_types/0/hot_rows",
                              "/node_types/0/hot_rows/number",
                              "/edge_types/0/source",
                              "/edge_types/0/edges",
                              "/edge_types/0/edges/0",
                              "/edge_types/0/num_edges",
                              "/edge_types/0/weights",
                              "/edge_types/0/halo",
                              "/edge_types/0/links",
                              "/files/0",
                              "/files/0/path",
                              "/files/0/bytes",
                              "/files/0/xxh3"}) {
    CAPTURE(pointer);
    int refused = 0;
    for (auto const* value : {"-1", "1.5", "1e30", "null", "[[]]", "[-1]", "[1, 2, 3, 4]", "{\"a\": {}}", "true",
                              "\"\\u0000\"", "18446744073709551615", "9223372036854775807"}) {
      CAPTURE(value);
      auto const text = fault(pointer, value);
      bool const fits = text == "(nothing was thrown)"; // a key may be large, a name odd
      CHECK((fits || names(text, "m.json: ")));
      refused += fits ? 0 : 1;
    }
    CHECK(refused >= 9);
  }
}

TEST_CASE("a manifest that contradicts itself is refused") {
  CHECK(names(fault("/num_parts", "3"), "offsets has 3 numbers for 3 parts"));
  CHECK(names(fault("/num_parts", "9223372036854775807"), "numbers for 9223372036854775807 parts"));
  CHECK(names(fault("/node_types", "[]"), "node_types is empty"));
  CHECK(names(fault("/node_types/0/offsets", "[0, 9, 8]"), "node_types[0].offsets is no partition book", "offset 2"));
  CHECK(names(fault("/node_types/0/offsets", "[1, 9, 23]"), "no partition book"));
  CHECK(names(fault("/node_types/0/offsets", "[0, 9, 1000000000000]"), "no partition book", "make more parts"));
  CHECK(names(fault("/node_types/0/num_nodes", "22"), "num_nodes is not 23"));
  CHECK(names(fault("/node_types/0/train", "[1]"), "train has 1 numbers for 2 parts"));
  CHECK(names(fault("/edge_types/0/edges", "[9223372036854775807, 9223372036854775807]"), "sum beyond"));
  CHECK(names(fault("/edge_types/0/num_edges", "5"), "num_edges is not 120"));
  CHECK(names(fault("/edge_types/0/source", "\"x\""), "wrong about its types", "no node type 'x'"));
  CHECK(names(fault("/node_types/1/name", "\"paper\""), "comes twice"));
  CHECK(names(fault("/node_types/0/features/1/name", "\"feat\""), "comes twice"));
  CHECK(names(fault("/node_types/0/features/0/dtype", "\"float128\""), "'float128'", "no element type"));
  CHECK(names(fault("/node_types/0/features/0/row_shape", "[4294967296, 4294967296]"), "larger than any row"));
  CHECK(names(fault("/node_types/1/hot_rows/features", "[\"x\"]"), "no feature of the type"));
  CHECK(names(fault("/files/0/xxh3", "\"0123456789ABCDEF\""), "files[0].xxh3", "no checksum"));
}

TEST_CASE("a path that leads out of the folder is refused") {
  for (char const* path :
       {"../a", "/etc/passwd", "part-0/../../a", "..", ".", "", "part-0/", "./a", "a/./b", "a\\u0000b"}) {
    CAPTURE(path);
    CHECK(names(fault("/files/0/path", "\"" + std::string(path) + "\""), "files[0].path leads out of the folder"));
  }
  CHECK(fault("/files/0/path", "\"part-0/..a\"") == "(nothing was thrown)");
}
