// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/hetero_sampler.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/vertex_directory.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/nodes.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_hetero_graph;
using glt_test::on_ranks;

namespace {

std::vector<glt::hetero_options> options_to_try(glt::hetero_schema const& schema) {
  std::vector<glt::hetero_options> options;
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    options.push_back({.fanouts = glt::same_fanouts(schema, {3}), .expand = expand});
    options.push_back(
        {.fanouts = glt::same_fanouts(schema, {3, 2}), .replace = true, .expand = expand, .edge_ids = true});
    glt::hetero_options mixed{.fanouts = glt::same_fanouts(schema, {-1, 2, 1}), .expand = expand, .edge_ids = true};
    for (std::size_t e = 0; e < mixed.fanouts.size(); ++e) {
      if (e % 3 == 1) {
        mixed.fanouts[e] = {0, 300, -1}; // counts of different width in one hop
      } else if (e % 3 == 2) {
        mixed.fanouts[e] = {2, 0, 0};
      }
    }
    mixed.disjoint = expand == glt::frontier::fresh;
    options.push_back(std::move(mixed));
  }
  return options;
}

template <class Vertex>
std::vector<glt::host_view<Vertex const>> views_of(std::vector<std::vector<Vertex>> const& lists) {
  return {lists.begin(), lists.end()};
}

enum class reading { messages, in_place, both };

// Rows of other ranks are requested by messages, read in place, or either, from rank to rank.
template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::hetero_list const& list, std::size_t shift,
                           reading from = reading::messages) {
  divided_hetero_graph const divided(list, comm.size(), shift);
  auto const original = divided.original();
  auto node = glt_test::node_of(comm);
  auto shared = glt::dist::share(node, divided.template part<Vertex>(comm.rank()));
  if (from == reading::both) {
    glt_test::hide_every_other(shared.neighborhood, comm.rank());
  }
  glt::dist::hetero_graph graph(comm, std::move(shared.own));
  for (auto const& options : options_to_try(list.schema)) {
    glt::counting_comm counted(comm);
    glt::dist::hetero_neighbor_sampler sampler(counted, graph, options);
    if (from != reading::messages) {
      sampler.read_in_place(shared.neighborhood);
    }
    counted.reset();
    glt::hetero_subgraph<cpu, Vertex> out;
    glt_test::check_batches(
        comm, list.name + ", shift " + std::to_string(shift), 3,
        [&](std::int64_t step) { return glt_test::hetero_seeds_of(list, comm.rank(), step); },
        [&](auto const& seeds, auto key) {
          auto const ids = divided.template renumbered<Vertex>(seeds);
          sampler.sample(views_of(ids), key, out);
          return glt_test::plain_hetero(out, original);
        },
        [&](auto const& seeds, auto key) { return glt_test::naive_hetero_sample(list, seeds, options, key); });
    CHECK((from != reading::messages || sampler.counts().in_place == 0));
    CHECK((from != reading::in_place || sampler.counts().remote + counted.counts().payload.collectives == 0));
    CHECK(sampler.why_not_in_place().empty() ==
          (from == reading::in_place || (from == reading::both && comm.size() == 1)));
  }
}

// Counts, sources and edge ids over all edge types for one vertex that was expanded in a hop.
template <class Vertex>
std::int64_t bytes_of_answer(glt::hetero_subgraph<cpu, Vertex> const& out, glt::hetero_options const& options,
                             glt::hetero_schema const& schema, int node_type, int hop, std::int64_t position) {
  std::int64_t bytes = 0;
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const fanout = options.fanouts[static_cast<std::size_t>(e)][static_cast<std::size_t>(hop)];
    if (schema.destination_type(e) == node_type && fanout != 0) {
      auto const offsets = out.block(e, out.num_hops() - 1 - hop).offsets;
      bytes += (fanout < 0     ? 4
                : fanout > 255 ? 2
                               : 1) +
               (offsets[position + 1] - offsets[position]) *
                   static_cast<std::int64_t>(sizeof(Vertex) + (options.edge_ids ? sizeof(glt::edge_id) : 0));
    }
  }
  return bytes;
}

} // namespace

