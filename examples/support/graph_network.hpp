// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/torch/gcn_conv.hpp>
#include <glt/torch/gin_conv.hpp>
#include <glt/torch/sage_conv.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace example {

enum class layer_kind { gcn, sage, gin };

inline constexpr std::array<std::string_view, 3> layer_names{"gcn", "sage", "gin"};

struct graph_network_options {
  layer_kind kind = layer_kind::gcn;
  std::int64_t layers = 2;
  std::int64_t in = 0;
  std::int64_t hidden = 0;
  std::int64_t out = 0;
  double dropout = 0;       ///< of hidden layers
  double input_dropout = 0; ///< of the features
};

/// Layers of one kind with ReLU and dropout between them, over blocks of a batch or over the whole graph.
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
      } else {
        layers_.emplace_back(register_module(name, glt::gin_conv({.in = in, .out = out})));
      }
    }
  }

  /// @shape  x [V, in] → [V, out], V of this part
  template <class Comm, class Policy>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, glt::dist::sharded_graph<Comm, Policy>& graph) {
    return run(x, {}, [&](std::size_t) -> auto& { return graph; });
  }

  /// @shape  x [N, in] · degrees [N], in the whole graph, which GCN needs → [distinct seeds, out]
  template <class Subgraph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Subgraph const& batch, at::Tensor const& degrees = {}) {
    return run(x, degrees, [&](std::size_t layer) { return batch.block(static_cast<int>(layer)); });
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
  at::Tensor run(at::Tensor x, at::Tensor const& degrees, GraphOfLayer graph_of_layer) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      auto&& graph = graph_of_layer(i);
      if (auto const share = i == 0 ? options_.input_dropout : options_.dropout; share > 0) {
        x = at::dropout(x, share, is_training());
      }
      auto const of_sources = degrees.defined() ? degrees.narrow(0, 0, x.size(0)) : degrees;
      x = std::visit([&](auto layer) { return layer(x, graph, of_sources); }, layers_[i]);
      if (i + 1 < layers_.size()) {
        x = x.relu();
      }
    }
    return x;
  }

  graph_network_options options_;
  std::vector<std::variant<glt::gcn_conv, glt::sage_conv, glt::gin_conv>> layers_;
};

} // namespace example
