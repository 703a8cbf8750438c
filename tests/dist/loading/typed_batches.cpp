// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/typed_batches.hpp>

#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/shared/shared_table.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/loader_kinds.hpp"
#include "support/naive_hetero_links.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/named_tables.hpp"
#include "support/nodes.hpp"
#include "support/policies.hpp"
#include "support/policy_hetero_subgraphs.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_hetero_graph;
using glt_test::on_ranks;

namespace {

using typed_seeds = glt::dist::typed_seeds<>;
using lists = std::vector<std::vector<std::int64_t>>;

constexpr int paper = 0; // of academic_graph
constexpr int author = 1;
constexpr int cites = 2;

glt::dist::named_features<cpu> features_of(auto& comm, glt::dist::hetero_graph<cpu> const& graph, int type) {
  auto const own = glt::to_vector(cpu(), graph.original(type));
  return {comm, graph.book(type), glt_test::named_table({own.begin(), own.end()})};
}

glt::dist::named_features<cpu> edge_features_of(auto& comm, glt::dist::hetero_graph<cpu> const& graph, int type) {
  std::vector<glt::edge_id> ids;
  for (std::int64_t e = 0; e < graph.local(type).num_edges(); ++e) {
    ids.push_back(graph.local(type).id_of_edge(e));
  }
  return {comm, graph.book(graph.schema().destination_type(type)),
          glt::feature_table<cpu>(glt::make_buffer<cpu>(ids), glt_test::named_table(ids))};
}

// What `named_table` has of tensor number `tensor`, of one column, for the first of some items.
std::vector<std::int64_t> values_of(std::vector<std::int64_t> const& items, std::int64_t tensor, std::int64_t count) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<std::int64_t>(glt_test::named_value(items[static_cast<std::size_t>(i)], tensor, 0)));
  }
  return values;
}

typed_seeds seeds_of_rank(divided_hetero_graph const& divided, int type, int rank) {
  lists original(divided.names.size());
  original[static_cast<std::size_t>(type)] =
      glt_test::kind_seeds(rank, divided.names[static_cast<std::size_t>(type)].book.num_vertices());
  return {type, divided.renumbered(original)[static_cast<std::size_t>(type)]};
}

// Seeds of a batch in original ids, by node type.
lists originals_of(lists const& original, typed_seeds const& seeds) {
  lists made(original.size());
  auto const type = static_cast<std::size_t>(seeds.node_type);
  for (auto const seed : seeds.vertices) {
    made[type].push_back(original[type][static_cast<std::size_t>(seed)]);
  }
  return made;
}

} // namespace

TEST_CASE("typed batches are those of the sampler, with tensors of vertices, seeds and edges by type") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    auto const original = divided.original();
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    auto const papers = features_of(comm, graph, paper);
    auto const authors = features_of(comm, graph, author);
    auto const citations = edge_features_of(comm, graph, cites);
    glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true};
    glt::dist::typed_batches recipe(graph, options);
    recipe.with(author, authors, {{.name = "year"}})
        .with(paper, papers, {{.name = "year"}, {.name = "label", .seeds_only = true}})
        .with(cites, citations, {{.name = "year"}});
    CHECK(recipe.options().edge_ids);
    auto const seeds = seeds_of_rank(divided, paper, comm.rank());
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    std::int64_t rows = 0;
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, typed_seeds const& of_batch, auto key) {
      auto const sample = glt_test::plain_hetero(batch.subgraph, original);
      CHECK(sample == glt_test::naive_hetero_sample(list, originals_of(original, of_batch), options, key));
      CHECK(batch.seed_type == paper);
      REQUIRE(batch.tensors.size() == 4);
      REQUIRE(batch.edge_tensors.size() == 7);
      auto const check = [&](auto const& table, char const* name, auto const& items, int tensor, std::int64_t count) {
        CHECK(glt_test::elements_of<std::int64_t>(table[name]) == values_of(items, tensor, count));
        rows += count;
      };
      for (auto const type : {paper, author}) {
        auto const& nodes = sample.nodes[static_cast<std::size_t>(type)];
        check(batch.tensors[static_cast<std::size_t>(type)], "year", nodes, 1, std::ssize(nodes));
      }
      check(batch.tensors[paper], "label", sample.nodes[paper], 5, sample.num_sampled_nodes[paper][0]);
      check(batch.edge_tensors[cites], "year", sample.edge_ids[cites], 1, std::ssize(sample.edge_ids[cites]));
      CHECK(batch.tensors[2].tensors.empty());
      CHECK(batch.tensors[author].tensors.size() == 1);
    });
    CHECK((rows > 0) == (comm.rank() > 0));
    auto const counts = loader.report().rows;
    CHECK((counts.own + counts.remote > 0) == (comm.rank() > 0));
    CHECK((loader.report().seconds.collecting.requesting > 0) == (loader.num_steps() > 0));
    glt_test::check_deployments(comm, recipe, seeds);
    auto const steps = loader.num_steps();
    CHECK(glt_test::sweeps_of_epoch(comm, recipe, seeds, 1) * ((steps + 2) / 3) ==
          glt_test::sweeps_of_epoch(comm, recipe, seeds, 3) * steps);
  });
}

