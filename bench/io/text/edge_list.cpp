// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/text/edge_list.hpp>

#include "support/workloads.hpp"

#include <glt/graph/generators.hpp>

#include <benchmark/benchmark.h>

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace {

// An R-MAT graph of edge factor 5, as SNAP writes graphs: source, tab, destination; scale 20 has 5.2 M lines.
std::string const& edge_text() {
  static auto const made = [] {
    auto const graph = glt::make_rmat<glt::local_id>({.scale = glt_bench::graph_scale(), .edge_factor = 5});
    auto const edges = graph.view();
    std::string text = "# Nodes: " + std::to_string(edges.num_vertices()) +
                       " Edges: " + std::to_string(edges.num_edges()) + "\n# FromNodeId\tToNodeId\n";
    for (std::int64_t i = 0; i < edges.num_edges(); ++i) {
      text += std::to_string(edges.sources()[i]) + '\t' + std::to_string(edges.destinations()[i]) + '\n';
    }
    return text;
  }();
  return made;
}

// The text as a file, plain and packed, for as long as the program runs.
class text_files {
public:
  text_files()
      : folder_(std::filesystem::temp_directory_path() / ("glt-bench-" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directory(folder_);
    std::ofstream(plain(), std::ios::binary) << edge_text();
    auto* const file = gzopen(packed().c_str(), "wb6");
    auto const& text = edge_text();
    if (file == nullptr || gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == 0 ||
        gzclose(file) != Z_OK) {
      throw std::runtime_error("no packed file can be written to " + folder_.string());
    }
  }
  text_files(text_files const&) = delete;
  text_files& operator=(text_files const&) = delete;
  ~text_files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::filesystem::path plain() const { return folder_ / "edges.txt"; }
  [[nodiscard]] std::filesystem::path packed() const { return folder_ / "edges.txt.gz"; }

private:
  std::filesystem::path folder_;
};

text_files const& files() {
  static text_files const made;
  return made;
}

template <class Open>
void read_edges(benchmark::State& state, int threads, Open open) {
  std::int64_t edges = 0;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    glt::io::detail::text_source source = open();
    auto const set = glt::io::detail::read_edge_list(source, {}, {.threads = threads});
    benchmark::DoNotOptimize(set.edges.front().sources.data());
    edges += std::ssize(set.edges.front().sources);
    bytes += std::ssize(edge_text());
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(bytes), benchmark::Counter::kIsRate);
}

void from_memory(benchmark::State& state, int threads) {
  auto const& text = edge_text();
  read_edges(state, threads, [&] { return glt::io::detail::text_source("memory", text); });
}
void from_plain_file(benchmark::State& state, int threads) {
  auto const path = files().plain();
  read_edges(state, threads, [&] { return glt::io::detail::text_source(path); });
}
void from_packed_file(benchmark::State& state, int threads) {
  auto const path = files().packed();
  read_edges(state, threads, [&] { return glt::io::detail::text_source(path); });
}

BENCHMARK_CAPTURE(from_memory, one_thread, 1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_memory, two_threads, 2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_plain_file, one_thread, 1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_packed_file, one_thread, 1)->UseRealTime()->Unit(benchmark::kMillisecond);

} // namespace
