// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("arrays are those of the files, in place") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(3000, 20000));
  io::write_parts(scratch / "parts", data, random_labels(data, 1));
  auto const manifest = io::detail::read_manifest(scratch / "parts");
  auto const path = scratch / "parts";
  auto const read = io::detail::part_reader(path, manifest, 0, {manifest.book(0)}, 0, {}, {}).read();
  CHECK(read.graph.schema == manifest.schema());
  CHECK(read.graph.relations[0].view().num_edges() == 20000);
  for (auto const* const place :
       {static_cast<void const*>(read.graph.relations[0].view().sources().data()),
        static_cast<void const*>(read.graph.relations[0].view().offsets().data()),
        static_cast<void const*>(read.graph.original[0].data()), static_cast<void const*>(read.edges[0].weights.data()),
        static_cast<void const*>(read.nodes[0].features[0].values.bytes().data())}) {
    CHECK(reinterpret_cast<std::uintptr_t>(place) % 4096 == 128); // a page and the header of the file
  }
}

TEST_CASE("an array of another shape than the manifest says is refused") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(30, 200));
  io::write_parts(scratch / "parts", data, random_labels(data, 1));
  auto const path = scratch / "parts";
  auto const fault = [&](auto change) {
    auto manifest = io::detail::read_manifest(path);
    change(manifest);
    return thrown<io_error>(
        [&] { static_cast<void>(io::detail::part_reader(path, manifest, 0, {manifest.book(0)}, 0, {}, {}).read()); });
  };
  CHECK(names(fault([](auto& manifest) { manifest.nodes[0].offsets = {0, 31}; }), "original.npy", "(30,)", "(31,)"));
  CHECK(names(fault([](auto& manifest) { manifest.nodes[0].features[0].row_shape = {4}; }), "feat.npy", "(30, 3)",
              "(30, 4)"));
  CHECK(names(fault([](auto& manifest) { manifest.nodes[0].features[0].row_shape = {}; }), "feat.npy", "(30,)"));
  CHECK(names(fault([](auto& manifest) { manifest.nodes[0].features[0].type = element_type::int32; }), "feat.npy",
              "'<f4', not '<i4'"));
  CHECK(names(fault([](auto& manifest) { manifest.nodes[0].features[0].name = "other"; }),
              "lists no file part-0/node/other.npy"));
  CHECK(names(fault([](auto& manifest) { manifest.nodes[0].train[0] += 1; }), "train.npy"));
  CHECK(names(fault([](auto& manifest) { manifest.edges[0].edges[0] = 199; }), "offsets.npy", "to 200",
              "there are 199 edges"));
  CHECK(names(fault([](auto& manifest) { manifest.edges[0].halo[0] = 1; }),
              "lists no file part-0/node.edge.node/halo.npy"));
  CHECK(names(fault([](auto& manifest) { manifest.edges[0].links = {{"x", {1}, {0}}}; }), "links-x.edges.npy"));
}
