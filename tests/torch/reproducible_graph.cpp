// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/reproducible_graph.hpp>

#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/torch/batch_norm.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/hetero_attention.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/rgcn_conv.hpp>

#include "torch/layers.hpp"

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using glt_test::cpu;

constexpr std::int64_t num_columns = 7;
constexpr std::int64_t num_classes = 5;

glt::hetero_schema two_relations() {
  return {{{"v", 257}}, {{"v", "a", "v"}, {"v", "b", "v"}}};
}

struct network : torch::nn::Module {
  glt::gcn_conv first = register_module("first", glt::gcn_conv({.in = num_columns, .out = 11}));
  glt::batch_norm norm = register_module("norm", glt::batch_norm({.features = 11, .reproducible = true}));
  glt::sage_conv second = register_module("second", glt::sage_conv({.in = 11, .out = 13}));
  glt::gin_conv third = register_module("third", glt::gin_conv({.in = 13, .out = 6, .learn_epsilon = true}));
  glt::gat_conv attention =
      register_module("attention", glt::gat_conv({.in = 6, .out = 3, .heads = 4, .dropout = 0.3}));
  glt::gat_conv mean = register_module(
      "mean", glt::gat_conv({.in = 12, .out = 6, .heads = 2, .concatenate = false, .add_self_loops = false}));
  glt::rgat_conv fourth = register_module("fourth", glt::rgat_conv(two_relations(), {.in = {6}, .out = 4, .heads = 2}));
  glt::rgcn_conv fifth =
      register_module("fifth", glt::rgcn_conv(two_relations(), {.in = 8, .out = num_classes, .num_bases = 2}));

  template <class Graph>
  at::Tensor forward(at::Tensor const& x, Graph&& graph, glt::attention_draws const& draws) {
    auto const hidden =
        glt::keyed_dropout(norm(graph.graph.host(), first(x, graph)).relu(), 0.3, draws.key, draws.vertex_ids);
    auto const attended = attention(third(second(hidden, graph).relu(), graph).relu(), graph, draws).relu();
    auto const last = mean(attended, graph).relu();
    auto const relation = [&](int) -> auto& { return graph; }; // both relations have the same edges
    return fifth(fourth({last}, relation), relation)[0];
  }
};

glt_test::edge_list graph_to_train() {
  for (auto const& list : glt_test::graphs_to_divide()) {
    if (list.name == "random 257/4099") {
      return list;
    }
  }
  return {};
}

/// The parameters of rank 0 after some steps.
std::vector<at::Tensor> train(glt_test::named_partitioner const& partitioner, int ranks, at::Tensor const& x,
                              at::Tensor const& labels) {
  auto const list = graph_to_train();
  torch::manual_seed(3);
  network const initial;
  std::vector<at::Tensor> trained;
  glt::run_threads(ranks, [&](auto comm) {
    glt_test::divided_graph const divided(list, partitioner, comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph, {.depth = ranks % 3}, cpu(ranks == 2 ? 3 : 1));
    glt::dist::pushed_edges<cpu> const pushed(sharded, graph.local().edge_ids());
    network net;
    for (std::size_t i = 0; i < net.parameters().size(); ++i) {
      net.parameters()[i].detach().copy_(initial.parameters()[i]);
    }
    torch::optim::Adam adam(net.parameters(), torch::optim::AdamOptions(0.02));
    auto const own_x = glt_test::own_rows(x, divided, comm.rank());
    auto const own_labels = glt_test::own_rows(labels, divided, comm.rank());
    glt::attention_draws draws{.edge_ids = glt::to_tensor(graph.local().edge_ids()),
                               .vertex_ids = glt_test::own_rows(at::arange(list.num_vertices), divided, comm.rank())};
    for (std::uint64_t step = 0; step < 4; ++step) {
      adam.zero_grad();
      draws.key = glt::random_key(9).fold(step);
      auto const scores = net.forward(own_x, glt::reproducible_graph{sharded, ranks == 3 ? &pushed : nullptr}, draws);
      auto const loss = torch::nn::functional::cross_entropy(
          scores, own_labels, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
      (loss / static_cast<double>(list.num_vertices)).backward();
      glt::sum_grads(comm, net);
      adam.step();
    }
    if (comm.rank() == 0) {
      for (auto const& parameter : net.parameters()) {
        trained.push_back(parameter.detach().clone());
      }
      for (auto const& buffer : net.buffers()) { // running statistics
        trained.push_back(buffer.to(at::kFloat));
      }
    }
  });
  return trained;
}

/// What a layer makes of float rows over a divided graph, and its gradients, all in the order of the whole graph: by x,
/// if it `learns`, and by parameters.
template <class Make, class Call>
std::vector<at::Tensor> run_divided(Make make, Call call, int ranks, std::int64_t width, bool learns) {
  auto const list = graph_to_train();
  auto const x = at::arange(list.num_vertices * width, at::kFloat).sin().view({list.num_vertices, width});
  std::vector<std::vector<at::Tensor>> by_rank(static_cast<std::size_t>(ranks));
  std::vector<at::Tensor> ids(by_rank.size());
  std::vector<at::Tensor> made(2);
  glt::run_threads(ranks, [&](auto comm) {
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[static_cast<std::size_t>(ranks)],
                                          comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
    auto const rank = static_cast<std::size_t>(comm.rank());
    ids[rank] = glt_test::own_rows(at::arange(list.num_vertices), divided, comm.rank());
    auto layer = make();
    for (auto const& parameter : layer->parameters()) {
      parameter.detach().copy_(at::arange(parameter.numel(), at::kFloat).cos().view(parameter.sizes()));
    }
    auto const own_x = glt_test::own_rows(x, divided, comm.rank()).requires_grad_(learns);
    auto const y = call(layer, own_x, glt::reproducible_graph{sharded});
    y.pow(2).sum().backward();
    by_rank[rank] = {y.detach(), learns ? own_x.grad() : at::zeros_like(own_x)};
    glt::sum_grads(comm, *layer);
    if (comm.rank() == 0) {
      for (auto const& parameter : layer->parameters()) {
        made.push_back(parameter.grad().clone());
      }
    }
  });
  for (std::size_t i = 0; i < 2; ++i) {
    made[i] = at::zeros({list.num_vertices, by_rank[0][i].size(1)});
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      made[i].index_copy_(0, ids[rank], by_rank[rank][i]);
    }
  }
  return made;
}

} // namespace

