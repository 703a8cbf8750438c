// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/detail/aggregate_relations.hpp>
#include <glt/dist/full_batch/detail/relation_rows.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/first_order.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Means over all relations of a typed graph in one rotation, and their gradients in another; keeps nothing.
///
/// One tensor holds the rows of all relations, one behind the other: LibTorch follows no list of tensors.
template <communicator Comm, device_policy Policy>
struct relation_means : ::torch::autograd::Function<relation_means<Comm, Policy>> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  using graph_type = dist::hetero_sharded_graph<Comm, Policy>;
  static constexpr memory_space space = Policy::space;

  /// @shape  x [Σ n · F], counts: n of each edge type, which is num_sources, columns: F → [Σ num_destinations · F]
  static at::Tensor forward(context* ctx, at::Tensor const& x, std::vector<std::int64_t> const& counts,
                            std::vector<std::int64_t> const& columns, graph_type* graph) {
    ctx->saved_data["graph"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(graph));
    ctx->saved_data["columns"] = columns;
    return run(*graph, x, counts, columns, true);
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("rgcn_conv");
    auto& graph = *reinterpret_cast<graph_type*>(static_cast<std::intptr_t>(ctx->saved_data["graph"].toInt()));
    auto const columns = ctx->saved_data["columns"].toIntVector();
    std::vector<std::int64_t> counts;
    for (std::size_t e = 0; e < columns.size(); ++e) {
      counts.push_back(graph.relation(static_cast<int>(e)).num_destinations());
    }
    return {run(graph, gradients[0].contiguous(), counts, columns, false), {}, {}, {}};
  }

private:
  static at::Tensor run(graph_type& graph, at::Tensor const& from, std::vector<std::int64_t> const& counts,
                        std::vector<std::int64_t> const& columns, bool is_forward) {
    std::int64_t size = 0;
    for (std::size_t e = 0; e < columns.size(); ++e) {
      auto const& relation = graph.relation(static_cast<int>(e));
      size += (is_forward ? relation.num_destinations() : relation.num_sources()) * columns[e];
    }
    auto const to = at::empty({size}, from.options());
    AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), "relation_means", [&] {
      auto const* read = from.template data_ptr<scalar_t>();
      auto* written = to.template data_ptr<scalar_t>();
      std::vector<relation_rows<space, scalar_t>> rows;
      for (std::size_t e = 0; e < columns.size(); ++e) {
        auto const& relation = graph.relation(static_cast<int>(e));
        rows.push_back({{read, counts[e], columns[e]},
                        {written, is_forward ? relation.num_destinations() : relation.num_sources(), columns[e]}});
        read += rows.back().from.flat().size();
        written += rows.back().to.flat().size();
      }
      std::span<relation_rows<space, scalar_t> const> const all(rows);
      is_forward ? aggregate_relations(graph, all) : aggregate_relations_backward(graph, all);
    });
    return to;
  }
};

/// Returns the means over the edges of each relation.
///
/// @shape  rows: for each edge type [num_sources, F], all of one floating-point type → [num_destinations, F]
template <communicator Comm, device_policy Policy>
[[nodiscard]] std::vector<at::Tensor> means_of_relations(std::vector<at::Tensor> const& rows,
                                                         dist::hetero_sharded_graph<Comm, Policy>& graph) {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> columns;
  std::vector<at::Tensor> flat;
  for (auto const& of : rows) {
    counts.push_back(of.size(0));
    columns.push_back(of.size(1));
    flat.push_back(of.reshape({-1}));
  }
  auto const all = relation_means<Comm, Policy>::apply(at::cat(flat), counts, columns, &graph);
  std::vector<at::Tensor> means;
  std::int64_t begin = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    auto const count = graph.relation(static_cast<int>(e)).num_destinations();
    means.push_back(all.narrow(0, begin, count * columns[e]).view({count, columns[e]}));
    begin += count * columns[e];
  }
  return means;
}

} // namespace glt::detail
