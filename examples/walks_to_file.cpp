// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes random walks from all vertices as text, a walk a line, for word2vec and the like; each rank writes those that
// start in its part: mpirun -np 2 walks_to_file
#include <glt/core/detail/atomic_file.hpp>
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;

// A walk as a line, without the -1 that stand behind its end if it came to a vertex without neighbours.
template <class Vertices>
std::string line_of(Vertices const& walk) {
  std::string line;
  for (auto const vertex : walk) {
    line += vertex < 0 ? "" : (line.empty() ? "" : " ") + std::to_string(vertex);
  }
  return line;
}

void run(glt::mpi_comm comm, std::string const& prefix) {
  constexpr std::int64_t walks_per_vertex = 5;
  glt::walk_options const options{.length = 20}; // node2vec_options{.length = 20, .p = 0.5, .q = 2} is node2vec

  auto const edges = glt::make_rmat<glt::local_id>({.scale = 10, .edge_factor = 8});
  auto const simple = glt::remove_duplicates<cpu>(glt::symmetrize<cpu>(edges.view()).view());
  auto const whole = glt::make_csr<cpu>(simple.view());
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());
  dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));
  dist::vertex_directory directory(comm, graph); // names the vertices of walks by their original ids

  std::vector<glt::global_id> starts(static_cast<std::size_t>(graph.local().num_rows()));
  std::iota(starts.begin(), starts.end(), graph.book().begin(comm.rank()));
  dist::loader loader(comm, dist::walk_batches(graph, options), starts, {.batch_size = graph.num_vertices()});
  auto const path = prefix + "." + std::to_string(comm.rank()) + "-of-" + std::to_string(comm.size()) + ".txt";
  glt::detail::atomic_file file(path); // gets its name when it is complete
  std::vector<glt::global_id> visited, originals;
  for (std::int64_t epoch = 0; epoch < walks_per_vertex; ++epoch) { // another walk from every start
    for (auto const& batch : loader.epoch(epoch)) {
      auto const walks = batch.walks.vertices();
      visited.clear();
      std::ranges::copy_if(walks.flat(), std::back_inserter(visited), [](auto vertex) { return vertex >= 0; });
      originals.resize(visited.size());
      directory.originals_of(glt::host_view<glt::global_id const>(visited), glt::host_view<glt::global_id>(originals));
      auto next = originals.begin();
      for (std::int64_t w = 0; w < walks.rows(); ++w) {
        auto const end = next + std::ranges::count_if(walks.row(w), [](auto vertex) { return vertex >= 0; });
        auto const line = line_of(std::ranges::subrange(next, end)) + '\n';
        file.write(line.data(), std::ssize(line));
        next = end;
      }
    }
  }

  // One process makes the same walks, whatever the number of ranks; a line begins with its start.
  std::vector<glt::local_id> all(static_cast<std::size_t>(whole.view().num_rows()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<glt::walks<cpu>> expected(walks_per_vertex);
  glt::random_walker<cpu> const walker(whole.view(), options);
  for (std::int64_t epoch = 0; epoch < walks_per_vertex; ++epoch) {
    walker.walk(all, {.seed = loader.options().seed, .epoch = epoch}, expected[static_cast<std::size_t>(epoch)]);
  }
  std::int64_t lines = 0;
  file.commit();
  std::ifstream written(path);
  for (std::string line; std::getline(written, line); ++lines) {
    auto const epoch = static_cast<std::size_t>(lines / graph.local().num_rows());
    auto const serial = line_of(expected.at(epoch).vertices().row(std::stoll(line)));
    if (serial != line) {
      throw std::runtime_error(path + " has the walk " + line + ", but one process makes " + serial);
    }
  }
  lines = glt::reduce_over_ranks(comm, lines, glt::reduction::sum);
  if (lines != walks_per_vertex * graph.num_vertices()) {
    throw std::runtime_error("there are " + std::to_string(lines) + " walks in the files");
  }
  if (comm.rank() == 0) {
    std::cout << lines << " walks in " << comm.size() << " files such as " << path << ", the same as of one process\n";
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') {
    std::cerr << "usage: walks_to_file [PREFIX]\n";
    return 2;
  }
  return glt::run_mpi_program([&](glt::mpi_comm comm) { run(comm, argc > 1 ? argv[1] : "walks"); }, std::cerr);
}