TEST_CASE("every layer over a reproducible graph has the same bits on any number of ranks, whatever its shape") {
  auto const call = [](auto& layer, at::Tensor const& x, auto&& graph) { return layer(x, graph); };
  auto const check = [](auto make, auto with, std::int64_t in, std::string const& name) {
    for (bool const learns : {false, true}) {
      auto const expected = run_divided(make, with, 1, in, learns);
      for (int const ranks : {2, 3}) {
        auto const made = run_divided(make, with, ranks, in, learns);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          CHECK_MESSAGE(at::equal(made[i], expected[i]), name, " of ", in, " columns, tensor ", i, " on ", ranks,
                        " ranks", learns ? ", gradient of x" : "");
        }
      }
    }
  };
  for (auto const& [in, out] : {std::pair{9, 4}, std::pair{8, 8}, std::pair{4, 9}}) {
    check([=] { return glt::gcn_conv({.in = in, .out = out}); }, call, in, "gcn_conv");
    check([=] { return glt::gin_conv({.in = in, .out = out, .learn_epsilon = true}); }, call, in, "gin_conv");
    for (auto const how : {glt::dist::aggregator::mean, glt::dist::aggregator::sum}) {
      check([=] { return glt::sage_conv({.in = in, .out = out, .how = how}); }, call, in, "sage_conv");
    }
    for (bool const joined : {false, true}) {
      check([=] { return glt::gat_conv({.in = in, .out = out, .heads = 3, .concatenate = joined}); }, call, in,
            "gat_conv");
    }
    for (std::int64_t const bases : {0, 3}) {
      check([=] { return glt::rgcn_conv(two_relations(), {.in = in, .out = out, .num_bases = bases}); },
            [](auto& layer, at::Tensor const& x, auto&& graph) {
              return layer({x}, [&](int) -> auto& { return graph; })[0];
            },
            in, "rgcn_conv");
    }
  }
}

TEST_CASE("training over a reproducible graph gives the same bits on any number of ranks and any partition") {
  auto const list = graph_to_train();
  REQUIRE(list.num_vertices == 257);
  torch::manual_seed(1);
  auto const x = at::randn({list.num_vertices, num_columns});
  auto const labels = at::randint(0, num_classes, {list.num_vertices}, at::kLong);
  auto const partitioners = glt_test::all_partitioners();
  auto const expected = train(partitioners[0], 1, x, labels);
  network untrained;
  REQUIRE(expected.size() == untrained.parameters().size() + untrained.buffers().size());
  for (int const ranks : {1, 2, 3, 4}) {
    for (auto const& partitioner : {partitioners[1], partitioners[4]}) {
      INFO(ranks, " ranks, ", partitioner.name);
      auto const made = train(partitioner, ranks, x, labels);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(at::equal(made[i], expected[i]));
        CHECK(expected[i].abs().sum().item<double>() > 0);
      }
    }
  }
}

