// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/data_set.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/induced_batches.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/loading/walk_batches.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/named_tables.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::thrown;

namespace {

using plain_part = glt::dist::data_part<cpu>;

// Ids of the vertices of a part, each `step`-th from the first on.
std::vector<glt::global_id> every(glt::partition_book const& book, int part, std::int64_t step) {
  std::vector<glt::global_id> ids;
  for (auto v = book.begin(part); v < book.end(part); v += step) {
    ids.push_back(v);
  }
  return ids;
}

// The part of a rank, whose values tell vertices and edges in original ids.
plain_part part_of(divided_graph const& divided, int rank) {
  auto graph = divided.part(rank);
  auto const& book = graph.book;
  auto const rows = book.size(rank);
  auto const edges = graph.graph.view();
  glt::buffer<cpu, std::int64_t> labels(rows);
  glt::buffer<cpu, std::int64_t> times(rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    labels[r] = graph.original[r] % 7;
    times[r] = graph.original[r] + 1000;
  }
  glt::feature_table<cpu> tensors(rows);
  tensors.add("x", divided.features(rank, 3, false));
  tensors.add("y", glt::feature_store<cpu, std::int64_t>(rows, 1, std::move(labels)));
  tensors.add("year", glt_test::named_store<std::int16_t>({graph.original.begin(), graph.original.end()}, 1, 1));
  glt::buffer<cpu, float> weights(edges.num_edges());
  std::vector<std::int64_t> edge_ids(edges.edge_ids().begin(), edges.edge_ids().end());
  for (std::int64_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(edge_ids[static_cast<std::size_t>(e)] % 5);
  }
  glt::feature_table<cpu> of_edges(edges.num_edges());
  of_edges.add("kind", glt_test::named_store<std::int32_t>(edge_ids, 2, 2));
  std::vector<glt::dist::data_part<>::vertex_split> splits{{"train", every(book, rank, 3)}};
  if (rank == 0) {
    splits.push_back({"first", every(book, 0, 10)});
  }
  glt::link_split links{.name = "train", .edges = {every(book, rank, 4), every(book, rank, 4)}};
  return plain_part(std::move(graph),
                    {.tensors = std::move(tensors), .splits = std::move(splits), .times = std::move(times)},
                    {.tensors = std::move(of_edges), .weights = std::move(weights), .links = {std::move(links)}});
}

divided_graph divide(int ranks) {
  return {glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], ranks};
}

// While it lives, this process makes no file with contents.
class small_files {
public:
  small_files() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~small_files() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  small_files(small_files const&) = delete;
  small_files& operator=(small_files const&) = delete;

private:
  rlimit before_{};
};

bool same_rows(glt::detail::collected_table<cpu> const& a, glt::detail::collected_table<cpu> const& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](auto const& one, auto const& other) {
    return one.name == other.name && std::ranges::equal(one.bytes, other.bytes);
  });
}

// All that a rank gets of two recipes on its seeds is equal.
template <class Comm, class RecipeA, class RecipeB, class Seeds, class Compare>
void check_batches(Comm comm, RecipeA const& a, RecipeB const& b, Seeds const& seeds, Compare const& compare) {
  glt::dist::loader first(comm, a, seeds, {.batch_size = 8, .seed = 3});
  glt::dist::loader second(comm, b, seeds, {.batch_size = 8, .seed = 3});
  CHECK(first.num_steps() > 0);
  auto const wanted = second.epoch(1);
  auto next = wanted.begin();
  for (auto const& batch : first.epoch(1)) {
    compare(batch, *next);
    ++next;
  }
}

} // namespace

