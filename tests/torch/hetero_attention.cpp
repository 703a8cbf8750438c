// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/hetero_attention.hpp>

#include <glt/core/error.hpp>
#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "torch/hetero_layers.hpp"
#include "torch/random_block.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using glt_test::academic_graph;
using glt_test::random_rows;
using glt_test::rows_by_type;

namespace {

using rgat_options = glt::rgat_conv::options;
using hgt_options = glt::hgt_conv::options;

// Edges of a relation as indices, and parameters by name.
struct relation_tensors {
  std::size_t from, to;
  at::Tensor sources, destinations;

  relation_tensors(glt_test::hetero_list const& list, int e)
      : from(static_cast<std::size_t>(list.schema.source_type(e))),
        to(static_cast<std::size_t>(list.schema.destination_type(e))),
        sources(at::tensor(list.relations[static_cast<std::size_t>(e)].sources, at::kLong)),
        destinations(at::tensor(list.relations[static_cast<std::size_t>(e)].destinations, at::kLong)) {}
};

// Factors of the edges of relation e: dropout of a key that is folded with e.
at::Tensor drawn(int e, std::int64_t edges, std::int64_t heads, glt::random_key key, double rate) {
  std::vector<double> factors;
  for (std::int64_t id = 0; id < edges; ++id) {
    glt::random_stream draws(key.fold(static_cast<std::uint64_t>(e)), static_cast<std::uint64_t>(id));
    for (std::int64_t head = 0; head < heads; ++head) {
      factors.push_back(static_cast<double>(draws.next()) / 4294967296.0 < rate ? 0 : 1 / (1 - rate));
    }
  }
  return at::tensor(factors, at::kDouble).view({-1, heads});
}

// The layers as operations of LibTorch with a row for each edge.
auto dense_rgat(rgat_options const& options) {
  return [=](glt::rgat_conv const& layer, glt_test::hetero_list const& list, rows_by_type const& x) {
    auto const parameters = layer->named_parameters();
    auto const of = [&](char const* name, auto number) { return parameters[name + std::to_string(number)]; };
    rows_by_type y;
    for (std::size_t t = 0; t < x.size(); ++t) {
      auto const own = "own" + std::to_string(t);
      y.push_back(x[t].mm(parameters[own + ".weight"].t()) + parameters[own + ".bias"]);
    }
    for (int e = 0; e < list.schema.num_edge_types(); ++e) {
      relation_tensors const edges(list, e);
      auto const n = x[edges.to].size(0);
      auto const z = x[edges.from].mm(of("map", e).t()).view({x[edges.from].size(0), options.heads, options.out});
      auto const scores =
          at::leaky_relu((z * of("source", e)).sum(2).index_select(0, edges.sources) +
                             x[edges.to].mm(of("destination", e).t()).index_select(0, edges.destinations),
                         options.slope)
              .exp();
      auto const sums = at::zeros({n, options.heads}, at::kDouble).index_add(0, edges.destinations, scores);
      auto shares = scores / sums.index_select(0, edges.destinations);
      if (options.dropout > 0) {
        shares = shares * drawn(e, shares.size(0), options.heads, glt::random_key(7), options.dropout);
      }
      auto const heads = at::zeros({n, options.heads, options.out}, at::kDouble)
                             .index_add(0, edges.destinations, shares.unsqueeze(2) * z.index_select(0, edges.sources));
      y[edges.to] = y[edges.to] + (options.concatenate ? heads.flatten(1) : heads.mean(1));
    }
    return y;
  };
}

auto dense_hgt(hgt_options const& options) {
  return [=](glt::hgt_conv const& layer, glt_test::hetero_list const& list, rows_by_type const& x) {
    auto const parameters = layer->named_parameters();
    auto const heads = options.heads;
    auto const d = options.out / heads;
    auto const map = [&](std::string const& name, std::size_t type, at::Tensor const& rows) {
      auto const module = name + std::to_string(type);
      return rows.mm(parameters[module + ".weight"].t()) + parameters[module + ".bias"];
    };
    auto const of_heads = [&](at::Tensor const& rows) { return rows.view({rows.size(0), heads, d}); };
    rows_by_type y;
    for (std::size_t t = 0; t < x.size(); ++t) {
      std::vector<at::Tensor> scores{at::zeros({0, heads}, at::kDouble)}; // of edges of all relations
      std::vector<at::Tensor> messages{at::zeros({0, heads, d}, at::kDouble)};
      std::vector<at::Tensor> destinations{at::zeros({0}, at::kLong)};
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        relation_tensors const edges(list, e);
        if (edges.to != t) {
          continue;
        }
        auto const mapped = [&](char const* maps, at::Tensor const& rows) {
          return at::einsum("nhi,hji->nhj", {of_heads(rows), parameters[maps][e]}).index_select(0, edges.sources);
        };
        auto const queries = of_heads(map("query", t, x[t])).index_select(0, edges.destinations);
        auto const products = (mapped("key_maps", map("key", edges.from, x[edges.from])) * queries).sum(2);
        scores.push_back(products * parameters["priors"][e] / std::sqrt(static_cast<double>(d)));
        messages.push_back(mapped("value_maps", map("value", edges.from, x[edges.from])));
        destinations.push_back(edges.destinations);
      }
      auto const to = at::cat(destinations);
      auto const powers = at::cat(scores).exp();
      auto const sums = at::zeros({x[t].size(0), heads}, at::kDouble).index_add(0, to, powers);
      auto const shares = powers / sums.index_select(0, to);
      auto const sum = at::zeros({x[t].size(0), heads, d}, at::kDouble)
                           .index_add(0, to, shares.unsqueeze(2) * at::cat(messages))
                           .flatten(1);
      auto const made = map("result", t, at::gelu(sum));
      auto const* const gate = parameters.find("gate" + std::to_string(t));
      y.push_back(gate == nullptr ? made : gate->sigmoid() * made + (1 - gate->sigmoid()) * x[t]);
    }
    return y;
  };
}

