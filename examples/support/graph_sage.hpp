// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/torch/sage_conv.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace example {

struct graph_sage_options {
  std::int64_t in = 0;
  std::int64_t hidden = 0;
  std::int64_t out = 0;
  double dropout = 0;       ///< of the hidden layer
  double input_dropout = 0; ///< of the features
};

/// Two GraphSAGE layers with ReLU and dropout between them; classifies the seeds of a sampled subgraph.
class graph_sage : public ::torch::nn::Module {
public:
  explicit graph_sage(graph_sage_options options)
      : options_(options),
        first_(register_module("first", glt::sage_conv({.in = options.in, .out = options.hidden}))),
        second_(register_module("second", glt::sage_conv({.in = options.hidden, .out = options.out}))) {}

  /// @shape  features [N, in] → [distinct seeds, out]
  template <class Subgraph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& features, Subgraph const& subgraph) {
    auto const x = drop(features, options_.input_dropout);
    auto const hidden = first_(x, subgraph.block(0)).relu();
    return second_(drop(hidden, options_.dropout), subgraph.block(1));
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
  [[nodiscard]] at::Tensor drop(at::Tensor const& x, double share) const {
    return share > 0 ? at::dropout(x, share, is_training()) : x;
  }

  graph_sage_options options_;
  glt::sage_conv first_;
  glt::sage_conv second_;
};

} // namespace example
