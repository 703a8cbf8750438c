// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/shared/shared_features.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/node.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>
#include <glt/sample/options.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace glt_bench {

/// The graph of workload W1: R-MAT, or of the edges, taken both ways, in the .npy file [2, E] that the environment
/// variable GLT_BENCH_EDGES names. Made once per program.
inline glt::csr_graph<cpu> const& loaded_graph() {
  char const* const file = std::getenv("GLT_BENCH_EDGES");
  if (file == nullptr) {
    return rmat_graph();
  }
  static auto const made = [&] {
    auto const edges = glt::io::read_npy<std::int64_t>(file, 2);
    auto const row = [&](std::int64_t i) {
      auto const wide = edges.matrix().row(i);
      glt::buffer<cpu, glt::local_id> narrow(wide.size());
      std::ranges::transform(wide, narrow.data(), [](std::int64_t id) { return static_cast<glt::local_id>(id); });
      return narrow;
    };
    glt::coo_graph<cpu> const read(*std::ranges::max_element(edges.data.view()) + 1, row(0), row(1));
    auto const both_ways = glt::symmetrize<cpu>(read.view());
    return glt::make_csr<cpu>(glt::remove_duplicates<cpu>(both_ways.view(), glt::self_loop_handling::remove).view());
  }();
  return made;
}

/// The parts of that graph: random ones, or by `ldg` or `multilevel` as the environment variable GLT_BENCH_PARTS says,
/// which have about equally many edges.
inline glt::relabelling parts_of_loaded(int num_parts) {
  auto const graph = loaded_graph().view();
  auto const named = [&](auto const& partitioner) {
    return glt::make_relabelling(partitioner(graph, num_parts).view(), num_parts);
  };
  char const* const asked = std::getenv("GLT_BENCH_PARTS");
  std::string const method = asked == nullptr ? "random" : asked;
  if (method == "ldg") {
    return named(glt::ldg_partitioner{.balance = {glt::balance_limit::edges(graph)}});
  }
  if (method == "multilevel") {
    return named(glt::multilevel_partitioner<>{.balance = {glt::balance_limit::edges(graph)}});
  }
  if (method != "random") {
    throw std::invalid_argument("GLT_BENCH_PARTS is " + method + "; random, ldg and multilevel are possible");
  }
  return named(glt::random_partitioner{.seed = 1});
}

/// Workload W1: the graph in parts, one a rank, with 128 feature columns; all of it in memory that the
/// ranks share if `in_place`.
class loading_workload {
public:
  static constexpr std::int64_t num_columns = 128;
  using recipe_type = glt::dist::neighbor_batches<cpu, glt::local_id>;

  /// @comm   collective
  explicit loading_workload(glt::mpi_comm comm, bool in_place = false)
      : node_(comm), graph_(comm, make_part(comm, in_place)), features_(comm, graph_.book(), make_rows(in_place)) {
    for (auto const local : connected_vertices(graph_.local())) {
      own_.push_back(static_cast<glt::local_id>(graph_.book().begin(comm.rank()) + local));
    }
  }

  [[nodiscard]] glt::dist::graph<cpu, glt::local_id> const& graph() const noexcept { return graph_; }
  [[nodiscard]] glt::dist::feature_store<cpu, float> const& features() const noexcept { return features_; }
  /// Batches with features.
  [[nodiscard]] recipe_type batches(glt::neighbor_options options = {.fanouts = {15, 10, 5}}) const {
    return {graph_, features_, std::move(options)};
  }
  /// Lets a loader read what other ranks have where it lies.
  template <class Loader>
  void read_in_place(Loader& loader) const {
    loader.read_in_place(parts_);
    loader.read_in_place(rows_);
  }
  /// Own vertices that have neighbours, `size` at a time.
  [[nodiscard]] std::vector<glt::local_id> seeds(std::int64_t size, std::int64_t step = 0) const {
    return batch_of(own_, size, step);
  }

private:
  glt::graph_part<cpu, glt::local_id> make_part(glt::mpi_comm const& comm, bool in_place) {
    auto part = glt::split_graph<glt::local_id>(loaded_graph().view(), parts_of_loaded(comm.size()), comm.rank());
    if (in_place) {
      auto shared = glt::dist::share(node_, part);
      part = std::move(shared.own);
      parts_ = std::move(shared.neighborhood);
    }
    return part;
  }
  glt::feature_store<cpu, float> make_rows(bool in_place) {
    auto const rows = graph_.local().num_rows();
    glt::feature_store<cpu, float> made(rows, num_columns, feature_values(rows, num_columns));
    if (in_place) {
      auto shared = glt::dist::share(node_, made.view());
      made = std::move(shared.own);
      rows_ = std::move(shared.neighborhood);
    }
    return made;
  }

  glt::mpi_node node_;
  glt::node_views<glt::graph_part<cpu, glt::local_id>::view_type> parts_;
  glt::node_views<glt::feature_view<cpu::space, float>> rows_;
  glt::dist::graph<cpu, glt::local_id> graph_;
  glt::dist::feature_store<cpu, float> features_;
  std::vector<glt::local_id> own_;
};

/// The workload on all ranks of the program, made once for all its benchmarks.
///
/// @comm   the first call is collective
inline loading_workload const& shared_workload() {
  static auto const& made = *new loading_workload(ranks()); // never freed: the program ends after MPI does
  return made;
}

} // namespace glt_bench