TEST_CASE("a data set without types hands out what its parts were made of") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    auto part = part_of(divided, comm.rank());
    auto const* const sources = part.graph.relations[0].view().sources().data();
    auto const* const x = part.vertices[0].tensors.template view<float>("x").features.data();
    auto made = glt::dist::data_set(comm, std::move(part), glt::dist::reading::by_messages);
    auto const* const graph = &made.graph();
    auto const data = std::move(made); // what is borrowed stays
    CHECK(&data.graph() == graph);
    CHECK(data.graph().local().sources().data() == sources); // no copy
    CHECK(data.hetero_graph().local(0).sources().data() == sources);
    CHECK(data.features().local().features.data() == x);
    CHECK(data.schema() == glt::hetero_schema({{"node", 101}}, {{"node", "edge", "node"}}));
    CHECK(data.book() == divided.names.book);
    CHECK(std::ranges::equal(data.original(), divided.part(comm.rank()).original));
    CHECK(data.tensors().local().names() == std::vector<std::string>{"x", "y", "year"});
    CHECK(data.num_classes() == 7);
    for (std::int64_t r = 0; r < data.original().size(); ++r) {
      CHECK(data.features().local().labels[r] == data.original()[r] % 7);
      CHECK(data.times()[r] == data.original()[r] + 1000);
    }
    CHECK(data.split("train") == every(data.book(), comm.rank(), 3));
    CHECK(data.split("first").size() == (comm.rank() == 0 ? every(data.book(), 0, 10).size() : 0));
    CHECK(data.splits().size() == 2);
    CHECK(data.links("train").edges.sources == every(data.book(), comm.rank(), 4));
    CHECK(data.edge_weights().size() == data.graph().local().num_edges());
    CHECK(data.edge_times().empty());
    CHECK(data.edge_tensors().of_edges());
    CHECK(data.hot_rows().size() == 0);
    CHECK(data.named_hot_rows().size() == 0);
  });
}

TEST_CASE("recipes make of a data set what they make of its graph and features") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    auto const data = glt::dist::data_set(comm, part_of(divided, comm.rank()));
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto features = divided.features(comm.rank(), 3, false);
    auto rows = std::move(features);
    glt::dist::feature_store const store(comm, graph.book(), std::move(rows));
    auto const seeds = data.split("train");
    auto const same = [](auto const& a, auto const& b) {
      CHECK(std::ranges::equal(a.subgraph.nodes(), b.subgraph.nodes()));
      CHECK(std::ranges::equal(a.subgraph.row(), b.subgraph.row()));
      CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
      CHECK(a.labels().size() == a.subgraph.num_sampled_nodes()[0]); // of the data set alone
    };
    using namespace glt::dist;
    glt::neighbor_options const options{.fanouts = {3, 2}};
    check_batches(comm, neighbor_batches(data, options), neighbor_batches(graph, store, options), seeds, same);
    glt::weighted_rule<glt::memory_space::host> const rule{data.edge_weights()};
    check_batches(comm, neighbor_batches(data, options, rule), neighbor_batches(graph, store, options, rule), seeds,
                  same);
    check_batches(comm, induced_batches(data, {.num_hops = 1}), induced_batches(graph, store, {.num_hops = 1}), seeds,
                  same);
    auto const& links = data.links("train").edges;
    check_batches(comm, link_batches(data, {.neighbors = options}), link_batches(graph, store, {.neighbors = options}),
                  edge_seeds<>{.sources = links.sources, .destinations = links.destinations, .labels = {}},
                  [](auto const& a, auto const& b) {
                    CHECK(std::ranges::equal(a.sample.subgraph().nodes(), b.sample.subgraph().nodes()));
                    CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
                  });
    check_batches(comm, walk_batches(data, {.length = 4}), walk_batches(graph, {.length = 4}), seeds,
                  [](auto const& a, auto const& b) {
                    CHECK(std::ranges::equal(a.walks.vertices().flat(), b.walks.vertices().flat()));
                  });
  });
}

