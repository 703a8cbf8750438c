// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/data_set.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/threads_node.hpp>
#include <glt/dist/halo_values.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/induced_batches.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/walk/metapath_walk.hpp>
#include <glt/dist/walk/node2vec_walk.hpp>
#include <glt/dist/walk/random_walk.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using glt::dist::reading;
using glt::dist::topology;
using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::thrown;

namespace {

constexpr auto host = glt::memory_space::host;

#ifndef GLT_TEST_MPI
// Ranks that are threads, as if `together` of them were on each machine; one of those of machine 1 may refuse to share.
struct machines_comm : glt::threads_comm {
  int together = 1;
  bool refuses = false;
  machines_comm(glt::threads_comm comm, int of_machine, bool refuse = false)
      : glt::threads_comm(std::move(comm)), together(of_machine), refuses(refuse) {}
  machines_comm duplicate() { return {glt::threads_comm::duplicate(), together, refuses}; }
  machines_comm split(int color, int order) { return {glt::threads_comm::split(color, order), together, refuses}; }
};
glt::threads_node<glt::threads_comm> node_memory_of(machines_comm const& comm) {
  auto const machine = comm.rank() / comm.together;
  return glt::threads_node<glt::threads_comm>(
      comm, {.machine = machine, .refusal = comm.refuses && machine == 1 ? "no room" : ""});
}
// Two ranks a machine, which share their first block alone.
struct late_refusal : glt::threads_node<glt::threads_comm> {
  glt::threads_comm comm;
  bool refuses = false;
  explicit late_refusal(glt::threads_comm of) : glt::threads_node<glt::threads_comm>(of), comm(std::move(of)) {}
  template <class Fill>
  glt::node_blocks share(std::int64_t bytes, Fill fill) {
    auto const refusal = std::exchange(refuses, true) ? "no room" : "";
    return glt::threads_node<glt::threads_comm>(comm, {.machine = comm.rank() / 2, .refusal = refusal})
        .share(bytes, fill);
  }
};
#endif

glt::dist::data_part<cpu> part_of(divided_graph const& divided, int rank) {
  auto graph = divided.part(rank);
  auto const rows = graph.graph.view();
  std::vector<std::int64_t> of_edges;
  for (std::int64_t e = 0; e < divided.whole.view().num_edges(); ++e) {
    of_edges.push_back(e * 37 % 101);
  }
  auto sorted = glt::sort_rows_by_time(rows, glt::make_edge_values(rows, of_edges).view());
  graph.graph = std::move(sorted.graph);
  glt::feature_table<cpu> tensors(graph.book.size(rank));
  tensors.add("x", divided.features(rank, 3, false));
  glt::buffer<cpu, float> weights(graph.graph.view().num_edges());
  for (std::int64_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(graph.graph.view().edge_ids()[e] % 5);
  }
  std::vector<glt::global_id> train;
  for (auto v = graph.book.begin(rank); v < graph.book.end(rank); v += 2) {
    train.push_back(v);
  }
  return glt::dist::data_part<cpu>(std::move(graph),
                                   {.tensors = std::move(tensors), .splits = {{"train", std::move(train)}}},
                                   {.weights = std::move(weights), .times = std::move(sorted.times)});
}

divided_graph divide(int ranks, std::size_t partitioner = 1) {
  return {glt_test::random_graph(211, 1500), glt_test::all_partitioners()[partitioner], ranks};
}

// A rule of a program's own with data: takes the edges whose weight is at least a bound.
struct heavy_edges {
  using query_type = glt::no_query;
  static constexpr bool may_exceed_fanout = true;
  glt::host_view<float const> weights;
  float bound = 0;

