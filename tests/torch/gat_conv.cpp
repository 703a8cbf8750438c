// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/layers.hpp>

#include <glt/core/error.hpp>
#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "torch/layers.hpp"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

using gat_conv_options = glt::gat_conv::options;

constexpr gat_conv_options all_options[] = {
    {.in = 6, .out = 5},
    {.in = 3, .out = 4, .heads = 3},
    {.in = 6, .out = 2, .heads = 2, .concatenate = false, .slope = 0.01},
    {.in = 4, .out = 9, .heads = 2, .add_self_loops = false},
    {.in = 4, .out = 3, .heads = 5, .concatenate = false, .add_self_loops = false},
};

/// What dropout makes of coefficients 1 of edges with these ids: [E, heads].
at::Tensor drawn(std::vector<std::int64_t> const& ids, glt::random_key key, double rate, std::int64_t heads) {
  std::vector<double> factors;
  for (auto const id : ids) {
    glt::random_stream draws(key, static_cast<std::uint64_t>(id));
    for (std::int64_t head = 0; head < heads; ++head) {
      factors.push_back(static_cast<double>(draws.next()) / 4294967296.0 < rate ? 0 : 1 / (1 - rate));
    }
  }
  return at::tensor(factors, at::kDouble).view({-1, heads});
}

/// The layer as operations of LibTorch with a row for each edge; coefficients times `factors` [E + D, heads], of which
/// the last are of self-loops, if those are defined.
auto dense_with(gat_conv_options const& options, at::Tensor const& factors = {}) {
  return [=](glt::gat_conv const& layer, at::Tensor const& x, glt_test::dense_graph const& graph, at::Tensor const&) {
    auto const parameters = layer->named_parameters();
    auto const n = graph.num_destinations;
    std::vector<std::int64_t> from(graph.row.begin(), graph.row.end());
    std::vector<std::int64_t> to(graph.col.begin(), graph.col.end());
    for (std::int64_t v = 0; v < n && options.add_self_loops; ++v) {
      from.push_back(v);
      to.push_back(v);
    }
    auto const sources = at::tensor(from, at::kLong);
    auto const destinations = at::tensor(to, at::kLong);
    auto const z = x.mm(parameters["linear.weight"].t()).view({x.size(0), options.heads, options.out});
    auto const by_source = (z * parameters["source"]).sum(2).index_select(0, sources);
    auto const by_destination = (z * parameters["destination"]).sum(2).index_select(0, destinations);
    auto const scores = at::leaky_relu(by_source + by_destination, options.slope).exp();
    auto const sums = at::zeros({n, options.heads}, at::kDouble).index_add(0, destinations, scores);
    auto shares = scores / sums.index_select(0, destinations);
    if (factors.defined()) {
      shares = shares * factors;
    }
    auto const y = at::zeros({n, options.heads, options.out}, at::kDouble)
                       .index_add(0, destinations, shares.unsqueeze(2) * z.index_select(0, sources));
    return (options.concatenate ? y.flatten(1) : y.mean(1)) + parameters["bias"];
  };
}

std::vector<std::int64_t> edge_and_loop_ids(std::int64_t edges, std::int64_t vertices) {
  std::vector<std::int64_t> ids;
  for (std::int64_t e = 0; e < edges; ++e) {
    ids.push_back(e);
  }
  for (std::int64_t v = 0; v < vertices; ++v) {
    ids.push_back(-1 - v);
  }
  return ids;
}

} // namespace

TEST_CASE("gat_conv over a block equals the dense layer, with isolated destinations, without edges and "
          "without seeds") {
  for (auto const& options : all_options) {
    glt_test::check_on_blocks<glt::gat_conv>(options, false, dense_with(options));
  }
}

TEST_CASE("gat_conv over ranks equals the dense layer over the whole graph") {
  for (auto const& options : all_options) {
    glt_test::check_on_ranks<glt::gat_conv>(options, dense_with(options));
  }
}

TEST_CASE("the gradients of gat_conv over ranks, with dropout as well, agree with finite differences") {
  for (double const dropout : {0.0, 0.4}) {
    glt_test::check_differences<glt::gat_conv>(
        gat_conv_options{.in = 3, .out = 2, .heads = 2, .dropout = dropout},
        [](glt::gat_conv& layer, at::Tensor const& x, auto& graph, glt_test::original_ids const& ids) {
          return layer(x, graph, {.key = glt::random_key(7), .edge_ids = ids.edges, .vertex_ids = ids.vertices});
        });
  }
}