TEST_CASE("distributed sampling equals serial sampling, bit for bit, with another partitioner for every type") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      for (std::size_t const shift : {0, 3}) {
        check_equal_to_serial<glt::global_id>(comm, list, shift);
      }
    }
    check_equal_to_serial<glt::local_id>(comm, glt_test::academic_graph(101), 1);
  });
}

TEST_CASE("rows of every type that are read in place are those of messages") {
  on_ranks([](auto comm) {
    for (auto const from : {reading::in_place, reading::both}) {
      for (auto const& list : glt_test::hetero_graphs_to_divide()) {
        check_equal_to_serial<glt::global_id>(comm, list, 1, from);
      }
      check_equal_to_serial<glt::local_id>(comm, glt_test::academic_graph(101), 2, from);
    }
  });
}

TEST_CASE("rows of typed vertices are counted by where they were read") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(301);
    divided_hetero_graph const divided(list, comm.size(), 1);
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.part(comm.rank()));
    glt_test::hide_every_other(shared.neighborhood, comm.rank());
    glt::dist::hetero_graph const graph(comm, std::move(shared.own));
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = glt::same_fanouts(list.schema, {2})});
    sampler.read_in_place(shared.neighborhood);
    std::vector<glt::global_id> seeds;
    std::int64_t own = 0;
    std::int64_t in_place = 0;
    for (glt::global_id v = comm.rank(); v < graph.book(0).num_vertices(); v += 2) {
      seeds.push_back(v);
      auto const owner = graph.book(0).owner(v);
      own += owner == comm.rank() ? 1 : 0;
      in_place += owner != comm.rank() && (owner - comm.rank()) % 2 == 0 ? 1 : 0;
    }
    glt::hetero_subgraph<cpu, glt::global_id> out;
    sampler.sample(0, seeds, {.seed = 3}, out);
    CHECK(sampler.counts().own == own);
    CHECK(sampler.counts().in_place == in_place);
    CHECK(sampler.counts().remote == std::ssize(seeds) - own - in_place);
    auto wrong = shared.neighborhood;
    wrong.of_rank[static_cast<std::size_t>(comm.rank())]->graphs.pop_back();
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { sampler.read_in_place(wrong); }),
                          "6 edge types and 4 node types", "7 and 4"));
  });
}

TEST_CASE("a rule of typed vertices may depend on the requester, the batch and the edge type") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size(), 1);
    auto const original = divided.original();
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::hetero_options options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true};
    options.fanouts[1] = {0, 2};
    std::vector<glt_test::turning_rule> const rules(list.schema.edge_types().size());
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, options, rules);
    sampler.set_rule_of([](int rank, std::size_t batch, int edge_type) {
      return glt_test::turning_rule{.begin = rank + 2 * static_cast<int>(batch) + edge_type};
    });
    auto const seeds = glt_test::hetero_seeds_of(list, comm.rank(), 2);
    auto const ids = divided.renumbered(seeds);
    auto const views = views_of(ids);
    std::vector<glt::hetero_subgraph<cpu, glt::global_id>> out(2);
    using item = typename decltype(sampler)::bulk_item;
    std::vector<item> const items{{.seeds = views, .out = &out[0]}, {.seeds = views, .out = &out[1]}};
    sampler.sample_bulk(items);
    for (int batch = 0; batch < 2; ++batch) {
      std::vector<glt_test::turning_rule> turned;
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        turned.push_back({.begin = comm.rank() + 2 * batch + e});
      }
      auto alone = comm.split(comm.rank(), 0);
      divided_hetero_graph const whole(list, 1);
      glt::dist::hetero_graph const of_one(alone, whole.part(0));
      glt::dist::hetero_neighbor_sampler expected(alone, of_one, options, turned);
      glt::hetero_subgraph<cpu, glt::global_id> alone_out;
      auto const all = whole.renumbered(seeds);
      expected.sample(views_of(all), {}, alone_out);
      CHECK(glt_test::plain_hetero(out[static_cast<std::size_t>(batch)], original) ==
            glt_test::plain_hetero(alone_out, whole.original()));
    }
  });
}