TEST_CASE("typed batches are the same with rows that are read in place or hot") {
  on_ranks([](auto comm) {
    divided_hetero_graph const divided(glt_test::academic_graph(101), comm.size(), 1);
    auto node = glt_test::node_of(comm);
    auto shared_graph = glt::dist::share(node, divided.part(comm.rank()));
    glt::dist::hetero_graph const graph(comm, std::move(shared_graph.own));
    auto const originals = [&](int type) {
      auto const own = glt::to_vector(cpu(), graph.original(type));
      return std::vector<std::int64_t>(own.begin(), own.end());
    };
    auto shared = glt::dist::share(node, glt_test::named_table(originals(paper)));
    glt::dist::named_features<cpu> const papers(comm, graph.book(paper), std::move(shared.own));
    auto const authors = features_of(comm, graph, author);
    glt::dist::typed_batches recipe(graph, {.fanouts = glt::same_fanouts(graph.schema(), {3, 2})});
    recipe.with(paper, papers, {{.name = "year"}}).with(author, authors, {{.name = "year"}});
    auto const seeds = seeds_of_rank(divided, paper, comm.rank());
    glt::dist::loader plain(comm, recipe, seeds, glt_test::kind_options);
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    loader.read_in_place(paper, shared.neighborhood);
    loader.read_in_place(shared_graph.neighborhood);
    std::vector<glt::global_id> vertices;
    std::vector<std::int64_t> names;
    for (glt::global_id vertex = 0; vertex < graph.book(author).num_vertices(); vertex += 2) {
      vertices.push_back(vertex);
      names.push_back(divided.names[author].original[vertex]);
    }
    glt::dist::named_hot_rows<cpu> const hot(glt::make_buffer<cpu>(vertices), glt_test::named_table(names));
    loader.use(author, hot);
    CHECK(glt_test::prints_of(loader, 0) == glt_test::prints_of(plain, 0));
    auto const by_messages = plain.report().sampled;
    auto const sampled = loader.report().sampled;
    CHECK(by_messages.in_place + sampled.remote == 0);
    CHECK((by_messages.remote > 0) == (comm.rank() > 0));
    CHECK(sampled.own == by_messages.own);
    CHECK(sampled.in_place == by_messages.remote);
    CHECK(loader.report().why_sampled.empty());
    CHECK(glt_test::names(plain.report().why_sampled, "share no memory", "read_in_place"));
    auto const rows = loader.report().rows;
    CHECK((rows.in_place > 0 && rows.cached > 0) == (comm.rank() > 0));
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { loader.use(2, hot); }), "node type 2"));
  });
}

