// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the public collectives of modules of LibTorch; see throw.hpp.
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/batch_norm.hpp>
#include <glt/torch/checkpoint.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/embedding.hpp>
#include <glt/torch/gine_conv.hpp>
#include <glt/torch/gradient_buckets.hpp>
#include <glt/torch/hetero_attention.hpp>
#include <glt/torch/reproducible_graph.hpp>
#include <glt/torch/rgcn_conv.hpp>

#include <ATen/Parallel.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include "throw.hpp"

#include "support/scratch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace glt_fault;

namespace {

/// call(comm, module, wrong); the module has another shape if `wrong`.
template <class Call>
std::function<call_type(comm_type&)> with_module(Call call) {
  return [call](comm_type& comm) -> call_type {
    return [=, &comm](bool wrong) {
      torch::nn::Linear layer(4, wrong ? 2 : 3);
      for (auto& parameter : layer->parameters()) {
        parameter.mutable_grad() = at::ones_like(parameter);
      }
      call(comm, *layer, wrong);
    };
  };
}

using sharded_type = glt::dist::sharded_graph<comm_type, cpu>;

/// A pass over the whole graph: call(graph, wrong).
template <class Call>
std::function<call_type(comm_type&)> pass(Call call) {
  return [call](comm_type& comm) -> call_type {
    auto const here = make_world(comm);
    auto const graph = std::make_shared<sharded_type>(comm, here->graph);
    return [=](bool wrong) { call(*graph, wrong); };
  };
}

at::Tensor ones(std::int64_t rows, std::int64_t columns) {
  return at::ones({rows, columns}, at::kFloat).requires_grad_();
}

/// A step of a training, with its file: call(comm, file, network, optimizer, wrong).
template <class Call>
std::function<call_type(comm_type&)> with_training(Call call) {
  return [call](comm_type& comm) -> call_type {
    auto const own = std::make_shared<glt_test::scratch_folder>();
    return [=, &comm](bool wrong) {
      torch::nn::Linear network(4, 3);
      torch::optim::SGD optimizer(network->parameters(), 0.1);
      call(comm, (*own / "training").string(), *network, optimizer, wrong);
    };
  };
}

using embedding_type = glt::dist::sparse_embedding<comm_type, cpu>;

/// call(table, vertices, wrong).
template <class Call>
std::function<call_type(comm_type&)> with_embedding(Call call) {
  return [call](comm_type& comm) -> call_type {
    auto const here = make_world(comm);
    auto const table = std::make_shared<embedding_type>(comm, here->graph.book(), here->graph.original(),
                                                        glt::dist::embedding_options{.columns = 4});
    return [=](bool wrong) {
      id_list const vertices{0, 7, 100};
      call(*table, glt::host_view<global_id const>(vertices), wrong);
    };
  };
}

// A layer over all relations of a typed graph.
template <class Layer>
std::function<call_type(comm_type&)> pass_of_types(typename Layer::options const& options) {
  return [=](comm_type& comm) -> call_type {
    glt::dist::hetero_graph<cpu, global_id> const typed(comm, divided_types(comm.size()).part(comm.rank()));
    auto const graph = std::make_shared<glt::dist::hetero_sharded_graph<comm_type, cpu>>(comm, typed);
    return [=](bool wrong) {
      Layer layer(graph->schema(), options);
      std::vector<at::Tensor> x;
      for (int t = 0; t < graph->schema().num_node_types(); ++t) {
        x.push_back(ones(graph->num_sources(t) + (wrong ? 1 : 0), 4));
      }
      static_cast<void>(layer->forward(x, *graph));
    };
  };
}

std::vector<site> sites_of_layers() {
  return {
      {"attend_edges, attend_neighbors", true, pass([](sharded_type& graph, bool wrong) {
         auto const scores = ones(graph.num_sources() + (wrong ? 1 : 0), 1);
         glt::attend_neighbors(ones(graph.num_sources(), 4), scores, scores, graph).sum().backward();
       })},
      {"attend_edges of pushed edges", true, pass([](sharded_type& graph, bool wrong) {
         glt::dist::pushed_edges<cpu> const pushed(graph);
         auto const scores = ones(graph.num_sources() + (wrong ? 1 : 0), 1);
         glt::attend_neighbors(ones(graph.num_sources(), 4), scores, scores, glt::pushing_graph{graph, pushed})
             .sum()
             .backward();
       })},
      {"sum_edge_relu of gine_conv", true, pass([](sharded_type& graph, bool wrong) {
         auto const edges = ones(graph.num_edges(), 4);
         auto const x = ones(graph.num_sources() + (wrong ? 1 : 0), 4);
         glt::gine_conv layer(glt::gine_conv::options{.in = 4, .edge = 4, .out = 2});
         layer->forward(x, edges, graph).sum().backward();
       })},
      {"reproducible_graph: map_rows, backward", true, pass([](sharded_type& graph, bool wrong) {
         auto const weight = ones(wrong ? 3 : 2, 4);
         map_rows(ones(5, 4), weight, {}, glt::reproducible_graph{graph}).sum().backward();
       })},
      {"rgcn_conv::forward", true, pass_of_types<glt::rgcn_conv>({.in = 4, .out = 2})},
      {"rgat_conv::forward", true, pass_of_types<glt::rgat_conv>({.in = {4}, .out = 2})},
      {"hgt_conv::forward", true, pass_of_types<glt::hgt_conv>({.in = {4}, .out = 2})},
      {"batch_norm::forward and its backward pass", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           glt::batch_norm norm(glt::batch_norm::options{.features = 4});
           norm->forward(comm, ones(6, wrong ? 3 : 4)).sum().backward();
         };
       }},
      {"embedding_rows", true,
       with_embedding([](embedding_type& table, glt::host_view<global_id const> vertices, bool wrong) {
         id_list const outside{-1};
         static_cast<void>(glt::embedding_rows(table, wrong ? glt::host_view<global_id const>(outside) : vertices));
       })},
      {"apply_gradients", true,
       with_embedding([](embedding_type& table, glt::host_view<global_id const> vertices, bool wrong) {
         glt::apply_gradients(table, vertices, at::ones({wrong ? 2 : 3, 4}), 3);
       })},
  };
}

