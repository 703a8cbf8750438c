// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/threads.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/halo_values.hpp>
#include <glt/dist/loading/induced_batches.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/loading/walk_batches.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/shared/shared_rule.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/walk/random_walk.hpp>

#include "support/errors.hpp"
#include "support/product.hpp"
#include "support/remote_kinds.hpp"
#include "support/roles.hpp"
#include "support/weighted.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::draw_by;

namespace {

// This rank's part of a graph, and the data of the rules.
template <class Comm, class Rule>
class ranked_graph {
public:
  ranked_graph(Comm& comm, draw_by by)
      : node_(glt_test::node_of(comm)), timed_(glt_test::merged_timed_part(comm.size(), comm.rank())),
        shared_(glt::dist::share(node_, timed_.first)), graph(comm, std::move(shared_.own)),
        weights_(glt::make_edge_values(graph.local(), glt_test::random_weights(4099, 6))),
        originals_(glt::dist::make_source_values(comm, graph)) {
    rule.by = by;
    rule.weighted = {weights_.view(), {}};
    if constexpr (std::is_same_v<Rule, glt_test::timed_rule>) {
      rule.temporal = {timed_.second.view()};
    } else {
      rule.labor = {.sources = originals_.view()};
      rule.own = {.begin = 2};
    }
    rule = glt::dist::share_rule(node_, shared_.neighborhood, rule);
    for (auto const original : graph.original()) {
      end_weights.push_back(static_cast<double>(original % 3 + 1));
      end_times.push_back(original * 31 % 130);
    }
  }