TEST_CASE("rules and queries give the same wherever a vertex lives") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      divided_hetero_graph const divided(list, comm.size(), 1);
      auto const original = divided.original();
      glt::dist::hetero_graph graph(comm, divided.part(comm.rank()));
      std::vector<glt_test::turning_rule> rules;
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        rules.push_back({.begin = e});
      }
      glt::hetero_options options{.fanouts = glt::same_fanouts(list.schema, {3, -1}), .edge_ids = true};
      glt::dist::hetero_neighbor_sampler turning(comm, graph, options, rules);
      options.disjoint = true;
      glt::dist::hetero_neighbor_sampler limited(comm, graph, options, std::vector<glt_test::limit_rule>(rules.size()));
      glt::hetero_subgraph<cpu, glt::global_id> out;
      auto const seeds = glt_test::hetero_seeds_of(list, comm.rank(), 2);
      auto const ids = divided.renumbered(seeds);
      INFO(list.name, ", rank ", comm.rank(), " of ", comm.size());
      turning.sample(views_of(ids), {}, out);
      CHECK(glt_test::plain_hetero(out, original) ==
            glt_test::naive_hetero_sample(list, seeds, turning.options(), {}, glt_test::naive_turns{}));
      auto const limits = glt_test::limits_for(seeds, 900);
      limited.sample(views_of(ids), limits, {}, out);
      CHECK(glt_test::plain_hetero(out, original) ==
            glt_test::naive_hetero_sample(list, seeds, options, {}, glt_test::naive_limits{limits}));
    }
  });
}

TEST_CASE("a rule may give rows of any length, whatever the fanout") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(301);
    divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph graph(comm, divided.part(comm.rank()));
    std::vector<glt_test::whole_row_rule> const rules(7);
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = glt::same_fanouts(list.schema, {2, 2})}, rules);
    glt::hetero_subgraph<cpu, glt::global_id> out;
    std::vector<std::vector<std::int64_t>> const seeds{{}, {}, {}, {0, 1, 2}}; // topics, with hundreds of papers each
    auto const ids = divided.renumbered(seeds);
    sampler.sample(views_of(ids), {}, out);
    auto const expected =
        glt_test::naive_hetero_sample(list, seeds, {.fanouts = glt::same_fanouts(list.schema, {-1, -1})}, {});
    CHECK(glt_test::plain_hetero(out, divided.original()) == expected);
    CHECK(expected.num_sampled_edges[6][0] == std::ssize(list.relations[6].sources));
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    check_equal_to_serial<glt::global_id>(comm, glt_test::academic_graph(101), 1);
    check_equal_to_serial<glt::local_id>(comm, glt_test::academic_graph(33), 2);
  });
}

TEST_CASE("seeds of one type on one rank reach all types on all ranks") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(301);
    divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph graph(comm, divided.part(comm.rank()));
    glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true};
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, options);
    glt::hetero_subgraph<cpu, glt::global_id> out;
    auto const authors = list.schema.find_node_type("author");
    std::vector<std::vector<std::int64_t>> seeds(4);
    if (comm.rank() == comm.size() - 1) {
      seeds[static_cast<std::size_t>(authors)] = {3, 150, 77};
    }
    auto const ids = divided.renumbered(seeds);
    sampler.sample(authors, ids[static_cast<std::size_t>(authors)], {.seed = 4}, out);
    CHECK(glt_test::plain_hetero(out, divided.original()) ==
          glt_test::naive_hetero_sample(list, seeds, options, {.seed = 4}));
    CHECK((comm.rank() == comm.size() - 1) == (out.row(0).size() > 0));
  });
}