TEST_CASE("gat_conv over blocks with all neighbours equals the one over the whole graph at the seeds") {
  for (auto const& options : all_options) {
    glt_test::check_sampled<glt::gat_conv>(options);
  }
}

TEST_CASE("gat_conv over message-flow graphs equals the one over the whole graph at the seeds") {
  for (auto const& options : all_options) {
    glt_test::check_mfgs<glt::gat_conv>(options);
  }
}

TEST_CASE("gat_conv drops coefficients by the ids of edges and vertices alone, over blocks and over ranks") {
  auto const key = glt::random_key(7).fold(3).fold(1);
  auto const list = glt_test::random_graph(101, 999);
  glt_test::dense_graph const whole{list.num_vertices, list.num_vertices, list.sources, list.destinations};
  for (bool const loops : {true, false}) {
    gat_conv_options const options{.in = 4, .out = 3, .heads = 5, .add_self_loops = loops, .dropout = 0.4};
    auto const num_edges = static_cast<std::int64_t>(list.sources.size());
    auto const ids = edge_and_loop_ids(num_edges, loops ? list.num_vertices : 0);
    auto const dense = dense_with(options, drawn(ids, key, options.dropout, options.heads));
    auto const initial = glt_test::make_layer<glt::gat_conv>(options);
    auto same = glt_test::copy_layer(initial, options);
    auto const x = glt_test::numbers(list.num_vertices, options.in);
    auto const weights = glt_test::numbers(list.num_vertices, options.heads * options.out);
    auto const expected =
        glt_test::run_layer(same, x, weights, [&](at::Tensor const& at_x) { return dense(same, at_x, whole, {}); });

    std::vector<glt::local_id> seeds;
    for (glt::local_id v = 0; v < list.num_vertices; ++v) {
      seeds.push_back(v);
    }
    auto const rows = glt::make_csr<glt::device::cpu>(list.view(), {.edge_ids = true});
    glt::neighbor_sampler<glt::device::cpu, glt::local_id> sampler(rows.view(), {.fanouts = {-1}, .edge_ids = true});
    glt::sampled_subgraph<glt::device::cpu> batch;
    sampler.sample(glt::host_view<glt::local_id const>(seeds), {}, batch);
    glt_test::check_equal(glt_test::run_layer(same, x, weights,
                                              [&](at::Tensor const& at_x) {
                                                return same(at_x, batch.block(0),
                                                            {.key = key, .vertex_ids = glt::to_tensor(batch.nodes())});
                                              }),
                          expected);
    glt_test::on_ranks([&](auto comm) {
      at::set_num_threads(1);
      glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      glt::dist::graph const graph(comm, divided.part(comm.rank()));
      glt::dist::sharded_graph<decltype(comm), glt::device::cpu> sharded(comm, graph);
      auto layer = glt_test::copy_layer(initial, options);
      auto const own = [&](at::Tensor const& all) { return glt_test::own_rows(all, divided, comm.rank()); };
      glt::attention_draws const of_rank{.key = key,
                                         .edge_ids = glt::to_tensor(graph.local().edge_ids()),
                                         .vertex_ids = own(at::arange(list.num_vertices, at::kLong))};
      auto const made = glt_test::run_layer(layer, own(x), own(weights),
                                            [&](at::Tensor const& at_x) { return layer(at_x, sharded, of_rank); });
      CHECK(glt_test::largest(made.y - own(expected.y)) < 1e-9);
      CHECK(glt_test::largest(made.by_x - own(expected.by_x)) < 1e-9);
      std::vector<glt::local_id> own_seeds;
      for (glt::local_id v = 0; v < sharded.num_destinations(); v += 3) {
        own_seeds.push_back(v);
      }
      auto mfgs = glt::dist::make_mfgs(comm, graph, own_seeds, 1);
      auto const inputs = glt::to_tensor(glt::host_view<glt::local_id const>(mfgs.inputs));
      auto const of_seeds = layer(own(x).index_select(0, inputs), mfgs.layers[0],
                                  {.key = key,
                                   .edge_ids = glt::to_tensor(mfgs.edge_ids[0].view()),
                                   .vertex_ids = of_rank.vertex_ids.index_select(0, inputs)});
      auto const seeds_of_rank = glt::to_tensor(glt::host_view<glt::local_id const>(own_seeds));
      CHECK(glt_test::largest(of_seeds - made.y.index_select(0, seeds_of_rank)) < 1e-12);
      for (auto const choice : {glt::detail::push_choice::useful, glt::detail::push_choice::all}) {
        glt::dist::pushed_edges<glt::device::cpu> const edges(sharded, graph.local().edge_ids(), choice);
        auto const before = sharded.report().bytes;
        auto const pushed = glt_test::run_layer(layer, own(x), own(weights), [&](at::Tensor const& at_x) {
          return layer(at_x, glt::pushing_graph{sharded, edges}, of_rank);
        });
        CHECK(glt_test::largest(pushed.y - own(expected.y)) < 1e-9);
        CHECK(glt_test::largest(pushed.by_x - own(expected.by_x)) < 1e-9);
        CHECK((comm.size() == 1 || sharded.report().bytes > before));
      }
      layer->eval(); // drops nothing and needs no ids
      auto const whole_layer = dense_with(options);
      at::NoGradGuard const no_gradients;
      CHECK(glt_test::largest(layer(own(x), sharded) - own(whole_layer(layer, x, whole, {}))) < 1e-9);
    });
  }
}

