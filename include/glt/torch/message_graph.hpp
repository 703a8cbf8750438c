// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/threads.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace glt::detail {

/// While it lives, the product of each range takes one thread.
///
/// In a loop over several ranges, products have one thread of OpenMP anyway; a single range is not such a loop.
/// OpenBLAS cannot set the number for it: up to version 0.3.21 that sets LibTorch's number as well, and later it has no
/// effect.
class one_thread_products {
public:
  explicit one_thread_products(std::int64_t ranges) : threads_(at::get_num_threads()) {
    bool const is_separate = threads_ > 1 && openblas_has_threads();
    if (is_separate || (threads_ > 1 && ranges == 1)) {
      static auto* const of_products = loaded_function<void(int)>("openblas_set_num_threads");
      static auto* const of_openmp = loaded_function<void(int)>("omp_set_num_threads");
      set_ = is_separate ? of_products : of_openmp;
    }
    set(1);
  }
  ~one_thread_products() { set(threads_); }
  one_thread_products(one_thread_products const&) = delete;
  one_thread_products& operator=(one_thread_products const&) = delete;

private:
  void set(int threads) const {
    if (set_ != nullptr) {
      set_(threads);
    }
  }

  int threads_;
  void (*set_)(int) = nullptr;
};

/// Product of rows and a map, x weightᵀ, in ranges of rows that threads take. A library divides the product of a tall
/// gradient with tall rows by columns, so that its threads wait for each other many times.
///
/// The ranges depend on the number of rows alone, so the bits do not depend on the number of threads.
struct row_product : ::torch::autograd::Function<row_product> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  /// @shape  onto: [n, out] and then written in place, or a bias [out], or empty · x [n, in] · weight [out, in] →
  ///         onto + x weightᵀ [n, out]
  static at::Tensor forward(context* ctx, at::Tensor const& onto, at::Tensor const& x, at::Tensor const& weight) {
    bool const adds = onto.dim() == 2;
    auto const y = adds ? onto : at::empty({x.size(0), weight.size(0)}, x.options().requires_grad(false));
    for_ranges(x.size(0), [to = y.detach(), start = onto.detach(), rows = x.detach(), map = weight.detach().t(),
                           adds](std::int64_t, std::int64_t first, std::int64_t count) {
      auto out = to.narrow(0, first, count);
      auto const some = rows.narrow(0, first, count);
      if (adds) {
        out.addmm_(some, map);
      } else if (start.numel() > 0) {
        at::addmm_out(out, start, some, map);
      } else {
        at::mm_out(out, some, map);
      }
    });
    if (adds) {
      ctx->mark_dirty({onto});
    }
    ctx->saved_data["adds"] = adds;
    ctx->save_for_backward({x, weight});
    return y;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("a map of rows");
    auto const saved = ctx->get_saved_variables();
    auto const rows = saved[0].detach();
    auto const map = saved[1].detach();
    auto const gradient = gradients[0].detach().contiguous();
    auto const ranges = num_ranges(rows.size(0));
    bool const adds = ctx->saved_data["adds"].toBool();
    auto const made = [&](bool is_needed, at::IntArrayRef shape) {
      return is_needed ? at::empty(shape, gradient.options()) : at::Tensor();
    };
    auto const by_bias = made(!adds && ctx->needs_input_grad(0), {ranges, map.size(0)});
    auto const by_rows = made(ctx->needs_input_grad(1), rows.sizes());
    auto const by_map = made(ctx->needs_input_grad(2), {ranges, map.size(0), map.size(1)});
    for_ranges(rows.size(0), [&](std::int64_t range, std::int64_t first, std::int64_t count) {
      auto const some = gradient.narrow(0, first, count);
      if (by_rows.defined()) {
        auto out = by_rows.narrow(0, first, count);
        at::mm_out(out, some, map);
      }
      if (by_map.defined()) {
        auto out = by_map.select(0, range);
        at::mm_out(out, some.t(), rows.narrow(0, first, count));
      }
      if (by_bias.defined()) {
        auto out = by_bias.select(0, range);
        at::sum_out(out, some, {0});
      }
    });
    return {adds ? gradients[0] : sum_of_ranges(by_bias), by_rows, sum_of_ranges(by_map)};
  }

