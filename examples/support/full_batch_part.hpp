// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "train_part.hpp"

#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/full_batch/sharding_options.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/io/parts/open_part.hpp>
#include <glt/memory/copy.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace example {

using sharded_type = glt::dist::sharded_graph<comm_type, cpu>;

/// What a rank has of the graph and of what is to be learnt.
class full_batch_part {
public:
  full_batch_part(comm_type& comm, std::string const& folder, glt::dist::sharding_options const& sharding = {})
      : full_batch_part(comm, folder, glt::io::open_part(comm, folder), sharding) {}

  /// Seeds of this rank, and their rows in its tensors.
  struct split {
    std::vector<glt::global_id> seeds;
    at::Tensor rows;
  };

  problem what;
  glt::dist::graph<cpu> graph;
  sharded_type sharded;
  features_type features;
  glt::dist::named_features<cpu> degrees; ///< of all vertices, for batches: "in_degree"
  split train;
  split valid;
  split test;

  [[nodiscard]] at::Tensor x() const { return glt::to_tensor(features.local().features); }
  [[nodiscard]] at::Tensor labels() const { return glt::to_tensor(features.local().labels); }

private:
  full_batch_part(comm_type& comm, std::string const& folder, glt::io::opened_part part,
                  glt::dist::sharding_options const& sharding)
      : what(problem_of(part, folder)), graph(std::move(part.graph)), sharded(comm, graph, sharding),
        features(std::move(part.features)), degrees(comm, graph.book(), degree_table(sharded)),
        train(rows_of(std::move(part.train))), valid(rows_of(std::move(part.valid))),
        test(rows_of(std::move(part.test))) {}

  [[nodiscard]] static glt::feature_table<cpu> degree_table(sharded_type const& sharded) {
    auto const own = sharded.in_degrees();
    glt::buffer<cpu, float> values(own.size());
    std::copy(own.begin(), own.end(), values.begin());
    glt::feature_table<cpu> table(own.size());
    table.add("in_degree", glt::feature_store<cpu, float>(own.size(), 1, std::move(values)));
    return table;
  }

  [[nodiscard]] split rows_of(std::vector<glt::global_id> seeds) const {
    auto const first = graph.book().begin(graph.part());
    auto const rows = glt::to_tensor(glt::host_view<glt::global_id const>(seeds)) - first;
    return {std::move(seeds), rows};
  }
};

} // namespace example
