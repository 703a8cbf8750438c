// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/dist/full_batch/mfg.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/graph.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/tensor.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"
#include "torch/dense_graph.hpp"
#include "torch/random_block.hpp"
#include "torch/slopes.hpp"

#include <ATen/Parallel.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace glt_test {

/// What a layer gives for x, and its gradients.
struct layer_result {
  at::Tensor y;
  at::Tensor by_x;
  std::vector<at::Tensor> by_parameter;
};

/// `forward(x)` and the gradients of its product with weights.
template <class Layer, class Forward>
layer_result run_layer(Layer& layer, at::Tensor const& input, at::Tensor const& weights, Forward forward) {
  for (auto& parameter : layer->parameters()) {
    parameter.mutable_grad().reset();
  }
  auto const x = input.detach().clone().requires_grad_();
  auto const y = forward(x);
  ((y * weights).sum() + 0 * x.sum()).backward(); // a graph may have no edges
  layer_result made{y.detach(), x.grad(), {}};
  for (auto const& parameter : layer->parameters()) {
    made.by_parameter.push_back(parameter.grad().defined() ? parameter.grad().clone() : at::zeros_like(parameter));
  }
  return made;
}

inline void check_equal(layer_result const& made, layer_result const& expected) {
  REQUIRE(made.y.sizes() == expected.y.sizes());
  CHECK(largest(made.y - expected.y) < 1e-9);
  CHECK(largest(made.by_x - expected.by_x) < 1e-9);
  for (std::size_t i = 0; i < expected.by_parameter.size(); ++i) {
    CHECK(largest(made.by_parameter[i] - expected.by_parameter[i]) < 1e-9);
  }
}

/// A layer of doubles; two from the same seed have the same parameters.
template <class Layer, class Options>
Layer make_layer(Options options) {
  at::manual_seed(5);
  Layer layer(options);
  layer->to(at::kDouble);
  return layer;
}

/// The same layer for a rank of its own: modules are shared handles.
template <class Layer, class Options>
Layer copy_layer(Layer const& from, Options options) {
  Layer made(options);
  made->to(at::kDouble);
  for (std::size_t i = 0; i < made->parameters().size(); ++i) {
    made->parameters()[i].detach().copy_(from->parameters()[i]);
  }
  return made;
}

/// Columns of a layer's output.
template <class Options>
std::int64_t columns_of(Options const& options) {
  if constexpr (requires { options.concatenate; }) {
    return options.concatenate ? options.heads * options.out : options.out;
  } else {
    return options.out;
  }
}

/// The layer over a graph, with degrees if it takes them.
template <class Layer, class Graph>
at::Tensor call_layer(Layer& layer, at::Tensor const& x, Graph&& graph, at::Tensor const& degrees) {
  if constexpr (requires { layer(x, graph, degrees); }) {
    return layer(x, graph, degrees);
  } else {
    return layer(x, graph);
  }
}

inline at::Tensor numbers(std::int64_t rows, std::int64_t columns) {
  return at::randn({rows, columns}, at::kDouble);
}

/// The layer over random blocks against `dense(layer, x, graph, degrees)`, where degrees are a column or undefined.
template <class Layer, class Options, class Dense>
void check_on_blocks(Options options, bool with_degrees, Dense dense) {
  struct shape {
    std::int64_t sources, destinations, max_degree;
  };
  auto layer = make_layer<Layer>(options);
  for (auto const [sources, destinations, max_degree] :
       {shape{1, 1, 0}, shape{1, 1, 3}, shape{23, 9, 4}, shape{57, 57, 6}, shape{7, 7, 0}, shape{5, 0, 2},
        shape{0, 0, 0}}) {
    INFO(sources, " to ", destinations);
    random_block const block(sources, destinations, max_degree, 3);
    auto const x = numbers(sources, options.in);
    auto const degrees = with_degrees ? at::randint(0, 9, {sources, 1}, at::kDouble) : at::Tensor();
    auto const weights = numbers(destinations, columns_of(options));
    check_equal(run_layer(layer, x, weights,
                          [&](at::Tensor const& at_x) {
                            return call_layer(layer, at_x, block.view(), with_degrees ? degrees.squeeze(1) : degrees);
                          }),
                run_layer(layer, x, weights,
                          [&](at::Tensor const& at_x) { return dense(layer, at_x, block.dense(), degrees); }));
  }
}