  template <class Self>
  static auto members(Self& self) noexcept {
    return std::tie(self.weights);
  }
  template <class Graph>
  std::int64_t count(Graph const& graph, std::int64_t row, query_type, glt::hop_options, glt::random_key,
                     std::uint64_t) const noexcept {
    return std::ranges::count_if(of_row(graph, row), [this](float weight) { return weight >= bound; });
  }
  template <class Graph, class Position>
  void pick(Graph const& graph, std::int64_t row, query_type, glt::hop_options, glt::random_key, std::uint64_t,
            std::int64_t, Position* out) const noexcept {
    auto const values = of_row(graph, row);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      if (values[i] >= bound) {
        *out++ = static_cast<Position>(i);
      }
    }
  }

private:
  template <class Graph>
  glt::host_view<float const> of_row(Graph const& graph, std::int64_t row) const noexcept {
    return weights.subview(graph.offset(row), graph.degree(row));
  }
};

// Samples by a rule from a replicated data set, which sends nothing, as from parts by messages.
template <class Comm, class Rule>
void check_silent(Comm comm, glt::dist::data_set<> const& data, Rule const& rule,
                  glt::dist::data_set<> const& by_messages, Rule const& plain_rule, bool silent = true) {
  glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true, .disjoint = glt::detail::has_query<Rule>};
  glt::counting_comm counted(comm);
  glt::dist::neighbor_sampler sampler(counted, data.graph(), options, rule);
  glt::dist::neighbor_sampler expected(comm, by_messages.graph(), options, plain_rule);
  std::vector<glt::global_id> seeds;
  std::vector<typename Rule::query_type> queries;
  for (std::int64_t v = comm.rank(); v < 211; v += 7) {
    seeds.push_back(v);
    queries.emplace_back();
    if constexpr (std::is_same_v<typename Rule::query_type, std::int64_t>) {
      queries.back() = v * 23 % 120 - 5;
    }
  }
  glt::sampled_subgraph<cpu, glt::global_id> out;
  glt::sampled_subgraph<cpu, glt::global_id> wanted;
  for (std::int64_t step = 0; step < 3; ++step) {
    counted.reset();
    if constexpr (glt::detail::has_query<Rule>) {
      sampler.sample(seeds, queries, {.seed = 7, .step = step}, out);
      expected.sample(seeds, queries, {.seed = 7, .step = step}, wanted);
    } else {
      sampler.sample(seeds, {.seed = 7, .step = step}, out);
      expected.sample(seeds, {.seed = 7, .step = step}, wanted);
    }
    CHECK(std::ranges::equal(out.nodes(), wanted.nodes()));
    CHECK(std::ranges::equal(out.row(), wanted.row()));
    CHECK(std::ranges::equal(out.edge_ids(), wanted.edge_ids()));
    CHECK(out.edge_ids().size() > 0);
    if (comm.size() > 1) {
      CHECK(sampler.sends_nothing() == silent);
      CHECK((counted.counts().total().collectives == 0) == silent);
      CHECK((silent ? sampler.counts().remote : sampler.counts().in_place) == 0);
      CHECK(glt_test::names(sampler.why_not_in_place(), "share_rule") == !silent);
    }
  }
}

// Batches of two recipes are equal; returns the report of the first.
template <class Comm, class First, class Second, class Seeds>
glt::dist::loader_report check_batches(Comm comm, First const& first, Second const& second, Seeds const& seeds) {
  glt::dist::loader one(comm, first, seeds, {.batch_size = 8, .seed = 3});
  glt::dist::loader other(comm, second, seeds, {.batch_size = 8, .seed = 3});
  CHECK(one.num_steps() > 0);
  auto const wanted = other.epoch(1);
  auto next = wanted.begin();
  for (auto const& batch : one.epoch(1)) {
    auto const& a = [&]() -> auto& {
      if constexpr (requires { batch.subgraph; }) {
        return batch.subgraph;
      } else {
        return batch.sample.subgraph();
      }
    }();
    auto const& b = [&]() -> auto& {
      if constexpr (requires { (*next).subgraph; }) {
        return (*next).subgraph;
      } else {
        return (*next).sample.subgraph();
      }
    }();
    CHECK(std::ranges::equal(a.nodes(), b.nodes()));
    CHECK(std::ranges::equal(a.row(), b.row()));
    CHECK(std::ranges::equal(a.col(), b.col()));
    CHECK(std::ranges::equal(batch.features().flat(), (*next).features().flat()));
    ++next;
  }
  return one.report();
}

