// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/loading/walk_batches.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/shared/shared_rule.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/walk/metapath.hpp>

#include "support/hetero_parts.hpp"
#include "support/product.hpp"
#include "support/remote_kinds.hpp"
#include "support/weighted.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::draw_by;

namespace {

constexpr auto host = glt::memory_space::host;
constexpr int paper = 0; // of academic_graph, whose edge type 0 goes from authors to papers
constexpr int author = 1;
constexpr int cites = 2;
constexpr std::int64_t num_papers = 101;
constexpr std::int64_t num_authors = 51;
constexpr std::int64_t edges_per_type = 6 * num_papers;

// A part with rows in order of time, the times of its edges by type, and the original ids of all vertices.
struct timed_part {
  glt::hetero_part<cpu, glt::global_id> part;
  std::vector<glt::buffer<cpu, std::int64_t>> times;
  std::vector<std::vector<std::int64_t>> original;

  timed_part(int ranks, int rank) {
    glt_test::divided_hetero_graph divided(glt_test::academic_graph(num_papers), glt_test::merged_parts, 1);
    for (auto& names : divided.names) {
      glt_test::merge_parts(names.book, ranks);
    }
    std::vector<std::int64_t> of_edges;
    for (std::int64_t e = 0; e < edges_per_type; ++e) {
      of_edges.push_back(e * 37 % 101);
    }
    part = divided.part(rank);
    original = divided.original();
    for (auto& relation : part.relations) {
      auto sorted = glt::sort_rows_by_time(relation.view(), glt::make_edge_values(relation.view(), of_edges).view());
      relation = std::move(sorted.graph);
      times.push_back(std::move(sorted.times));
    }
  }
};

// This rank's part of a graph, and the data of the rules of every edge type.
template <class Comm, class Rule>
class ranked_graph {
public:
  ranked_graph(Comm& comm, draw_by by)
      : node_(glt_test::node_of(comm)), timed_(comm.size(), comm.rank()), shared_(glt::dist::share(node_, timed_.part)),
        graph(comm, std::move(shared_.own)) {
    for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
      auto const from = static_cast<std::size_t>(graph.schema().source_type(e));
      weights_.push_back(glt::make_edge_values(
          graph.local(e), glt_test::random_weights(edges_per_type, static_cast<std::uint64_t>(e))));
      auto& originals = originals_.emplace_back();
      for (auto const source : graph.local(e).sources()) {
        originals.push_back(timed_.original[from][static_cast<std::size_t>(source)]);
      }
      Rule rule{};
      rule.by = by;
      rule.weighted = {weights_.back().view(), {}};
      if constexpr (timed) {
        rule.temporal = {timed_.times[static_cast<std::size_t>(e)].view()};
      } else {
        rule.labor = {.sources = originals_.back()};
        rule.own = {.begin = e};
      }
      rules.push_back(glt::dist::share_rule(node_, shared_.neighborhood, rule, e));
      relations_.push_back(graph.local(e));
    }
    for (auto const original : graph.original(author)) {
      author_weights.push_back(static_cast<double>(original % 3 + 1));
    }
    for (auto const original : graph.original(paper)) {
      paper_times.push_back(original * 31 % 130);
    }
  }

  [[nodiscard]] auto const& neighborhood() const { return shared_.neighborhood; }
  [[nodiscard]] glt::hetero_view<host, glt::global_id> whole() const { return {graph.schema(), relations_}; }
  [[nodiscard]] std::vector<glt::host_view<glt::global_id const>> original() const {
    std::vector<glt::host_view<glt::global_id const>> ids;
    for (int t = 0; t < graph.schema().num_node_types(); ++t) {
      ids.push_back(graph.original(t));
    }
    return ids;
  }

protected:
  static constexpr bool timed = std::is_same_v<Rule, glt_test::timed_rule>;

  [[nodiscard]] glt::hetero_options neighbors() const {
    return {.fanouts = glt::same_fanouts(graph.schema(), {3, 2}), .edge_ids = true, .disjoint = timed};
  }

private:
  decltype(glt_test::node_of(std::declval<Comm>())) node_;
  timed_part timed_;
  decltype(glt::dist::share(node_, timed_.part)) shared_;

public:
  glt::dist::hetero_graph<cpu> graph;
  std::vector<Rule> rules;
  std::vector<double> author_weights;
  std::vector<std::int64_t> paper_times; // some are later than all seeds; authors have none

private:
  std::vector<glt::buffer<cpu, float>> weights_;
  std::vector<std::vector<glt::global_id>> originals_;
  std::vector<glt::csr_view<host, glt::global_id>> relations_;
};

