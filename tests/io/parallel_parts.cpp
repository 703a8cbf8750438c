// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parallel_parts.hpp>

#include <glt/core/random.hpp>
#include <glt/io/input_file.hpp>

#include "../support/errors.hpp"
#include "../support/ranks.hpp"
#include "../support/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using glt::global_id;
namespace io = glt::io;

namespace {

// A random data set with everything that a graph without types may have.
io::data_set random_set(std::int64_t num_vertices, std::int64_t num_edges) {
  glt::random_stream draws(glt::random_key(4), static_cast<std::uint64_t>(num_vertices));
  auto const below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(bound)));
  };
  io::data_set made{.name = "random"};
  auto& nodes = made.nodes.emplace_back();
  auto& edges = made.edges.emplace_back();
  nodes.num_nodes = num_vertices;
  std::vector<float> features;
  std::vector<std::int16_t> codes;
  std::vector<std::int64_t> labels;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    for (int c = 0; c < 3; ++c) {
      features.push_back(static_cast<float>(below(1000)));
    }
    codes.push_back(static_cast<std::int16_t>(v));
    labels.push_back(below(5));
    nodes.times.push_back(below(100));
    (v % 3 == 0 ? nodes.train : v % 3 == 1 ? nodes.valid : nodes.test).push_back(num_vertices - 1 - v);
  }
  nodes.features.push_back({"feat", io::array::of<float>(features, {num_vertices, 3})});
  nodes.features.push_back({"code", io::array::of<std::int16_t>(codes, {num_vertices, 1})});
  nodes.labels = io::array::of<std::int64_t>(labels);
  for (std::int64_t e = 0; e < num_edges; ++e) {
    edges.sources.push_back(below(num_vertices));
    edges.destinations.push_back(std::min(below(num_vertices), below(num_vertices)));
    edges.weights.push_back(static_cast<float>(below(50)));
    edges.times.push_back(below(1000));
  }
  return made;
}

io::edge_columns columns_of(io::edge_table const& edges) {
  return {edges.sources, edges.destinations, edges.weights, edges.times};
}

std::vector<glt::local_id> random_parts(std::int64_t num_vertices, int num_parts) {
  glt::random_stream draws(glt::random_key(6), 1);
  std::vector<glt::local_id> parts;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    parts.push_back(static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(num_parts))));
  }
  return parts;
}

// The content of all files below a folder, by relative path.
std::map<std::string, std::string> files_of(std::filesystem::path const& folder) {
  std::map<std::string, std::string> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      io::input_file file(entry.path());
      std::string text(static_cast<std::size_t>(file.size()), ' ');
      file.read(text.data(), file.size());
      files[std::filesystem::relative(entry.path(), folder).string()] = std::move(text);
    }
  }
  return files;
}

} // namespace

TEST_CASE("ranks write together what one process writes alone, byte for byte") {
  glt_test::scratch_folder const scratch;
  int case_number = 0;
  for (auto const& [vertices, edges, parts] : {std::tuple{1, 0, 1}, std::tuple{1, 2, 3}, std::tuple{90, 1500, 4}}) {
    auto const set = random_set(vertices, edges);
    auto const part_of = random_parts(vertices, parts);
    std::vector<glt::relabelling> labels;
    labels.push_back(glt::make_relabelling(part_of, parts));
    auto const alone = scratch / ("alone" + std::to_string(case_number));
    io::partitioner_note const note{.name = "random", .options = {{"slack", "0"}}, .key = 6};
    io::write_parts(alone, set, labels, {.partitioner = note, .halo = true});
    auto const expected = files_of(alone);
    for (std::int64_t const memory : {2000, 1 << 24}) {
      auto const together = scratch / ("together" + std::to_string(case_number++));
      glt_test::on_ranks([&](auto comm) {
        auto const folder = std::filesystem::path(together.string() + "-" + std::to_string(comm.size()));
        io::write_parts_together(
            comm, folder, set.nodes[0], columns_of(set.edges[0]), part_of, parts,
            {.name = set.name, .partitioner = note, .halo = true, .plan = {.for_vertices = 0, .for_edges = memory}});
        if (comm.rank() == 0) {
          CHECK(files_of(folder) == expected);
        }
      });
    }
  }
}

TEST_CASE("what one rank cannot do leaves nothing, and all ranks say why") {
  glt_test::on_ranks([](auto comm) {
    glt_test::scratch_folder const scratch;
    auto const folder = std::filesystem::temp_directory_path() / "glt-test-together";
    auto set = random_set(40, 300);
    auto const failure = [&] {
      return glt_test::thrown<glt::collective_error>([&] {
        io::write_parts_together(comm, folder, set.nodes[0], columns_of(set.edges[0]), random_parts(40, 2), 2,
                                 {.plan = {.for_vertices = 0, .for_edges = 1 << 20}});
      });
    };
    set.edges[0].destinations[299] = -1;
    CHECK(glt_test::names(failure(), "destination of edge 299 is -1"));
    set.edges[0].destinations[299] = 0;
    set.nodes[0].features[1].values = io::array::of<float>(std::vector<float>(39), {39, 1});
    CHECK(glt_test::names(failure(), "code", "39 rows"));
    CHECK(!std::filesystem::exists(folder));
  });
}
