// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As the README's sample_mpi, on a smaller graph: a partitioned graph, features and a loader.
#include "parts.hpp"

int main() {
  return glt_fault::run_job([](glt::mpi_comm comm) {
    glt::dist::graph const graph(comm, glt_fault::make_part(comm));
    glt::dist::feature_store const features(comm, graph.book(),
                                            glt_fault::make_rows(graph.local().num_rows()));
    glt::dist::loader loader(comm, graph, features, glt_fault::own_vertices(graph), glt_fault::options);
    return glt_fault::sum_of_epoch(loader);
  });
}
