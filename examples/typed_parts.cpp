// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains on typed parts of a folder, for the labels of one type of vertices:
//   typed_parts --make FOLDER                                    writes a data set of papers and authors
//   glt-partition FOLDER --parts 2 --add-reverse --out PARTS
//   mpirun -np 2 typed_parts PARTS paper [rgcn|rgat|hgt]
#include <glt/glt.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/hetero_attention.hpp>
#include <glt/torch/rgcn_conv.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <iostream>
#include <string_view>

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

constexpr std::int64_t width = 64;

template <class Layer>
struct network : torch::nn::Module {
  network(dist::data_set<> const& data, typename Layer::options options, std::int64_t num_classes)
      : first(register_module("first", Layer(data.schema(), options))),
        second(register_module("second", Layer(data.schema(), options))),
        last(register_module("last", torch::nn::Linear(width, num_classes))) {
    for (int type = 0; type < data.schema().num_node_types(); ++type) { // brings all types to one width
      auto const columns = data.features(type).num_columns();           // without features, every vertex has a row
      torch::nn::Linear const entry(columns > 0 ? columns : data.schema().num_vertices(type), width);
      entries.push_back(register_module("entry" + std::to_string(type), entry));
      has_features.push_back(columns > 0);
    }
  }

  at::Tensor forward(auto const& batch) {
    std::vector<at::Tensor> x; // a matrix for every type
    for (int type = 0; type < std::ssize(entries); ++type) {
      auto& entry = entries[static_cast<std::size_t>(type)];
      x.push_back(has_features[static_cast<std::size_t>(type)]
                      ? entry(glt::to_tensor(batch.tensors[type]["x"].template as<float>()))
                      : entry->weight.t().index_select(0, glt::to_tensor(batch.subgraph.nodes(type))));
    }
    x = first(activated(x), [&](int relation) { return batch.block(relation, 0); });
    x = second(activated(x), [&](int relation) { return batch.block(relation, 1); });
    return last(activated(x)[batch.seed_type]);
  }

  std::vector<at::Tensor> activated(std::vector<at::Tensor> x) const {
    for (auto& rows : x) {
      rows = at::dropout(at::layer_norm(rows, {width}).relu(), 0.5, is_training());
    }
    return x;
  }

  std::vector<torch::nn::Linear> entries;
  std::vector<bool> has_features;
  Layer first, second;
  torch::nn::Linear last;
};

template <class Layer>
void run(glt::mpi_comm comm, char const* folder, char const* type_name, typename Layer::options options) {
  glt::set_torch_threads(1); // ranks are the parallelism
  auto const data = glt::io::open_data_set(comm, folder);
  auto const type = data.schema().find_node_type(type_name); // an error lists the names
  auto const labels_of = [&](auto const& batch) {            // of the distinct seeds
    return glt::to_tensor(batch.tensors[type]["y"].template as<std::int64_t>()).squeeze(1);
  };
  dist::typed_batches const recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {10, 10})});
  dist::loader train(comm, recipe, dist::typed_seeds<>(type, {data.split("train", type)}),
                     {.batch_size = 50, .shuffle = true});
  dist::loader test(comm, recipe, dist::typed_seeds<>(type, {data.split("test", type)}), {.batch_size = 200});

  at::manual_seed(1);
  network<Layer> net(data, options, data.num_classes(type));
  glt::sync_params(comm, net);
  torch::optim::Adam adam(net.parameters(), torch::optim::AdamOptions(0.005).weight_decay(0.001));
  for (int epoch = 0; epoch < 30; ++epoch) {
    for (auto const& batch : train.epoch(epoch)) {
      adam.zero_grad();
      if (batch.num_seeds > 0) {
        at::cross_entropy_loss(net.forward(batch), labels_of(batch)).backward();
      }
      glt::gather_grads(comm, net, batch.num_seeds);
      adam.step();
    }
  }
  net.eval();
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
  std::string_view const model = argc == 4 ? argv[3] : "rgcn";
  if ((argc != 3 && argc != 4) || (model != "rgcn" && model != "rgat" && model != "hgt")) {
    std::cerr << "usage: typed_parts PARTS TYPE [rgcn|rgat|hgt], or typed_parts --make FOLDER\n";
    return 2;
  }
  if (std::string_view(argv[1]) == "--make") {
    make_folder(argv[2]);
    return 0;
  }
  auto const train = [&](glt::mpi_comm comm) {
    model == "rgat"  ? run<glt::rgat_conv>(comm, argv[1], argv[2], {.in = {width}, .out = width / 8, .heads = 8})
    : model == "hgt" ? run<glt::hgt_conv>(comm, argv[1], argv[2], {.in = {width}, .out = width, .heads = 8})
                     : run<glt::rgcn_conv>(comm, argv[1], argv[2], {.in = width, .out = width});
  };
  return glt::run_mpi_program(train, std::cerr);
}
