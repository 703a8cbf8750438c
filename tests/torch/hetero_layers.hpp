// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/dist/full_batch/mfg.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/torch/tensor.hpp>

#include "support/hetero_parts.hpp"
#include "support/ranks.hpp"
#include "torch/slopes.hpp"

#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt_test {

using rows_by_type = std::vector<at::Tensor>;

/// Columns of the input of a node type, which are one number in the options of a layer, or one for each type.
inline std::int64_t columns_in(std::int64_t in, int) {
  return in;
}
inline std::int64_t columns_in(std::vector<std::int64_t> const& in, int type) {
  return in.size() == 1 ? in[0] : in[static_cast<std::size_t>(type)];
}

/// Rows of all vertices of every type, the same on all ranks.
template <class In>
rows_by_type random_rows(glt::hetero_schema const& schema, In const& in) {
  at::manual_seed(3);
  rows_by_type rows;
  for (int t = 0; t < schema.num_node_types(); ++t) {
    rows.push_back(at::randn({schema.num_vertices(t), columns_in(in, t)}, at::kDouble));
  }
  return rows;
}

template <class Layer>
Layer make_hetero_layer(glt::hetero_schema const& schema, typename Layer::options options) {
  at::manual_seed(5);
  Layer layer(schema, options);
  layer->to(at::kDouble);
  at::NoGradGuard const guard;
  for (auto& parameter : layer->parameters()) { // also those that begin as zeros or ones
    parameter.add_(0.1 * at::randn_like(parameter));
  }
  return layer;
}

/// Parameters of all ranks are the same; modules are shared handles.
template <class Layer>
Layer copy_of(Layer const& from, glt::hetero_schema const& schema, typename Layer::options options) {
  Layer layer(schema, options);
  layer->to(at::kDouble);
  at::NoGradGuard const guard;
  auto const parameters = layer->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].copy_(from->parameters()[i]);
  }
  return layer;
}

inline at::Tensor original_ids_of(divided_hetero_graph const& divided, int type, int rank) {
  auto const& names = divided.names[static_cast<std::size_t>(type)];
  std::vector<std::int64_t> ids;
  for (auto v = names.book.begin(rank); v < names.book.end(rank); ++v) {
    ids.push_back(names.original[v]);
  }
  return at::tensor(ids, at::kLong);
}

/// A number that every element of the output changes in another way.
inline at::Tensor loss_of(at::Tensor const& y, at::Tensor const& ids) {
  auto const weights = at::sin(ids.to(at::kDouble)).unsqueeze(1) + at::arange(y.size(1), at::kDouble);
  return (y * weights).sum();
}
inline at::Tensor loss_of(rows_by_type const& y, rows_by_type const& ids) {
  auto loss = at::zeros({}, at::kDouble);
  for (std::size_t t = 0; t < y.size(); ++t) {
    loss = loss + loss_of(y[t], ids[t]);
  }
  return loss;
}

inline at::Tensor gradient_of(at::Tensor const& x) {
  return x.grad().defined() ? x.grad() : at::zeros_like(x);
}

/// Calls a layer without more than a graph.
struct with_graph_alone {
  template <class Layer, class Graph, class Edges>
  rows_by_type operator()(Layer& layer, rows_by_type const& x, Graph& graph, Edges const&) const {
    return layer(x, graph);
  }
};

struct nothing_more {
  void operator()(auto&) const {}
};