TEST_CASE("layers over a reproducible graph equal those over the graph") {
  auto const check = []<class Layer, class Options>(Layer initial, Options options) {
    auto const list = graph_to_train();
    auto const x = glt_test::numbers(list.num_vertices, options.in);
    auto const weights = glt_test::numbers(list.num_vertices, glt_test::columns_of(options));
    glt_test::on_ranks([&](auto comm) {
      glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      glt::dist::graph const graph(comm, divided.part(comm.rank()));
      glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
      auto const run = [&](auto&& over) {
        auto layer = glt_test::copy_layer(initial, options);
        auto made = glt_test::run_layer(layer, glt_test::own_rows(x, divided, comm.rank()),
                                        glt_test::own_rows(weights, divided, comm.rank()),
                                        [&](at::Tensor const& at_x) { return layer(at_x, over); });
        glt::sum_grads(comm, *layer);
        made.by_parameter.clear();
        for (auto const& parameter : layer->parameters()) {
          made.by_parameter.push_back(parameter.grad());
        }
        return made;
      };
      glt_test::check_equal(run(glt::reproducible_graph{sharded}), run(sharded));
    });
  };
  for (std::int64_t const out : {2, 9}) { // maps before and behind the sum
    glt::gcn_conv::options const gcn{4, out, true};
    check(glt_test::make_layer<glt::gcn_conv>(gcn), gcn);
    glt::sage_conv::options const sage{4, out, glt::dist::aggregator::sum};
    check(glt_test::make_layer<glt::sage_conv>(sage), sage);
    glt::gin_conv::options const gin{4, out, 0.5, true};
    check(glt_test::make_layer<glt::gin_conv>(gin), gin);
    glt::gat_conv::options const gat{.in = 4, .out = out, .heads = 3, .concatenate = out == 2};
    check(glt_test::make_layer<glt::gat_conv>(gat), gat);
  }
}

TEST_CASE("layers over reproducible relations equal those over the relations") {
  auto const list = graph_to_train();
  auto const x = glt_test::numbers(list.num_vertices, 4);
  glt_test::on_ranks([&](auto comm) {
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
    auto const own_x = glt_test::own_rows(x, divided, comm.rank());
    auto const check = [&](auto layer) {
      layer->to(at::kDouble);
      for (auto& parameter : layer->parameters()) {
        parameter.detach().copy_(at::arange(parameter.numel(), at::kDouble).sin().view(parameter.sizes()));
      }
      auto const run = [&](auto const& relation) {
        layer->zero_grad();
        auto made = glt_test::run_layer(layer, own_x, at::ones({own_x.size(0), 3}, at::kDouble),
                                        [&](at::Tensor const& at_x) { return layer({at_x}, relation)[0]; });
        glt::sum_grads(comm, *layer);
        made.by_parameter.clear();
        for (auto const& parameter : layer->parameters()) {
          made.by_parameter.push_back(parameter.grad().clone());
        }
        return made;
      };
      glt_test::check_equal(run([&](int) { return glt::reproducible_graph{sharded}; }),
                            run([&](int) -> auto& { return sharded; }));
    };
    check(glt::rgcn_conv(two_relations(), {.in = 4, .out = 3, .num_bases = 2}));
    check(glt::rgat_conv(two_relations(), {.in = {4}, .out = 3, .heads = 2, .concatenate = false}));
    check(glt::hgt_conv(two_relations(), {.in = {4}, .out = 3, .heads = 3}));
  });
}

TEST_CASE("rows that are not finite stay in their rows, and their gradients are an error of all ranks") {
  auto const list = graph_to_train();
  glt::run_threads(2, [&](auto comm) {
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
    glt::reproducible_graph const exact{sharded};
    auto const rows = sharded.num_sources();
    auto const weight = at::ones({3, 2}).requires_grad_();
    auto x = at::ones({rows, 2});
    if (comm.rank() == 1) {
      x[1][0] = std::numeric_limits<float>::infinity();
    }
    auto const y = map_rows(x, weight, {}, exact);
    CHECK(y.detach().isfinite().sum().template item<std::int64_t>() == (rows - comm.rank()) * 3);
    std::string text;
    try {
      y.sum().backward();
    } catch (glt::collective_error const& error) {
      text = error.what();
    }
    CHECK(text.find("rank 1") != std::string::npos);
    CHECK(text.find("not a number") != std::string::npos);
    auto const trained = at::ones({rows, 2}).requires_grad_();
    CHECK_THROWS_AS(static_cast<void>(aggregate_neighbors(trained, exact, glt::dist::aggregator::max)),
                    glt::precondition_error);
  });
}

TEST_CASE("ranks that train parameters of different sizes all get the same error") {
  glt::run_threads(2, [&](auto comm) {
    glt_test::divided_graph const divided(graph_to_train(), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
    auto const weight = at::ones({2 + comm.rank(), 2}).requires_grad_();
    auto const y = map_rows(at::ones({sharded.num_sources(), 2}), weight, {}, glt::reproducible_graph{sharded});
    CHECK_THROWS_WITH_AS(y.sum().backward(), doctest::Contains("train the same parameters"), glt::collective_error);
  });
}