template <class Comm>
void check_all_batches(Comm comm, reading how) {
  using namespace glt::dist;
  auto const divided = divide(comm.size());
  data_set const replicated(comm, part_of(divided, comm.rank()), how, topology::replicated);
  data_set const by_messages(comm, part_of(divided, comm.rank()), reading::by_messages);
  auto const seeds = replicated.split("train");
  glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true};
  auto const report =
      check_batches(comm, neighbor_batches(replicated, options), neighbor_batches(by_messages, options), seeds);
  CHECK(report.sampled.remote == 0);
  CHECK((comm.size() == 1 || report.sampled.in_place > 0));
  CHECK((comm.size() == 1 || report.why_sampled.empty()));
  CHECK((how == reading::in_place || report.rows.in_place == 0));
  check_batches(comm, induced_batches(replicated, {.num_hops = 1}), induced_batches(by_messages, {.num_hops = 1}),
                seeds);
  auto const by_weight = [&](auto const& data) {
    return neighbor_batches(data, options, glt::weighted_rule<host>{data.edge_weights()});
  };
  auto const weighted = check_batches(comm, by_weight(replicated), by_weight(by_messages), seeds);
  CHECK(weighted.sampled.remote == 0);
  edge_seeds<> const edges{.sources = seeds, .destinations = seeds, .labels = {}};
  for (auto const exclude : {glt::seed_exclusion::none, glt::seed_exclusion::edges}) {
    auto const around = [&](auto const& data) {
      return link_batches(data, {.neighbors = {.fanouts = {3, 2}}, .exclude = exclude});
    };
    check_batches(comm, around(replicated), around(by_messages), edges);
  }

  glt::counting_comm counted(comm);
  glt::dist::neighbor_sampler sampler(counted, replicated.graph(), options);
  glt::dist::neighbor_sampler expected(comm, by_messages.graph(), options);
  glt::sampled_subgraph<cpu, glt::global_id> out;
  glt::sampled_subgraph<cpu, glt::global_id> wanted;
  for (std::int64_t step = 0; step < 3; ++step) {
    counted.reset();
    sampler.sample(seeds, {.seed = 7, .step = step}, out);
    CHECK((comm.size() == 1 || sampler.sends_nothing()));
    CHECK((comm.size() == 1 || counted.counts().total().collectives == 0));
    expected.sample(seeds, {.seed = 7, .step = step}, wanted);
    CHECK(std::ranges::equal(out.nodes(), wanted.nodes()));
    CHECK(std::ranges::equal(out.edge_ids(), wanted.edge_ids()));
  }
}

// Walks in replicated data, which send nothing, are those of messages.
template <class Comm>
void check_walks(Comm comm, glt::dist::data_set<> const& replicated, glt::dist::data_set<> const& by_messages) {
  glt::counting_comm counted(comm);
  std::vector<glt::global_id> starts;
  for (std::int64_t v = comm.rank(); v < 211; v += 5) {
    starts.push_back(v);
  }
  auto const check = [&](auto made, auto wanted) {
    glt::walks<cpu, glt::global_id> out;
    glt::walks<cpu, glt::global_id> expected;
    counted.reset();
    made.walk(starts, {.seed = 4}, out);
    CHECK((comm.size() == 1 || made.sends_nothing()));
    CHECK((comm.size() == 1 || counted.counts().total().collectives == 0));
    wanted.walk(starts, {.seed = 4}, expected);
    CHECK(std::ranges::equal(out.vertices().flat(), expected.vertices().flat()));
    CHECK(std::ranges::equal(out.edge_ids().flat(), expected.edge_ids().flat()));
    std::vector<glt::global_id> const bad{comm.rank() == 0 ? 211 : 3};
    if (comm.size() > 1) {
      CHECK((comm.rank() == 0) ==
            names(thrown<glt::precondition_error>([&] { made.walk(bad, {.seed = 4}, out); }), "start 0 is 211"));
    }
  };
  glt::walk_options const plain{.length = 9, .restart = 0.2, .edge_ids = true};
  check(glt::dist::random_walker(counted, replicated.graph(), plain),
        glt::dist::random_walker(comm, by_messages.graph(), plain));
  glt::node2vec_options const second{.length = 7, .walks_per_start = 2, .p = 0.5, .q = 2, .edge_ids = true};
  check(glt::dist::node2vec_walker(counted, replicated.graph(), second),
        glt::dist::node2vec_walker(comm, by_messages.graph(), second));
  check(glt::dist::metapath_walker(counted, replicated.hetero_graph(), {0}, {.length = 6, .edge_ids = true}, cpu()),
        glt::dist::metapath_walker(comm, by_messages.hetero_graph(), {0}, {.length = 6, .edge_ids = true}, cpu()));
}

