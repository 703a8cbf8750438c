// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/outofcore/staging/detail/stage_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

void check(std::filesystem::path const& folder) {
  scratch_folder const scratch;
  io::detail::stage_npy_folder(folder, scratch / "made");
  auto const expected = io::detail::read_npy_folder(folder);
  io::detail::mapped_raw_data const mapped(scratch / "made");
  check_same(mapped.view(), expected.view());
}

} // namespace

TEST_CASE("files that can stay are linked") {
  scratch_folder const scratch;
  random_stream draws(random_key(8), 1);
  io::raw_data data{.name = "typed", .nodes = {}, .edges = {}};
  data.nodes.push_back(random_nodes(draws, "paper", 7));
  data.nodes.push_back(random_nodes(draws, "author", 5));
  data.nodes[0].features.push_back({"more", random_array(draws, element_type::bfloat16, 7, 2)});
  data.edges.push_back(random_edges(draws, data.nodes[1], "writes", data.nodes[0], 30));
  io::write_npy_folder(scratch / "set", data);
  check(scratch / "set");
  io::detail::stage_npy_folder(scratch / "set", scratch / "made");
  for (auto const& entry : std::filesystem::directory_iterator(scratch / "made")) {
    CHECK(entry.is_symlink());
  }
  CHECK(names(thrown<io_error>([&] { io::detail::stage_npy_folder(scratch / "set", scratch / "made"); }), "not empty"));
}

TEST_CASE("numbers of other types are written anew") {
  scratch_folder const scratch;
  auto const folder = scratch / "set";
  std::filesystem::create_directory(folder);
  random_stream draws(random_key(2), 1);
  constexpr std::int64_t num_edges = 70'000; // more than a piece
  std::vector<std::uint32_t> ends;
  std::vector<double> weights;
  std::vector<std::int16_t> times;
  std::vector<std::uint64_t> features;
  for (std::int64_t i = 0; i < 2 * num_edges; ++i) {
    ends.push_back(static_cast<std::uint32_t>(draws.below(20)));
  }
  for (std::int64_t e = 0; e < num_edges; ++e) {
    weights.push_back(static_cast<double>(draws.below(1000)) / 7);
    times.push_back(static_cast<std::int16_t>(e % 1000 - 500));
    features.push_back(draws.below(1000));
  }
  io::write_npy(folder / "edge_index.npy", ends, std::vector<std::int64_t>{2, num_edges});
  io::write_npy(folder / "edge_weight.npy", weights);
  io::write_npy(folder / "edge_time.npy", times);
  io::write_npy(folder / "edge_feat.npy", features, std::vector<std::int64_t>{num_edges / 2, 2});
  io::write_npy(folder / "train_edge.npy", std::vector<std::int32_t>{1, 2, 3, 4}, std::vector<std::int64_t>{2, 2});
  io::write_npy(folder / "node_label.npy", std::vector<std::uint16_t>(20, 3));
  io::write_npy(folder / "train_idx.npy", std::vector<std::uint32_t>{3, 1});
  CHECK_THROWS(check(folder)); // half as many rows of features as edges
  std::filesystem::remove(folder / "edge_feat.npy");
  io::write_npy(folder / "edge_feat.npy", features);
  check(folder);
  write_bytes(folder / "meta.json", R"({"num_nodes": 20})");
  check(folder);
  std::string bytes;
  for (int i = 0; i < 20 * 3 * 4; ++i) {
    bytes += static_cast<char>(i % 60);
  }
  write_bytes(folder / "node_feat.npy", npy_bytes("<f4", "(20, 3)", bytes, "True"));
  write_bytes(folder / "node_time.npy", npy_bytes(">i4", "(20,)", bytes.substr(0, 80)));
  check(folder);

  weights[66'000] = 1e300;
  io::write_npy(folder / "edge_weight.npy", weights);
  CHECK(names(thrown<io_error>([&] { io::detail::stage_npy_folder(folder, scratch / "large"); }), "edge_weight.npy",
              ": element 66000 is 1e+300, larger than any float32"));
  weights[66'000] = 1.5;
  io::write_npy(folder / "edge_weight.npy", weights);
  io::write_npy(folder / "edge_time.npy", weights);
  CHECK(names(thrown<io_error>([&] { io::detail::stage_npy_folder(folder, scratch / "made"); }), "edge_time.npy",
              "no whole number"));
  features[69'000] = ~std::uint64_t{0};
  io::write_npy(folder / "edge_time.npy", times);
  io::write_npy(folder / "edge_feat.npy", features);
  CHECK(names(thrown<io_error>([&] { io::detail::stage_npy_folder(folder, scratch / "again"); }), "edge_feat.npy",
              ": element 69000 is 18446744073709551615, which does not fit int64"));
}

TEST_CASE("sparse features are made dense") {
  scratch_folder const scratch;
  auto const folder = scratch / "set";
  std::filesystem::create_directory(folder);
  io::write_npy(folder / "edge_index.npy", std::vector<std::int32_t>{0, 1, 2, 0}, std::vector<std::int64_t>{2, 2});
  write_zip(folder / "node_feat.csr.npz", {{"format.npy", npy_bytes("|S3", "()", "csr")},
                                           {"shape.npy", npy_longs({3, 4})},
                                           {"indptr.npy", npy_longs({0, 2, 2, 5})},
                                           {"indices.npy", npy_longs({1, 3, 0, 2, 2})},
                                           {"data.npy", npy_floats({0.5F, 2, 3, 4, 5})}});
  check(folder);
}