private:
  [[nodiscard]] static std::int64_t num_ranges(std::int64_t count) {
    constexpr std::int64_t most = 16;
    constexpr std::int64_t fewest_rows = 1024; // products of fewer rows spend more on the copy of the map
    return count == 0 ? 0 : std::clamp(count / fewest_rows, std::int64_t{1}, most);
  }

  // Calls use(range, first row, number of rows) on the threads of LibTorch.
  template <class Use>
  static void for_ranges(std::int64_t count, Use use) {
    auto const ranges = num_ranges(count);
    one_thread_products const products(ranges);
    auto const first_of = [&](std::int64_t range) { return count * range / ranges; };
    torch_threads{}.for_ranges(ranges, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto range = begin; range < end; ++range) {
        use(range, first_of(range), first_of(range + 1) - first_of(range));
      }
    });
  }

  [[nodiscard]] static at::Tensor sum_of_ranges(at::Tensor const& parts) {
    if (!parts.defined() || parts.size(0) == 0) {
      return parts.defined() ? parts.sum(0) : parts;
    }
    auto const sum = parts.select(0, 0).clone(); // without the memory of the others
    for (std::int64_t range = 1; range < parts.size(0); ++range) {
      sum.add_(parts.select(0, range));
    }
    return sum;
  }
};

} // namespace glt::detail

namespace glt {

/// Graph for layers: rows of sources go along edges to destinations, which are the first of the sources.
///
/// Models: `block_view`, `dist::sharded_graph`. Another type provides the functions in its namespace.
///
/// - `aggregate_neighbors(x, graph, how)`: x [num_sources, F] → [num_destinations, F], differentiable in x
/// - `source_degrees(graph)`: in-degrees in the whole graph [num_sources], or an undefined tensor
/// - `map_rows(x, weight, bias, graph)`: x weightᵀ + bias; optional, for graphs that compute it in another way
template <class Graph>
concept message_graph = requires(Graph& graph, at::Tensor const& x, dist::aggregator how) {
  { aggregate_neighbors(x, graph, how) } -> std::same_as<at::Tensor>;
  { source_degrees(graph) } -> std::same_as<at::Tensor>;
};

namespace detail {

/// Returns x weightᵀ + bias, where weight or bias may be undefined: the rows of a layer over a graph.
///
/// @shape  x [n, in] · weight [out, in] · bias [out] → [n, out]
template <class Graph>
[[nodiscard]] at::Tensor map_rows_over(Graph& graph, at::Tensor const& x, at::Tensor const& weight,
                                       at::Tensor const& bias = {}) {
  if constexpr (requires { map_rows(x, weight, bias, graph); }) {
    return map_rows(x, weight, bias, graph);
  } else if (weight.defined() && x.is_cpu()) {
    return row_product::apply(bias.defined() ? bias : at::empty({0}, x.options().requires_grad(false)), x, weight);
  } else if (weight.defined()) {
    return at::linear(x, weight, bias);
  } else {
    return x + bias;
  }
}

/// Adds x weightᵀ to y, or x itself if weight is undefined, and returns the sum. Takes y over: it is a product that
/// nothing else reads.
///
/// @shape  y [n, out] · x [n, in] · weight [out, in]
template <class Graph>
[[nodiscard]] at::Tensor add_mapped_rows(Graph& graph, at::Tensor y, at::Tensor const& x, at::Tensor const& weight) {
  if (!weight.defined()) {
    return y.add_(x);
  }
  if constexpr (requires { map_rows(x, weight, weight, graph); }) {
    return y + map_rows_over(graph, x, weight);
  } else {
    return x.is_cpu() ? row_product::apply(y, x, weight) : y.addmm_(x, weight.t());
  }
}

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

/// Returns true if layers should map rows to fewer columns before they aggregate: where rows travel, and over a block
/// that does not have more sources, which are then mapped, than destinations.
template <class Graph>
[[nodiscard]] bool favours_narrow_rows(Graph const&) {
  return true;
}
template <memory_space Space>
[[nodiscard]] bool favours_narrow_rows(block_view<Space> const& block) {
  return block.num_sources == block.num_destinations;
}

/// Returns true if a linear map from `in` to `out` columns is better done before an aggregation than after it. The two
/// commute.
///
/// The fewer columns are aggregated; mapped rows always have a gradient in training.
template <class Graph>
[[nodiscard]] bool maps_first(at::Tensor const& x, Graph& graph, std::int64_t in, std::int64_t out) {
  return detail::favours_narrow_rows(graph) && columns_of_passes(out, true) < columns_of_passes(in, x.requires_grad());
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
  template <class Graph, class Reason = a_layer_works_on_a_message_graph_such_as_a_block_or_a_sharded_graph>
    requires(!message_graph<std::remove_reference_t<Graph>>)
  at::Tensor operator()(at::Tensor const&, Graph&&, at::Tensor const& = {}) = delete;
};

} // namespace detail

} // namespace glt