// Rules with data, which the ranks share or not.
template <class Comm>
void check_rules(Comm comm, reading how, std::size_t partitioner) {
  using namespace glt::dist;
  auto const divided = divide(comm.size(), partitioner);
  data_set replicated(comm, part_of(divided, comm.rank()), how, topology::replicated);
  data_set const by_messages(comm, part_of(divided, comm.rank()), reading::by_messages);
  auto const check = [&](auto const& rule, auto const& plain, bool silent = true) {
    check_silent(comm, replicated, rule, by_messages, plain, silent);
  };
  check_walks(comm, replicated, by_messages);
  auto const weights = by_messages.edge_weights();
  glt::weight_tables<cpu> const tables(by_messages.graph().local(), weights);
  glt::weighted_rule<host> const with_tables{weights, tables.view()};
  auto const originals = make_source_values(comm, by_messages.graph());
  glt::labor_rule<host> const labor{.sources = originals.view()};
  check(glt::weighted_rule<host>{replicated.edge_weights()}, glt::weighted_rule<host>{weights});
  check(glt::temporal_rule<host>{replicated.edge_times()}, glt::temporal_rule<host>{by_messages.edge_times()});
  check(replicated.share_rule(comm, with_tables), with_tables);
  check(replicated.share_rule(comm, labor), labor);
  check(heavy_edges{replicated.edge_weights(), 3}, heavy_edges{weights, 3});
  check(glt::independent_rule<glt::weighted_rule<host>>{{replicated.edge_weights()}},
        glt::independent_rule<glt::weighted_rule<host>>{{weights}});
  // not shared on all ranks, whether or not their parts have edges
  check(with_tables, with_tables, false);
  check(glt::weighted_rule<host>{comm.rank() == 0 ? weights : replicated.edge_weights()},
        glt::weighted_rule<host>{weights}, false);
}

// Copies the edges of hot vertices up to a budget. Hotness is uneven.
template <class Comm>
void copy_edges(Comm comm, glt::dist::data_set<>& data, std::int64_t bytes) {
  auto const types = data.schema().num_node_types();
  std::vector<std::vector<double>> heats;
  std::vector<glt::host_view<double const>> views;
  for (int t = 0; t < types; ++t) {
    auto& of_type = heats.emplace_back();
    for (auto const id : data.original(t)) {
      of_type.push_back(static_cast<double>(1 + id % 7) / 16);
    }
  }
  for (auto const& of_type : heats) {
    views.emplace_back(of_type);
  }
  data.copy_hot_edges(comm, views, bytes);
}
template <class Comm>
glt::dist::data_set<> with_copies(Comm comm, glt::dist::data_part<cpu> part, std::int64_t bytes) {
  glt::dist::data_set<> data(comm, std::move(part), reading::by_messages);
  copy_edges(comm, data, bytes);
  return data;
}

