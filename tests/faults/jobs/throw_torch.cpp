// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the public collectives of modules of LibTorch; see throw.hpp.
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/checkpoint.hpp>
#include <glt/torch/collectives.hpp>

#include <ATen/Parallel.h>
#include <torch/nn/modules/linear.h>

#include "throw.hpp"

#include "support/scratch.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
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

std::vector<site> make_sites() {
  return {
      {"sync_params", true,
       with_module([](comm_type& comm, torch::nn::Module& layer, bool) { glt::sync_params(comm, layer); })},
      {"gather_grads", true, with_module([](comm_type& comm, torch::nn::Module& layer, bool) {
         glt::gather_grads(comm, layer, 5);
       })},
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
  return run_sites(argc, argv, make_sites());
}