TEST_CASE("ranks of one machine read a data set in place, without a message, and get the batches of messages") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    glt::counting_comm counted(comm);
    using namespace glt::dist;
    auto const in_place = glt::dist::data_set(counted, part_of(divided, comm.rank()));
    auto const by_messages = glt::dist::data_set(comm, part_of(divided, comm.rank()), reading::by_messages);
    CHECK(in_place.graph().neighborhood().of_rank.size() == (comm.size() > 1 ? comm.size() : 0));
    CHECK(by_messages.graph().neighborhood().of_rank.empty());
    auto const seeds = in_place.split("train");
    glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true};
    auto const same = [](auto const& a, auto const& b) {
      CHECK(std::ranges::equal(a.subgraph.nodes(), b.subgraph.nodes()));
      CHECK(std::ranges::equal(a.subgraph.row(), b.subgraph.row()));
      CHECK(std::ranges::equal(a.subgraph.edge_ids(), b.subgraph.edge_ids()));
      CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
      CHECK(std::ranges::equal(a.labels(), b.labels()));
      CHECK(a.tensors.tensors.size() == 3);
      CHECK(same_rows(a.tensors, b.tensors));
      CHECK(a.edge_tensors.tensors.size() == 1);
      CHECK(same_rows(a.edge_tensors, b.edge_tensors));
    };
    auto const of = [&](auto const& data) {
      return neighbor_batches(data, options).with(data.tensors()).with(data.edge_tensors());
    };
    check_batches(counted, of(in_place), of(by_messages), seeds, same);
    loader local(counted, of(in_place), seeds, {.batch_size = 8});
    counted.reset();
    for ([[maybe_unused]] auto const& batch : local.epoch(0)) {
    }
    CHECK(counted.counts().payload.messages == 0);
    CHECK(counted.counts().replies.messages == 0);
    auto const report = local.report();
    CHECK(report.sampled.remote == 0);
    CHECK(report.rows.remote == 0);
    CHECK((comm.size() == 1 || report.sampled.in_place > 0));
    CHECK((comm.size() == 1 || report.why_sampled.empty()));
    CHECK((comm.size() == 1 || report.why_rows.empty()));
    loader remote(comm, of(by_messages), seeds, {.batch_size = 8});
    for ([[maybe_unused]] auto const& batch : remote.epoch(0)) {
    }
    CHECK(remote.report().sampled.in_place == 0);
    CHECK(remote.report().rows.in_place == 0);

    auto const weighted = [&](auto const& data) {
      return neighbor_batches(data, options, glt::weighted_rule<glt::memory_space::host>{data.edge_weights()});
    };
    check_batches(comm, weighted(in_place), weighted(by_messages), seeds, [](auto const& a, auto const& b) {
      CHECK(std::ranges::equal(a.subgraph.nodes(), b.subgraph.nodes()));
      CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
    });
    loader by_weight(comm, weighted(in_place), seeds, {.batch_size = 8});
    for ([[maybe_unused]] auto const& batch : by_weight.epoch(0)) {
    }
    CHECK(by_weight.report().sampled.remote == 0);
    CHECK((comm.size() == 1 || by_weight.report().sampled.in_place > 0));
    auto const& links = in_place.links("train").edges;
    edge_seeds<> const edges{.sources = links.sources, .destinations = links.destinations, .labels = {}};
    for (auto const exclude : {glt::seed_exclusion::none, glt::seed_exclusion::edges}) {
      auto const around = [&](auto const& data) {
        return link_batches(data, {.neighbors = {.fanouts = {3, 2}}, .exclude = exclude});
      };
      check_batches(comm, around(in_place), around(by_messages), edges, [](auto const& a, auto const& b) {
        CHECK(std::ranges::equal(a.sample.subgraph().nodes(), b.sample.subgraph().nodes()));
        CHECK(std::ranges::equal(a.sample.subgraph().row(), b.sample.subgraph().row()));
        CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
      });
      loader linked(comm, around(in_place), edges, {.batch_size = 8});
      for ([[maybe_unused]] auto const& batch : linked.epoch(0)) {
      }
      CHECK(linked.report().sampled.remote == 0);
    }
    check_batches(comm, induced_batches(in_place, {.num_hops = 1}), induced_batches(by_messages, {.num_hops = 1}),
                  seeds, [](auto const& a, auto const& b) {
                    CHECK(std::ranges::equal(a.subgraph.row(), b.subgraph.row()));
                    CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
                  });
    auto const typed = [&](auto const& data) {
      return typed_batches(data, {.fanouts = glt::same_fanouts(data.schema(), {3, 2})});
    };
    check_batches(comm, typed(in_place), typed(by_messages), typed_seeds<>(0, {seeds}),
                  [](auto const& a, auto const& b) {
                    CHECK(std::ranges::equal(a.subgraph.nodes(0), b.subgraph.nodes(0)));
                    CHECK(same_rows(a.tensors[0], b.tensors[0]));
                  });
  });
}

