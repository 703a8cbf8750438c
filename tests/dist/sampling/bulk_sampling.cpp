// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/counting.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/buffer.hpp>

#include "support/allocations.hpp"
#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/naive_sampler.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;
using glt_test::plain_copy;

namespace {

std::vector<glt::neighbor_options> options_to_try() {
  return {{.fanouts = {4, 3, 2}, .edge_ids = true},
          {.fanouts = {3, 2}, .replace = true, .expand = glt::frontier::all, .edge_ids = true},
          {.fanouts = {-1, 300}, .expand = glt::frontier::all},
          {.fanouts = {3, 2}, .edge_ids = true, .disjoint = true}};
}

glt::sample_key key_of(std::int64_t step) {
  return {.seed = 21, .epoch = 1, .step = step};
}

// Batches of a rank, and what samples them one after the other and together: make(...) the items of a sampler.
template <class Policy, class Vertex>
class batches {
public:
  using subgraph = glt::sampled_subgraph<Policy, Vertex>;

  batches(divided_graph const& divided, int rank, std::int64_t first_step, std::size_t count, Policy const& policy)
      : policy_(policy), divided_(&divided), first_step_(first_step), out_(count) {
    for (std::size_t b = 0; b < count; ++b) {
      auto const seeds = glt_test::seeds_of(rank, step(b), divided.whole.view().num_rows());
      seeds_.push_back(glt::make_buffer<Policy>(divided.template renumbered<Vertex>(seeds), policy));
      queries_.emplace_back();
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        queries_.back().push_back(static_cast<std::int64_t>(i + b) % 7);
      }
    }
  }

  [[nodiscard]] std::int64_t step(std::size_t b) const { return first_step_ + static_cast<std::int64_t>(b); }

  template <class Sampler>
  [[nodiscard]] auto items() {
    std::vector<typename Sampler::bulk_item> made;
    for (std::size_t b = 0; b < out_.size(); ++b) {
      made.push_back({.seeds = std::as_const(seeds_[b]).view(), .key = key_of(step(b)), .out = &out_[b]});
      if constexpr (!std::is_same_v<typename Sampler::query_type, glt::no_query>) {
        made.back().queries = queries_[b];
      }
    }
    return made;
  }

  // Samples together by one sampler and one after the other by another one, and compares.
  template <class Sampler>
  void check(Sampler& together, Sampler& alone) {
    together.sample_bulk(items<Sampler>());
    for (std::size_t b = 0; b < out_.size(); ++b) {
      INFO("batch ", b, " of ", out_.size());
      subgraph expected;
      if constexpr (!std::is_same_v<typename Sampler::query_type, glt::no_query>) {
        alone.sample(std::as_const(seeds_[b]).view(), queries_[b], key_of(step(b)), expected);
      } else {
        alone.sample(std::as_const(seeds_[b]).view(), key_of(step(b)), expected);
      }
      auto const& original = divided_->names.original;
      CHECK(plain_copy(policy_, out_[b], original) == plain_copy(policy_, expected, original));
    }
  }

private:
  Policy policy_;
  divided_graph const* divided_;
  std::int64_t first_step_;
  std::vector<glt::buffer<Policy, Vertex>> seeds_;
  std::vector<std::vector<std::int64_t>> queries_;
  std::vector<subgraph> out_;
};

template <class Policy, class Vertex>
void check_equal(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner) {
  Policy const policy;
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy));
  for (auto const& options : options_to_try()) {
    INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size());
    glt::dist::neighbor_sampler together(comm, graph, options, policy);
    glt::dist::neighbor_sampler alone(comm, graph, options, policy);
    for (std::size_t const count : {1, 4, 3, 5}) { // with fewer batches than before as well
      batches<Policy, Vertex>(divided, comm.rank(), static_cast<std::int64_t>(count), count, policy)
          .check(together, alone);
    }
    batches<Policy, Vertex>(divided, comm.rank(), 2, 1, policy).check(alone, together); // and the other way round
  }
}

} // namespace

