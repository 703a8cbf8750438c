// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains on typed parts of a folder, for the labels of one type of vertices:
//   typed_parts --make FOLDER                                    writes a data set of papers and authors
//   glt-partition FOLDER --parts 2 --add-reverse --out PARTS
//   mpirun -np 2 typed_parts PARTS paper
#include <glt/glt.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/rgcn_conv.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <iostream>

namespace dist = glt::dist;

// Papers have features that say little, labels and splits; authors have nothing but the papers that they write.
void make_folder(std::string const& folder) {
  glt::random_stream draws(glt::random_key(1), 0);
  std::vector<float> x;
  std::vector<std::int64_t> labels;
  glt::io::raw_data data{.name = "papers"};
  data.nodes.push_back({.name = "paper", .num_nodes = 2000});
  data.nodes.push_back({.name = "author", .num_nodes = 500});
  data.edges.push_back({.source = "author", .name = "writes", .destination = "paper"});
  for (std::int64_t v = 0; v < 2000; ++v) {
    labels.push_back(v % 2);
    x.push_back(static_cast<float>(3 * draws.next_unit() + static_cast<double>(v % 2)));
    (v % 20 < 10 ? data.nodes[0].train : data.nodes[0].test).push_back(v);
    for (int i = 0; i < 3; ++i) { // authors mostly write about one subject
      auto const subject = draws.below(10) == 0 ? 1 - v % 2 : v % 2;
      data.edges[0].sources.push_back(2 * static_cast<std::int64_t>(draws.below(250)) + subject);
      data.edges[0].destinations.push_back(v);
    }
  }
  data.nodes[0].features.push_back({"node_feat", glt::io::array::of(glt::host_view<float const>(x), {2000, 1})});
  data.nodes[0].labels = glt::io::array::of(glt::host_view<std::int64_t const>(labels), {2000});
  glt::io::write_npy_folder(folder, data);
}

struct network : torch::nn::Module {
  static constexpr std::int64_t width = 16;

  network(dist::data_set<> const& data, std::int64_t num_classes)
      : first(register_module("first", glt::rgcn_conv(data.schema(), {.in = width, .out = width}))),
        second(register_module("second", glt::rgcn_conv(data.schema(), {.in = width, .out = num_classes}))) {
    for (int type = 0; type < data.schema().num_node_types(); ++type) { // brings all features to one width
      auto const columns = data.features(type).num_columns();
      entries.push_back(columns == 0 ? torch::nn::Linear(nullptr) : torch::nn::Linear(columns, width));
      if (columns > 0) {
        register_module("entry" + std::to_string(type), entries.back());
      }
    }
  }

  at::Tensor forward(auto const& batch) {
    std::vector<at::Tensor> x; // a matrix for every type
    for (int type = 0; type < std::ssize(entries); ++type) {
      auto& entry = entries[static_cast<std::size_t>(type)];
      x.push_back(entry.is_empty() ? at::ones({batch.subgraph.nodes(type).size(), width})
                                   : entry(glt::to_tensor(batch.tensors[type]["x"].template as<float>())));
    }
    x = first(x, [&](int relation) { return batch.subgraph.block(relation, 0); });
    std::ranges::for_each(x, [](at::Tensor& rows) { rows = rows.relu(); });
    return second(x, [&](int relation) { return batch.subgraph.block(relation, 1); })[batch.seed_type];
  }

  std::vector<torch::nn::Linear> entries;
  glt::rgcn_conv first, second;
};

void run(glt::mpi_comm comm, char const* folder, char const* type_name) {
  glt::set_torch_threads(1); // ranks are the parallelism
  auto const data = glt::io::open_data_set(comm, folder);
  auto const type = data.schema().find_node_type(type_name); // an error lists the names
  auto const labels_of = [&](auto const& batch) {            // of the distinct seeds
    return glt::to_tensor(batch.tensors[type]["y"].template as<std::int64_t>()).squeeze(1);
  };
  dist::typed_batches const recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {5, 5})});
  dist::loader train(comm, recipe, dist::typed_seeds<>(type, {data.split("train", type)}),
                     {.batch_size = 50, .shuffle = true});
  dist::loader test(comm, recipe, dist::typed_seeds<>(type, {data.split("test", type)}), {.batch_size = 200});

  at::manual_seed(1);
  network net(data, data.num_classes(type));
  glt::sync_params(comm, net);
  torch::optim::Adam adam(net.parameters(), 0.01);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto const& batch : train.epoch(epoch)) {
      adam.zero_grad();
      if (batch.num_seeds > 0) {
        at::cross_entropy_loss(net.forward(batch), labels_of(batch)).backward();
      }
      glt::gather_grads(comm, net, batch.num_seeds);
      adam.step();
    }
  }
  at::NoGradGuard const no_gradients;
  std::array<double, 2> counts{}; // right, all
  for (auto const& batch : test.epoch(0)) {
    if (batch.num_seeds > 0) {
      counts[0] += net.forward(batch).argmax(1).eq(labels_of(batch)).sum().template item<double>();
      counts[1] += static_cast<double>(batch.num_seeds);
    }
  }
  glt::reduce_over_ranks(comm, counts, glt::reduction::sum);
  if (comm.rank() == 0) {
    std::cout << "test accuracy " << counts[0] / counts[1] << " of " << counts[1] << " vertices\n";
  }
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: typed_parts PARTS TYPE, or typed_parts --make FOLDER\n";
    return 2;
  }
  if (std::string_view(argv[1]) == "--make") {
    make_folder(argv[2]);
    return 0;
  }
  return glt::run_mpi_program([&](glt::mpi_comm comm) { run(comm, argv[1], argv[2]); }, std::cerr);
}
