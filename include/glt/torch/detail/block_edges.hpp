// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/combine_rows.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h> // for clang: see tensor.hpp
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Executor that divides loops over the threads of LibTorch; the rest runs in the calling thread.
struct torch_threads : exec::sequential {
  template <class F>
  void for_each(std::int64_t n, F f) const {
    for_ranges(n, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        f(i);
      }
    });
  }

  template <class F>
  void for_ranges(std::int64_t n, std::int64_t smallest, F f) const {
    // Ranges much smaller than a thread's share even out rows of very different cost.
    auto const threads = std::int64_t{at::get_num_threads()};
    auto const size = std::max({smallest, n / (16 * threads), std::int64_t{1}});
    std::atomic<std::int64_t> next{0};
    at::parallel_for(0, std::min(threads, (n + size - 1) / size), 1, [&](std::int64_t, std::int64_t) {
      for (auto first = next.fetch_add(size); first < n; first = next.fetch_add(size)) {
        f(first, std::min(n, first + size));
      }
    });
  }
};

/// Ordinary memory, on which the threads of LibTorch work.
struct torch_cpu {
  static constexpr memory_space space = memory_space::host;
  [[nodiscard]] host_resource resource() const noexcept { return {}; }
  [[nodiscard]] torch_threads executor() const noexcept { return {}; }
};

/// Returns the rows of a contiguous tensor [n, F]; an undefined tensor has none.
template <class T>
[[nodiscard]] strided_rows<T> strided_over(at::Tensor const& tensor) {
  if (!tensor.defined()) {
    return {};
  }
  return {tensor.data_ptr<std::remove_const_t<T>>(), tensor.size(1)};
}

/// Edges in rows as tensors, which a shard borrows.
struct edges_by_row {
  at::Tensor numbers; // 0, 1, … of rows and of edges
  at::Tensor offsets; // [rows + 1], from 0
  at::Tensor columns; // [E]
  at::Tensor edges;   // [E], positions in the block
  std::int64_t num_columns;

  [[nodiscard]] std::int64_t num_rows() const { return offsets.numel() - 1; }
  [[nodiscard]] std::int64_t num_edges() const { return columns.numel(); }
  [[nodiscard]] shard_view<memory_space::host> shard() const {
    return {.num_rows = num_rows(),
            .num_columns = num_columns,
            .num_edges = num_edges(),
            .rows = {numbers.data_ptr<local_id>(), num_rows()},
            .offsets = {offsets.data_ptr<edge_offset>(), num_rows() + 1},
            .columns = {columns.data_ptr<local_id>(), num_edges()},
            .edges = {edges.data_ptr<local_id>(), num_edges()}};
  }
};

/// Edges of a block, whose rows are destinations. A row without edges is a row, too.
class block_edges {
public:
  /// @shape  offsets [D + 1] · row [E]
  /// @units  the edges of destination d begin at offsets[d] − offsets[0]
  block_edges(at::Tensor const& offsets, at::Tensor const& row, std::int64_t num_sources) {
    auto const numbers = at::arange(std::max({offsets.numel() - 1, row.numel(), num_sources}), at::kInt);
    rows_ = {numbers, offsets - offsets.data_ptr<edge_offset>()[0], row, numbers.narrow(0, 0, row.numel()),
             num_sources};
  }

  [[nodiscard]] std::int64_t num_destinations() const { return rows_.num_rows(); }
  [[nodiscard]] std::int64_t num_sources() const { return rows_.num_columns; }
  [[nodiscard]] std::int64_t num_edges() const { return rows_.num_edges(); }
  [[nodiscard]] shard_view<memory_space::host> shard() const { return rows_.shard(); }
  /// Returns the number of edges of each destination, for means.
  [[nodiscard]] at::Tensor degrees() const { return rows_.offsets.diff().to(at::kInt); }

  /// Returns the edges by source, and by destination of a source; writes the place of each edge there to `places`.
  [[nodiscard]] edges_by_row transposed(local_id* places = nullptr) const {
    auto const ends = at::zeros({num_sources() + 2}, at::kLong);
    auto const columns = at::empty({num_edges()}, at::kInt);
    auto const edges = at::empty({num_edges()}, at::kInt);
    auto const from = shard();
    auto* const next = ends.data_ptr<edge_offset>() + 1; // of source s at s; at the end, offset s + 1
    for (auto const source : from.columns) {
      ++next[source + 1];
    }
    for (std::int64_t s = 0; s < num_sources(); ++s) {
      next[s + 1] += next[s];
    }
    for (std::int64_t d = 0; d < num_destinations(); ++d) {
      for (auto e = from.offsets[d]; e < from.offsets[d + 1]; ++e) {
        auto const place = next[from.columns[e]]++;
        columns.data_ptr<local_id>()[place] = static_cast<local_id>(d);
        edges.data_ptr<local_id>()[place] = static_cast<local_id>(e);
        if (places != nullptr) {
          places[e] = static_cast<local_id>(place);
        }
      }
    }
    return {rows_.numbers, ends.narrow(0, 0, num_sources() + 1), columns, edges, num_destinations()};
  }

private:
  edges_by_row rows_;
};