/// The rows of a tensor by original id that a rank has.
inline at::Tensor own_rows(at::Tensor const& all, divided_graph const& divided, int rank) {
  auto const ids = divided.names.original.view().subview(divided.names.book.begin(rank), divided.names.book.size(rank));
  return all.index_select(0, glt::to_tensor(ids));
}

/// Original ids of a rank's edges, in its order, and of its vertices.
struct original_ids {
  at::Tensor edges;
  at::Tensor vertices;

  template <class Graph>
  original_ids(Graph const& graph, divided_graph const& divided, int rank)
      : edges(glt::to_tensor(graph.local().edge_ids())),
        vertices(own_rows(at::arange(divided.whole.view().num_rows(), at::kLong), divided, rank)) {}
};

/// Calls a layer that knows vertices only.
struct without_edges {
  template <class Layer, class Graph>
  at::Tensor operator()(Layer& layer, at::Tensor const& x, Graph& graph, original_ids const&) const {
    return layer(x, graph);
  }
};

/// The layer over graphs that are divided among ranks against `dense` over the whole; call(layer, x, graph, ids).
template <class Layer, class Options, class Dense, class Call = without_edges>
void check_on_ranks(Options options, Dense dense, Call call = {}) {
  auto const partitioners = all_partitioners();
  std::size_t number = 0;
  for (auto const& list : graphs_to_divide()) {
    ++number;
    if (list.num_vertices > 1000) {
      continue; // too many for a dense matrix
    }
    dense_graph const whole{list.num_vertices, list.num_vertices, list.sources, list.destinations};
    auto const initial = make_layer<Layer>(options);
    auto const x = numbers(list.num_vertices, options.in);
    auto const weights = numbers(list.num_vertices, columns_of(options));
    auto same = make_layer<Layer>(options);
    auto const expected = run_layer(
        same, x, weights, [&](at::Tensor const& at_x) { return dense(same, at_x, whole, whole.in_degrees()); });
    for (auto const turn : {number, number + 3}) { // each partitioner and depth with some graphs
      on_ranks([&](auto comm) {
        auto const& partitioner = partitioners[turn % partitioners.size()];
        auto const depth = static_cast<std::int64_t>(turn % 4);
        INFO(list.name, ", ", partitioner.name, ", depth ", depth, ", rank ", comm.rank(), " of ", comm.size());
        at::set_num_threads(1);
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph, {.depth = depth});
        original_ids const ids(graph, divided, comm.rank());
        auto layer = copy_layer(initial, options);
        auto made = run_layer(layer, own_rows(x, divided, comm.rank()), own_rows(weights, divided, comm.rank()),
                              [&](at::Tensor const& at_x) { return call(layer, at_x, sharded, ids); });
        glt::gather_grads(comm, *layer, 1); // the mean of what are parts of a sum
        for (std::size_t i = 0; i < made.by_parameter.size(); ++i) {
          auto const gradient = layer->parameters()[i].grad();
          made.by_parameter[i] = gradient.defined() ? gradient * comm.size() : made.by_parameter[i];
        }
        check_equal(made, {own_rows(expected.y, divided, comm.rank()), own_rows(expected.by_x, divided, comm.rank()),
                           expected.by_parameter});
      });
    }
  }
}

/// 0 ← 1 twice, 0 ← 0, 1 ← 2, 2 ← 3, 3 ← 4, 4 ← 0, 5 isolated.
inline edge_list few_edges() {
  return {"few", 6, {1, 1, 0, 2, 3, 4, 0}, {0, 0, 0, 1, 2, 3, 4}};
}

