// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with graph and features in memory that the ranks of a machine share.
#include "parts.hpp"

#include <glt/mpi/node.hpp>

int main() {
  return glt_fault::run_job([](glt::mpi_comm comm) {
    glt::mpi_node node(comm);
    auto shared_graph = glt::dist::share(node, glt_fault::make_part(comm));
    auto const rows = glt_fault::make_rows(shared_graph.own.graph.view().num_rows());
    auto shared_rows = glt::dist::share(node, rows.view());
    glt::dist::graph const graph(comm, std::move(shared_graph.own));
    glt::dist::feature_store const features(comm, graph.book(), std::move(shared_rows.own));
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, glt_fault::neighbors),
                             glt_fault::own_vertices(graph), glt_fault::options);
    loader.read_in_place(std::move(shared_graph.neighborhood));
    loader.read_in_place(std::move(shared_rows.neighborhood));
    return glt_fault::sum_of_epoch(loader);
  });
}