/// Refuses to differentiate the backward pass of `function`. Call it in that pass, whose operations are not recorded.
///
/// @throws precondition_error  if a differentiable gradient is asked for
inline void refuse_second_order(std::string_view function) {
  if (at::GradMode::is_enabled()) {
    throw precondition_error(message("backward pass of ", function,
                                     " with create_graph; it has no second derivatives, leave create_graph out"));
  }
}

/// Adds the gradient to into[row[chosen]], column by column; columns are divided over threads, which have no source in
/// common.
template <class T>
void spread_chosen(local_id const* chosen, local_id const* row, std::int64_t count, T const* gradient,
                   std::int64_t width, T* into) {
  torch_threads{}.for_ranges(width, 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t d = 0; d < count; ++d) {
      for (auto i = d * width + first; i < d * width + last; ++i) {
        if (chosen[i] != no_edge) {
          into[std::int64_t{row[chosen[i]]} * width + i - d * width] += gradient[i];
        }
      }
    }
  });
}

/// Aggregation over a block; keeps its edges for the backward pass and, for a maximum or minimum, the chosen edges.
/// Bits do not depend on the number of threads.
///
/// Also returns the rows of the destinations, so that their gradients join those by the edges in one matrix.
struct block_aggregation : ::torch::autograd::Function<block_aggregation> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  /// @shape  x [num_sources, F] → aggregates [num_destinations, F], rows of destinations [num_destinations, F]; the
  ///         latter are empty where there are more destinations than sources
  static tensors forward(context* ctx, at::Tensor const& x, at::Tensor const& offsets, at::Tensor const& row,
                         dist::aggregator how) {
    ctx->set_materialize_grads(false);
    ctx->saved_data["num_sources"] = x.size(0);
    ctx->saved_data["how"] = static_cast<std::int64_t>(how);
    auto const rows = x.contiguous();
    auto const width = x.size(1);
    block_edges const edges(offsets, row, x.size(0));
    auto const out = at::empty({edges.num_destinations(), width}, x.options());
    auto const chosen = is_extreme(how) ? at::empty(out.sizes(), at::kInt) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "aggregate_neighbors", [&] {
      auto* const to = out.template data_ptr<scalar_t>();
      torch_cpu const policy;
      combine_rows<torch_cpu, scalar_t>(policy, edges.shard(), rows.template data_ptr<scalar_t>(), width, {.how = how},
                                        to, is_extreme(how) ? chosen.data_ptr<local_id>() : nullptr, true);
      if (how == dist::aggregator::mean) {
        auto const degrees = edges.degrees();
        row_sums<torch_cpu, scalar_t>(policy, width)
            .divide({degrees.data_ptr<local_id>(), edges.num_destinations()}, to);
      }
    });
    ctx->save_for_backward({offsets, row, chosen});
    return {out, rows.detach().narrow(0, 0, edges.num_destinations() <= x.size(0) ? edges.num_destinations() : 0)};
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("aggregate_neighbors");
    auto const how = static_cast<dist::aggregator>(ctx->saved_data["how"].toInt());
    auto const saved = ctx->get_saved_variables();
    auto const& of_destinations = gradients[1];
    if (!gradients[0].defined() && !of_destinations.defined()) {
      return {{}, {}, {}, {}};
    }
    auto const gradient = (gradients[0].defined() ? gradients[0] : at::zeros_like(of_destinations)).contiguous();
    auto const width = gradient.size(1);
    auto const num_sources = ctx->saved_data["num_sources"].toInt();
    auto const into = is_extreme(how) ? at::zeros({num_sources, width}, gradient.options())
                                      : at::empty({num_sources, width}, gradient.options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "aggregate_neighbors", [&] {
      auto const* const from = gradient.template data_ptr<scalar_t>();
      auto* const to = into.template data_ptr<scalar_t>();
      if (is_extreme(how)) {
        spread_chosen(saved[2].data_ptr<local_id>(), saved[1].data_ptr<local_id>(), gradient.size(0), from, width, to);
      } else {
        block_edges const edges(saved[0], saved[1], num_sources);
        auto const by_source = edges.transposed();
        auto const degrees = how == dist::aggregator::mean ? edges.degrees() : at::empty({0}, at::kInt);
        row_sums<torch_cpu, scalar_t>(torch_cpu(), width)
            .add(by_source.shard(), from, to, true, {degrees.data_ptr<local_id>(), degrees.numel()});
      }
    });
    if (of_destinations.defined()) {
      into.narrow(0, 0, of_destinations.size(0)).add_(of_destinations);
    }
    return {into, {}, {}, {}};
  }
};

} // namespace glt::detail