TEST_CASE("typed batches by rules, where seeds of every rank are of another type and have times") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 2);
    auto const original = divided.original();
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::hetero_options const options{
        .fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true, .disjoint = true};
    glt::dist::typed_batches const recipe(graph, options,
                                          std::vector<glt_test::limit_rule>(list.schema.edge_types().size()));
    auto seeds = seeds_of_rank(divided, comm.rank() % 3, comm.rank());
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      seeds.times.push_back(i * 40 % 600 - 1);
    }
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, typed_seeds const& of_batch, auto key) {
      CHECK(glt_test::plain_hetero(batch.subgraph, original) ==
            glt_test::naive_hetero_sample(list, originals_of(original, of_batch), options, key,
                                          glt_test::naive_limits{of_batch.times}));
      CHECK(batch.seed_type == comm.rank() % 3);
    });
    glt_test::check_deployments(comm, recipe, seeds);
    auto const last = comm.size() - 1;
    typed_seeds const timeless(0, std::vector<glt::global_id>{1});
    CHECK(glt_test::names(glt_test::refused(comm, recipe, comm.rank() == last ? timeless : seeds),
                          "rank " + std::to_string(last), "seeds without times"));
  });
}

TEST_CASE_TEMPLATE("typed batches are the same on any policy and delivered to it", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph const host_graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_graph const graph(comm, glt_test::device_part(divided, comm.rank(), policy));
    auto const host_papers = features_of(comm, host_graph, paper);
    glt::feature_table<Policy> table(graph.book(paper).size(comm.rank()), policy);
    auto const own = glt::to_vector(cpu(), host_graph.original(paper));
    auto const years = glt_test::named_store<std::int64_t>({own.begin(), own.end()}, 1, 1);
    table.add("year", glt::feature_store<Policy, std::int64_t>(
                          table.num_rows(), 1, glt::make_buffer<Policy>(years.view().features.flat(), policy)));
    glt::dist::named_features const papers(comm, graph.book(paper), std::move(table));
    auto const seeds = seeds_of_rank(divided, paper, comm.rank());
    glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, 2})};
    glt::dist::typed_batches host_recipe(host_graph, options);
    glt::dist::loader host_loader(comm, host_recipe.with(paper, host_papers, {{.name = "year"}}), seeds,
                                  glt_test::kind_options);
    auto const copy = [](auto const& at, auto const& batch) {
      auto const rows = batch.tensors[paper]["year"].template as<std::int64_t>();
      return std::pair(glt_test::copy_subgraph(at, batch.subgraph), glt::to_vector(at, rows.flat()));
    };
    glt::dist::typed_batches recipe(graph, options);
    glt::dist::loader loader(comm, recipe.with(paper, papers), seeds, glt_test::kind_options, policy);
    glt_test::check_on_policy(policy, host_loader, loader, copy);
  });
}

TEST_CASE("typed seeds, options and tensors that cannot be are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    auto const papers = features_of(comm, graph, paper);
    auto const citations = edge_features_of(comm, graph, cites);
    glt::dist::typed_batches const recipe(graph, {.fanouts = glt::same_fanouts(list.schema, {2}), .edge_ids = true});
    using ids = std::vector<glt::global_id>;
    typed_seeds const good(paper, ids{1});
    auto const refused = [&](auto const& what, typed_seeds const& seeds = {}) {
      return glt_test::refused(comm, what, odd ? seeds : typed_seeds(paper, ids{1}));
    };
    CHECK(glt_test::names(refused(recipe, {7, ids{1}}), name, "seeds of node type 7"));
    CHECK(glt_test::names(refused(recipe, {paper, ids{1, 101}}), name, "seed 1 is 101"));
    CHECK(glt_test::names(refused(recipe, {paper, {ids{1}, {2}}}), name, "seeds with times"));
    auto const with = [&](int type, auto const& tensors) {
      auto made = recipe;
      return made.with(type, tensors);
    };
    CHECK(glt_test::names(refused(with(odd ? 7 : paper, papers)), name, "tensors of node type 7"));
    CHECK(glt_test::names(refused(with(odd ? author : paper, papers)), name, "node type 1 and graph"));
    CHECK(glt_test::names(refused(with(odd ? -1 : cites, citations)), name, "tensors of edge type -1"));
    glt::dist::typed_batches without_ids(graph, {.fanouts = recipe.options().fanouts});
    CHECK(glt_test::names(refused(without_ids.with(cites, citations)), "rank 0", "set edge_ids"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(odd ? recipe : with(paper, papers)), name, "other things"));
    }
  });
}

