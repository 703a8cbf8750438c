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
#include "support/scarce.hpp"
#include "torch/hetero_layers.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using glt_test::divided_hetero_graph;
using glt_test::random_rows;
using glt_test::rows_by_type;

namespace {

glt::rgcn_conv make_layer(glt::hetero_schema const& schema, glt::rgcn_conv::options options) {
  return glt_test::make_hetero_layer<glt::rgcn_conv>(schema, options);
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
    auto const map = shares == nullptr ? maps.select(0, e) : at::einsum("b,bij->ij", {shares->select(0, e), maps});
    y[to] = y[to] + edges.mm(x[from]).mm(map);
  }
  return y;
}

void check_on_ranks(glt_test::hetero_list const& list, glt::rgcn_conv::options options, std::size_t shift,
                    bool has_cover = false) {
  auto const after = [&](auto& sharded) {
    if (!has_cover) { // all relations in one rotation, there and back
      CHECK(sharded.report().messages <= 2 * (sharded.relation(0).size() - 1));
    }
  };
  glt_test::check_hetero_on_ranks<glt::rgcn_conv>(list, options, shift, dense_layer, {}, has_cover, after);
}

} // namespace

TEST_CASE("rgcn_conv over ranks equals the dense layer over the whole graph, with and without bases") {
  std::size_t shift = 0; // each partitioner in turn is that of the first type
  for (auto const& list : {glt_test::academic_graph(33), glt_test::academic_graph(5)}) {
    check_on_ranks(list, {.in = 3, .out = 5}, shift++);
    check_on_ranks(list, {.in = 5, .out = 2}, shift++);
    check_on_ranks(list, {.in = 3, .out = 4, .num_bases = 2}, shift++);
    check_on_ranks(list, {.in = 3, .out = 4, .num_bases = 2}, shift++, true);
  }
}

TEST_CASE("the gradients of rgcn_conv over ranks agree with finite differences") {
  glt_test::check_hetero_differences<glt::rgcn_conv>({.in = 2, .out = 2, .num_bases = 2});
}

TEST_CASE("rgcn_conv over typed message-flow graphs equals the one over the whole graph at the seeds") {
  glt_test::check_hetero_mfgs<glt::rgcn_conv>({.in = 4, .out = 4}, {.in = 4, .out = 3});
}

TEST_CASE("rgcn_conv over blocks with all neighbours equals the dense layer at the seeds") {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  glt::hetero_neighbor_sampler<glt::device::cpu> sampler(graph.view(),
                                                         {.fanouts = glt::same_fanouts(list.schema, {-1})});
  std::vector<glt::local_id> const seeds{7, 2, 30};
  auto const x = random_rows(list.schema, 4);
  glt::hetero_subgraph<glt::device::cpu> subgraph;
  sampler.sample(0, seeds, {}, subgraph);
  rows_by_type rows;
  for (int t = 0; t < list.schema.num_node_types(); ++t) {
    auto const nodes = glt::to_tensor(subgraph.nodes(t)).to(at::kLong);
    rows.push_back(x[static_cast<std::size_t>(t)].index_select(0, nodes));
  }
  for (std::int64_t const bases : {1, 3}) {
    CAPTURE(bases);
    auto layer = make_layer(list.schema, {.in = 4, .out = 3, .num_bases = bases});
    CHECK(layer->named_parameters()["maps"].size(0) == bases);
    auto const y = layer(rows, [&](int e) { return subgraph.block(e, 0); });
    auto const expected = dense_layer(layer, list, x);
    auto const places = at::tensor(std::vector<std::int64_t>(seeds.begin(), seeds.end()), at::kLong);
    CHECK(at::allclose(y[0].narrow(0, 0, 3), expected[0].index_select(0, places), 1e-9, 1e-9));
  }
}

TEST_CASE("two layers over sampled typed blocks equal two over the whole graph, forward and backward") {
  glt_test::check_hetero_blocks<glt::rgcn_conv>({.in = 4, .out = 5}, {.in = 5, .out = 3, .num_bases = 2}, dense_layer);
}

TEST_CASE("a rank with rows that do not fit, without memory or with another schema, fails") {
  auto const list = glt_test::academic_graph(5);
  glt_test::on_ranks([&](auto comm) {
    divided_hetero_graph const divided(list, comm.size());
    using glt_test::scarce_policy;
    glt::dist::hetero_graph const graph(comm, glt_test::device_part<scarce_policy>(divided, comm.rank(), {}));
    glt::dist::hetero_sharded_graph<decltype(comm), scarce_policy> sharded(comm, graph);
    glt::rgcn_conv layer(list.schema, {.in = 3, .out = 4});
    auto const last = comm.size() - 1;
    auto const failure = [&](std::int64_t more_rows) {
      rows_by_type x;
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        x.push_back(at::zeros({sharded.num_sources(t) + (t == list.schema.source_type(0) ? more_rows : 0), 3}));
      }
      return glt_test::thrown<glt::collective_error>([&] { static_cast<void>(layer(x, sharded)); });
    };
    glt_test::scarce_resource::allocations_left = comm.rank() == last ? 0 : -1;
    auto const scarce = failure(0);
    glt_test::scarce_resource::allocations_left = -1;
    if (comm.size() > 1) {
      CHECK(glt_test::names(scarce, "rank " + std::to_string(last), "alloc"));
    }
    CHECK(glt_test::names(failure(comm.rank() == last ? 1 : 0), "rank " + std::to_string(last),
                          "for relation 0; pass ["));
    CHECK(failure(0) == "(nothing was thrown)");
    auto const refused = [&](at::ScalarType first, at::ScalarType others) {
      rows_by_type x;
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        x.push_back(at::zeros({sharded.num_sources(t), 3}, t == list.schema.source_type(0) ? first : others));
      }
      return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(layer(x, sharded)); });
    };
    CHECK(glt_test::names(refused(at::kFloat, at::kDouble), "rgcn_conv over ", "all of one type"));
    CHECK(glt_test::names(refused(at::kHalf, at::kHalf), "rgcn_conv over ", "pass float or double"));
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
  CHECK_THROWS_AS(static_cast<void>(layer(rows_by_type{at::zeros({1, 2})}, no_graph)), glt::precondition_error);
  auto many = random_rows(schema, 2);
  many.push_back(many.back());
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(layer(many, no_graph)); }),
                        "rgcn_conv over ", "matrices; pass one for each"));
  auto const wide = random_rows(schema, 3);
  CHECK_THROWS_AS(static_cast<void>(layer(wide, no_graph)), glt::precondition_error);
}

TEST_CASE("rgcn_conv without relations maps every vertex by itself") {
  glt::hetero_schema const schema({{"a", 5}}, {});
  auto layer = make_layer(schema, {.in = 2, .out = 3});
  {
    at::NoGradGuard const guard;
    layer->named_parameters()["bias"].fill_(0.5);
  }
  auto const x = random_rows(schema, 2);
  auto const none = [](int) -> glt::block_view<glt::memory_space::host> { throw std::out_of_range("no relations"); };
  auto const y = layer(x, none);
  REQUIRE(y.size() == 1);
  CHECK(at::allclose(y[0], x[0].mm(layer->named_parameters()["self"]) + 0.5, 1e-12, 1e-12));
}
