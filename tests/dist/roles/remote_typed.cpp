// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/loading/walk_batches.hpp>
#include <glt/dist/named_features.hpp>

#include "support/hetero_parts.hpp"
#include "support/named_tables.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/remote_kinds.hpp"

#include <vector>

using glt_test::cpu;

namespace {

constexpr int paper = 0; // of academic_graph
constexpr int author = 1;
constexpr int writes = 0;
constexpr int rev_writes = 1;
constexpr int cites = 2;

auto typed_part(int ranks, int rank) {
  glt_test::divided_hetero_graph divided(glt_test::academic_graph(301), glt_test::merged_parts, 1);
  for (auto& names : divided.names) {
    glt_test::merge_parts(names.book, ranks);
  }
  return divided.part(rank);
}

template <class Comm>
struct typed {
  explicit typed(Comm& comm)
      : graph(comm, typed_part(comm.size(), comm.rank())), papers(features_of(comm, paper)),
        authors(features_of(comm, author)) {}
  auto recipe() const {
    glt::dist::typed_batches made(graph, {});
    return made.with(paper, papers, {{.name = "year"}, {.name = "label", .seeds_only = true}}).with(author, authors);
  }
  glt::hetero_options options() const {
    return {.fanouts = glt::same_fanouts(graph.schema(), {3, 2}), .edge_ids = true};
  }
  glt::dist::typed_seeds<> seeds(int client) const { return {paper, glt_test::client_seeds(client, 301)}; }

  glt::dist::hetero_graph<cpu> graph;
  glt::dist::named_features<cpu> papers;
  glt::dist::named_features<cpu> authors;

private:
  glt::dist::named_features<cpu> features_of(Comm& comm, int type) const {
    auto const own = glt::to_vector(cpu(), graph.original(type));
    return {comm, graph.book(type), glt_test::named_table({own.begin(), own.end()})};
  }
};

template <class Comm>
struct typed_links : typed<Comm> {
  explicit typed_links(Comm& comm) : typed<Comm>(comm) {
    for (auto const original : this->graph.original(author)) {
      weights.push_back(static_cast<double>(original % 3 + 1));
    }
  }
  auto recipe() const {
    glt::dist::typed_batches made(this->graph, glt::hetero_link_options());
    return made.with_weights(author, weights).with(paper, this->papers, {{.name = "year"}});
  }
  glt::hetero_link_options options() const {
    return {.edge_type = writes,
            .neighbors = typed<Comm>::options(),
            .negatives = {.amount = 1.5, .attempts = 3},
            .exclude = glt::seed_exclusion::edges_and_reverses,
            .reverse_type = rev_writes};
  }
  glt::dist::edge_seeds<> seeds(int client) const {
    glt::dist::edge_seeds<> made;
    for (auto const vertex : glt_test::client_seeds(client, 301)) {
      made.sources.push_back(vertex % 151);
      made.destinations.push_back((vertex * 3 + 1) % 301);
      made.labels.push_back(vertex % 4);
    }
    return made;
  }

  std::vector<double> weights;
};

template <class Comm>
struct walks {
  explicit walks(Comm& comm) : graph(comm, glt_test::merged_graph(comm.size()).part(comm.rank())) {}
  auto recipe() const { return glt::dist::walk_batches(graph, glt::walk_options()); }
  glt::walk_options options() const { return {.length = 5, .walks_per_start = 2, .restart = 0.25, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { return glt_test::client_seeds(client, 257); }

  glt::dist::graph<cpu> graph;
};

template <class Comm>
struct node2vec : walks<Comm> {
  using walks<Comm>::walks;
  auto recipe() const { return glt::dist::walk_batches(this->graph, glt::node2vec_options()); }
  glt::node2vec_options options() const { return {.length = 6, .p = 0.25, .q = 4, .edge_ids = true}; }
};

template <class Comm>
struct metapath {
  explicit metapath(Comm& comm) : graph(comm, typed_part(comm.size(), comm.rank())) {}
  auto recipe() const { return glt::dist::walk_batches(graph, {cites}, glt::metapath_options()); }
  glt::metapath_options options() const { return {.length = 4, .walks_per_start = 2, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { return glt_test::client_seeds(client, 301); }

  glt::dist::hetero_graph<cpu> graph;
};

} // namespace

TEST_CASE("servers make the typed batches with named tensors that a loader makes") { // on_ranks
  glt_test::check_remote_kind<typed>();
}

TEST_CASE("servers make the typed batches around edges that a loader makes") {
  glt_test::check_remote_kind<typed_links>();
}

TEST_CASE("servers make the batches of walks that a loader makes") {
  glt_test::check_remote_kind<walks>();
  glt_test::check_remote_kind<node2vec>();
  glt_test::check_remote_kind<metapath>();
}