namespace {

constexpr int writes = 0; // of academic_graph, from authors to papers
constexpr int rev_writes = 1;

// Seed edges of a rank: rank 0 has none, the others more and more.
glt::dist::edge_seeds<> links_of_rank(glt_test::hetero_list const& list, divided_hetero_graph const& divided,
                                      int rank) {
  glt::dist::edge_seeds<> seeds;
  for (auto const& [source, destination] :
       glt_test::some_hetero_positives(list, writes, 9 * rank, static_cast<std::uint64_t>(rank))) {
    seeds.sources.push_back(divided.names[author].renumbered[source]);
    seeds.destinations.push_back(divided.names[paper].renumbered[destination]);
    seeds.labels.push_back(seeds.size() % 4);
  }
  return seeds;
}

glt_test::pair_list originals_of(lists const& original, glt::dist::edge_seeds<> const& seeds) {
  glt_test::pair_list pairs;
  for (std::size_t i = 0; i < seeds.sources.size(); ++i) {
    pairs.emplace_back(original[author][static_cast<std::size_t>(seeds.sources[i])],
                       original[paper][static_cast<std::size_t>(seeds.destinations[i])]);
  }
  return pairs;
}

} // namespace

TEST_CASE(
    "typed batches around edges of a type are those of the definition, with tensors, labels and weights by type") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    auto const original = divided.original();
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    auto const papers = features_of(comm, graph, paper);
    auto const citations = edge_features_of(comm, graph, cites);
    glt::hetero_link_options const options{
        .edge_type = writes,
        .neighbors = {.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true},
        .negatives = {.amount = 1.5, .attempts = 3},
        .exclude = glt::seed_exclusion::edges_and_reverses,
        .reverse_type = rev_writes};
    std::vector<double> weights;
    for (auto const id : graph.original(author)) {
      weights.push_back(static_cast<double>(id % 3 + 1));
    }
    auto const num_authors = list.schema.num_vertices(author);
    std::vector<std::int64_t> shares;
    for (std::int64_t v = 0; v < num_authors; ++v) {
      shares.push_back(glt::detail::weight_scale(3, num_authors)(static_cast<double>(v % 3 + 1)));
    }
    glt::dist::typed_batches recipe(graph, options);
    recipe.with_weights(author, weights)
        .with(paper, papers, {{.name = "year"}, {.name = "label", .seeds_only = true}})
        .with(cites, citations, {{.name = "year"}});
    CHECK(recipe.options().edge_type == writes);
    auto const seeds = links_of_rank(list, divided, comm.rank());
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    std::int64_t rows = 0;
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
      auto const links = glt_test::plain_hetero_links(batch.sample, list.schema, writes, original);
      CHECK(links == glt_test::sample_hetero_links_naively(list, originals_of(original, of_batch), of_batch.labels,
                                                           options, key, {shares, {}}));
      auto const& nodes = links.subgraph.nodes[paper];
      auto const& edges = links.subgraph.edge_ids[cites];
      auto const ends = links.subgraph.num_sampled_nodes[paper][0];
      CHECK(glt_test::elements_of<std::int64_t>(batch.tensors[paper]["year"]) ==
            values_of(nodes, 1, std::ssize(nodes)));
      CHECK(glt_test::elements_of<std::int64_t>(batch.tensors[paper]["label"]) == values_of(nodes, 5, ends));
      CHECK(glt_test::elements_of<std::int64_t>(batch.edge_tensors[cites]["year"]) ==
            values_of(edges, 1, std::ssize(edges)));
      rows += std::ssize(nodes);
    });
    CHECK((rows > 0) == (comm.rank() > 0));
    CHECK((loader.report().sampled.own > 0) == (comm.rank() > 0));
    glt_test::check_deployments(comm, recipe, seeds);
  });
}