  [[nodiscard]] auto const& neighborhood() const { return shared_.neighborhood; }

protected:
  static constexpr bool timed = std::is_same_v<Rule, glt_test::timed_rule>;

private:
  decltype(glt_test::node_of(std::declval<Comm>())) node_;
  decltype(glt_test::merged_timed_part(0, 0)) timed_;
  decltype(glt::dist::share(node_, timed_.first)) shared_;

public:
  glt::dist::graph<cpu> graph;
  Rule rule{};
  std::vector<double> end_weights;
  std::vector<std::int64_t> end_times; // some are later than all seeds

private:
  glt::buffer<cpu, float> weights_;
  glt::buffer<cpu, glt::global_id> originals_;
};

constexpr std::int64_t num_vertices = 257; // of merged_graph

template <class Comm, class Rule>
struct around_vertices : ranked_graph<Comm, Rule> {
  using base = ranked_graph<Comm, Rule>;
  using base::base;
  auto recipe() const { return glt::dist::neighbor_batches(this->graph, {}, this->rule); }
  glt::neighbor_options options() const { return {.fanouts = {4, 3}, .edge_ids = true, .disjoint = base::timed}; }
  glt::dist::vertex_seeds<> seeds(int rank) const { return glt_test::product_seeds(rank, num_vertices, base::timed); }
  auto serial(glt::dist::vertex_seeds<> const& seeds, glt::sample_key key) const {
    glt::neighbor_sampler<cpu, glt::global_id, Rule> sampler(this->graph.local(), options(), this->rule, {},
                                                             this->graph.original());
    glt::sampled_subgraph<cpu, glt::global_id> out;
    if constexpr (base::timed) {
      sampler.sample(seeds.vertices, seeds.times, key, out);
    } else {
      sampler.sample(seeds.vertices, key, out);
    }
    return out;
  }
};

template <class Comm, class Rule>
struct around_edges : ranked_graph<Comm, Rule> {
  using base = ranked_graph<Comm, Rule>;
  using base::base;
  auto recipe() const {
    glt::dist::link_batches made(this->graph, {}, this->rule);
    if constexpr (base::timed) {
      made.with_times(this->end_times);
    }
    return made.with_weights(this->end_weights);
  }
  glt::link_options options() const {
    return {.neighbors = {.fanouts = {4, 3}, .edge_ids = true, .disjoint = base::timed},
            .negatives = glt_test::product_negatives(this->rule.by),
            .exclude = glt_test::product_exclusion(this->rule.by)};
  }
  glt::dist::edge_seeds<> seeds(int rank) const {
    return glt_test::product_seed_edges(rank, this->graph.local(), this->rule.by, base::timed);
  }
  auto serial(glt::dist::edge_seeds<> const& seeds, glt::sample_key key) const {
    auto const weights = glt_test::by_original(this->end_weights, this->graph.original());
    glt::vertex_weights<cpu> const table{glt::host_view<double const>(weights)};
    glt::link_sampler<cpu, glt::global_id, Rule> sampler(
        this->graph.local(), options(), this->rule, table.view(), {}, this->graph.original(),
        base::timed ? glt::host_view<std::int64_t const>(this->end_times) : glt::host_view<std::int64_t const>());
    glt::link_sample<cpu, glt::global_id> out;
    glt_test::sample_serially<base::timed>(sampler, seeds, key, out);
    return out;
  }
};

// Whole hops, or fanouts by a rule.
template <class Comm, class Rule>
struct induced : ranked_graph<Comm, Rule> {
  using ranked_graph<Comm, Rule>::ranked_graph;
  auto recipe() const { return glt::dist::induced_batches(this->graph, {}, this->rule); }
  glt::induced_options options() const {
    return this->rule.by == draw_by::uniform ? glt::induced_options{.num_hops = 1, .edge_ids = true}
                                             : glt::induced_options{.fanouts = {4, 3}, .edge_ids = true};
  }
  glt::dist::vertex_seeds<> seeds(int rank) const { return glt_test::product_seeds(rank, num_vertices, false); }
  auto serial(glt::dist::vertex_seeds<> const& seeds, glt::sample_key key) const {
    glt::induced_sampler<cpu, glt::global_id, Rule> sampler(this->graph.local(), options(), this->rule, {},
                                                            this->graph.original());
    glt::sampled_subgraph<cpu, glt::global_id> out;
    sampler.sample(seeds.vertices, key, out);
    return out;
  }
};

template <class Comm>
struct walks : ranked_graph<Comm, glt_test::chosen_rule> {
  using ranked_graph<Comm, glt_test::chosen_rule>::ranked_graph;
  auto recipe() const { return glt::dist::walk_batches(this->graph, glt::walk_options()); }
  glt::walk_options options() const { return {.length = 5, .walks_per_start = 2, .restart = 0.25, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int rank) const { return glt_test::product_seeds(rank, num_vertices, false); }
  auto serial(glt::dist::vertex_seeds<> const& seeds, glt::sample_key key) const {
    glt::random_walker<cpu, glt::global_id> const walker(this->graph.local(), options(), {}, this->graph.original());
    glt::walks<cpu, glt::global_id> out;
    walker.walk(seeds.vertices, key, out);
    return out;
  }
};

} // namespace

TEST_CASE("servers read each other's rows by the views of an offer, and views that do not fit are an error") {
  glt::run_threads(3, [](auto comm) {
    using comm_type = decltype(comm);
    auto alone = comm.split(comm.rank(), 0);
    glt_test::on_roles(
        comm, 2,
        [&](auto& server) {
          auto& group = server.roles().group();
          around_vertices<comm_type, glt_test::chosen_rule> const here(group, draw_by::uniform);
          auto wrong = here.neighborhood();
          if (group.rank() == 1) {
            wrong.of_rank.pop_back();
          }
          server.offer("right", here.recipe(), here.neighborhood());
          server.offer("wrong", here.recipe(), wrong);
          server.run();
        },
        [&](auto& client) {
          around_vertices<comm_type, glt_test::chosen_rule> const here(alone, draw_by::uniform);
          auto const open = [&](char const* offer) {
            glt::dist::remote_loader<comm_type, decltype(here.recipe())> const loader(
                client, offer, here.seeds(0), here.options(), glt_test::product_options);
          };
          CHECK_NOTHROW(open("right"));
          CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { open("wrong"); }), "views of 1 ranks"));
        });
  });
}

TEST_CASE("the product without types: vertices by every rule in every deployment") {
  glt_test::check_product_of_rules<around_vertices>();
}

TEST_CASE("the product without types: edges by every rule in every deployment") {
  glt_test::check_product_of_rules<around_edges>();
}

TEST_CASE("the product without types: induced subgraphs and walks in every deployment") {
  for (auto const by : {draw_by::uniform, draw_by::weight, draw_by::labor, draw_by::own}) {
    CAPTURE(static_cast<int>(by));
    glt_test::check_product<induced, glt_test::chosen_rule>(by, true);
  }
  glt_test::check_product<walks>(draw_by::uniform, false);
}
