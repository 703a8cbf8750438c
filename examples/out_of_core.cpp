// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses parts that glt-partition made: hot rows of other ranks, rows in memory that the ranks of a machine share, and what
// that costs.
//   out_of_core --make FOLDER         writes a data set
//   glt-partition FOLDER --parts 2 --memory 1GB --cache-ratio 0.1 --out PARTS
//   mpirun -np 2 out_of_core PARTS
#include <glt/glt.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;

void make_data_set(std::string const& folder) {
  auto const made = glt::make_planted_communities<>({.num_vertices = 20'000, .num_communities = 50});
  auto const edges = made.graph.view();
  glt::io::raw_data data{.name = "planted"};
  std::vector<float> x(20'000 * 64);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 64 + i / 64 % 100);
  }
  data.nodes.push_back({.num_nodes = 20'000});
  data.nodes[0].features.push_back({"node_feat", glt::io::array::of(glt::host_view<float const>(x), {20'000, 64})});
  for (glt::global_id v = 0; v < 20'000; v += 10) {
    data.nodes[0].train.push_back(v);
  }
  data.edges.push_back({.sources = {edges.sources().begin(), edges.sources().end()},
                        .destinations = {edges.destinations().begin(), edges.destinations().end()}});
  glt::io::write_npy_folder(folder, data);
}

// MiB of this process that are in memory: "Rss" counts a page that two processes map in both, "Pss" half of it in each.
double mebibytes(std::string_view what) {
  std::ifstream file("/proc/self/smaps_rollup");
  std::int64_t kibibytes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(what) && line[what.size()] == ':') {
      kibibytes = std::stoll(line.substr(what.size() + 1));
    }
  }
  return static_cast<double>(kibibytes) / 1024;
}

// A sum over all features of an epoch's batches, the same however the rows came.
template <class Loader>
double sum_of_features(glt::mpi_comm comm, Loader& loader) {
  double sum = 0;
  for (auto const& batch : loader.epoch(0)) {
    for (auto const value : batch.features().flat()) {
      sum += value; // whole numbers: the order does not matter
    }
  }
  return glt::reduce_over_ranks(comm, sum, glt::reduction::sum);
}

void run(glt::mpi_comm comm, std::string const& parts) {
  // Maps files, copies nothing:
  auto const mapped = glt::io::open_data_set(comm, parts, {.reading = dist::reading::by_messages});
  auto const shared = glt::io::open_data_set(comm, parts); // in memory of the machine, for all its ranks
  auto const hot = mapped.hot_rows();                      // of --cache-ratio

  glt::neighbor_options const options{.fanouts = {15, 10, 5}};
  dist::loader by_messages(comm, dist::neighbor_batches(mapped, options), mapped.split("train"), {.batch_size = 256});
  by_messages.use(hot);
  dist::loader in_place(comm, dist::neighbor_batches(shared, options), shared.split("train"), {.batch_size = 256});
  auto const first = sum_of_features(comm, by_messages);
  auto const second = sum_of_features(comm, in_place);

  std::array<double, 2> memory{mebibytes("Rss"), mebibytes("Pss")};
  for (int rank = 0; rank < comm.size(); ++rank) {
    glt::run_together(comm, [&] { // one rank after the other
      if (rank == comm.rank()) {
        std::cout << "rank " << rank << " by messages\n"
                  << to_string(by_messages.report()) << "\nin place\n"
                  << to_string(in_place.report()) << "\nRSS " << memory[0] << " MiB, PSS " << memory[1] << " MiB\n"
                  << std::flush;
      }
      bool const hit = hot.size() == 0 || by_messages.report().rows.cached > 0;
      if (first != second || !hit || memory[1] > memory[0]) {
        throw glt::precondition_error("the two ways do not give the same, or no hot row was of use");
      }
    });
  }
  glt::reduce_over_ranks(comm, memory, glt::reduction::sum);
  if (comm.rank() == 0) {
    std::cout << "all ranks: RSS " << memory[0] << " MiB, PSS " << memory[1] << " MiB\n";
  }
}

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--make") {
    make_data_set(argv[2]);
    return 0;
  }
  if (argc != 2) {
    std::cerr << "usage: out_of_core PARTS, or out_of_core --make FOLDER\n";
    return 2;
  }
  return glt::run_mpi_program([&](glt::mpi_comm comm) { run(comm, argv[1]); }, std::cerr);
}
