// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace example {

enum class layer_kind { gcn, sage, gin, gat };

inline constexpr std::array<std::string_view, 4> layer_names{"gcn", "sage", "gin", "gat"};

[[nodiscard]] constexpr std::string_view name_of(layer_kind kind) {
  return layer_names[static_cast<std::size_t>(kind)];
}

struct graph_network_options {
  layer_kind kind = layer_kind::gcn;
  std::int64_t layers = 2;
  std::int64_t in = 0;
  std::int64_t hidden = 0;
  std::int64_t out = 0;
  std::int64_t heads = 8;   ///< of hidden GAT layers; the last one has one
  double dropout = 0;       ///< of hidden layers, and of the coefficients of GAT
  double input_dropout = 0; ///< of the features
};

/// Layers of one kind with ReLU, or ELU for GAT, and dropout between them, over blocks of a batch or over the whole graph.
class graph_network : public ::torch::nn::Module {
public:
  explicit graph_network(graph_network_options options) : options_(options) {
    for (std::int64_t i = 0; i < options.layers; ++i) {
      auto const in = i == 0 ? options.in : options.hidden;
      auto const out = i + 1 == options.layers ? options.out : options.hidden;
      auto const name = "layer" + std::to_string(i);
      if (options.kind == layer_kind::gcn) {
        layers_.emplace_back(register_module(name, glt::gcn_conv({.in = in, .out = out})));
      } else if (options.kind == layer_kind::sage) {
        layers_.emplace_back(register_module(name, glt::sage_conv({.in = in, .out = out})));
      } else if (options.kind == layer_kind::gin) {
        layers_.emplace_back(register_module(name, glt::gin_conv({.in = in, .out = out})));
      } else {
        auto const heads = i + 1 == options.layers ? 1 : options.heads;
        layers_.emplace_back(register_module(
            name, glt::gat_conv({.in = in, .out = out / heads, .heads = heads, .dropout = options.dropout})));
      }
    }
  }

  /// @shape  x [V, in] · draws of a step, which GAT needs in training → [V, out], V of this part
  template <class Comm, class Policy>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, glt::dist::sharded_graph<Comm, Policy>& graph,
                                   glt::attention_draws const& draws = {}) {
    return run(x, {}, draws, [&](std::size_t) -> auto& { return graph; });
  }

  /// @shape  x [N, in] · degrees [N], in the whole graph, which GCN needs · draws, as above → [distinct seeds, out]
  template <class Subgraph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Subgraph const& batch, at::Tensor const& degrees = {},
                                   glt::attention_draws const& draws = {}) {
    return run(x, degrees, draws, [&](std::size_t layer) { return batch.block(static_cast<int>(layer)); });
  }

  /// What `restore_parameters` takes to go back to the parameters of now.
  [[nodiscard]] std::vector<at::Tensor> copy_parameters() const {
    std::vector<at::Tensor> copies;
    for (auto const& parameter : parameters()) {
      copies.push_back(parameter.detach().clone());
    }
    return copies;
  }

  void restore_parameters(std::vector<at::Tensor> const& copies) {
    auto own = parameters();
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i].detach().copy_(copies[i]);
    }
  }

private:
  template <class GraphOfLayer>
  at::Tensor run(at::Tensor x, at::Tensor const& degrees, glt::attention_draws draws, GraphOfLayer graph_of_layer) {
    auto const key = draws.key;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      auto&& graph = graph_of_layer(i);
      if (auto const share = i == 0 ? options_.input_dropout : options_.dropout; share > 0) {
        x = at::dropout(x, share, is_training());
      }
      auto const of_sources = degrees.defined() ? degrees.narrow(0, 0, x.size(0)) : degrees;
      draws.key = key.fold(i);
      auto const run_layer = [&]<class Layer>(Layer layer) {
        if constexpr (std::is_same_v<Layer, glt::gat_conv>) {
          return layer(x, graph, draws);
        } else {
          return layer(x, graph, of_sources);
        }
      };
      x = std::visit(run_layer, layers_[i]);
      if (i + 1 < layers_.size()) {
        x = options_.kind == layer_kind::gat ? at::elu_(x) : x.relu_();
      }
    }
    return x;
  }

  graph_network_options options_;
  std::vector<std::variant<glt::gcn_conv, glt::sage_conv, glt::gin_conv, glt::gat_conv>> layers_;
};

} // namespace example
