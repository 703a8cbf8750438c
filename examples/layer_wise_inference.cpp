// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes a network's output for all vertices, layer by layer in batches of bounded size, is interrupted, goes on where
// it was, and gets what the whole graph at once gives: mpirun -np 2 layer_wise_inference FOLDER [--resume]
#include <glt/dlpack/import.hpp>
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;
constexpr std::int64_t width = 16, classes = 4;

struct network : torch::nn::Module {
  glt::sage_conv first = register_module("first", glt::sage_conv({.in = width, .out = width}));
  glt::sage_conv second = register_module("second", glt::sage_conv({.in = width, .out = classes}));

  template <class Graph> // a block of a batch, or the whole graph
  at::Tensor layer(int number, at::Tensor const& x, Graph&& graph) {
    return number == 0 ? first(x, graph).relu() : second(x, graph);
  }
};

// Rows of this rank's vertices, appended to a file, whose length says how far a run has come.
struct rows_in_file {
  std::filesystem::path path;
  std::int64_t columns;

  [[nodiscard]] std::int64_t count() const {
    if (is_symlink(path)) {
      throw std::runtime_error(path.string() + " is a link; choose another folder");
    }
    return exists(path) ? static_cast<std::int64_t>(file_size(path) / sizeof(float)) / columns : 0;
  }
  void append(at::Tensor const& rows) const {
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(static_cast<char const*>(rows.contiguous().data_ptr()), static_cast<std::streamsize>(rows.nbytes()));
    if (!file.flush()) {
      throw std::runtime_error(path.string() + " could not be written");
    }
  }
  void drop_half_a_row() const { // which a crash has left
    if (exists(path)) {
      resize_file(path, static_cast<std::uintmax_t>(count() * columns) * sizeof(float));
    }
  }
  [[nodiscard]] at::Tensor mapped() const {
    return at::from_file(path.string(), false, count() * columns, at::kFloat).view({count(), columns});
  }
};

// Computes what is missing of a layer, or the first batches of that, as if it was interrupted then; returns their number.
std::int64_t compute_layer(glt::mpi_comm comm, dist::graph<cpu> const& graph, network& net, int number,
                           at::Tensor const& input, rows_in_file const& output, std::int64_t most_batches) {
  output.drop_half_a_row();
  std::vector<glt::global_id> missing(static_cast<std::size_t>(graph.local().num_rows() - output.count()));
  std::iota(missing.begin(), missing.end(), graph.book().begin(comm.rank()) + output.count());

  dist::feature_store const rows(comm, graph.book(),
                                 glt::from_dlpack<glt::feature_store<cpu, float>>(glt::to_dlpack(input)));
  dist::feature_collector collector(comm, rows);
  dist::collected_rows<cpu, float> collected;
  auto batches = dist::make_full_neighborhoods(comm, graph, missing, {.limits = {.max_edges = 1000, .max_rows = 128}});
  for (auto const& batch : batches) { // as many on every rank, the last ones empty where others have more to do
    if (batch.step == most_batches) {
      return batch.step;
    }
    collector.collect(batch.nodes(), 0, batch.step, collected);
    auto const x = glt::to_tensor(collected.features.view()).view({-1, width});
    output.append(net.layer(number, x, batch.block()));
  }
  return batches.num_batches();
}

void run(glt::mpi_comm comm, std::filesystem::path const& folder, bool resume) {
  glt::set_torch_threads(1); // ranks are the parallelism
  at::NoGradGuard const no_gradients;
  auto const planted = glt::make_planted_communities<>({.num_vertices = 3000, .num_communities = classes});
  auto const whole = glt::make_csr<cpu>(planted.graph.view());
  auto const names = glt::make_relabelling(glt::random_partitioner{}(whole.view(), comm.size()).view(), comm.size());
  dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));
  at::manual_seed(static_cast<std::uint64_t>(comm.rank())); // the same input and network when it is started again
  auto const x = at::rand({graph.local().num_rows(), width});
  network net; // a real program loads one that was trained
  glt::sync_params(comm, net);

  auto const name = "inference." + std::to_string(comm.rank()) + "-of-" + std::to_string(comm.size());
  rows_in_file const hidden{folder / (name + ".hidden"), width};
  rows_in_file const output{folder / (name + ".output"), classes};
  if (!resume) {
    std::filesystem::remove(hidden.path);
    std::filesystem::remove(output.path);
  }
  constexpr auto all = std::numeric_limits<std::int64_t>::max();
  compute_layer(comm, graph, net, 0, x, hidden, 3); // interrupted in the first layer
  auto const left = compute_layer(comm, graph, net, 0, x, hidden, all);
  compute_layer(comm, graph, net, 1, hidden.mapped(), output, 2); // and in the second
  compute_layer(comm, graph, net, 1, hidden.mapped(), output, all);

  dist::sharded_graph<glt::mpi_comm, cpu> sharded(comm, graph);
  auto const expected = net.layer(1, net.layer(0, x, sharded), sharded);
  auto const largest =
      glt::reduce_over_ranks(comm, (output.mapped() - expected).abs().max().item<double>(), glt::reduction::max);
  if (comm.rank() == 0) {
    std::cout << "after the interruption " << left << " batches were left of the first layer; the result differs by "
              << largest << " at most from the whole graph at once\n";
  }
  if (!(largest < 1e-5)) {
    throw glt::precondition_error("the result is not that of the whole graph");
  }
}

int main(int argc, char** argv) {
  bool const resume = argc > 2 && std::string(argv[2]) == "--resume";
  return glt::run_mpi_program([&](glt::mpi_comm comm) { run(comm, argc > 1 ? argv[1] : ".", resume); }, std::cerr);
}