// Calls an rgat_conv with the ids of edges.
auto const with_ids = [](glt::rgat_conv& layer, rows_by_type const& x, auto& sharded, auto const& graph) {
  glt::rgat_conv::draws draws{.key = glt::random_key(7)};
  for (int e = 0; e < sharded.schema().num_edge_types(); ++e) {
    draws.edge_ids.push_back(glt::to_tensor(graph.local(e).edge_ids()));
  }
  return layer(x, sharded, draws);
};

} // namespace

TEST_CASE("rgat_conv over ranks equals the dense layer over the whole graph, also with dropout") {
  std::size_t shift = 0; // each partitioner in turn is that of the first type
  for (auto const& list : {academic_graph(33), academic_graph(5)}) {
    for (auto const& options : {rgat_options{.in = {3, 2, 4, 1}, .out = 5},
                                {.in = {4}, .out = 2, .heads = 3, .slope = 0.01},
                                {.in = {3, 2, 4, 1}, .out = 3, .heads = 2, .concatenate = false},
                                {.in = {3}, .out = 2, .heads = 5, .dropout = 0.4}}) {
      glt_test::check_hetero_on_ranks<glt::rgat_conv>(list, options, shift++, dense_rgat(options), with_ids);
    }
  }
}

TEST_CASE("hgt_conv over ranks equals the dense layer, whose softmax is over all relations") {
  std::size_t shift = 0;
  for (auto const& list : {academic_graph(33), academic_graph(5)}) {
    for (auto const& options : {hgt_options{.in = {3, 6, 4, 1}, .out = 6, .heads = 3},
                                {.in = {4}, .out = 4, .heads = 2},
                                {.in = {3}, .out = 5}}) {
      glt_test::check_hetero_on_ranks<glt::hgt_conv>(list, options, shift++, dense_hgt(options));
    }
  }
}

TEST_CASE("the gradients of rgat_conv and hgt_conv over ranks agree with finite differences") {
  glt_test::check_hetero_differences<glt::rgat_conv>({.in = {2, 1, 3, 2}, .out = 1, .heads = 2, .dropout = 0.3},
                                                     with_ids);
  glt_test::check_hetero_differences<glt::hgt_conv>({.in = {2, 1, 3, 2}, .out = 2, .heads = 2});
}

TEST_CASE("rgat_conv and hgt_conv over typed message-flow graphs equal those over the whole graph at the seeds") {
  glt_test::check_hetero_mfgs<glt::rgat_conv>({.in = {4}, .out = 2, .heads = 2}, {.in = {4}, .out = 3});
  glt_test::check_hetero_mfgs<glt::hgt_conv>({.in = {4}, .out = 4, .heads = 2}, {.in = {4}, .out = 6, .heads = 3});
}

TEST_CASE("two layers of rgat_conv or hgt_conv over sampled typed blocks equal two over the whole graph") {
  rgat_options const first{.in = {4, 2, 3, 1}, .out = 5, .heads = 2};
  rgat_options const second{.in = {10}, .out = 3, .heads = 2, .concatenate = false};
  glt_test::check_hetero_blocks<glt::rgat_conv>(first, second, [&](auto& layer, auto const& list, auto const& x) {
    return dense_rgat(x[0].size(1) == 10 ? second : first)(layer, list, x);
  });
  hgt_options const wide{.in = {4, 6, 3, 1}, .out = 6, .heads = 3};
  glt_test::check_hetero_blocks<glt::hgt_conv>(wide, {.in = {6}, .out = 6, .heads = 3}, dense_hgt(wide));
}

