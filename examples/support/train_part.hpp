// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "epoch_log.hpp"
#include "train_options.hpp"
#include "trainer.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/counting.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/partition/split.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace example {

using glt::device::cpu;
using comm_type = glt::counting_comm<glt::mpi_comm>;
using recipe_type = glt::dist::neighbor_batches<cpu, glt::global_id>;

/// What two trainings have reached on the test vertices.
struct accuracies {
  double with_graph = 0;
  std::optional<double> features_only; ///< none where nothing was trained
};

/// Trains, or only evaluates a network that was saved; `accuracy_of(input, log)` runs one training.
template <glt::communicator Comm, class AccuracyOf>
accuracies train_both(Comm& comm, train_options const& options, AccuracyOf accuracy_of) {
  check_outputs(comm, {options.save});
  epoch_log log(comm, options.log);
  accuracies reached{.with_graph = accuracy_of(learns_from::graph, log), .features_only = {}};
  if (options.epochs > 0) {
    reached.features_only = accuracy_of(learns_from::features_only, log);
  }
  return reached;
}

/// A part with the same vertices and no edges.
inline glt::graph_part<cpu> without_edges(glt::dist::graph<cpu> const& graph) {
  auto const rows = graph.local().num_rows();
  glt::buffer<cpu, glt::edge_offset> offsets(rows + 1);
  std::fill(offsets.begin(), offsets.end(), 0);
  return {graph.book(), graph.part(), glt::csr_graph<cpu, glt::global_id>(graph.num_vertices(), std::move(offsets), {}),
          glt::make_buffer<cpu>(graph.original())};
}

/// Throws if a vertex of this rank that is learnt or judged by has no label; LibTorch would not say which one.
inline void check_labels(glt::dist::data_set<cpu> const& data, std::string const& parts) {
  auto const labels = data.features().local().labels;
  auto const first = data.book().begin(data.graph().part());
  for (auto const* name : {"train", "valid", "test"}) {
    for (auto const vertex : data.split(name)) {
      auto const row = vertex - first;
      if (labels[row] < 0) {
        throw glt::precondition_error(glt::detail::message(parts, ": vertex ", data.graph().original()[row],
                                                           " of the split ", name, " has the label ", labels[row],
                                                           "; leave vertices without a label out of the splits"));
      }
    }
  }
}

/// What there is to learn.
inline problem problem_of(glt::dist::data_set<cpu> const& data, std::string const& parts) {
  if (!data.features().has_labels()) {
    throw glt::precondition_error(parts + " has no labels to learn; partition a data set with labels");
  }
  if (data.features().num_columns() == 0) {
    throw glt::precondition_error(parts + " has no features to learn from; partition a data set with features");
  }
  check_labels(data, parts);
  return {data.features().num_columns(), data.num_classes()};
}

} // namespace example