TEST_CASE("where the system lets a rank share no memory, all ranks read by messages, and get the same batches" *
          glt_test::needs_mpi) {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    using namespace glt::dist;
    auto const by_messages = glt::dist::data_set(comm, part_of(divided, comm.rank()), reading::by_messages);
    std::optional<small_files> limit;
    if (comm.rank() == comm.size() - 1) {
      limit.emplace();
    }
    auto const refused = glt::dist::data_set(comm, part_of(divided, comm.rank()));
    limit.reset();
    glt::neighbor_options const options{.fanouts = {3, 2}};
    auto const seeds = refused.split("train");
    check_batches(comm, neighbor_batches(refused, options), neighbor_batches(by_messages, options), seeds,
                  [](auto const& a, auto const& b) {
                    CHECK(std::ranges::equal(a.subgraph.nodes(), b.subgraph.nodes()));
                    CHECK(std::ranges::equal(a.features().flat(), b.features().flat()));
                  });
    loader of_refused(comm, neighbor_batches(refused, options), seeds, {.batch_size = 8});
    auto const report = of_refused.report();
    CHECK((comm.size() == 1 || names(report.why_sampled, "cannot share memory")));
    CHECK((comm.size() == 1 || names(report.why_rows, "cannot share memory")));
  });
}

TEST_CASE("ranks that want to read a data set in different ways get the same error") {
  glt_test::on_ranks([](auto comm) {
    auto const how = comm.rank() == 0 ? glt::dist::reading::in_place : glt::dist::reading::by_messages;
    auto const open = [&] {
      glt::dist::data_set<cpu> const data(comm, part_of(divide(comm.size()), comm.rank()), how);
    };
    if (comm.size() == 1) {
      open();
    } else {
      CHECK(names(thrown<glt::collective_error>(open), "the same reading"));
    }
  });
}

TEST_CASE("a graph without types is one of one type for recipes with types") {
  glt_test::on_ranks([](auto comm) {
    auto const data = glt::dist::data_set(comm, part_of(divide(comm.size()), comm.rank()));
    auto const seeds = data.split("train");
    glt::dist::loader plain(comm, glt::dist::neighbor_batches(data, {.fanouts = {3, 2}}), seeds, {.batch_size = 8});
    glt::dist::loader typed(comm, glt::dist::typed_batches(data, {.fanouts = glt::same_fanouts(data.schema(), {3, 2})}),
                            glt::dist::typed_seeds<>(0, {seeds}), {.batch_size = 8});
    glt::hetero_link_options const around_edges{.neighbors = {.fanouts = glt::same_fanouts(data.schema(), {3, 2})}};
    auto const& edges = data.links("train").edges;
    glt::dist::loader links(
        comm, glt::dist::typed_batches(data, around_edges),
        glt::dist::edge_seeds<>{.sources = edges.sources, .destinations = edges.destinations, .labels = {}},
        {.batch_size = 8});
    for (auto const& batch : links.epoch(0)) {
      auto const& subgraph = batch.sample.subgraph();
      CHECK(batch.tensors[0]["x"].num_rows == std::ssize(subgraph.nodes(0)));
      CHECK(batch.tensors[0]["y"].num_rows == subgraph.num_sampled_nodes(0)[0]);
    }
    auto const wanted = plain.epoch(0);
    auto next = wanted.begin();
    for (auto const& batch : typed.epoch(0)) {
      CHECK(batch.tensors[0]["x"].num_rows == std::ssize(batch.subgraph.nodes(0)));
      CHECK(batch.tensors[0]["y"].num_rows == batch.subgraph.num_sampled_nodes(0)[0]);
      CHECK(batch.num_seeds == (*next).num_seeds);
      auto const x = batch.tensors[0]["x"].template as<float>();
      auto const nodes = batch.subgraph.nodes(0);
      for (std::int64_t i = 0; i < nodes.size(); ++i) {
        auto const owner = data.book().owner(nodes[i]);
        if (owner == comm.rank()) {
          CHECK(x(i, 0) == divided_graph::feature(data.original()[nodes[i] - data.book().begin(owner)], 0));
        }
      }
      ++next;
    }
  });
}