/// The gradients of the layer over ranks, by its input and parameters, against finite differences.
template <class Layer, class Options, class Call = without_edges>
void check_differences(Options options, Call call = {}) {
  auto const list = few_edges();
  auto const initial = make_layer<Layer>(options);
  auto const x = numbers(list.num_vertices, options.in);
  auto const weights = numbers(list.num_vertices, columns_of(options));
  on_ranks([&](auto comm) {
    INFO("rank ", comm.rank(), " of ", comm.size());
    at::set_num_threads(1);
    divided_graph const divided(list, all_partitioners()[3], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
    original_ids const ids(graph, divided, comm.rank());
    auto layer = copy_layer(initial, options);
    auto inputs = layer->parameters();
    inputs.push_back(x.clone().requires_grad_());
    check_slopes(comm, inputs, [&] {
      auto const y = call(layer, own_rows(inputs.back(), divided, comm.rank()), sharded, ids);
      return (y.pow(2) * own_rows(weights, divided, comm.rank())).sum();
    });
  });
}

/// The layer over ranks of which one has no memory for rows of others, a row more, or rows of another width: the same error
/// of all.
template <class Layer, class Options, class Call = without_edges>
void check_failures(Options options, Call call = {}) {
  auto const initial = make_layer<Layer>(options);
  on_ranks([&](auto comm) {
    at::set_num_threads(1);
    auto const last = comm.size() - 1;
    auto const is_odd = comm.rank() == last ? 1 : 0;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(random_graph(101, 999), all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, device_part<scarce_policy, glt::global_id>(divided, comm.rank(), {}));
    glt::dist::sharded_graph<decltype(comm), scarce_policy> sharded(comm, graph);
    original_ids const ids(graph, divided, comm.rank());
    auto layer = copy_layer(initial, options);
    auto const failure = [&](std::int64_t more_rows, std::int64_t more_columns) {
      auto const x = numbers(sharded.num_sources() + more_rows, options.in + more_columns);
      return thrown<glt::collective_error>(
          [&] { glt::run_collectively(comm, [&] { static_cast<void>(call(layer, x, sharded, ids)); }); });
    };
    scarce_resource::allocations_left = is_odd == 1 ? 0 : -1;
    auto const scarce = failure(0, 0);
    scarce_resource::allocations_left = -1;
    if (comm.size() > 1) {
      CHECK(names(scarce, name, "alloc"));
    }
    CHECK(failure(0, 0) == "(nothing was thrown)");
    CHECK(names(failure(is_odd, 0), name, "; pass "));
    CHECK(names(failure(0, is_odd), name, "; it takes [num_sources, "));
    CHECK(failure(0, 0) == "(nothing was thrown)"); // ranks count the same passes still
  });
}

/// Two layers over blocks for which all neighbours were sampled against two over the whole graph, at the seeds.
template <class Layer, class Options>
void check_sampled(Options options) {
  auto const list = few_edges();
  glt::serial_comm comm;
  glt::dist::graph const graph(comm, divided_graph(list, all_partitioners()[0], 1).part(0));
  glt::dist::sharded_graph<glt::serial_comm, cpu> sharded(comm, graph);
  auto first = make_layer<Layer>(options);
  auto const x = numbers(6, options.in);
  options.in = columns_of(options);
  auto second = make_layer<Layer>(options);
  auto const degrees = glt::source_degrees(sharded);
  auto const expected = second(first(x, sharded).relu(), sharded);
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    auto const whole = glt::make_csr<cpu>(list.view());
    glt::neighbor_sampler<cpu, glt::local_id> sampler(whole.view(), {.fanouts = {-1, -1}, .expand = expand});
    glt::sampled_subgraph<cpu> batch;
    std::vector<glt::local_id> const seeds{0, 5, 2, 0};
    sampler.sample(glt::host_view<glt::local_id const>(seeds), {}, batch);
    auto const nodes = glt::to_tensor(batch.nodes());
    auto const of_block = [&](int layer) {
      return degrees.index_select(0, nodes).narrow(0, 0, batch.block(layer).num_sources);
    };
    auto const hidden = call_layer(first, x.index_select(0, nodes), batch.block(0), of_block(0)).relu();
    auto const y =
        call_layer(second, hidden, batch.block(1), of_block(1)).index_select(0, glt::to_tensor(batch.seed_index()));
    CHECK(largest(y - expected.index_select(0, glt::to_tensor(glt::host_view<glt::local_id const>(seeds)))) < 1e-12);
  }
}