TEST_CASE("rgat_conv drops coefficients over blocks by the ids of edges, and none in evaluation") {
  auto const list = academic_graph(33);
  rgat_options options{.in = {4}, .out = 2, .heads = 3, .dropout = 0.4};
  auto layer = glt_test::make_hetero_layer<glt::rgat_conv>(list.schema, options);
  auto const graph = list.graph();
  glt::hetero_neighbor_sampler<glt::device::cpu> sampler(
      graph.view(), {.fanouts = glt::same_fanouts(list.schema, {-1}), .edge_ids = true});
  std::vector<glt::local_id> const seeds{7, 2, 30};
  glt::hetero_subgraph<glt::device::cpu> subgraph;
  sampler.sample(0, seeds, {}, subgraph);
  auto const x = random_rows(list.schema, options.in);
  rows_by_type rows;
  for (std::size_t t = 0; t < x.size(); ++t) {
    rows.push_back(x[t].index_select(0, glt::to_tensor(subgraph.nodes(static_cast<int>(t))).to(at::kLong)));
  }
  auto const places = at::tensor(std::vector<std::int64_t>(seeds.begin(), seeds.end()), at::kLong);
  for (bool const is_training : {true, false}) {
    layer->train(is_training);
    options.dropout = is_training ? 0.4 : 0;
    auto const y =
        layer(rows, [&](int e) { return subgraph.block(e, 0); }, glt::rgat_conv::draws{.key = glt::random_key(7)});
    auto const expected = dense_rgat(options)(layer, list, x)[0].index_select(0, places);
    CHECK(at::allclose(y[0].narrow(0, 0, 3), expected, 1e-9, 1e-9));
  }
}

TEST_CASE("rgat_conv and hgt_conv apply the maps of vertices alone where no relation leads") {
  glt::hetero_schema const schema({{"a", 5}}, {});
  auto const x = random_rows(schema, 2);
  auto const none = [](int) -> glt::block_view<glt::memory_space::host> { throw glt::precondition_error("none"); };
  auto rgat = glt_test::make_hetero_layer<glt::rgat_conv>(schema, {.in = {2}, .out = 3, .heads = 2});
  glt_test::hetero_list const list{"no relations", schema, {}};
  auto const of_rgat = dense_rgat({.in = {2}, .out = 3, .heads = 2})(rgat, list, x);
  CHECK(at::allclose(rgat(x, none)[0], of_rgat[0], 1e-12, 1e-12));
  auto hgt = glt_test::make_hetero_layer<glt::hgt_conv>(schema, {.in = {2}, .out = 2});
  CHECK(hgt->named_parameters().contains("gate0"));
  CHECK(at::allclose(hgt(x, none)[0], dense_hgt({.in = {2}, .out = 2})(hgt, list, x)[0], 1e-12, 1e-12));
}

TEST_CASE("rgat_conv and hgt_conv refuse options and inputs that do not fit") {
  auto const schema = academic_graph(5).schema;
  auto const refuses = [&]<class Layer>(typename Layer::options options, Layer*, auto const&... words) {
    auto const said = glt_test::thrown<glt::precondition_error>([&] { Layer layer(schema, options); });
    INFO(said);
    CHECK(glt_test::names(said, words...));
  };
  glt::rgat_conv* const rgat = nullptr;
  glt::hgt_conv* const hgt = nullptr;
  refuses({.in = {0}, .out = 2}, rgat, "rgat_conv of widths 0 and 2");
  refuses({.in = {2, 2}, .out = 2}, rgat, "rgat_conv with 2 widths", "each of the 4 node types");
  refuses({.in = {2}, .out = 2, .heads = 0}, rgat, "0 heads");
  refuses({.in = {2}, .out = 2, .dropout = 1}, rgat, "dropout of 1");
  refuses({.in = {}, .out = 2}, hgt, "hgt_conv with 0 widths");
  refuses({.in = {2}, .out = 5, .heads = 2}, hgt, "5 columns in 2 heads");
  refuses({.in = {2}, .out = 5, .heads = 0}, hgt, "5 columns in 0 heads");
  glt::hgt_conv layer(schema, {.in = {2}, .out = 2});
  auto const no_graph = [](int) -> glt::block_view<glt::memory_space::host> { return {}; };
  auto const over = [&](rows_by_type const& x) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(layer(x, no_graph)); });
  };
  CHECK(glt_test::names(over({at::zeros({1, 2})}), "hgt_conv over 1 matrices"));
  CHECK(glt_test::names(over(random_rows(schema, 3)), "hgt_conv over ", "it takes [num_sources, 2]"));
}