std::vector<site> make_sites() {
  return {
      {"sync_params", true,
       with_module([](comm_type& comm, torch::nn::Module& layer, bool) { glt::sync_params(comm, layer); })},
      {"gather_grads", true,
       with_module([](comm_type& comm, torch::nn::Module& layer, bool) { glt::gather_grads(comm, layer, 5); })},
      {"sum_grads", true,
       with_module([](comm_type& comm, torch::nn::Module& layer, bool) { glt::sum_grads(comm, layer); })},
      {"save_model", true, with_module([](comm_type& comm, torch::nn::Module& layer, bool wrong) {
         glt_test::scratch_folder const own;
         glt::save_model(comm, (own / (wrong ? "absent/model" : "model")).string(), layer);
         if (wrong && comm.rank() > 0) {
           throw std::runtime_error("thrown inside"); // rank 0 alone writes
         }
       })},
      {"load_model", true,
       [](comm_type& comm) -> call_type {
         auto const own = std::make_shared<glt_test::scratch_folder>();
         torch::nn::Linear layer(4, 3);
         glt::save_model(comm, (*own / "model").string(), *layer);
         return [=, &comm](bool wrong) {
           torch::nn::Linear read(4, wrong ? 2 : 3);
           glt::load_model(comm, (*own / "model").string(), *read);
         };
       }},
      {"save_training", true,
       with_training([](comm_type& comm, std::string const& path, torch::nn::Module& network,
                        torch::optim::Optimizer& optimizer, bool wrong) {
         glt::save_training(comm, wrong ? path + "/absent" : path, "this one", network, optimizer, {});
         if (wrong && comm.rank() > 0) {
           throw std::runtime_error("thrown inside"); // rank 0 alone writes
         }
       })},
      {"load_training", true,
       with_training([](comm_type& comm, std::string const& path, torch::nn::Module& network,
                        torch::optim::Optimizer& optimizer, bool wrong) {
         glt::save_training(comm, path, "this one", network, optimizer, {});
         auto const what = wrong ? "another" : "this one";
         static_cast<void>(glt::load_training(comm, path, what, network, optimizer));
       })},
      {"gradient_buckets", true, with_module([](comm_type& comm, torch::nn::Module& layer, bool wrong) {
         glt::gradient_buckets const made(comm, layer, wrong ? 0 : 16);
       })},
      {"gradient_buckets::backward", true, with_module([](comm_type& comm, torch::nn::Module& layer, bool) {
         glt::gradient_buckets gradients(comm, layer, 16);
         auto const& parameters = layer.parameters();
         gradients.backward((at::ones({2, 4}).mm(parameters[0].t()) + parameters[1]).sum(), 2);
       })},
      {"aggregate_neighbors", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const graph = std::make_shared<glt::dist::sharded_graph<comm_type, cpu>>(comm, here->graph);
         return [=](bool wrong) {
           auto const x = at::ones({graph->num_sources() + (wrong ? 1 : 0), 3}, at::kFloat).requires_grad_();
           glt::aggregate_neighbors(x, *graph, glt::dist::aggregator::mean).sum().backward();
         };
       }},
  };
}

} // namespace

int main(int argc, char** argv) {
  at::set_num_threads(1);
  auto sites = make_sites();
  for (auto const& more : sites_of_layers()) {
    sites.push_back(more);
  }
  return run_sites(argc, argv, sites, glt::mpi_threads::multiple);
}