// Draws by a rule are those of messages; returns the traffic of one rank.
template <class Comm, class Rule>
glt::traffic check_copies(Comm comm, glt::dist::data_set<> const& data, Rule const& rule,
                          glt::dist::data_set<> const& by_messages, Rule const& plain_rule, bool copies) {
  glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true, .disjoint = glt::detail::has_query<Rule>};
  glt::counting_comm counted(comm);
  glt::dist::neighbor_sampler sampler(counted, data.graph(), options, rule);
  glt::dist::neighbor_sampler expected(comm, by_messages.graph(), options, plain_rule);
  std::array<std::vector<glt::global_id>, 2> seeds;
  for (std::int64_t v = comm.rank(); v < 211; v += 7) {
    seeds[static_cast<std::size_t>(v % 2)].push_back(v);
  }
  std::array<std::vector<typename Rule::query_type>, 2> const queries{
      std::vector<typename Rule::query_type>(seeds[0].size()), std::vector<typename Rule::query_type>(seeds[1].size())};
  std::array<glt::sampled_subgraph<cpu, glt::global_id>, 2> out;
  std::array<glt::sampled_subgraph<cpu, glt::global_id>, 2> wanted;
  auto const sample = [&](auto& made, auto& to) {
    std::vector<typename std::remove_cvref_t<decltype(made)>::bulk_item> items;
    for (std::size_t b = 0; b < 2; ++b) {
      items.push_back({.seeds = seeds[b], .key = {.seed = 7, .step = static_cast<std::int64_t>(b)}, .out = &to[b]});
      if constexpr (glt::detail::has_query<Rule>) {
        items.back().queries = queries[b];
      }
    }
    made.sample_bulk(items);
  };
  counted.reset();
  sample(sampler, out);
  auto const traffic = counted.counts();
  sample(expected, wanted);
  for (std::size_t b = 0; b < 2; ++b) {
    CHECK(std::ranges::equal(out[b].nodes(), wanted[b].nodes()));
    CHECK(std::ranges::equal(out[b].row(), wanted[b].row()));
    CHECK(std::ranges::equal(out[b].edge_ids(), wanted[b].edge_ids()));
  }
  CHECK((sampler.counts().in_place > 0) == (copies && comm.size() > 1));
  return traffic;
}

template <class Vertex>
std::vector<glt::host_view<Vertex const>> views_of(std::vector<std::vector<Vertex>> const& lists) {
  return {lists.begin(), lists.end()};
}

// Uniform draws; a thread that asks for it wants more of them, for which it has no memory.
thread_local bool draws_too_many = false;
thread_local std::optional<glt_test::failing_allocation> no_memory;
struct greedy_rule : glt::uniform_rule {
  template <class Graph>
  std::int64_t count(Graph const& graph, std::int64_t row, query_type query, glt::hop_options options,
                     glt::random_key key, std::uint64_t subject) const noexcept {
    if (!draws_too_many) {
      return glt::uniform_rule::count(graph, row, query, options, key, subject);
    }
    if (!no_memory) {
      no_memory.emplace(1);
    }
    return 1 << 16;
  }
};

} // namespace

TEST_CASE("over a replicated topology batches are those of messages, and sampling sends nothing") {
  glt_test::on_ranks([](auto comm) {
    check_all_batches(comm, reading::in_place);
    check_all_batches(comm, reading::by_messages); // only rows travel so
#ifndef GLT_TEST_MPI
    for (int const together : {1, 2, 3}) {
      check_all_batches(machines_comm(comm, together), reading::in_place);
    }
#endif
  });
}

TEST_CASE("a machine has one copy of a replicated topology, also if rows travel by messages") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    for (auto const how : {reading::in_place, reading::by_messages}) {
      glt::dist::data_set<> const data(comm, part_of(divided, comm.rank()), how, topology::replicated);
      auto const& parts = data.hetero_graph().neighborhood().of_rank;
      REQUIRE(std::ssize(parts) == (comm.size() == 1 ? 0 : comm.size()));
#ifndef GLT_TEST_MPI // one address space
      for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        REQUIRE(parts[rank]);
        auto const own = reinterpret_cast<std::uintptr_t>(parts[rank]->graphs.front().offsets().data());
        std::uintptr_t first = own;
        comm.broadcast(reinterpret_cast<std::byte*>(&first), sizeof first, 0);
        CHECK(own == first);
      }