TEST_CASE("a hop costs three exchanges, whatever the number of types, and the bytes of the formula") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(301);
    divided_hetero_graph const divided(list, comm.size(), 1);
    for (bool const ids : {false, true}) {
      glt::counting_comm counted(comm);
      glt::dist::hetero_graph graph(counted, divided.part<glt::local_id>(comm.rank()));
      glt::hetero_options options{.fanouts = glt::same_fanouts(list.schema, {6, 4, -1}), .edge_ids = ids};
      options.fanouts[2] = {300, 0, 2};
      glt::dist::hetero_neighbor_sampler sampler(counted, graph, options);
      auto const seeds = divided.renumbered<glt::local_id>(glt_test::hetero_seeds_of(list, comm.rank() + 1, 4));
      glt::hetero_subgraph<cpu, glt::local_id> out;
      counted.reset();
      sampler.sample(views_of(seeds), {.seed = 1}, out);
      auto const traffic = counted.counts();
      CHECK(traffic.headers.collectives == (comm.size() == 1 ? 0 : 3));
      CHECK(traffic.payload.collectives == (comm.size() == 1 ? 0 : 3));
      CHECK(traffic.replies.collectives == (comm.size() == 1 ? 0 : 3));
      CHECK(traffic.reduce.collectives + traffic.other.collectives == 0);

      std::int64_t bytes =
          3 * glt::detail::header_bytes * (comm.size() - 1); // of this rank, for the headers of three hops
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        std::int64_t first = 0;
        for (int hop = 0; hop < 3; ++hop) {
          auto const end = first + out.num_sampled_nodes(t)[static_cast<std::size_t>(hop)];
          for (; first < end; ++first) {
            if (graph.book(t).owner(out.nodes(t)[first]) != comm.rank()) {
              auto const answer = bytes_of_answer(out, options, list.schema, t, hop, first);
              bytes += answer > 0 ? 4 + answer : 0; // nobody asks where no edge type draws
            }
          }
        }
      }
      std::vector<std::int64_t> sums{bytes, traffic.total().bytes};
      comm.all_reduce(std::span(sums), glt::reduction::sum);
      CHECK(sums[0] == sums[1]);
    }
  });
}

TEST_CASE("features of every node type are those of its vertices") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(301);
    divided_hetero_graph const divided(list, comm.size(), 1);
    auto const original = divided.original();
    glt::dist::hetero_graph graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = glt::same_fanouts(list.schema, {3, 2})});
    using store = glt::dist::feature_store<cpu, float>;
    std::vector<store> stores;
    for (int t = 0; t < 4; ++t) {
      stores.emplace_back(comm, graph.book(t), divided.features(t, comm.rank()));
    }
    std::vector<glt::dist::feature_collector<decltype(comm), cpu, float>> collectors;
    for (auto const& of_type : stores) {
      collectors.emplace_back(comm, of_type);
    }
    glt::hetero_subgraph<cpu, glt::global_id> out;
    for (std::int64_t step = 0; step < 3; ++step) {
      auto const seeds = divided.renumbered(glt_test::hetero_seeds_of(list, comm.rank(), step));
      sampler.sample(views_of(seeds), {.step = step}, out);
      for (int t = 0; t < 4; ++t) {
        glt::dist::collected_rows<cpu, float> rows;
        collectors[static_cast<std::size_t>(t)].collect(out.nodes(t), 0, step, rows);
        std::vector<float> expected;
        for (auto const node : out.nodes(t)) {
          for (std::int64_t c = 0; c <= t; ++c) {
            auto const vertex = original[static_cast<std::size_t>(t)][static_cast<std::size_t>(node)];
            expected.push_back(divided_hetero_graph::feature(t, vertex, c));
          }
        }
        CHECK(glt_test::to_vector(rows.features) == expected);
      }
    }
  });
}

