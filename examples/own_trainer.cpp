// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A complete trainer, on a graph that it makes or on the parts of a folder. Killed, it goes on where CHECKPOINT was saved,
// on any number of ranks:
//   mpirun -np 2 own_trainer [EPOCHS [CHECKPOINT [PARTS_DIR]]]
#include <glt/comm/guard.hpp>
#include <glt/dist/loading/rest_of_epoch.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/instances/data_set.hpp>
#include <glt/instances/neighbor_loader.hpp>
#include <glt/mpi/program.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>
#include <glt/torch/checkpoint.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/instances.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <charconv>
#include <iostream>

namespace dist = glt::dist;
using glt::device::cpu;

// Two layers of GraphSAGE, one over each block of a batch.
struct network : torch::nn::Module {
  glt::sage_conv first;
  glt::sage_conv second;

  network(std::int64_t columns, std::int64_t classes)
      : first(register_module("first", glt::sage_conv({.in = columns, .out = 64}))),
        second(register_module("second", glt::sage_conv({.in = 64, .out = classes}))) {}

  template <class Batch>
  at::Tensor forward(Batch const& batch) {
    auto const hidden = first(glt::to_tensor(batch.features()), batch.block(0)).relu();
    return second(at::dropout(hidden, 0.5, is_training()), batch.block(1));
  }
};

// A rank's part of a graph with communities, which are its classes; features alone are too noisy to tell them. Parts are
// ranges of ids, so that a vertex has the same id on any number of ranks.
dist::data_part<cpu> make_part(int rank, int ranks) {
  auto const planted = glt::make_planted_communities<>({.num_vertices = 4000, .num_communities = 4});
  auto const whole = glt::make_csr<cpu>(planted.graph.view());
  auto const names = glt::make_relabelling(glt::contiguous_partitioner{}(whole.view(), ranks).view(), ranks);
  auto part = glt::split_graph(whole.view(), names, rank);
  auto const rows = part.original.size();
  glt::buffer<cpu, float> features(rows * 16);
  glt::buffer<cpu, std::int64_t> labels(rows);
  std::array<std::vector<glt::global_id>, 3> seeds; // to train, to validate, to test: a tenth each
  for (std::int64_t row = 0; row < rows; ++row) {
    auto const vertex = part.original[row];
    labels[row] = planted.community[vertex];
    glt::random_stream noise(glt::random_key(1), static_cast<std::uint64_t>(vertex));
    for (std::int64_t column = 0; column < 16; ++column) {
      features[row * 16 + column] = static_cast<float>(3 * noise.next_unit() + (column == labels[row] ? 1 : 0));
    }
    if (vertex % 10 < 3) {
      seeds[static_cast<std::size_t>(vertex % 10)].push_back(part.book.begin(rank) + row);
    }
  }
  glt::feature_table<cpu> tensors(rows);
  tensors.add("x", glt::feature_store<cpu, float>(rows, 16, std::move(features)));
  tensors.add("y", glt::feature_store<cpu, std::int64_t>(rows, 1, std::move(labels)));
  return dist::data_part<cpu>(
      std::move(part),
      {.tensors = std::move(tensors), .splits = {{"train", seeds[0]}, {"valid", seeds[1]}, {"test", seeds[2]}}});
}

// The share of the seeds of all ranks whose class is told right.
template <class Loader>
double accuracy_on(glt::mpi_comm& comm, network& net, Loader& loader) {
  torch::NoGradGuard const no_gradients;
  net.eval();
  std::array<double, 2> counts{}; // right, all
  for (auto const& batch : loader.epoch(0)) {
    if (batch.num_seeds > 0) { // else this rank has run out of seeds before the others
      counts[0] += net.forward(batch).argmax(1).eq(glt::to_tensor(batch.labels())).sum().template item<double>();
      counts[1] += static_cast<double>(batch.num_seeds);
    }
  }
  glt::reduce_over_ranks(comm, counts, glt::reduction::sum);
  return counts[0] / counts[1];
}