#endif
    }
  });
}

TEST_CASE("over a replicated topology rules draw by data that the ranks share, and send nothing") {
  glt_test::on_ranks([](auto comm) {
    for (std::size_t const partitioner : {1, 4}) { // the second makes parts without edges
      check_rules(comm, reading::in_place, partitioner);
      check_rules(comm, reading::by_messages, partitioner);
#ifndef GLT_TEST_MPI
      check_rules(machines_comm(comm, 2), reading::in_place, partitioner);
#endif
    }
  });
}

TEST_CASE("a rank that cannot draw from a replicated topology makes all ranks fail, which wait for rows") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    glt::dist::data_set const data(comm, part_of(divided, comm.rank()), reading::in_place, topology::replicated);
    glt::neighbor_options const options{.fanouts = {3, 2}};
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, options, greedy_rule{}), data.split("train"),
                             {.batch_size = 8});
    auto const run = [&] {
      std::int64_t step = 0;
      for ([[maybe_unused]] auto const& batch : loader.epoch(0)) {
        draws_too_many = comm.rank() == comm.size() - 1 && ++step == 2;
      }
    };
    auto const text = comm.size() == 1 ? thrown<std::exception>(run) : thrown<glt::collective_error>(run);
    draws_too_many = false;
    no_memory.reset();
    INFO(text);
    CHECK(names(text, "bad_alloc"));
    CHECK((comm.size() == 1 || names(text, "rank " + std::to_string(comm.size() - 1))));

    glt::dist::neighbor_sampler sampler(comm, data.graph(), options);
    glt::sampled_subgraph<cpu, glt::global_id> out;
    std::vector<glt::global_id> const seeds{comm.rank() == 0 ? 211 : 3};
    if (comm.size() > 1) { // alone, without a word to others
      CHECK((comm.rank() == 0) == (thrown<glt::precondition_error>([&] {
                                     sampler.sample(seeds, {.seed = 1}, out);
                                   }).find("211") != std::string::npos));
    }
  });
}

TEST_CASE("typed data are replicated, too") {
  glt_test::on_ranks([](auto comm) {
    using namespace glt::dist;
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      glt_test::divided_hetero_graph const divided(list, comm.size());
      auto const make = [&](reading how, topology where) {
        auto const types = static_cast<std::size_t>(list.schema.num_node_types());
        auto const relations = static_cast<std::size_t>(list.schema.num_edge_types());
        auto part = divided.part(comm.rank());
        std::vector<data_part<cpu>::edge_data> edges(relations);
        for (std::size_t e = 0; e < relations; ++e) {
          auto const ids = part.relations[e].view().edge_ids();
          edges[e].weights = glt::buffer<cpu, float>(ids.size());
          std::ranges::transform(ids, edges[e].weights.view().begin(),
                                 [](auto id) { return static_cast<float>(id % 4); });
        }
        return data_set(
            comm, data_part<cpu>(std::move(part), std::vector<data_part<cpu>::vertex_data>(types), std::move(edges)),
            how, where);
      };
      auto const replicated = make(reading::in_place, topology::replicated);
      auto const by_messages = make(reading::by_messages, topology::divided);
      auto const private_copy = make(reading::by_messages, topology::replicated);
      auto copies = make(reading::by_messages, topology::divided);
      copy_edges(comm, copies, 1 << 20);
      glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true};
      std::vector<std::vector<glt::global_id>> seeds(static_cast<std::size_t>(list.schema.num_node_types()));
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        auto const& book = replicated.book(t);
        for (auto v = book.begin(comm.rank()); v < book.end(comm.rank()); v += 2) {
          seeds[static_cast<std::size_t>(t)].push_back(v);
        }
      }
      auto const by_weight = [&](data_set<> const& data) {
        std::vector<glt::weighted_rule<host>> rules;
        for (int e = 0; e < list.schema.num_edge_types(); ++e) {
          rules.push_back({data.edge_weights(e)});
        }
        return rules;
      };
      auto const check = [&](data_set<> const& data, auto... rules_of) {
        glt::hetero_subgraph<cpu, glt::global_id> wanted;
        glt::dist::hetero_neighbor_sampler(comm, by_messages.hetero_graph(), options, rules_of(by_messages)...)
            .sample(views_of(seeds), {.seed = 5}, wanted);
        glt::counting_comm counted(comm);
        glt::dist::hetero_neighbor_sampler sampler(counted, data.hetero_graph(), options, rules_of(data)...);
        glt::hetero_subgraph<cpu, glt::global_id> out;
        counted.reset();
        sampler.sample(views_of(seeds), {.seed = 5}, out);
        auto const traffic = counted.counts();
        // a part without edges of a type has no weights that a rule shows, and then uses messages
        bool const copied = &data == &copies;
        bool const shown = !copied || sizeof...(rules_of) == 0;
        CHECK((!shown || traffic.payload.collectives + traffic.replies.collectives == 0));
        CHECK((comm.size() == 1 || sampler.sends_nothing() == (traffic.total().collectives == 0)));
        CHECK((comm.size() == 1 || sampler.sends_nothing() == !copied));
        for (int t = 0; t < list.schema.num_node_types(); ++t) {
          CHECK(std::ranges::equal(out.nodes(t), wanted.nodes(t)));
        }
        for (int e = 0; e < list.schema.num_edge_types(); ++e) {
          CHECK(std::ranges::equal(out.row(e), wanted.row(e)));
          CHECK(std::ranges::equal(out.edge_ids(e), wanted.edge_ids(e)));
        }
      };
      for (auto const* const data : {&replicated, &private_copy, &std::as_const(copies)}) {
        check(*data);
        check(*data, by_weight);
      }
    }
  });
}