TEST_CASE("a data set with types tells each of its types") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      glt_test::divided_hetero_graph const divided(list, comm.size());
      auto const num_types = list.schema.num_node_types();
      auto const num_relations = list.schema.num_edge_types();
      glt::dist::data_part<cpu> part(divided.part(comm.rank()));
      for (int t = 0; t < num_types; ++t) {
        auto const place = static_cast<std::size_t>(t);
        auto& data = part.vertices[place];
        auto const& book = part.graph.books[place];
        data.tensors = glt::feature_table<cpu>(book.size(comm.rank()));
        if (t % 2 == 0) {
          data.tensors.add("x", divided.features(t, comm.rank()));
        }
        data.splits.push_back({"of type " + std::to_string(t), every(book, comm.rank(), 2)});
      }
      auto const data = glt::dist::data_set(comm, std::move(part));
      CHECK(data.schema() == list.schema);
      for (int t = 0; t < num_types; ++t) {
        CHECK(data.split("of type " + std::to_string(t), t) == every(data.book(t), comm.rank(), 2));
        CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(data.num_classes(t)); }), "no labels \"y\"",
                    t % 2 == 0 ? "the tensors are \"x\"" : "the tensors are none"));
        CHECK(data.vertices(t) == every(data.book(t), comm.rank(), 1));
        CHECK(data.features(t).num_columns() == (t % 2 == 0 ? t + 1 : 0));
        CHECK(data.original(t).size() == data.book(t).size(comm.rank()));
        CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(data.split("train", t)); }),
                    "no split \"train\"; there are \"of type " + std::to_string(t) + '"'));
      }
      auto const refused = [](auto const& work) {
        return thrown<glt::precondition_error>([&] { static_cast<void>(work()); });
      };
      CHECK(names(refused([&] { return data.num_classes(num_types); }), "node type"));
      if (num_types > 1) {
        CHECK(names(refused([&] { return data.num_classes(); }), list.schema.node_types()[0].name, "find_node_type"));
        CHECK(names(refused([&] { return &data.graph(); }), list.schema.node_types()[1].name, "hetero_graph()"));
      }
      if (num_relations > 1) {
        CHECK(names(refused([&] { return data.edge_times(); }), list.schema.edge_types()[1].name, "find_edge_type"));
      }
      if (num_relations > 0) {
        CHECK(names(refused([&] { return &data.edge_tensors(0); }), "no tensors of edges"));
        CHECK(names(refused([&] { return &data.links("train", 0); }), "no link split \"train\"; there are none"));
      }
      if (num_types == 0 || data.book(0).num_vertices() == 0) {
        continue;
      }
      glt::dist::typed_batches const recipe(data, {.fanouts = glt::same_fanouts(list.schema, {2, 2})});
      glt::dist::loader loader(comm, recipe, glt::dist::typed_seeds<>(0, {data.split("of type 0", 0)}),
                               {.batch_size = 3});
      for (auto const& batch : loader.epoch(0)) {
        for (int t = 0; t < num_types; t += 2) {
          auto const x = batch.tensors[static_cast<std::size_t>(t)]["x"].template as<float>();
          auto const nodes = batch.subgraph.nodes(t);
          auto const& original = divided.names[static_cast<std::size_t>(t)].original;
          for (std::int64_t i = 0; i < nodes.size(); ++i) {
            CHECK(x(i, t) == glt_test::divided_hetero_graph::feature(t, original[nodes[i]], t));
          }
        }
      }
    }
  });
}

