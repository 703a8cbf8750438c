// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/partition/random.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>
#include <glt/sample/options.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace glt_bench {

/// Workload W1: the R-MAT graph in random parts, one a rank, with 128 feature columns.
class loading_workload {
public:
  static constexpr std::int64_t num_columns = 128;
  using recipe_type = glt::dist::neighbor_batches<cpu, glt::local_id>;

  /// @comm   collective
  explicit loading_workload(glt::mpi_comm comm)
      : graph_(comm,
               glt::split_graph<glt::local_id>(rmat_graph().view(), random_parts(comm.size()), comm.rank())),
        features_(comm, graph_.book(),
                  glt::feature_store<cpu, float>(graph_.local().num_rows(), num_columns,
                                                 feature_values(graph_.local().num_rows(), num_columns))) {
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
  /// Own vertices that have neighbours, `size` at a time.
  [[nodiscard]] std::vector<glt::local_id> seeds(std::int64_t size, std::int64_t step = 0) const {
    return batch_of(own_, size, step);
  }

private:
  static glt::relabelling random_parts(int ranks) {
    return glt::make_relabelling(glt::random_partitioner{.seed = 1}(rmat_graph().view(), ranks).view(),
                                 ranks);
  }

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
