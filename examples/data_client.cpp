// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains on batches of data_server, and evaluates: mpirun -np 2 data_server : -np 2 data_client
// As a job that attaches to running servers: mpirun -np 2 --ompi-server file:uri data_client PORT_FILE
#include <glt/glt.hpp>
#include <glt/mpi/attachment.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/optim/adam.h>

#include <iostream>

namespace dist = glt::dist;
using recipe_type = dist::neighbor_batches<glt::device::cpu, glt::global_id>; // as the servers offer it
using loader_type = dist::remote_loader<glt::mpi_comm, recipe_type>;

void train(glt::mpi_comm world) {
  dist::role_context roles(world, dist::role::client, "clients");
  dist::client client(roles);
  glt::run_collectively(roles.group(), [&] { // an error of one client is an error of all
    dist::remote_data data(client, "papers");
    loader_type training(client, "batches", data.split("train"), {.fanouts = {10}},
                         {.batch_size = 50, .shuffle = true});
    loader_type testing(client, "batches", data.split("test"), {.fanouts = {10}}, {.batch_size = 500});
    glt::set_torch_threads(1); // ranks are the parallelism
    at::manual_seed(1);
    glt::sage_conv layer({.in = data.description().num_columns(), .out = data.description().num_classes()});
    auto const scores = [&](auto& batch) { return layer(glt::to_tensor(batch.features()), batch.block(0)); };
    torch::optim::Adam adam(layer->parameters(), 0.1);
    for (int epoch = 0; epoch < 5; ++epoch) {
      for (auto const& batch : training.epoch(epoch)) {
        adam.zero_grad();
        if (batch.num_seeds > 0) {
          at::cross_entropy_loss(scores(batch), glt::to_tensor(batch.labels())).backward();
        }
        glt::gather_grads(roles.group(), *layer, batch.num_seeds);
        adam.step();
      }
    }
    at::NoGradGuard const no_gradients;
    double right = 0;
    for (auto const& batch : testing.epoch(0)) {
      right += scores(batch).argmax(1).eq(glt::to_tensor(batch.labels())).sum().template item<double>();
    }
    right = glt::reduce_over_ranks(roles.group(), right, glt::reduction::sum);
    if (roles.group_rank() == 0) {
      std::cout << "test accuracy " << right / static_cast<double>(data.description().split("test").size()) << '\n';
    }
  });
}

int main(int argc, char** argv) {
  auto const work = [&](glt::mpi_comm comm) {
    std::optional<glt::mpi_attachment> both; // without it, the servers are ranks of comm
    if (argc > 1) {
      glt::mpi_comm::options_type const limit{.time_limit = std::chrono::hours(1)};
      both.emplace(glt::mpi_attachment::connect(comm, argv[1], std::chrono::minutes(1), limit));
    }
    train(both ? both->world() : comm);
  };
  return glt::run_mpi_program(work, std::cerr);
}