TEST_CASE("more ranks than vertices, and features of another type") {
  glt_test::on_ranks([](auto comm) {
    glt_test::edge_list const small{"two vertices", 2, {0, 1, 1}, {1, 1, 0}};
    divided_graph const divided(small, glt_test::all_partitioners()[0], comm.size());
    auto const data = glt::dist::data_set(comm, part_of(divided, comm.rank()));
    CHECK(data.num_classes() == 2); // labels 0 and 1
    CHECK(data.features().has_labels());
    auto part = part_of(divided, comm.rank());
    auto const rows = part.graph.original[0].size();
    part.vertices[0].tensors = glt::feature_table<cpu>(rows);
    part.vertices[0].tensors.add("x", glt::feature_store<cpu, double>(rows, 1, glt::buffer<cpu, double>(rows)));
    auto const doubles = glt::dist::data_set(comm, std::move(part));
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(doubles.features()); }), "\"x\" are float64"));
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(doubles.num_classes()); }), "no labels \"y\""));
    auto odd = part_of(divided, comm.rank());
    glt::buffer<cpu, std::int64_t> labels(rows);
    std::ranges::fill(labels.view(), std::int64_t{1} << (comm.rank() == 0 ? 40 : 16));
    odd.vertices[0].tensors = glt::feature_table<cpu>(rows);
    odd.vertices[0].tensors.add("y", glt::feature_store<cpu, std::int64_t>(rows, 1, std::move(labels)));
    auto const numbers = glt::dist::data_set(comm, std::move(odd));
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(numbers.num_classes()); }),
                "a label is 1099511627776, but there are only 2 vertices", "numpy.unique"));
  });
}

TEST_CASE("a part that does not fit is the same error on all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    auto const last = comm.size() - 1;
    // What ranks are told if the last one does `spoil(part)`.
    auto const refused = [&](auto const& spoil) {
      auto part = part_of(divided, comm.rank());
      if (comm.rank() == last) {
        spoil(part);
      }
      auto const text =
          thrown<glt::collective_error>([&] { glt::dist::data_set<cpu> const data(comm, std::move(part)); });
      CHECK(names(text, "rank " + std::to_string(last)));
      return text;
    };
    using glt::buffer;
    CHECK(names(refused([](auto& part) { part.vertices.clear(); }), "0 node types and 1 edge types"));
    CHECK(names(refused([](auto& part) { part.vertices[0].times = buffer<cpu, std::int64_t>(200); }),
                "200 times of vertices for "));
    CHECK(names(refused([](auto& part) { part.edges[0].weights = buffer<cpu, float>(1000); }), "1000 weights for "));
    CHECK(names(refused([](auto& part) { part.edges[0].times = buffer<cpu, std::int64_t>(1000); }),
                "1000 times of edges for "));
    CHECK(names(refused([](auto& part) { part.vertices[0].hot_vertices = buffer<cpu, glt::global_id>(3); }),
                "3 hot vertices for 0"));
    CHECK(names(refused([](auto& part) { part.vertices[0].splits.push_back({"wrong", {0, 101}}); }),
                "id of split \"wrong\" 1 is 101"));
    CHECK(names(refused([](auto& part) { part.vertices[0].splits.push_back({"train", {}}); }), "two splits \"train\""));
    CHECK(
        names(refused([](auto& part) { part.edges[0].links[0].edges.sources.push_back(1); }), "link split \"train\""));
    CHECK(names(refused([](auto& part) { part.edges[0].links[0].negatives = {{0}, {-1}}; }),
                "id of link split \"train\" 0 is -1"));
    CHECK(names(refused([](auto& part) { part.graph.part += 1; }), "was given part "));
    if (comm.size() > 1) {
      CHECK(names(refused([](auto& part) {
                    part.vertices[0].tensors.add(
                        "z", glt::feature_store<cpu, float>(part.graph.original[0].size(), 0, buffer<cpu, float>(0)));
                  }),
                  "\"z\""));
      CHECK(names(refused([](auto& part) { part.edges[0].tensors = glt::feature_table<cpu>(0); }), "\"kind\""));
    }
  });
}