/// Two layers over message-flow graphs against two over the whole graph, at the seeds.
template <class Layer, class Options>
void check_mfgs(Options options) {
  auto const list = random_graph(101, 170);
  auto const of_first = make_layer<Layer>(options);
  auto const all = numbers(list.num_vertices, options.in);
  auto after = options;
  after.in = columns_of(options);
  auto const of_second = make_layer<Layer>(after);
  on_ranks([&](auto comm) {
    at::set_num_threads(1);
    divided_graph const divided(list, all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
    std::vector<glt::local_id> own_seeds;
    for (glt::local_id v = 0; v < sharded.num_destinations(); v += 7) {
      own_seeds.push_back(v);
    }
    auto mfgs = glt::dist::make_mfgs<decltype(comm), cpu>(comm, graph, own_seeds, 2);
    auto const seeds = glt::to_tensor(glt::host_view<glt::local_id const>(own_seeds));
    auto const inputs = glt::to_tensor(glt::host_view<glt::local_id const>(mfgs.inputs));
    auto const degrees = glt::source_degrees(sharded).index_select(0, inputs);
    auto first = copy_layer(of_first, options);
    auto second = copy_layer(of_second, after);
    auto const x = own_rows(all, divided, comm.rank());
    auto const weights = at::linspace(0, 1, seeds.size(0), at::kDouble).unsqueeze(1);
    auto const whole = run_layer(first, x, weights, [&](at::Tensor const& at_x) {
      return second(first(at_x, sharded).relu(), sharded).index_select(0, seeds);
    });
    auto const few = run_layer(first, x, weights, [&](at::Tensor const& at_x) {
      auto const hidden = call_layer(first, at_x.index_select(0, inputs), mfgs.layers[0], degrees).relu();
      return call_layer(second, hidden, mfgs.layers[1], degrees.narrow(0, 0, hidden.size(0)));
    });
    check_equal(few, whole);
    CHECK(mfgs.layers[1].num_edges() < sharded.num_edges());
  });
}

/// The layer sends so many columns of a rank's boundary in a forward pass and in the backward pass.
template <class Layer, class Options>
void check_columns_sent(Options options, bool for_x, std::int64_t forward, std::int64_t backward) {
  on_ranks(
      [&](auto comm) {
        INFO("from ", options.in, " to ", options.out);
        at::set_num_threads(1);
        divided_graph const divided(random_graph(101, 999), all_partitioners()[1], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::sharded_graph<decltype(comm), cpu> sharded(comm, graph);
        Layer layer(options);
        auto const x = at::ones({sharded.num_destinations(), options.in}).requires_grad_(for_x);
        auto const y = layer(x, sharded).sum();
        auto const sent = sharded.report().bytes;
        CHECK(sent == 4 * sharded.num_sent() * forward);
        y.backward();
        CHECK(sharded.report().bytes - sent == 4 * sharded.num_boundary() * backward);
      },
      {3});
}

/// The narrower rows travel: those of x, or those that were mapped, whose gradients always travel.
template <class Layer, class Options>
void check_columns(Options options, std::int64_t narrow, std::int64_t wide) {
  struct expectation {
    std::int64_t in, out;
    bool for_x;
    std::int64_t forward, backward;
  };
  for (auto const& [in, out, for_x, forward, backward] :
       {expectation{wide, narrow, true, narrow, narrow}, expectation{narrow, wide, true, narrow, narrow},
        expectation{narrow, wide, false, narrow, 0}, expectation{2 * narrow, narrow, false, 2 * narrow, 0},
        expectation{2 * narrow + 1, narrow, false, narrow, narrow}}) {
    options.in = in;
    options.out = out;
    check_columns_sent<Layer>(options, for_x, forward, backward);
  }
}

} // namespace glt_test
