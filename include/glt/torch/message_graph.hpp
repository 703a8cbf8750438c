// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/detail/first_order.hpp>
#include <glt/torch/threads.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// While it lives, the product of each range takes one thread.
///
/// In a loop over several ranges, products have one thread of OpenMP anyway; a single range is not such a loop. OpenBLAS
/// cannot set the number for it: up to version 0.3.21 that sets LibTorch's number as well, and later it has no effect.
class one_thread_products {
public:
  explicit one_thread_products(std::int64_t ranges) : threads_(at::get_num_threads()) {
    bool const is_separate = threads_ > 1 && openblas_has_threads();
    if (is_separate || (threads_ > 1 && ranges == 1)) {
      set_ = loaded_function<void(int)>(is_separate ? "openblas_set_num_threads" : "omp_set_num_threads");
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
/// - `favours_narrow_rows(graph)`: whether layers map rows before an aggregation if that makes them narrower; the same
///   on all ranks
/// - `map_rows(x, weight, bias, graph)`: x weightᵀ + bias; optional, for graphs that compute it in another way
template <class Graph>
concept message_graph = requires(Graph& graph, at::Tensor const& x, dist::aggregator how) {
  { aggregate_neighbors(x, graph, how) } -> std::same_as<at::Tensor>;
  { source_degrees(graph) } -> std::same_as<at::Tensor>;
  { favours_narrow_rows(graph) } -> std::same_as<bool>;
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

} // namespace detail

} // namespace glt
