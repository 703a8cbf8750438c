// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/aggregate_relations.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/detail/hetero_layer.hpp>
#include <glt/torch/message_graph.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/init.h>
#include <torch/types.h>

namespace glt {

namespace detail {

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

/// Widths of an `rgcn_conv`.
struct rgcn_conv_options {
  std::int64_t in = 0;        ///< columns of the input, of every node type
  std::int64_t out = 0;       ///< columns of the output
  std::int64_t num_bases = 0; ///< number of maps that all relations combine; 0: a separate map for every relation
};

/// Relational graph convolution: y_v = W_self x_v + b + Σ over relations e into v's type of W_e · mean over the
/// in-edges (u, v) of e of x_u. If there are bases, W_e = Σ_b a_eb V_b.
///
/// @source Schlichtkrull et al., "Modeling relational data with graph convolutional networks", ESWC 2018, eqs. 2 and 3
class rgcn_conv_impl : public hetero_layer {
public:
  using options_type = rgcn_conv_options;

  /// @throws precondition_error  if a width is below 1 or the number of bases below 0
  rgcn_conv_impl(hetero_schema schema, rgcn_conv_options options)
      : hetero_layer("rgcn_conv", std::move(schema)), options_(options) {
    check_widths("rgcn_conv", options.in, options.out);
    if (options.num_bases < 0) {
      throw precondition_error(message("rgcn_conv of ", options.num_bases, " bases; ask for 1 or more, or 0 for none"));
    }
    auto const num_relations = std::int64_t{schema_.num_edge_types()};
    auto const num_maps = options.num_bases > 0 ? options.num_bases : num_relations;
    maps_ = register_parameter("maps", make_maps({num_maps, options.in, options.out}));
    if (options.num_bases > 0) {
      shares_ = register_parameter("shares", make_maps({num_relations, options.num_bases}));
    }
    self_ = register_parameter("self", make_maps({options.in, options.out}));
    bias_ = register_parameter("bias", at::zeros({options.out}));
  }

  /// Applies the layer; `relation(e)` is a `message_graph` of the edges of type e: a relation of a sharded graph, or a
  /// block.
  ///
  /// @shape  x: for every node type [num_sources, in], where destinations come first → [num_destinations, out]; for a
  ///         type to which no relation leads, all existing rows: [n, in] → [n, out]
  /// @comm   as `aggregate_neighbors`, one relation after the other
  /// @throws precondition_error  if x is not of that shape
  template <class RelationOf>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x, RelationOf const& relation) {
    return combine(x, relation, [&](std::vector<at::Tensor> const& rows) {
      std::vector<at::Tensor> means;
      for (auto const& of_sources : rows) {
        auto&& graph = relation(static_cast<int>(means.size()));
        means.push_back(aggregate_neighbors(of_sources, graph, dist::aggregator::mean));
      }
      return means;
    });
  }

  /// Applies the layer with all relations in one rotation, or one after the other if boundaries have covers.
  ///
  /// @shape  x: for every node type [num_sources(type), in] → [num_destinations(type), out]
  /// @comm   as `dist::aggregate_relations`
  /// @throws precondition_error  on this rank, if the graph has another schema, or x is not of one floating-point type
  /// @throws collective_error    on every rank, as `dist::aggregate_relations`
  template <communicator Comm, device_policy Policy>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x,
                                                dist::hetero_sharded_graph<Comm, Policy>& graph) {
    auto const relation = relations_of(graph);
    if (schema_.num_edge_types() == 0 || graph.relation(0).cover()) {
      return forward(x, relation);
    }
    auto const device = torch_device(graph.relation(0).policy());
    return combine(x, relation, [&](std::vector<at::Tensor> const& rows) {
      for (auto const& of : rows) {
        if (!is_float_matrix(of, device) || of.scalar_type() != rows[0].scalar_type()) {
          throw precondition_error(message("rgcn_conv over ", to_string(of),
                                           "; pass float or double tensors, all of one type, on ", device.str()));
        }
      }
      return means_of_relations(rows, graph);
    });
  }

private:
  // Computes the layer; means_of(rows) returns, for each relation, the means of the rows of its sources over its edges.
  template <class RelationOf, class MeansOf>
  [[nodiscard]] std::vector<at::Tensor> combine(std::vector<at::Tensor> const& x, RelationOf const& relation,
                                                MeansOf const& means_of) {
    check_rows(x, columns_of_types({options_.in}, options_.out));
    std::vector<at::Tensor> maps; // of the relations whose rows are mapped after the mean; else undefined
    std::vector<at::Tensor> rows;
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      auto&& graph = relation(e);
      auto const sources = sources_of(x, e, graph);
      bool const first = maps_first(sources, graph, options_.in, options_.out);
      auto const map = map_of(e);
      rows.push_back(first ? map_rows_over(graph, sources, map.t()) : sources);
      maps.push_back(first ? at::Tensor() : map);
    }
    auto const means = means_of(rows);
    std::vector<at::Tensor> y(x.size());
    for (std::size_t e = 0; e < means.size(); ++e) {
      auto const type = static_cast<std::size_t>(schema_.destination_type(static_cast<int>(e)));
      auto&& graph = relation(static_cast<int>(e));
      if (!y[type].defined()) {
        y[type] = map_own(relation, rows_of_destinations(x[type], means[e].size(0)), self_.t(), bias_);
      }
      y[type] = add_mapped_rows(graph, y[type], means[e], maps[e].defined() ? maps[e].t() : maps[e]);
    }
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (!y[t].defined()) {
        y[t] = map_own(relation, rows_alone(relation, x, static_cast<int>(t)), self_.t(), bias_);
      }
    }
    return y;
  }

  [[nodiscard]] static at::Tensor make_maps(std::vector<std::int64_t> const& shape) {
    auto maps = at::empty(shape);
    if (maps.numel() > 0) { // there may be no relations
      ::torch::nn::init::xavier_uniform_(maps);
    }
    return maps;
  }

  [[nodiscard]] at::Tensor map_of(int edge_type) const {
    if (!shares_.defined()) {
      return maps_.select(0, edge_type);
    }
    return (shares_.select(0, edge_type).view({-1, 1, 1}) * maps_).sum(0);
  }

  rgcn_conv_options options_;
  at::Tensor maps_;   // [num_bases or relations, in, out]
  at::Tensor shares_; // [relations, num_bases], or undefined
  at::Tensor self_;   // [in, out]
  at::Tensor bias_;   // [out]
};

} // namespace detail

/// Shared handle of an `rgcn_conv_impl`, like the modules of LibTorch:
///
///     glt::rgcn_conv layer(graph.schema(), {.in = 64, .out = 64, .num_bases = 8});
///     auto const y = layer(x, sharded);                                      // a whole graph, or a layer of make_mfgs
///     auto const z = layer(x, [&](int e) { return subgraph.block(e, 0); }); // blocks of a batch
///
/// Options: `in` and `out`, columns of the input and of the output; `num_bases`, the number of maps that relations
/// combine, 0 by default: a separate map for each.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class rgcn_conv : public detail::hetero_graph_layer<detail::rgcn_conv_impl> {
public:
  using hetero_graph_layer::hetero_graph_layer;
};

} // namespace glt