TEST_CASE("a bad seed, key or option of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const is_last = comm.rank() == last;
    auto const text = "rank " + std::to_string(last);
    auto const list = glt_test::academic_graph(101);
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph graph(comm, divided.part(comm.rank()));
    auto const fanouts = glt::same_fanouts(list.schema, {3, 2});
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = fanouts});
    glt::hetero_subgraph<cpu, glt::global_id> out;
    std::vector<glt::global_id> const seeds{1, 2};
    sampler.sample(1, seeds, {}, out);
    auto const before = glt_test::plain_hetero(out);
    auto const refused = [](auto&& f) { return glt_test::thrown<glt::collective_error>(f); };

    std::vector<glt::global_id> const other{1, is_last ? 51 : 2};
    CHECK(glt_test::names(refused([&] { sampler.sample(1, other, {}, out); }), text, "author seed 1 is 51", "[0, 51)"));
    CHECK((!is_last || glt_test::plain_hetero(out) == before));
    CHECK(glt_test::names(refused([&] { sampler.sample(is_last ? 4 : 1, seeds, {}, out); }), text, "node type 4 of 4"));
    CHECK(glt_test::names(refused([&] {
                            std::vector<glt::host_view<glt::global_id const>> const lists(is_last ? 3 : 4);
                            sampler.sample(lists, {}, out);
                          }),
                          text, "seeds of 3 node types"));

    auto changed = fanouts;
    if (is_last) {
      changed[3] = {3, -4};
    }
    CHECK(glt_test::names(refused([&] { glt::dist::hetero_neighbor_sampler(comm, graph, {.fanouts = changed}); }), text,
                          "fanout -4", "hop 1 of (institution, employs, author)"));
    if (comm.size() > 1) {
      changed[3] = {3, is_last ? 5 : 2};
      CHECK(glt_test::names(refused([&] { glt::dist::hetero_neighbor_sampler(comm, graph, {.fanouts = changed}); }),
                            text, "other options"));
      CHECK(glt_test::names(refused([&] { sampler.sample(1, {}, {.seed = is_last ? 1U : 0U}, out); }), text, "key"));
      CHECK(glt_test::names(refused([&] { sampler.sample(1, {}, {.step = is_last ? 1 : 0}, out); }), text,
                            "sample step 1", "sample step 0"));
    }

    // All ranks are still together.
    sampler.sample(1, seeds, {}, out);
    CHECK(glt_test::plain_hetero(out) == before);
  });
}

TEST_CASE("without edge types a sample is its seeds, and a bad one or another key still an error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const is_last = comm.rank() == last;
    glt::hetero_part<cpu> part;
    part.schema = {{{.name = "paper", .num_vertices = 2 * comm.size()}}, {}};
    part.books = {glt::detail::make_equal_book(2 * comm.size(), comm.size())};
    part.part = comm.rank();
    std::vector<glt::global_id> const own{2 * comm.rank(), 2 * comm.rank() + 1};
    part.original.push_back(glt::make_buffer<cpu>(own));
    glt::dist::hetero_graph const graph(comm, std::move(part));
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {});
    glt::hetero_subgraph<cpu, glt::global_id> out;
    sampler.sample(0, own, {}, out);
    CHECK(glt_test::to_vector(out.nodes(0)) == own);
    std::vector<glt::global_id> const other{is_last ? -1 : 0};
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { sampler.sample(0, other, {}, out); }),
                          "rank " + std::to_string(last), "paper seed 0 is -1"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { sampler.sample(0, own, {.seed = is_last ? 1U : 0U}, out); }),
          "rank " + std::to_string(last), "key"));
    }
  });
}

TEST_CASE("a graph made for other ranks is refused on every rank") {
  on_ranks(
      [](auto comm) {
        auto const list = glt_test::academic_graph(33);
        divided_hetero_graph const divided(list, comm.size());
        glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
        auto alone = comm.split(comm.rank(), 0);
        auto reversed = comm.split(0, -comm.rank());
        for (auto* other : {&alone, &reversed}) {
          auto const error = glt_test::thrown<glt::collective_error>([&] {
            glt::dist::hetero_neighbor_sampler(*other, graph, {.fanouts = glt::same_fanouts(list.schema, {2})});
          });
          CHECK(glt_test::names(error,
                                "sampled by rank " + std::to_string(other == &alone ? comm.rank() : comm.size() - 1),
                                "communicator"));
        }
      },
      {2, 4});
}
