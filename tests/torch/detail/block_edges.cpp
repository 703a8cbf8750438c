// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/detail/block_edges.hpp>

#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/gine_conv.hpp>
#include <glt/torch/tensor.hpp>

#include "torch/random_block.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

using glt::dist::aggregator;

namespace {

// Without destinations, without edges, of one edge, of one destination with many, of many rows, and with a hub among
// the sources.
std::vector<glt_test::random_block> shapes() {
  std::vector<glt_test::random_block> all;
  for (auto const [sources, destinations, max_degree] :
       {std::array<std::int64_t, 3>{9, 0, 3}, {8, 5, 0}, {1, 1, 1}, {700, 1, 2000}, {3000, 901, 20}}) {
    all.emplace_back(sources, destinations, max_degree, 7);
  }
  all.push_back(all.back());
  for (auto& source : all.back().row) {
    source = source % 8 == 0 ? source : 17;
  }
  return all;
}

struct number_of_threads {
  int before = at::get_num_threads();
  ~number_of_threads() { at::set_num_threads(before); }
};

// The results of `run` for 1, 2 and 3 threads are the same, bit for bit.
void check_threads(std::function<std::vector<at::Tensor>()> const& run) {
  number_of_threads const restore;
  at::set_num_threads(1);
  auto const expected = run();
  for (int const threads : {2, 3}) {
    at::set_num_threads(threads);
    auto const made = run();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO(threads, " threads, result ", i);
      CHECK(at::equal(made[i], expected[i]));
    }
  }
}

// y and its gradients by the inputs.
std::vector<at::Tensor> with_gradients(at::Tensor const& y, std::vector<at::Tensor> const& inputs) {
  at::manual_seed(9);
  auto const loss = (y * at::randn(y.sizes(), y.options())).sum();
  auto results = torch::autograd::grad({loss}, inputs);
  results.push_back(y.detach());
  return results;
}

} // namespace

TEST_CASE("a transposed block lists the edges by source, in their order") {
  for (auto const& block : shapes()) {
    auto const view = block.view();
    glt::detail::block_edges const edges(glt::to_tensor(view.offsets), glt::to_tensor(view.row), block.num_sources);
    std::vector<std::vector<glt::local_id>> expected(static_cast<std::size_t>(block.num_sources));
    for (std::size_t e = 0; e < block.row.size(); ++e) {
      expected[static_cast<std::size_t>(block.row[e])].push_back(static_cast<glt::local_id>(e));
    }
    std::vector<glt::local_id> places(block.row.size());
    auto const by_source = edges.transposed(places.data());
    auto const shard = by_source.shard();
    REQUIRE(shard.rows.size() == block.num_sources);
    CHECK(shard.num_columns == block.num_destinations);
    CHECK(shard.offsets[0] == 0);
    for (std::int64_t s = 0; s < block.num_sources; ++s) {
      auto const& of_source = expected[static_cast<std::size_t>(s)];
      REQUIRE(shard.offsets[s + 1] - shard.offsets[s] == std::ssize(of_source));
      for (std::size_t i = 0; i < of_source.size(); ++i) {
        auto const place = shard.offsets[s] + static_cast<std::int64_t>(i);
        auto const edge = static_cast<std::size_t>(of_source[i]);
        CHECK(shard.edges[place] == of_source[i]);
        CHECK(shard.columns[place] == block.col[edge]);
        CHECK(places[edge] == place);
      }
    }
  }
}

TEST_CASE("sums, means, extremes, attention and messages over a block have the same bits for any number of threads") {
  for (auto const& block : shapes()) {
    for (std::int64_t const width : {4, 32, 47, 160}) {
      at::manual_seed(2);
      auto const x = at::randn({block.num_sources, width}).requires_grad_();
      for (auto const how : {aggregator::sum, aggregator::mean, aggregator::max, aggregator::min}) {
        check_threads([&] { return with_gradients(glt::aggregate_neighbors(x, block.view(), how), {x}); });
      }
      auto const features = at::randn({std::ssize(block.row), width}).requires_grad_();
      check_threads(
          [&] { return with_gradients(glt::detail::sum_edge_relu(x, features, block.view()), {x, features}); });
    }
    auto const values = at::randn({block.num_sources, 32}).requires_grad_();
    auto const keys = at::randn({block.num_sources, 4}).requires_grad_();
    auto const queries = at::randn({block.num_sources, 4}).requires_grad_();
    for (bool const loops : {false, true}) {
      check_threads([&] {
        return with_gradients(
            glt::attend_neighbors(values, keys, queries, block.view(), {.heads = 4, .add_self_loops = loops}),
            {values, keys, queries});
      });
    }
  }
}