TEST_CASE("gat_conv refuses widths, heads and inputs that do not fit, and dropout without the ids that it "
          "depends on") {
  CHECK_THROWS_AS(glt::gat_conv({.in = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::gat_conv({.in = 2, .out = -1}), glt::precondition_error);
  CHECK_THROWS_AS(glt::gat_conv({.in = 2, .out = 1, .heads = 0}), glt::precondition_error);
  CHECK_THROWS_AS(glt::gat_conv({.in = 2, .out = 1, .dropout = 1}), glt::precondition_error);
  glt_test::random_block const block(4, 2, 2, 1);
  glt::gat_conv layer({.in = 3, .out = 2, .dropout = 0.5});
  using glt_test::names;
  auto const refused = [&](at::Tensor const& x, glt::attention_draws const& draws) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(layer(x, block.view(), draws)); });
  };
  glt::attention_draws const draws{.edge_ids = at::arange(block.view().num_edges()), .vertex_ids = at::arange(2)};
  CHECK(layer(at::zeros({4, 3}), block.view(), draws).size(0) == 2);
  CHECK(names(refused(at::zeros({4, 2}), draws), "gat_conv over", "num_sources, 3"));
  CHECK(names(refused(at::zeros({5, 3}), draws), "each of 4 sources"));
  CHECK(names(refused({}, draws), "undefined"));
  CHECK(names(refused(at::zeros({4, 3}), {}), "vertex ids", "2 destinations"));
  CHECK(names(refused(at::zeros({4, 3}), {.vertex_ids = at::arange(2)}), "0 ids of", "sample with edge_ids"));
  glt_test::on_ranks([&](auto comm) {
    glt_test::divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1],
                                          comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), glt::device::cpu> sharded(comm, graph);
    glt::gat_conv own({.in = 3, .out = 2, .dropout = 0.5});
    auto const x = at::zeros({sharded.num_sources(), 3});
    auto const fails = [&](at::Tensor const& rows, glt::attention_draws const& of_rank) {
      return glt_test::thrown<glt::collective_error>([&] { static_cast<void>(own(rows, sharded, of_rank)); });
    };
    auto const vertices = at::arange(sharded.num_sources());
    CHECK(names(fails(x, {.vertex_ids = vertices}), "0 ids of", "dropout depends on them"));
    auto const longer = comm.rank() == 0 ? at::zeros({sharded.num_sources() + 1, 3}) : x;
    CHECK(names(fails(longer, {.edge_ids = at::arange(sharded.num_edges()), .vertex_ids = vertices}), "rank 0",
                "values ["));
  });
}

TEST_CASE("a rank on which gat_conv fails, for want of memory as well, fails all ranks with the same error") {
  glt_test::check_failures<glt::gat_conv>(gat_conv_options{.in = 3, .out = 2, .heads = 2});
}

TEST_CASE("gat_conv has no second derivatives") {
  glt_test::random_block const block(4, 2, 2, 1);
  glt::gat_conv layer({.in = 3, .out = 2});
  auto const y = layer(at::ones({4, 3}), block.view()).sum();
  auto const differentiate_twice = [&] {
    torch::autograd::grad({y}, {layer->parameters()[0]}, {}, /*retain_graph=*/true, /*create_graph=*/true);
  };
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(differentiate_twice), "attend_neighbors"));
}
