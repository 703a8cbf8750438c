// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/rgcn_conv.hpp>

#include <glt/core/error.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/torch/tensor.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/ranks.hpp"

#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt_test::divided_hetero_graph;

namespace {

using rows_by_type = std::vector<at::Tensor>;

// Rows of all vertices of every type, the same on all ranks.
rows_by_type random_rows(glt::hetero_schema const& schema, std::int64_t width) {
  at::manual_seed(3);
  rows_by_type rows;
  for (int t = 0; t < schema.num_node_types(); ++t) {
    rows.push_back(at::randn({schema.num_vertices(t), width}, at::kDouble));
  }
  return rows;
}

glt::rgcn_conv make_layer(glt::hetero_schema const& schema, glt::rgcn_conv_options options) {
  at::manual_seed(5);
  glt::rgcn_conv layer(schema, options);
  layer->to(at::kDouble);
  return layer;
}

// The layer as products with dense matrices.
rows_by_type dense_layer(glt::rgcn_conv& layer, glt_test::hetero_list const& list, rows_by_type const& x) {
  auto const parameters = layer->named_parameters();
  auto const maps = parameters["maps"];
  auto const* const shares = parameters.find("shares");
  rows_by_type y;
  for (auto const& rows : x) {
    y.push_back(rows.mm(parameters["self"]) + parameters["bias"]);
  }
  for (int e = 0; e < list.schema.num_edge_types(); ++e) {
    auto const from = static_cast<std::size_t>(list.schema.source_type(e));
    auto const to = static_cast<std::size_t>(list.schema.destination_type(e));
    auto edges = at::zeros({x[to].size(0), x[from].size(0)}, at::kDouble);
    auto const& relation = list.relations[static_cast<std::size_t>(e)];
    for (std::size_t i = 0; i < relation.sources.size(); ++i) {
      edges[relation.destinations[i]][relation.sources[i]] += 1;
    }
    edges = edges / edges.sum(1, true).clamp_min(1);
    auto const map =
        shares == nullptr ? maps.select(0, e) : at::einsum("b,bij->ij", {shares->select(0, e), maps});
    y[to] = y[to] + edges.mm(x[from]).mm(map);
  }
  return y;
}

at::Tensor original_ids(divided_hetero_graph const& divided, int type, int rank) {
  auto const& names = divided.names[static_cast<std::size_t>(type)];
  std::vector<std::int64_t> ids;
  for (auto v = names.book.begin(rank); v < names.book.end(rank); ++v) {
    ids.push_back(names.original[v]);
  }
  return at::tensor(ids, at::kLong);
}

// A number that every element of the output changes in another way.
at::Tensor loss_of(at::Tensor const& y, at::Tensor const& ids) {
  auto const weights = at::sin(ids.to(at::kDouble)).unsqueeze(1) + at::arange(y.size(1), at::kDouble);
  return (y * weights).sum();
}

void check_on_ranks(glt_test::hetero_list const& list, glt::rgcn_conv_options options,
                    bool has_cover = false) {
  auto whole_x = random_rows(list.schema, options.in);
  for (auto& rows : whole_x) {
    rows.requires_grad_();
  }
  auto whole = make_layer(list.schema, options);
  auto const expected = dense_layer(whole, list, whole_x);
  auto loss = at::zeros({}, at::kDouble);
  for (auto const& y : expected) {
    loss = loss + loss_of(y, at::arange(y.size(0), at::kLong));
  }
  loss.backward();
  glt_test::on_ranks([&](auto comm) {
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_sharded_graph sharded(comm, graph, {.cover = has_cover});
    // parameters of all ranks are the same; a rank's gradients are its share of the sum
    glt::rgcn_conv layer(list.schema, options);
    layer->to(at::kDouble);
    auto parameters = layer->parameters();
    {
      at::NoGradGuard const guard;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i].copy_(whole->parameters()[i]);
      }
    }
    rows_by_type x;
    rows_by_type ids;
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      ids.push_back(original_ids(divided, t, comm.rank()));
      x.push_back(whole_x[static_cast<std::size_t>(t)].detach().index_select(0, ids.back()).requires_grad_());
    }
    auto const y = layer(x, sharded);
    auto own_loss = at::zeros({}, at::kDouble);
    for (std::size_t t = 0; t < y.size(); ++t) {
      CHECK(at::allclose(y[t], expected[t].detach().index_select(0, ids[t]), 1e-9, 1e-9));
      own_loss = own_loss + loss_of(y[t], ids[t]);
    }
    own_loss.backward();
    if (!has_cover) { // all relations in one rotation, there and back
      CHECK(sharded.report().messages <= 2 * (comm.size() - 1));
    }
    for (std::size_t t = 0; t < x.size(); ++t) {
      auto const gradient =
          whole_x[t].grad().defined() ? whole_x[t].grad().index_select(0, ids[t]) : at::zeros_like(x[t]);
      CHECK(at::allclose(x[t].grad().defined() ? x[t].grad() : at::zeros_like(x[t]), gradient, 1e-9, 1e-9));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto share = parameters[i].grad().defined() ? parameters[i].grad().contiguous().clone()
                                                  : at::zeros_like(parameters[i]);
      comm.all_reduce(
          std::span<double>(share.template data_ptr<double>(), static_cast<std::size_t>(share.numel())),
          glt::reduction::sum);
      auto const& gradient = whole->parameters()[i].grad();
      CHECK(at::allclose(share, gradient.defined() ? gradient : at::zeros_like(share), 1e-8, 1e-8));
    }
  });
}

} // namespace

