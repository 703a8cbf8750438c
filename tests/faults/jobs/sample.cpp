// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As the README's sample_mpi, on a smaller graph: a partitioned graph, features and a loader; as often as its argument says.
#include "parts.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
  long const times = argc > 1 ? std::atol(argv[1]) : 1;
  return glt_fault::run_job([times](glt::mpi_comm comm) {
    glt::dist::graph const graph(comm, glt_fault::make_part(comm));
    glt::dist::feature_store const features(comm, graph.book(), glt_fault::make_rows(graph.local().num_rows()));
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, glt_fault::neighbors),
                             glt_fault::own_vertices(graph), glt_fault::options);
    std::uint64_t sum = 0;
    for (long i = 0; i < times; ++i) {
      sum = glt_fault::sum_of_epoch(loader);
    }
    return sum;
  });
}