TEST_CASE("copies of the edges of hot vertices replace messages, up to a budget of bytes") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    glt::dist::data_set const by_messages(comm, part_of(divided, comm.rank()), reading::by_messages);
    std::int64_t before = 0;
    for (std::int64_t const bytes : {0, 3000, 20000, 1 << 20}) { // the last holds all edges
      INFO("budget ", bytes);
      auto const data = with_copies(comm, part_of(divided, comm.rank()), bytes);
      auto const& hot = glt::detail::copied_edges::of(data.graph());
      CHECK((hot == nullptr) == (bytes == 0 || comm.size() == 1));
      CHECK((hot == nullptr || (hot->bytes > bytes / 2 || bytes == 1 << 20)));
      CHECK((hot == nullptr || hot->bytes <= bytes));
      auto const traffic = check_copies(comm, data, glt::uniform_rule{}, by_messages, glt::uniform_rule{}, bytes > 0);
      CHECK((bytes < 1 << 20 || traffic.payload.collectives + traffic.replies.collectives == 0));
      auto sent = traffic.payload.bytes;
      comm.all_reduce(std::span(&sent, 1), glt::reduction::sum);
      CHECK((bytes == 0 || comm.size() == 1 || sent < before));
      before = sent;
      check_copies(comm, data, glt::weighted_rule<host>{data.edge_weights()}, by_messages,
                   glt::weighted_rule<host>{by_messages.edge_weights()}, bytes > 0);
      check_copies(comm, data, glt::temporal_rule<host>{data.edge_times()}, by_messages,
                   glt::temporal_rule<host>{by_messages.edge_times()}, bytes > 0);
    }
  });
}

