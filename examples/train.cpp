// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains GraphSAGE on a partitioned graph, one part per MPI rank, or several where there are fewer ranks:
//   mpirun -np 2 train PARTS_DIR --epochs 10
// and then the same network without edges, to show what the graph is worth.
#include "support/train_options.hpp"
#include "support/trainer.hpp"

#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/io/parts/hot_rows.hpp>
#include <glt/io/parts/parts.hpp>
#include <glt/memory/copy.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace example;
using glt::device::cpu;
using comm_type = glt::counting_comm<glt::mpi_comm>;
using features_type = glt::dist::feature_store<cpu, float>;
using hot_rows_type = glt::dist::hot_rows<cpu, float>;

/// A part with the same vertices and no edges.
glt::graph_part<cpu> without_edges(glt::graph_part<cpu> const& part) {
  auto const rows = part.book.size(part.part);
  glt::buffer<cpu, glt::edge_offset> offsets(rows + 1);
  std::fill(offsets.begin(), offsets.end(), 0);
  return {part.book, part.part,
          glt::csr_graph<cpu, glt::global_id>(part.book.num_vertices(), std::move(offsets), {}),
          glt::make_buffer<cpu>(part.original.view())};
}

/// One more than the largest label of all ranks.
std::int64_t count_classes(comm_type& comm, features_type const& features) {
  std::int64_t count = 0;
  for (auto const label : features.local().labels) {
    count = std::max(count, label + 1);
  }
  comm.all_reduce(std::span<std::int64_t>(&count, 1), glt::reduction::max);
  return count;
}

void run(comm_type comm, train_options const& options) {
  at::set_num_threads(1); // ranks are the parallelism
  auto part = glt::io::load_for_rank(glt::io::parts_folder(options.parts), comm.rank(), comm.size());
  auto const hot = options.hot_rows ? glt::io::extract_hot_rows(part) : hot_rows_type();
  splits const seeds{std::move(part.train), std::move(part.valid), std::move(part.test)};
  auto edgeless = without_edges(part.graph);
  features_type const features(comm, part.graph.book, std::move(part.features));
  if (!features.has_labels()) {
    throw glt::precondition_error(options.parts +
                                  " has no labels to learn; partition a data set with labels");
  }
  auto const num_classes = count_classes(comm, features);

  auto const accuracy_on = [&](glt::graph_part<cpu> edges, char const* name) {
    glt::dist::graph<cpu> const graph(comm, std::move(edges));
    torch::manual_seed(options.seed);
    return trainer(comm, graph, features, hot, seeds, num_classes, options, name).run();
  };
  auto const with_graph = accuracy_on(std::move(part.graph), "graph");
  auto const features_only = accuracy_on(std::move(edgeless), "features only");
  if (comm.rank() == 0) {
    std::printf("test accuracy %.3f (features only %.3f)\n", with_graph, features_only);
  }
}

/// The first line of an error; LibTorch appends a stack trace.
std::string first_line(std::exception const& failure) {
  std::string const text = failure.what();
  return text.substr(0, text.find('\n'));
}

} // namespace

int main(int argc, char** argv) {
  try {
    train_options options;
    std::exception_ptr misuse; // all ranks have it: told once, by run_collectively
    try {
      options = parse_train_options({argv + 1, static_cast<std::size_t>(argc - 1)});
    } catch (glt::precondition_error const&) {
      misuse = std::current_exception();
    }
    glt::mpi_environment const mpi;
    comm_type comm(glt::mpi_comm::world({.time_limit = std::chrono::duration<double>(options.timeout)}));
    try {
      glt::run_collectively(comm, [&] {
        if (misuse) {
          std::rethrow_exception(misuse);
        }
        run(comm, options);
      });
      return 0;
    } catch (glt::collective_error const& failure) {
      if (comm.rank() == 0) { // all ranks have the same
        std::fprintf(stderr, "train: %s\n", first_line(failure).c_str());
      }
      return 1;
    } catch (std::exception const& failure) { // this rank's alone: the others cannot be reached
      std::fprintf(stderr, "train: rank %d: %s\n", comm.rank(), first_line(failure).c_str());
      mpi.abort(1);
    }
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "train: %s\n", first_line(failure).c_str());
    return 1;
  }
}