TEST_CASE_TEMPLATE("batches that are sampled together are equal to those sampled one after the other", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::graphs_to_divide()) {
      if (list.num_vertices <= 257) {
        check_equal<Policy, glt::global_id>(comm, list, glt_test::all_partitioners()[1]);
      }
    }
    check_equal<Policy, glt::local_id>(comm, glt_test::random_graph(257, 4099), glt_test::all_partitioners()[0]);
  });
}

TEST_CASE("batches that are sampled together in place are equal to those sampled one after the other") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    auto node = glt_test::node_of(comm);
    for (bool const mixed : {false, true}) {
      auto shared = glt::dist::share(node, divided.part(comm.rank()));
      if (mixed) {
        glt_test::hide_every_other(shared.neighborhood, comm.rank());
      }
      glt::dist::graph const graph(comm, std::move(shared.own));
      for (auto const& options : options_to_try()) {
        glt::counting_comm counted(comm);
        glt::dist::neighbor_sampler together(counted, graph, options);
        glt::dist::neighbor_sampler alone(counted, graph, options);
        together.read_in_place(shared.neighborhood);
        counted.reset();
        batches<cpu, glt::global_id> four(divided, comm.rank(), 1, 4, cpu{});
        together.sample_bulk(four.items<decltype(together)>());
        CHECK((mixed || counted.counts().payload.collectives == 0));
        four.check(together, alone);
        CHECK((mixed || together.counts().remote == 0));
      }
    }
  });
}

namespace {

// The first edges of a row: as many as the query says and the rule allows.
struct first_edges {
  using query_type = std::int64_t;
  std::int64_t allowed = 0;

  template <class Graph>
  std::int64_t count(Graph const& graph, std::int64_t row, std::int64_t query, glt::hop_options options,
                     glt::random_key, std::uint64_t) const noexcept {
    return std::min({graph.degree(row), query, allowed, options.fanout});
  }
  template <class Graph, class Position>
  void pick(Graph const&, std::int64_t, std::int64_t, glt::hop_options, glt::random_key, std::uint64_t,
            std::int64_t count, Position* out) const noexcept {
    std::iota(out, out + count, Position{0});
  }
};

} // namespace

TEST_CASE("queries belong to their batch, and so does the rule that serves it") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::neighbor_options const options{.fanouts = {9, 9}, .disjoint = true};
    glt::dist::neighbor_sampler together(comm, graph, options, first_edges{9});
    glt::dist::neighbor_sampler alone(comm, graph, options, first_edges{9});
    batches<cpu, glt::global_id> four(divided, comm.rank(), 1, 4, cpu{});
    four.check(together, alone);
    auto const by_rank = [](int rank) { return first_edges{2 + rank}; };
    together.set_rule_of(by_rank);
    alone.set_rule_of(by_rank);
    four.check(together, alone);
    together.set_rule_of([](int rank, std::size_t batch) { return first_edges{rank + static_cast<int>(batch)}; });
    auto items = four.items<decltype(together)>();
    together.sample_bulk(items);
    for (std::size_t b = 0; b < items.size(); ++b) {
      alone.set_rule_of([b](int rank) { return first_edges{rank + static_cast<int>(b)}; });
      glt::sampled_subgraph<cpu, glt::global_id> expected;
      alone.sample(items[b].seeds, items[b].queries, items[b].key, expected);
      CHECK(glt_test::plain(*items[b].out, divided.names.original) ==
            glt_test::plain(expected, divided.names.original));
    }
    items[3].queries = {};
    auto const error = glt_test::thrown<glt::collective_error>([&] { together.sample_bulk(items); });
    CHECK(glt_test::names(error, "0 queries"));
  });
}