TEST_CASE("typed batches around edges with times, by a rule, in triplets") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 2);
    auto const original = divided.original();
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::hetero_link_options const options{
        .edge_type = writes,
        .neighbors = {.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true, .disjoint = true},
        .negatives = {.mode = glt::negative_mode::triplet, .amount = 2, .attempts = 2}};
    glt::dist::typed_batches const recipe(graph, options,
                                          std::vector<glt_test::limit_rule>(list.schema.edge_types().size()));
    auto seeds = links_of_rank(list, divided, comm.rank());
    seeds.labels.clear();
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      seeds.times.push_back(i * 40 % 600 - 1);
    }
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
      auto const expected = glt_test::sample_hetero_links_naively(
          list, originals_of(original, of_batch), {}, options, key, {},
          [&](glt_test::hetero_list const& rest, lists const& ends, std::vector<std::size_t> const& edge_of_seed) {
            glt_test::naive_limits limits;
            for (auto const edge : edge_of_seed) {
              limits.limits.push_back(of_batch.times[edge]);
            }
            return glt_test::naive_hetero_sample(rest, ends, options.neighbors, key, limits);
          });
      CHECK(glt_test::plain_hetero_links(batch.sample, list.schema, writes, original) == expected);
    });
    glt_test::check_deployments(comm, recipe, seeds);
  });
}

TEST_CASE_TEMPLATE("typed batches around edges are the same on any policy and delivered to it", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph const host_graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_graph const graph(comm, glt_test::device_part(divided, comm.rank(), policy));
    auto const seeds = links_of_rank(list, divided, comm.rank());
    glt::hetero_link_options const options{.edge_type = writes,
                                           .neighbors = {.fanouts = glt::same_fanouts(list.schema, {3, 2})},
                                           .exclude = glt::seed_exclusion::edges_and_reverses,
                                           .reverse_type = rev_writes};
    glt::dist::loader host_loader(comm, glt::dist::typed_batches(host_graph, options), seeds, glt_test::kind_options);
    glt::dist::loader loader(comm, glt::dist::typed_batches(graph, options), seeds, glt_test::kind_options, policy);
    auto const copy = [](auto const& at, auto const& batch) {
      return std::pair(glt_test::copy_subgraph(at, batch.sample.subgraph()),
                       glt::to_vector(at, batch.sample.edge_label_index().flat()));
    };
    glt_test::check_on_policy(policy, host_loader, loader, copy);
  });
}

TEST_CASE("typed seed edges, types and weights that cannot be are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::hetero_link_options const good{.neighbors = {.fanouts = glt::same_fanouts(list.schema, {2})}};
    glt::dist::typed_batches const recipe(graph, good);
    using seeds_type = glt::dist::edge_seeds<>;
    auto const refused = [&](auto const& what, seeds_type const& seeds = {}) {
      return glt_test::refused(comm, what, odd ? seeds : seeds_type{{1}, {2}, {}});
    };
    CHECK(glt_test::names(refused(recipe, {{1}, {101}, {}}), name, "destination of seed edge 0 is 101"));
    CHECK(glt_test::names(refused(recipe, {{51}, {1}, {}}), name, "source of seed edge 0 is 51"));
    CHECK(glt_test::names(refused(recipe, {{1}, {1}, {-1}}), name, "label of seed edge 0 is -1"));
    auto wrong = good;
    wrong.edge_type = odd ? 7 : 0;
    CHECK(glt_test::names(refused(glt::dist::typed_batches(graph, wrong)), name, "seed edges of type 7"));
    std::vector<double> const weights(static_cast<std::size_t>(graph.book(2).size(comm.rank())), 1);
    auto weighted = recipe;
    weighted.with_weights(odd ? 2 : author, weights); // institutions write nothing
    CHECK(glt_test::names(refused(weighted), name, "weights of node type 2"));
    if (comm.size() > 1) {
      wrong.edge_type = odd ? 4 : 0;
      CHECK(glt_test::names(refused(glt::dist::typed_batches(graph, wrong)), name, "other seed edges"));
    }
  });
}