template <class Comm, class Rule>
struct around_vertices : ranked_graph<Comm, Rule> {
  using base = ranked_graph<Comm, Rule>;
  using base::base;
  auto recipe() const { return glt::dist::typed_batches(this->graph, glt::hetero_options(), this->rules); }
  glt::hetero_options options() const { return this->neighbors(); }
  glt::dist::typed_seeds<> seeds(int rank) const {
    return {paper, glt_test::product_seeds(rank, num_papers, base::timed)};
  }
  auto serial(glt::dist::typed_seeds<> const& seeds, glt::sample_key key) const {
    glt::hetero_neighbor_sampler<cpu, glt::global_id, Rule> sampler(this->whole(), options(), this->rules, {},
                                                                    this->original());
    glt::hetero_subgraph<cpu, glt::global_id> out;
    std::vector<glt::host_view<glt::global_id const>> lists(4);
    lists[paper] = seeds.vertices;
    if constexpr (base::timed) {
      sampler.sample(lists, seeds.times, key, out);
    } else {
      sampler.sample(lists, key, out);
    }
    return out;
  }
};

template <class Comm, class Rule>
struct around_edges : ranked_graph<Comm, Rule> {
  using base = ranked_graph<Comm, Rule>;
  using base::base;
  auto recipe() const {
    glt::dist::typed_batches made(this->graph, glt::hetero_link_options(), this->rules);
    if constexpr (base::timed) {
      made.with_times(paper, this->paper_times);
    }
    return made.with_weights(author, this->author_weights);
  }
  glt::hetero_link_options options() const {
    return {.edge_type = 0,
            .neighbors = this->neighbors(),
            .negatives = glt_test::product_negatives(this->rules[0].by),
            .exclude = glt_test::product_exclusion(this->rules[0].by)};
  }
  glt::dist::edge_seeds<> seeds(int rank) const {
    return glt_test::product_seed_edges(rank, this->graph.local(0), this->rules[0].by, base::timed);
  }
  auto serial(glt::dist::edge_seeds<> const& seeds, glt::sample_key key) const {
    auto const weights = glt_test::by_original(this->author_weights, this->graph.original(author));
    glt::vertex_weights<cpu> const authors{glt::host_view<double const>(weights)};
    glt::link_sampler<cpu, glt::global_id, Rule, host, glt::hetero_view<host, glt::global_id>> sampler(
        this->whole(), options(), this->rules, {authors.view(), {}}, {}, this->original(),
        {{},
         base::timed ? glt::host_view<std::int64_t const>(this->paper_times) : glt::host_view<std::int64_t const>()});
    glt::link_sample<cpu, glt::global_id, glt::hetero_subgraph<cpu, glt::global_id>> out;
    glt_test::sample_serially<base::timed>(sampler, seeds, key, out);
    return out;
  }
};

template <class Comm>
struct walks : ranked_graph<Comm, glt_test::chosen_rule> {
  using ranked_graph<Comm, glt_test::chosen_rule>::ranked_graph;
  auto recipe() const { return glt::dist::walk_batches(this->graph, {cites}, glt::metapath_options()); }
  glt::metapath_options options() const { return {.length = 4, .walks_per_start = 2, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int rank) const { return glt_test::product_seeds(rank, num_papers, false); }
  auto serial(glt::dist::vertex_seeds<> const& seeds, glt::sample_key key) const {
    glt::metapath_walker<cpu, glt::global_id> const walker({this->graph.local(cites)}, options(), {},
                                                           this->graph.original(paper));
    glt::walks<cpu, glt::global_id> out;
    walker.walk(seeds.vertices, key, out);
    return out;
  }
};

} // namespace

TEST_CASE("the product with types: vertices by every rule in every deployment") {
  glt_test::check_product_of_rules<around_vertices>();
}

TEST_CASE("the product with types: edges by every rule in every deployment") {
  glt_test::check_product_of_rules<around_edges>();
}

TEST_CASE("the product with types: walks along edge types in every deployment") {
  glt_test::check_product<walks>(draw_by::uniform, false);
}