TEST_CASE("rgcn_conv over ranks equals the dense layer over the whole graph, with and without bases") {
  for (auto const& list : {glt_test::academic_graph(33), glt_test::academic_graph(5)}) {
    check_on_ranks(list, {.in = 3, .out = 5});
    check_on_ranks(list, {.in = 5, .out = 2});
    check_on_ranks(list, {.in = 3, .out = 4, .num_bases = 2});
    check_on_ranks(list, {.in = 3, .out = 4, .num_bases = 2}, true);
  }
}

TEST_CASE("rgcn_conv over blocks with all neighbours equals the dense layer at the seeds") {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  glt::hetero_neighbor_sampler<glt::device::cpu> sampler(graph.view(),
                                                         {.fanouts = glt::same_fanouts(list.schema, {-1})});
  std::vector<glt::local_id> const seeds{7, 2, 30};
  auto const x = random_rows(list.schema, 4);
  auto layer = make_layer(list.schema, {.in = 4, .out = 3, .num_bases = 3});
  glt::hetero_subgraph<glt::device::cpu> subgraph;
  sampler.sample(0, seeds, {}, subgraph);
  rows_by_type rows;
  for (int t = 0; t < list.schema.num_node_types(); ++t) {
    auto const nodes = glt::to_tensor(subgraph.nodes(t)).to(at::kLong);
    rows.push_back(x[static_cast<std::size_t>(t)].index_select(0, nodes));
  }
  auto const y = layer(rows, [&](int e) { return subgraph.block(e, 0); });
  auto const expected = dense_layer(layer, list, x);
  auto const places = at::tensor(std::vector<std::int64_t>(seeds.begin(), seeds.end()), at::kLong);
  CHECK(at::allclose(y[0].narrow(0, 0, 3), expected[0].index_select(0, places), 1e-9, 1e-9));
}

TEST_CASE("two layers over sampled typed blocks equal two over the whole graph, forward and backward") {
  auto const list = glt_test::academic_graph(33); // institutions have no in-edges
  auto const graph = list.graph();
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::hetero_neighbor_sampler<glt::device::cpu> sampler(
        graph.view(), {.fanouts = glt::same_fanouts(list.schema, {-1, -1}), .expand = expand});
    std::vector<glt::local_id> const seeds{7, 2, 30};
    glt::hetero_subgraph<glt::device::cpu> subgraph;
    sampler.sample(0, seeds, {}, subgraph);
    auto const x = random_rows(list.schema, 4);
    auto first = make_layer(list.schema, {.in = 4, .out = 5});
    auto second = make_layer(list.schema, {.in = 5, .out = 3, .num_bases = 2});
    rows_by_type whole;
    rows_by_type sampled;
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      auto const nodes = glt::to_tensor(subgraph.nodes(t)).to(at::kLong);
      whole.push_back(x[static_cast<std::size_t>(t)].clone().requires_grad_());
      sampled.push_back(x[static_cast<std::size_t>(t)].index_select(0, nodes).requires_grad_());
    }
    auto const of_layer = [&](int layer) {
      return [&subgraph, layer](int e) { return subgraph.block(e, layer); };
    };
    auto const hidden = first(sampled, of_layer(0));
    auto const y = second(hidden, of_layer(1))[0].narrow(0, 0, 3);
    auto const places = at::tensor(std::vector<std::int64_t>(seeds.begin(), seeds.end()), at::kLong);
    auto const expected = dense_layer(second, list, dense_layer(first, list, whole))[0].index_select(0, places);
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

TEST_CASE("a rank with rows that do not fit, or another schema, fails") {
  auto const list = glt_test::academic_graph(5);
  glt_test::on_ranks([&](auto comm) {
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_sharded_graph sharded(comm, graph);
    glt::rgcn_conv layer(list.schema, {.in = 3, .out = 4});
    rows_by_type x;
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      bool const is_odd = t == list.schema.source_type(0) && comm.rank() == comm.size() - 1;
      x.push_back(at::zeros({sharded.num_vertices(t) + (is_odd ? 1 : 0), 3}));
    }
    CHECK(glt_test::names(
        glt_test::thrown<glt::collective_error>([&] { static_cast<void>(layer(x, sharded)); }),
        "rank " + std::to_string(comm.size() - 1), "for relation 0; pass ["));
    glt::rgcn_conv other(glt::hetero_schema(), {.in = 3, .out = 4});
    CHECK_THROWS_AS(static_cast<void>(other(rows_by_type{}, sharded)), glt::precondition_error);
  });
}

TEST_CASE("rgcn_conv refuses widths, bases and inputs that do not fit") {
  auto const schema = glt_test::academic_graph(5).schema;
  CHECK_THROWS_AS(glt::rgcn_conv(schema, {.in = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::rgcn_conv(schema, {.in = 2, .out = 2, .num_bases = -1}), glt::precondition_error);
  glt::rgcn_conv layer(schema, {.in = 2, .out = 2});
  auto const no_graph = [](int) -> glt::block_view<glt::memory_space::host> { return {}; };
  CHECK_THROWS_AS(static_cast<void>(layer(rows_by_type{at::zeros({1, 2})}, no_graph)),
                  glt::precondition_error);
  auto const wide = random_rows(schema, 3);
  CHECK_THROWS_AS(static_cast<void>(layer(wide, no_graph)), glt::precondition_error);
}