TEST_CASE("a rule that is set for a batch draws in place by data that the ranks share") {
  glt_test::on_ranks([](auto comm) {
    using namespace glt::dist;
    auto const divided = divide(comm.size());
    data_set const by_messages(comm, part_of(divided, comm.rank()), reading::by_messages);
    auto const copies = with_copies(comm, part_of(divided, comm.rank()), 1 << 20);
    data_set in_place(comm, part_of(divided, comm.rank()));
    data_set replicated(comm, part_of(divided, comm.rank()), reading::by_messages, topology::replicated);
    auto const originals = make_source_values(comm, by_messages.graph());
    glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true};
    std::vector<glt::global_id> seeds;
    for (std::int64_t v = comm.rank(); v < 211; v += 7) {
      seeds.push_back(v);
    }
    // Each batch has a rule of its own; the data of the last are not shared.
    auto const check = [&](data_set<> const& data, auto rule, auto plain_rule, auto of_batch) {
      glt::counting_comm counted(comm);
      glt::dist::neighbor_sampler sampler(counted, data.graph(), options, rule);
      glt::dist::neighbor_sampler expected(comm, by_messages.graph(), options, plain_rule);
      glt::sampled_subgraph<cpu, glt::global_id> out;
      glt::sampled_subgraph<cpu, glt::global_id> wanted;
      for (std::int64_t step = 0; step < 3; ++step) {
        sampler.set_rule_of([=](int) { return of_batch(step < 2 ? rule : plain_rule, step); });
        expected.set_rule_of([=](int) { return of_batch(plain_rule, step); });
        counted.reset();
        sampler.sample(seeds, {.seed = 7, .step = step}, out);
        expected.sample(seeds, {.seed = 7, .step = step}, wanted);
        CHECK(std::ranges::equal(out.nodes(), wanted.nodes()));
        CHECK(std::ranges::equal(out.row(), wanted.row()));
        CHECK(std::ranges::equal(out.edge_ids(), wanted.edge_ids()));
        bool const silent = step < 2 || comm.size() == 1;
        CHECK((counted.counts().payload.collectives + counted.counts().replies.collectives == 0) == silent);
        CHECK((sampler.counts().remote == 0) == silent);
        CHECK((silent || names(sampler.why_not_in_place(), "share_rule")));
      }
      CHECK((sampler.counts().in_place > 0) == (comm.size() > 1));
    };
    glt::labor_rule<host> const labor{.sources = originals.view(), .across_hops = true};
    auto const by_key = [](auto rule, std::int64_t step) {
      rule.batch_key = glt::random_key(12).fold(static_cast<std::uint64_t>(step));
      return rule;
    };
    check(in_place, in_place.share_rule(comm, labor), labor, by_key);
    check(replicated, replicated.share_rule(comm, labor), labor, by_key);
    auto const as_it_is = [](auto rule, std::int64_t) { return rule; };
    glt::weighted_rule<host> const weighted{by_messages.edge_weights()};
    for (auto const* const data : {&std::as_const(in_place), &std::as_const(replicated), &copies}) {
      check(*data, glt::weighted_rule<host>{data->edge_weights()}, weighted, as_it_is);
    }
  });
}

TEST_CASE("ranks must want the same topology, and a machine that cannot keep it says so") {
  glt_test::on_ranks(
      [](auto comm) {
        auto const divided = divide(comm.size());
        auto const text = thrown<glt::collective_error>([&] {
          glt::dist::data_set const data(comm, part_of(divided, comm.rank()), reading::in_place,
                                         comm.rank() == 1 ? topology::replicated : topology::divided);
        });
        CHECK(names(text, "rank 1", "pass the same reading and topology"));
#ifndef GLT_TEST_MPI
        check_all_batches(machines_comm(comm, 2, true), reading::in_place); // each rank of machine 1 has a copy
        late_refusal node(comm);
        if (comm.size() == 4) {
          auto const part = divided.part(comm.rank());
          glt::detail::shared_arrays_of_part<cpu, glt::global_id> shared(node, std::span(&part.graph, 1),
                                                                         std::span(&part.original, 1), cpu());
          auto const refused = thrown<glt::collective_error>([&] {
            glt::detail::replicate_parts(comm, node, shared.block, shared.neighborhood, [](auto block) {
              return glt::detail::view_of_part<cpu::space, glt::global_id>(glt::detail::read_shared(block));
            });
          });
          CHECK(names(refused, "cannot keep the parts of other machines", "no room", "leave the topology divided"));
        }
#endif
      },
      {2, 3, 4});
}
