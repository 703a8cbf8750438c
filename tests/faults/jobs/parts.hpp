// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "job.hpp"

#include <glt/glt.hpp>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace glt_fault {

using cpu = glt::device::cpu;

/// The part of this rank of a small graph, as every rank makes it.
inline glt::graph_part<cpu> make_part(glt::mpi_comm const& comm, bool edge_ids = false) {
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 8, .edge_factor = 6});
  auto const whole = glt::make_csr<cpu>(edges.view(), {.edge_ids = edge_ids});
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());
  return glt::split_graph(whole.view(), names, comm.rank());
}

/// Rows of 8 numbers, and labels, for the vertices of a part.
inline glt::feature_store<cpu, float> make_rows(std::int64_t rows) {
  glt::buffer<cpu, float> values(rows * 8);
  std::iota(values.begin(), values.end(), 0.0F);
  glt::buffer<cpu, glt::detail::label_type> labels(rows);
  std::iota(labels.begin(), labels.end(), glt::detail::label_type{0});
  return {rows, 8, std::move(values), std::move(labels)};
}

/// All vertices of a part, as global ids.
template <class Graph>
std::vector<glt::global_id> own_vertices(Graph const& graph) {
  std::vector<glt::global_id> own(static_cast<std::size_t>(graph.local().num_rows()));
  std::iota(own.begin(), own.end(), graph.book().begin(graph.part()));
  return own;
}

inline glt::neighbor_options const neighbors{.fanouts = {5, 4}};
inline glt::dist::loader_options const options{.batch_size = 32, .shuffle = true};

/// A sum over the batches of an epoch.
template <class Loader>
std::uint64_t sum_of_epoch(Loader& loader) {
  result_sum sum;
  for (auto const& batch : loader.epoch(0)) {
    sum.add(batch.subgraph.nodes());
    sum.add(batch.subgraph.row());
    sum.add(batch.subgraph.col());
    sum.add(batch.features().flat());
    sum.add(batch.labels());
  }
  return sum.value();
}

/// As the README's sample_mpi, on a smaller graph: a partitioned graph, features and a loader, used `times` times.
inline std::uint64_t sample(glt::mpi_comm comm, long times = 1) {
  glt::dist::graph const graph(comm, make_part(comm));
  glt::dist::feature_store const features(comm, graph.book(), make_rows(graph.local().num_rows()));
  glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, neighbors), own_vertices(graph), options);
  std::uint64_t sum = 0;
  for (long i = 0; i < times; ++i) {
    sum = sum_of_epoch(loader);
  }
  return sum;
}

} // namespace glt_fault
