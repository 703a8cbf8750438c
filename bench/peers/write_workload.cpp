// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/array/npy.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include "support/citation_graph.hpp"
#include "support/workloads.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

// bench_peers FOLDER: writes what the benchmarks work on for other libraries, as npy files: the R-MAT graph, its two
// random parts, the vertices of sixteen batches, whose rows are gathered, and the citation graph.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: bench_peers FOLDER\n";
    return 2;
  }
  std::filesystem::path const folder(argv[1]);
  auto const graph = glt_bench::rmat_graph().view();
  glt::io::write_npy(folder / "indptr.npy", graph.offsets());
  glt::io::write_npy(folder / "indices.npy", graph.sources());
  glt::io::write_npy(folder / "part_of.npy", glt::random_partitioner{.seed = 1}(graph, 2).view());
  auto const connected = glt_bench::connected_vertices(graph);
  glt::neighbor_sampler<glt_bench::cpu> sampler(graph, {.fanouts = {15, 10, 5}});
  glt::sampled_subgraph<glt_bench::cpu> out;
  std::vector<glt::local_id> vertices;
  std::vector<std::int64_t> ends;
  for (std::int64_t step = 0; step < 16; ++step) { // as in bench/feature/gather.cpp
    sampler.sample(glt_bench::batch_of(connected, 1024, step), {.seed = 1, .step = step}, out);
    vertices.insert(vertices.end(), out.nodes().begin(), out.nodes().end());
    ends.push_back(std::ssize(vertices));
  }
  glt::io::write_npy(folder / "batch_vertices.npy", vertices);
  glt::io::write_npy(folder / "batch_ends.npy", ends);
  auto const typed = glt_bench::citation_graph().view();
  std::ofstream names(folder / "typed.txt");
  for (auto const& type : typed.schema().node_types()) {
    names << type.name << ' ' << type.num_vertices << '\n';
  }
  for (int e = 0; e < typed.schema().num_edge_types(); ++e) {
    auto const& type = typed.schema().edge_types()[static_cast<std::size_t>(e)];
    names << type.source << ' ' << type.name << ' ' << type.destination << '\n';
    auto const name = "typed_" + std::to_string(e);
    glt::io::write_npy(folder / (name + "_indptr.npy"), typed.relation(e).offsets());
    glt::io::write_npy(folder / (name + "_indices.npy"), typed.relation(e).sources());
  }
}
