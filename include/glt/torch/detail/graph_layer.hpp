// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/message_graph.hpp>

#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace glt::detail {

inline void check_widths(std::string_view layer, std::int64_t in, std::int64_t out) {
  if (in < 1 || out < 1) {
    throw precondition_error(message(layer, " of widths ", in, " and ", out, "; both are 1 or more"));
  }
}

inline void check_input(std::string_view layer, at::Tensor const& x, std::int64_t width) {
  if (!x.defined() || x.dim() != 2 || x.size(1) != width) {
    throw precondition_error(message(layer, " over ", to_string(x), "; it takes [num_sources, ", width, "]"));
  }
}

/// Returns the columns of rows over all passes: rows with a gradient take a backward pass, too.
[[nodiscard]] inline std::int64_t columns_of_passes(std::int64_t columns, bool has_gradient) {
  return columns * (has_gradient && at::GradMode::is_enabled() ? 2 : 1);
}

/// Returns true if a linear map from `in` to `out` columns is better done before an aggregation than after it. The two
/// commute.
///
/// The fewer columns are aggregated; mapped rows always have a gradient in training.
template <class Graph>
[[nodiscard]] bool maps_first(at::Tensor const& x, Graph& graph, std::int64_t in, std::int64_t out) {
  return favours_narrow_rows(graph) && columns_of_passes(out, true) < columns_of_passes(in, x.requires_grad());
}

inline void check_degrees(at::Tensor const& degrees, at::Tensor const& x) {
  if (degrees.dim() != 1 || degrees.size(0) != x.size(0)) {
    throw precondition_error(
        message("degrees ", to_string(degrees), "; pass one for each of the ", x.size(0), " sources"));
  }
}

/// Returns the aggregates of x over the in-edges of destinations, and their rows of x. If degrees are given, a sum is
/// over all in-edges in the whole graph, estimated from the mean over the given edges.
template <class Graph>
[[nodiscard]] neighborhood_rows gather_neighborhoods(at::Tensor const& x, Graph& graph, dist::aggregator how,
                                                     at::Tensor const& degrees) {
  if (how == dist::aggregator::sum && degrees.defined()) {
    check_degrees(degrees, x);
    auto const [mean, own] = gather_neighborhoods(x, graph, dist::aggregator::mean, {});
    return {mean * degrees.narrow(0, 0, mean.size(0)).to(x.scalar_type()).unsqueeze(1), own};
  }
  if constexpr (requires { aggregate_neighborhoods(x, graph, how); }) {
    return aggregate_neighborhoods(x, graph, how);
  } else {
    auto const neighbors = aggregate_neighbors(x, graph, how);
    return {neighbors, rows_of_destinations(x, neighbors.size(0))};
  }
}

/// Shared handle of a layer, like the modules of LibTorch, whose operator cannot call a template.
template <class Layer>
class graph_layer : public ::torch::nn::ModuleHolder<Layer> {
public:
  using ::torch::nn::ModuleHolder<Layer>::ModuleHolder;
  using Impl = Layer;
  using options = typename Layer::options_type;

  explicit graph_layer(options chosen) : ::torch::nn::ModuleHolder<Layer>(std::make_shared<Layer>(chosen)) {}

  template <class Graph>
    requires message_graph<std::remove_reference_t<Graph>>
  [[nodiscard]] at::Tensor operator()(at::Tensor const& x, Graph&& graph, at::Tensor const& degrees = {}) {
    return (*this)->forward(x, graph, degrees);
  }
  /// Catches calls with another kind of graph, and says which to pass.
  template <class Graph>
    requires(!message_graph<std::remove_reference_t<Graph>>)
  at::Tensor operator()(at::Tensor const&, Graph&&, at::Tensor const& = {}) {
    static_assert(never<Graph>, "a layer works on a message_graph: on a block of a batch, as in "
                                "layer(x, batch.subgraph.block(0)), or on a dist::sharded_graph of all ranks");
    return {};
  }
};

} // namespace glt::detail