void run(glt::mpi_comm comm, int epochs, std::string const& checkpoint, std::string const& folder) {
  glt::set_torch_threads(1);                                         // ranks are the parallelism
  std::ostream tell(comm.rank() == 0 ? std::cout.rdbuf() : nullptr); // of one rank
  tell.precision(9);
  auto const data =
      folder.empty() ? dist::data_set(comm, make_part(comm.rank(), comm.size())) : glt::io::open_data_set(comm, folder);
  dist::neighbor_batches const recipe(data, {.fanouts = {10, 10}});
  dist::loader valid(comm, recipe, data.split("valid"), {.batch_size = 32, .seed = 1});
  dist::loader test(comm, recipe, data.split("test"), {.batch_size = 32, .seed = 1});
  dist::vertex_seeds<> const own(data.split("train"));
  dist::loader_options const usual{.batch_size = 32, .shuffle = true, .seed = 1};

  torch::manual_seed(1); // else every run begins with other parameters
  network net(data.features().num_columns(), data.num_classes());
  glt::sync_params(comm, net); // rank 0's
  torch::optim::Adam adam(net.parameters(), 0.003);
  auto const what = "parts " + std::to_string(data.book().partitioning()); // files of other parts are refused
  std::int64_t epoch = 0, step = 0;
  auto seeds = own;
  auto options = usual;
  int const is_saved = comm.rank() == 0 && std::filesystem::exists(checkpoint) ? 1 : 0; // other ranks may not see it
  if (glt::reduce_over_ranks(comm, is_saved, glt::reduction::max) != 0) {
    auto const saved = glt::load_training(comm, checkpoint, what, net, adam);
    auto const bytes = saved.at("places").toTensor();
    std::vector<dist::loader_checkpoint> places(bytes.nbytes() / sizeof(dist::loader_checkpoint)); // by rank that saved
    std::memcpy(places.data(), bytes.data_ptr(), bytes.nbytes());
    auto const seeds_of = [&](int rank) {
      return dist::vertex_seeds<>(saved.at("seeds").toListRef()[rank].toIntVector());
    };
    dist::rest_of_epoch const rest(places, seeds_of, comm.rank(),
                                   comm.size()); // the same batches, if ranks are as many
    seeds = rest.seeds;
    options = rest.options;
    epoch = places[0].epoch;
    step = places[0].step;
  }

  for (; epoch < epochs; ++epoch, seeds = own, options = usual) {
    dist::loader train(comm, recipe, seeds, options);
    dist::loader_checkpoint place(train, seeds, data.book());
    auto const seeds_of_ranks = glt::gather_over_ranks(comm, seeds.vertices);
    net.train();
    for (auto const& batch : train.epoch(epoch, std::exchange(step, 0))) {
      // What dropout draws depends on this place alone, as the batch does: there is no state of it to save.
      torch::manual_seed(glt::random_key(epoch).fold(batch.step).fold(comm.rank()).bits());
      adam.zero_grad();
      if (batch.num_seeds > 0) {
        auto const loss = torch::nn::functional::cross_entropy(net.forward(batch), glt::to_tensor(batch.labels()));
        loss.backward();
        tell << "epoch " << epoch << " step " << batch.step << ": loss " << loss.template item<double>() << '\n';
      }
      glt::gather_grads(comm, net, batch.num_seeds); // their mean over the seeds of all ranks
      adam.step();
      place.advance(batch);
      if (!checkpoint.empty() && batch.step % 4 == 3) {
        auto const places = glt::gather_over_ranks(comm, place);
        auto const bytes = std::as_bytes(std::span(places));
        auto const view = glt::host_view<std::uint8_t const>(reinterpret_cast<std::uint8_t const*>(bytes.data()),
                                                             static_cast<std::int64_t>(bytes.size()));
        glt::save_training(comm, checkpoint, what, net, adam,
                           {{"places", glt::to_tensor(view)}, {"seeds", seeds_of_ranks}});
      }
    }
    tell << "epoch " << epoch << ": validation accuracy " << accuracy_on(comm, net, valid) << std::endl;
  }
  auto const accuracy = accuracy_on(comm, net, test);
  tell << "test accuracy " << accuracy << '\n';
  if (folder.empty() && accuracy < 0.9) {
    throw glt::precondition_error("the network has learnt too little");
  }
}

int main(int argc, char** argv) {
  auto const argument = [&](int i, char const* otherwise) { return std::string(i < argc ? argv[i] : otherwise); };
  auto const number = argument(1, "20");
  int epochs = -1;
  if (std::from_chars(number.data(), number.data() + number.size(), epochs).ec != std::errc() || epochs < 0) {
    std::cerr << "usage: own_trainer [EPOCHS [CHECKPOINT [PARTS_DIR]]]\n";
    return 2;
  }
  auto const train = [&](glt::mpi_comm comm) { run(comm, epochs, argument(2, ""), argument(3, "")); };
  return glt::run_mpi_program(train, std::cerr);
}
