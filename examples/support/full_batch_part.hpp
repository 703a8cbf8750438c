// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "train_part.hpp"

#include <glt/dist/data_set.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/memory/buffer.hpp>
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
      : data(glt::io::open_data_set(comm, folder)), what(problem_of(data, folder)),
        sharded(comm, data.graph(), sharding), degrees(comm, data.book(), degree_table(sharded)),
        train(rows_of("train")), valid(rows_of("valid")), test(rows_of("test")) {}

  /// Seeds of this rank, and their rows in its tensors.
  struct split {
    std::vector<glt::global_id> seeds;
    at::Tensor rows;
  };

  glt::dist::data_set<cpu> data;
  problem what;
  sharded_type sharded;
  glt::dist::named_features<cpu> degrees; ///< of all vertices, for batches: "in_degree"
  split train;
  split valid;
  split test;

  [[nodiscard]] at::Tensor x() const { return glt::to_tensor(data.features().local().features); }
  [[nodiscard]] at::Tensor labels() const { return glt::to_tensor(data.features().local().labels); }

private:
  [[nodiscard]] static glt::feature_table<cpu> degree_table(sharded_type const& sharded) {
    auto const own = sharded.in_degrees();
    glt::buffer<cpu, float> values(own.size());
    std::copy(own.begin(), own.end(), values.begin());
    glt::feature_table<cpu> table(own.size());
    table.add("in_degree", glt::feature_store<cpu, float>(own.size(), 1, std::move(values)));
    return table;
  }

  [[nodiscard]] split rows_of(char const* name) const {
    auto const& seeds = data.split(name);
    auto const first = data.book().begin(data.graph().part());
    return {seeds, glt::to_tensor(glt::host_view<glt::global_id const>(seeds)) - first};
  }
};

} // namespace example