/// The layer over ranks against dense(layer, list, x) of the whole graph, forward and backward;
/// call(layer, x, sharded, graph), and after(sharded) at the end.
template <class Layer, class Dense, class Call = with_graph_alone, class After = nothing_more>
void check_hetero_on_ranks(hetero_list const& list, typename Layer::options options, std::size_t shift, Dense dense,
                           Call call = {}, bool has_cover = false, After after = {}) {
  auto whole_x = random_rows(list.schema, options.in);
  rows_by_type whole_ids;
  for (auto& rows : whole_x) {
    rows.requires_grad_();
    whole_ids.push_back(at::arange(rows.size(0), at::kLong));
  }
  auto whole = make_hetero_layer<Layer>(list.schema, options);
  rows_by_type const expected = dense(whole, list, whole_x);
  loss_of(expected, whole_ids).backward();
  on_ranks([&](auto comm) {
    INFO("partitioner ", shift, " of the first type, rank ", comm.rank(), " of ", comm.size());
    divided_hetero_graph const divided(list, comm.size(), shift);
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_sharded_graph sharded(comm, graph,
                                            {.depth = static_cast<std::int64_t>(shift % 4), .cover = has_cover});
    auto layer = copy_of(whole, list.schema, options);
    auto const parameters = layer->parameters(); // a rank's gradients are its share of the sum
    rows_by_type x;
    rows_by_type ids;
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      ids.push_back(original_ids_of(divided, t, comm.rank()));
      x.push_back(whole_x[static_cast<std::size_t>(t)].detach().index_select(0, ids.back()).requires_grad_());
    }
    auto const y = call(layer, x, sharded, graph);
    REQUIRE(y.size() == expected.size());
    for (std::size_t t = 0; t < y.size(); ++t) {
      CHECK(at::allclose(y[t], expected[t].detach().index_select(0, ids[t]), 1e-9, 1e-9));
    }
    loss_of(y, ids).backward();
    after(sharded);
    for (std::size_t t = 0; t < x.size(); ++t) {
      CHECK(at::allclose(gradient_of(x[t]), gradient_of(whole_x[t]).index_select(0, ids[t]), 1e-9, 1e-9));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto share = gradient_of(parameters[i]).contiguous().clone();
      comm.all_reduce(std::span<double>(share.template data_ptr<double>(), static_cast<std::size_t>(share.numel())),
                      glt::reduction::sum);
      CHECK(at::allclose(share, gradient_of(whole->parameters()[i]), 1e-8, 1e-8));
    }
  });
}

/// The gradients of the layer over ranks, by its input and parameters, against finite differences.
template <class Layer, class Call = with_graph_alone>
void check_hetero_differences(typename Layer::options options, Call call = {}) {
  auto const list = academic_graph(2);
  auto const whole = make_hetero_layer<Layer>(list.schema, options);
  on_ranks([&](auto comm) {
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_sharded_graph sharded(comm, graph);
    auto layer = copy_of(whole, list.schema, options);
    auto inputs = layer->parameters();
    auto const num_parameters = inputs.size();
    for (auto const& rows : random_rows(list.schema, options.in)) {
      inputs.push_back(rows.requires_grad_());
    }
    check_slopes(comm, inputs, [&] {
      rows_by_type own;
      rows_by_type ids;
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        ids.push_back(original_ids_of(divided, t, comm.rank()));
        own.push_back(inputs[num_parameters + static_cast<std::size_t>(t)].index_select(0, ids.back()));
      }
      auto y = call(layer, own, sharded, graph);
      std::ranges::for_each(y, [](at::Tensor& rows) { rows = rows.pow(2); });
      return loss_of(y, ids);
    });
  });
}