TEST_CASE("batches of a typed graph that are sampled together are equal to those sampled one after the other") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      glt_test::divided_hetero_graph const divided(list, comm.size(), 1);
      auto const original = divided.original();
      glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
      glt::hetero_options options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true};
      for (std::size_t e = 1; e < options.fanouts.size(); e += 2) {
        options.fanouts[e] = {0, 300};
      }
      glt::dist::hetero_neighbor_sampler sampler(comm, graph, options);
      for (std::size_t const count : {3, 2}) {
        std::vector<std::vector<std::vector<glt::global_id>>> ids(count);
        std::vector<std::vector<glt::host_view<glt::global_id const>>> views;
        std::vector<glt::hetero_subgraph<cpu, glt::global_id>> out(count);
        std::vector<typename decltype(sampler)::bulk_item> items;
        for (std::size_t b = 0; b < count; ++b) {
          auto const step = static_cast<std::int64_t>(b);
          ids[b] = divided.renumbered(glt_test::hetero_seeds_of(list, comm.rank(), step));
          views.emplace_back(ids[b].begin(), ids[b].end());
        }
        for (std::size_t b = 0; b < count; ++b) {
          items.push_back({.seeds = views[b], .key = key_of(static_cast<std::int64_t>(b)), .out = &out[b]});
        }
        sampler.sample_bulk(items);
        for (std::size_t b = 0; b < count; ++b) {
          glt::hetero_subgraph<cpu, glt::global_id> expected;
          sampler.sample(views[b], items[b].key, expected);
          CHECK(glt_test::plain_hetero(out[b], original) == glt_test::plain_hetero(expected, original));
        }
      }
    }
  });
}

TEST_CASE("four batches cost as many messages as one, and the bytes of four") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(3001, 20011, 9), glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph const graph(counted, divided.part(comm.rank()));
    glt::dist::neighbor_sampler sampler(counted, graph, {.fanouts = {6, 4, 3}});
    batches<cpu, glt::global_id> four(divided, comm.rank(), 1, 4, cpu{});
    auto const items = four.items<decltype(sampler)>();
    std::int64_t bytes = 0;
    std::int64_t collectives = 0;
    for (auto const& item : items) {
      counted.reset();
      sampler.sample(item.seeds, item.key, *item.out);
      auto const traffic = counted.counts().total();
      bytes += traffic.bytes;
      collectives = std::max(collectives, traffic.collectives);
    }
    counted.reset();
    sampler.sample_bulk(items);
    CHECK(counted.counts().total().collectives == collectives);
    CHECK(counted.counts().total().bytes == bytes - 3 * 3 * glt::detail::header_bytes * (comm.size() - 1));
  });
}

TEST_CASE("other numbers of batches, keys or bad seeds of one rank are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    bool const is_last = comm.rank() == last;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 2}});
    batches<cpu, glt::global_id> three(divided, comm.rank(), 1, 3, cpu{});
    auto const good = three.items<decltype(sampler)>();
    auto const refused = [&](auto const& items) {
      return glt_test::thrown<glt::collective_error>([&] { sampler.sample_bulk(items); });
    };
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(std::span(good).first(is_last ? 2 : 3)), text, "number of batches"));
      auto other_key = good;
      other_key[2].key.step += is_last ? 1 : 0;
      CHECK(glt_test::names(refused(other_key), text, "another key"));
    }
    CHECK(glt_test::names(refused(std::span(good).first(is_last ? 0 : 3)), text, "no batches"));
    auto nowhere = good;
    nowhere[1].out = is_last ? nullptr : nowhere[1].out;
    CHECK(glt_test::names(refused(nowhere), text, "nothing to write to"));
    std::vector<glt::global_id> const bad{3, 101};
    auto bad_seed = good;
    if (is_last) {
      bad_seed[2].seeds = bad;
    }
    CHECK(glt_test::names(refused(bad_seed), text, "seed 1 is 101", "[0, 101)"));
    sampler.sample_bulk(good); // all ranks are still together
  });
}

TEST_CASE("batches that are not larger than others before allocate as much as the headers of their hops") {
  on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {5, 5}});
        batches<cpu, glt::global_id> four(divided, comm.rank(), 1, 4, cpu{});
        auto const items = four.items<decltype(sampler)>();
        std::vector<std::int64_t> allocations;
        for (std::size_t const count : {4, 4, 4, 2}) {
          auto const before = glt_test::num_allocations();
          sampler.sample_bulk(std::span(items).first(count));
          allocations.push_back(glt_test::num_allocations() - before);
        }
        CHECK(allocations[2] <= 2); // one rank: the headers
        CHECK(allocations[3] <= allocations[2]);
      },
      {1});
}
