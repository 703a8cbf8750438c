// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/parts/open_data_set.hpp>

#include "support/workloads.hpp"

#include <glt/graph/generators.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int num_parts = 4;
constexpr std::int64_t columns = 16;

// R-MAT of 2^scale vertices and 16 edges a vertex with features of 16 columns, in 4 parts on disk; goes away with the
// program.
class folder {
public:
  folder() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() / ("glt-bench-" + std::to_string(random()));
    auto const drawn = glt::make_rmat<glt::global_id>({.scale = glt_bench::graph_scale(), .edge_factor = 16});
    auto const list = drawn.view();
    glt::io::raw_data data{"rmat", {}, {}};
    auto& nodes = data.nodes.emplace_back();
    nodes.num_nodes = list.num_vertices();
    auto const values = glt_bench::feature_values(nodes.num_nodes, columns);
    nodes.features.push_back({"feat", glt::io::array::of<float>(values.view(), {nodes.num_nodes, columns})});
    auto& edges = data.edges.emplace_back();
    edges.sources.assign(list.sources().begin(), list.sources().end());
    edges.destinations.assign(list.destinations().begin(), list.destinations().end());
    num_edges_ = list.num_edges();
    std::vector<glt::local_id> part_of(static_cast<std::size_t>(nodes.num_nodes));
    for (std::size_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = static_cast<glt::local_id>(v % num_parts);
    }
    auto const labels = glt::make_relabelling(part_of, num_parts);
    glt::io::write_parts(path_, data, std::span(&labels, 1));
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] std::int64_t num_edges() const { return num_edges_; }

private:
  std::filesystem::path path_;
  std::int64_t num_edges_ = 0;
};

folder const& parts() {
  static folder const made;
  return made;
}

// One part of four, from the system's cache: manifest, lengths, mappings, and what the options ask for.
void load(benchmark::State& state, glt::io::parts_folder::load_options const& options) {
  auto const& path = parts().path();
  std::int64_t edges = 0;
  for (auto _ : state) {
    auto const part = glt::io::parts_folder(path).load(1, options);
    edges += part.graph.relations[0].view().num_edges();
    benchmark::DoNotOptimize(edges);
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(load, mapped, {.validate = false})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(load, validated, {})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(load, populated, {.validate = false, .populate = true})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(load, verified, {.verify = true, .validate = false})->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