/// Layers over typed message-flow graphs against those over the whole graph, at the seeds, forward and backward. The last
/// layer has options of its own.
template <class Layer>
void check_hetero_mfgs(typename Layer::options inner, typename Layer::options last) {
  auto const list = academic_graph(101); // institutions have no in-edges
  auto const select = [](rows_by_type const& rows, std::vector<std::vector<glt::local_id>> const& places) {
    rows_by_type some;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      some.push_back(rows[t].index_select(0, glt::to_tensor(glt::host_view<glt::local_id const>(places[t]))));
    }
    return some;
  };
  on_ranks([&](auto comm) {
    for (std::size_t const num_layers : {2U, 3U}) {
      for (auto const* const only : {"", "institution", "topic"}) { // with seeds; empty: all types
        bool const has_cover = num_layers == 3;
        INFO(num_layers, " layers, seeds of type ", only, ", cover ", has_cover, ", rank ", comm.rank());
        divided_hetero_graph const divided(list, comm.size(), 4); // papers are on the last rank alone
        glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
        glt::dist::hetero_sharded_graph sharded(comm, graph, {.cover = has_cover});
        auto const x = random_rows(list.schema, inner.in);
        rows_by_type own;
        std::vector<std::vector<glt::local_id>> seeds(x.size());
        for (int t = 0; t < list.schema.num_node_types(); ++t) {
          auto const type = static_cast<std::size_t>(t);
          own.push_back(x[type].index_select(0, original_ids_of(divided, t, comm.rank())).requires_grad_());
          for (glt::local_id v = 0; v < own.back().size(0); v += 5) {
            if (*only == '\0' || list.schema.node_types()[type].name == only) {
              seeds[type].push_back(v);
            }
          }
        }
        auto mfgs =
            glt::dist::make_mfgs(comm, graph, seeds, static_cast<std::int64_t>(num_layers), {.cover = has_cover});
        std::vector<Layer> layers;
        rows_by_type inputs = own;
        for (std::size_t l = 0; l < num_layers; ++l) {
          layers.push_back(make_hetero_layer<Layer>(list.schema, l + 1 < num_layers ? inner : last));
          auto const parameters = layers.back()->parameters();
          inputs.insert(inputs.end(), parameters.begin(), parameters.end());
        }
        auto const gradients = [&](rows_by_type const& y) {
          rows_by_type ids;
          for (std::size_t t = 0; t < y.size(); ++t) {
            REQUIRE(y[t].size(0) == std::ssize(seeds[t]));
            ids.push_back(at::arange(y[t].size(0), at::kLong));
          }
          return torch::autograd::grad({loss_of(y, ids)}, inputs, {}, {}, false, true);
        };
        auto all = own;
        auto some = select(own, mfgs.inputs);
        for (std::size_t l = 0; l < num_layers; ++l) {
          all = layers[l](all, sharded);
          some = layers[l](some, mfgs.layers[l]);
        }
        auto const expected = select(all, seeds);
        auto const wanted = gradients(expected);
        auto const got = gradients(some);
        for (std::size_t t = 0; t < some.size(); ++t) {
          CHECK(at::allclose(some[t], expected[t], 1e-12, 1e-12));
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          auto const or_zeros = [&](at::Tensor const& of) { return of.defined() ? of : at::zeros_like(inputs[i]); };
          CHECK(at::allclose(or_zeros(got[i]), or_zeros(wanted[i]), 1e-10, 1e-10));
        }
      }
    }
  });
}

/// Two layers over sampled typed blocks with all neighbours against dense(layer, list, x) over the whole graph, forward
/// and backward.
template <class Layer, class Dense>
void check_hetero_blocks(typename Layer::options of_first, typename Layer::options of_second, Dense dense) {
  auto const list = academic_graph(33); // institutions have no in-edges
  auto const graph = list.graph();
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::hetero_neighbor_sampler<cpu> sampler(graph.view(),
                                              {.fanouts = glt::same_fanouts(list.schema, {-1, -1}), .expand = expand});
    std::vector<glt::local_id> const seeds{7, 2, 30};
    glt::hetero_subgraph<cpu> subgraph;
    sampler.sample(0, seeds, {}, subgraph);
    auto const x = random_rows(list.schema, of_first.in);
    auto first = make_hetero_layer<Layer>(list.schema, of_first);
    auto second = make_hetero_layer<Layer>(list.schema, of_second);
    rows_by_type whole;
    rows_by_type sampled;
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      auto const nodes = glt::to_tensor(subgraph.nodes(t)).to(at::kLong);
      whole.push_back(x[static_cast<std::size_t>(t)].clone().requires_grad_());
      sampled.push_back(x[static_cast<std::size_t>(t)].index_select(0, nodes).requires_grad_());
    }
    auto const of_layer = [&](int layer) { return [&subgraph, layer](int e) { return subgraph.block(e, layer); }; };
    auto const hidden = first(sampled, of_layer(0));
    auto const y = second(hidden, of_layer(1))[0].narrow(0, 0, 3);
    auto const places = at::tensor(std::vector<std::int64_t>(seeds.begin(), seeds.end()), at::kLong);
    auto const expected = dense(second, list, dense(first, list, whole))[0].index_select(0, places);
    CHECK(at::allclose(y, expected, 1e-9, 1e-9));
    loss_of(y, places).backward();
    loss_of(expected, places).backward();
    for (std::size_t t = 0; t < whole.size(); ++t) {
      auto const nodes = glt::to_tensor(subgraph.nodes(static_cast<int>(t))).to(at::kLong);
      if (whole[t].grad().defined() && sampled[t].grad().defined()) {
        auto const spread = at::zeros_like(whole[t]).index_add(0, nodes, sampled[t].grad());
        CHECK(at::allclose(spread, whole[t].grad(), 1e-9, 1e-9));
      }
    }
    CHECK(whole[2].grad().abs().max().item<double>() > 0); // institutions, two hops away
  }
}

} // namespace glt_test
