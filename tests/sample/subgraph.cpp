// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/subgraph.hpp>

#include <glt/graph/convert.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>
#include <glt/sample/walk/node2vec.hpp>
#include <glt/sample/walk/random_walk.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;

// What must hold of any block: destinations are a prefix, edges are grouped by them, and offsets say where.
void check_block(glt::block_view<glt::memory_space::host> const& block) {
  REQUIRE(block.num_destinations <= block.num_sources);
  REQUIRE(block.offsets.size() == block.num_destinations + 1);
  REQUIRE(block.col.size() == block.row.size());
  REQUIRE(block.offsets[block.num_destinations] - block.offsets[0] == block.num_edges());
  std::int64_t wrong = 0;
  for (std::int64_t d = 0; d < block.num_destinations; ++d) {
    for (auto e = block.offsets[d] - block.offsets[0]; e < block.offsets[d + 1] - block.offsets[0]; ++e) {
      wrong += block.col[e] != d || block.row[e] < 0 || block.row[e] >= block.num_sources ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

// FNV-1a of 64-bit words.
struct digest {
  std::uint64_t value = 14695981039346656037U;

  template <class Words>
  digest& add(Words const& words) {
    for (auto const word : words) {
      value = (value ^ static_cast<std::uint64_t>(word)) * 1099511628211U;
    }
    return *this;
  }
};

template <class Subgraph>
std::uint64_t digest_of(Subgraph const& batch) {
  return digest().add(batch.nodes()).add(batch.row()).add(batch.col()).add(batch.edge_ids()).value;
}

} // namespace

TEST_CASE("blocks chain: the sources of a layer are the destinations of the one before") {
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    for (auto const& list : glt_test::adversarial_graphs()) {
      CAPTURE(list.name);
      if (list.num_vertices == 0) {
        continue;
      }
      auto const graph = glt::make_csr<cpu>(list.view());
      glt::neighbor_sampler<cpu> sampler(graph.view(),
                                         {.fanouts = {3, 2, 2}, .expand = expand, .edge_ids = glt::edge_positions});
      glt::sampled_subgraph<cpu> out;
      std::vector<glt::local_id> const seeds{static_cast<glt::local_id>(list.num_vertices - 1), 0};
      sampler.sample(seeds, {.step = 3}, out);
      std::int64_t edges = 0;
      for (int layer = 0; layer < 3; ++layer) {
        auto const block = out.block(layer);
        check_block(block);
        edges += block.num_edges();
        CHECK(block.edge_ids.size() == block.num_edges());
        if (layer > 0) {
          CHECK(block.num_sources == out.block(layer - 1).num_destinations);
        }
      }
      CHECK(out.block(0).num_sources == out.nodes().size());
      CHECK(out.block(2).num_destinations == out.num_sampled_nodes()[0]);
      if (expand == glt::frontier::all) {
        CHECK(edges == out.row().size()); // every hop is one block
      } else {
        CHECK(out.block(0).num_edges() == out.row().size()); // the first layer uses all hops
      }
    }
  }
}

TEST_CASE("a layer that does not exist is refused") {
  glt::sampled_subgraph<cpu> const empty;
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(empty.block(0)); }),
                        "layer 0 of 0"));
}

// The numbers were taken from commit addea58, before the classes with types and without were joined.
TEST_CASE("samples stay the same, bit for bit, from version to version") {
  constexpr auto host = glt::memory_space::host;
  glt_test::edge_list list{"kept", 500, {}, {}};
  for (std::uint32_t i = 0; i < 9000; ++i) {
    auto const mixed = (i * 2654435761U) ^ (i >> 5);
    list.add(mixed % 500, (mixed >> 13) % 400 * ((mixed >> 3) % 400) / 400);
  }
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  std::vector<float> weights;
  std::vector<std::int64_t> times;
  for (auto const edge : graph.view().edge_ids()) {
    weights.push_back(static_cast<float>(edge % 7));
    times.push_back(static_cast<std::int64_t>(times.size() / 3)); // in order within a row
  }
  std::vector<glt::local_id> const seeds{3, 1, 4, 15, 92, 65, 35, 8, 97, 9, 399, 250};
  std::vector<glt::local_id> const ends{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  glt::sample_key const key{.seed = 42, .epoch = 3, .step = 7};
  glt::sampled_subgraph<cpu> out;
  auto const sampled = [&](glt::neighbor_options options, auto rule) {
    options.fanouts = {5, 3};
    options.edge_ids = true;
    glt::neighbor_sampler sampler(graph.view(), options, rule, cpu());
    if constexpr (std::same_as<decltype(rule), glt::temporal_rule<host>>) {
      sampler.sample(seeds, std::vector<std::int64_t>(seeds.size(), 1500), key, out);
    } else {
      sampler.sample(seeds, key, out);
    }
    return digest_of(out);
  };
  constexpr auto all = glt::frontier::all;
  glt::uniform_rule const uniform;
  CHECK(sampled({.fanouts = {}}, uniform) == 0xef65930d8fe8859dU);
  CHECK(sampled({.fanouts = {}, .replace = true}, uniform) == 0x7ba57265d1853606U);
  CHECK(sampled({.fanouts = {}, .expand = all}, uniform) == 0x0fa0c60260cde96bU);
  CHECK(sampled({.fanouts = {}, .replace = true, .expand = all}, uniform) == 0xb2555f5b2b314321U);
  CHECK(sampled({.fanouts = {}, .disjoint = true}, uniform) == 0x4bd166d989901194U);
  CHECK(sampled({.fanouts = {}}, glt::weighted_rule<host>{weights}) == 0x47cfb58b955217a8U);
  CHECK(sampled({.fanouts = {}}, glt::labor_rule<host>{}) == 0x075e0fe50dbda186U);
  CHECK(sampled({.fanouts = {}, .disjoint = true}, glt::temporal_rule<host>{times}) == 0x3e79cd0828a4667eU);

  glt::induced_sampler<cpu>(graph.view(), {.num_hops = 1, .edge_ids = true}).sample(seeds, out);
  CHECK(digest_of(out) == 0x7b5d310256690291U);

  glt::walks<cpu> walks;
  auto const walked = [&] { return digest().add(std::as_const(walks).vertices().flat()).value; };
  glt::random_walker<cpu>(graph.view(), {.length = 20, .walks_per_start = 2, .restart = 0.1}).walk(seeds, key, walks);
  CHECK(walked() == 0x5f5b2c1b634ec8dcU);
  glt::node2vec_walker<cpu>(graph.view(), {.length = 20, .p = 0.5, .q = 2}).walk(seeds, key, walks);
  CHECK(walked() == 0xfe03e5424d1822c4U);

  glt::link_sample<cpu> links;
  glt::link_options const around{.neighbors = {.fanouts = {5, 3}, .edge_ids = true}, .negatives = {.amount = 2}};
  glt::link_sampler<cpu>(graph.view(), around).sample(seeds, ends, key, links);
  CHECK(digest_of(links.subgraph()) == 0x176d1ebb3fdc6d00U);
  CHECK(digest().add(links.edge_label_index().flat()).add(links.edge_label()).value == 0xdef675be12db9deaU);
}
