// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/rgcn_conv.hpp>

#include <glt/core/error.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/dist/full_batch/mfg.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/torch/tensor.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"
#include "torch/slopes.hpp"

#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
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

glt::rgcn_conv make_layer(glt::hetero_schema const& schema, glt::rgcn_conv::options options) {
  at::manual_seed(5);
  glt::rgcn_conv layer(schema, options);
  layer->to(at::kDouble);
  return layer;
}

// Parameters of all ranks are the same; modules are shared handles.
glt::rgcn_conv copy_of(glt::rgcn_conv const& from, glt::hetero_schema const& schema, glt::rgcn_conv::options options) {
  glt::rgcn_conv layer(schema, options);
  layer->to(at::kDouble);
  at::NoGradGuard const guard;
  auto const parameters = layer->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].copy_(from->parameters()[i]);
  }
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
    auto const map = shares == nullptr ? maps.select(0, e) : at::einsum("b,bij->ij", {shares->select(0, e), maps});
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

void check_on_ranks(glt_test::hetero_list const& list, glt::rgcn_conv::options options, std::size_t shift,
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
      auto share =
          parameters[i].grad().defined() ? parameters[i].grad().contiguous().clone() : at::zeros_like(parameters[i]);
      comm.all_reduce(std::span<double>(share.template data_ptr<double>(), static_cast<std::size_t>(share.numel())),
                      glt::reduction::sum);
      auto const& gradient = whole->parameters()[i].grad();
      CHECK(at::allclose(share, gradient.defined() ? gradient : at::zeros_like(share), 1e-8, 1e-8));
    }
  });
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
  auto const list = glt_test::academic_graph(2);
  auto const whole = make_layer(list.schema, {.in = 2, .out = 2, .num_bases = 2});
  glt_test::on_ranks([&](auto comm) {
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_sharded_graph sharded(comm, graph);
    glt::rgcn_conv layer = copy_of(whole, list.schema, {.in = 2, .out = 2, .num_bases = 2});
    auto inputs = layer->parameters();
    auto const num_parameters = inputs.size();
    for (auto const& rows : random_rows(list.schema, 2)) {
      inputs.push_back(rows.requires_grad_());
    }
    glt_test::check_slopes(comm, inputs, [&] {
      rows_by_type own;
      rows_by_type ids;
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        ids.push_back(original_ids(divided, t, comm.rank()));
        own.push_back(inputs[num_parameters + static_cast<std::size_t>(t)].index_select(0, ids.back()));
      }
      auto const y = layer(own, sharded);
      auto loss = at::zeros({}, at::kDouble);
      for (std::size_t t = 0; t < y.size(); ++t) {
        loss = loss + loss_of(y[t].pow(2), ids[t]);
      }
      return loss;
    });
  });
}

TEST_CASE("rgcn_conv over typed message-flow graphs equals the one over the whole graph at the seeds, forward and "
          "backward") {
  auto const list = glt_test::academic_graph(101); // institutions have no in-edges
  auto const select = [](rows_by_type const& rows, std::vector<std::vector<glt::local_id>> const& places) {
    rows_by_type some;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      some.push_back(rows[t].index_select(0, glt::to_tensor(glt::host_view<glt::local_id const>(places[t]))));
    }
    return some;
  };
  glt_test::on_ranks([&](auto comm) {
    for (std::size_t const num_layers : {2U, 3U}) {
      for (auto const* const only : {"", "institution", "topic"}) { // with seeds; empty: all types
        for (bool const has_cover : {false, true}) {
          INFO(num_layers, " layers, seeds of type ", only, ", cover ", has_cover, ", rank ", comm.rank());
          divided_hetero_graph const divided(list, comm.size(), 4); // papers are on the last rank alone
          glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
          glt::dist::hetero_sharded_graph sharded(comm, graph, {.cover = has_cover});
          auto const x = random_rows(list.schema, 4);
          rows_by_type own;
          std::vector<std::vector<glt::local_id>> seeds(x.size());
          for (int t = 0; t < list.schema.num_node_types(); ++t) {
            auto const type = static_cast<std::size_t>(t);
            own.push_back(x[type].index_select(0, original_ids(divided, t, comm.rank())).requires_grad_());
            for (glt::local_id v = 0; v < own.back().size(0); v += 5) {
              if (*only == '\0' || list.schema.node_types()[type].name == only) {
                seeds[type].push_back(v);
              }
            }
          }
          auto mfgs =
              glt::dist::make_mfgs(comm, graph, seeds, static_cast<std::int64_t>(num_layers), {.cover = has_cover});
          std::vector<glt::rgcn_conv> layers;
          rows_by_type inputs = own;
          for (std::size_t l = 0; l < num_layers; ++l) {
            glt::rgcn_conv::options const options{.in = 4, .out = l + 1 < num_layers ? 4 : 3};
            layers.push_back(make_layer(list.schema, options));
            for (auto const& parameter : layers.back()->parameters()) {
              inputs.push_back(parameter);
            }
          }
          auto const gradients = [&](rows_by_type y) {
            auto loss = at::zeros({}, at::kDouble);
            for (std::size_t t = 0; t < y.size(); ++t) {
              REQUIRE(y[t].size(0) == std::ssize(seeds[t]));
              loss = loss + loss_of(y[t], at::arange(y[t].size(0), at::kLong));
            }
            return torch::autograd::grad({loss}, inputs, {}, {}, false, true);
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
    }
  });
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
    auto const of_layer = [&](int layer) { return [&subgraph, layer](int e) { return subgraph.block(e, layer); }; };
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
