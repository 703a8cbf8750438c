// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <glt/comm/counting.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::naive_sample;
using glt_test::on_ranks;
using glt_test::plain;
using glt_test::seeds_of;

namespace {

std::vector<glt::neighbor_options> options_to_try() {
  std::vector<glt::neighbor_options> options;
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    options.push_back({.fanouts = {3}, .expand = expand});
    options.push_back({.fanouts = {3, 0, 4}, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {0, 2}, .replace = true, .expand = expand, .disjoint = true});
    options.push_back({.fanouts = {4, 3, 2}, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {3, 2}, .replace = true, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {-1, 300}, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {3, 2}, .expand = expand, .edge_ids = true, .disjoint = true});
  }
  return options;
}

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list,
                           glt_test::named_partitioner const& partitioner) {
  glt_test::compared_graph<Vertex> const compared(comm, list, partitioner);
  for (auto const& options : options_to_try()) {
    glt::dist::neighbor_sampler sampler(comm, compared.graph(), options);
    glt::sampled_subgraph<cpu, Vertex> out;
    compared.check(
        comm,
        [&](auto const& ids, auto const&, auto key) {
          sampler.sample(ids, key, out);
          return plain(out, compared.original());
        },
        [&](auto const& seeds, auto key) { return naive_sample(list, seeds, options, key); });
  }
}

} // namespace

TEST_CASE("distributed sampling equals serial sampling, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_equal_to_serial<glt::global_id>(comm, list, partitioner);
      }
      check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    }
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 370), partitioner);
    check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
  });
}

TEST_CASE("what the ranks sample in a hop is, as a set, what one rank with the joined batch samples") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(3001, 20011, 8);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    glt::neighbor_options const options{.fanouts = {4, 3, 2}, .expand = glt::frontier::all, .edge_ids = true};
    glt::dist::neighbor_sampler sampler(comm, graph, options);
    glt::sample_key const key{.seed = 2, .step = 5};
    glt::sampled_subgraph<cpu, glt::global_id> out;
    sampler.sample(divided.renumbered(seeds_of(comm.rank(), 4, 3001)), key, out);
    std::vector<std::int64_t> joined;
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const seeds = seeds_of(rank, 4, 3001);
      joined.insert(joined.end(), seeds.begin(), seeds.end());
    }
    auto const serial = naive_sample(list, joined, options, key);
    std::int64_t first = 0;
    for (std::size_t hop = 0; hop < 3; ++hop) {
      std::vector<std::int64_t> expected(static_cast<std::size_t>(list.num_edges()), 0);
      for (auto e = first; e < first + serial.num_sampled_edges[hop]; ++e) {
        expected[static_cast<std::size_t>(serial.edge_ids[static_cast<std::size_t>(e)])] = 1;
      }
      first += serial.num_sampled_edges[hop];
      std::vector<std::int64_t> sampled(expected.size(), 0);
      for (auto const id : out.block(2 - static_cast<int>(hop)).edge_ids) {
        sampled[static_cast<std::size_t>(id)] = 1;
      }
      comm.all_reduce(std::span(sampled), glt::reduction::max);
      CHECK(sampled == expected);
    }
  });
}

TEST_CASE("edge ids that the part of one rank does not have are refused on all ranks") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    auto part = divided.part(comm.rank());
    if (comm.rank() == comm.size() - 1) {
      auto const rows = part.graph.view();
      part.graph = {rows.num_columns(), glt::make_buffer<cpu>(rows.offsets()), glt::make_buffer<cpu>(rows.sources())};
    }
    glt::dist::graph const graph(comm, std::move(part));
    auto const text = glt_test::thrown<glt::collective_error>(
        [&] { glt::dist::neighbor_sampler(comm, graph, glt::neighbor_options{.fanouts = {2}, .edge_ids = true}); });
    CHECK(glt_test::names(text, "without edge ids", "edge_positions"));
  });
}

TEST_CASE("a hop costs one header exchange and two payload exchanges, and the bytes of the formula") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(3001, 20011, 9);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    for (bool const ids : {false, true}) {
      glt::counting_comm counted(comm);
      glt::dist::graph graph(counted, divided.part<glt::local_id>(comm.rank()));
      glt::neighbor_options const options{.fanouts = {6, 4, -1}, .edge_ids = ids};
      glt::dist::neighbor_sampler sampler(counted, graph, options);
      // Own seeds: the first hop asks nobody.
      std::vector<glt::local_id> seeds;
      for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()) && seeds.size() < 40; ++v) {
        seeds.push_back(static_cast<glt::local_id>(v));
      }
      glt::sampled_subgraph<cpu, glt::local_id> out;
      counted.reset();
      sampler.sample(seeds, {.seed = 1}, out);
      auto const traffic = counted.counts().total();
      std::int64_t asked = 0;
      std::int64_t bytes =
          3 * glt::detail::header_bytes * (comm.size() - 1); // of this rank, for the headers of three hops
      for (int hop = 0; hop < 3; ++hop) {
        auto const block = out.block(2 - hop);
        auto const fresh = hop == 0 ? 0 : out.block(3 - hop).num_destinations;
        for (std::int64_t d = fresh; d < block.num_destinations; ++d) {
          if (graph.book().owner(out.nodes()[d]) != comm.rank()) {
            auto const degree = block.offsets[d + 1] - block.offsets[d];
            ++asked;
            bytes += 4 + (hop == 2 ? 4 : 1) + degree * (4 + (ids ? 8 : 0)); // id, count, sources, edge ids
          }
        }
      }
      std::vector<std::int64_t> sums{bytes, traffic.bytes, asked};
      comm.all_reduce(std::span(sums), glt::reduction::sum);
      CHECK(sums[0] == sums[1]);
      CHECK((comm.size() == 1 || sums[2] > 100));
      CHECK(traffic.collectives == (comm.size() == 1 ? 0 : 1 + 3 + 3));
    }
  });
}

TEST_CASE("a bad seed, key or option of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 2}});
    glt::sampled_subgraph<cpu, glt::global_id> out;
    std::vector<glt::global_id> seeds{1, 2};
    sampler.sample(seeds, {}, out);
    auto const before = plain(out);

    if (comm.rank() == last) {
      seeds[1] = 101;
    }
    auto const bad_seed = glt_test::thrown<glt::collective_error>([&] { sampler.sample(seeds, {}, out); });
    CHECK(glt_test::names(bad_seed, "rank " + std::to_string(last), "seed 1 is 101", "[0, 101)"));
    if (comm.rank() == last) {
      CHECK(plain(out) == before);
    }

    auto const bad_fanout = glt_test::thrown<glt::collective_error>(
        [&] { glt::dist::neighbor_sampler(comm, graph, {.fanouts = {3, comm.rank() == last ? -3 : 2}}); });
    CHECK(glt_test::names(bad_fanout, "rank " + std::to_string(last), "fanout -3", "hop 1"));

    if (comm.size() > 1) {
      auto const other_options = glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::neighbor_sampler(comm, graph, {.fanouts = {3, comm.rank() == last ? 5 : 2}}); });
      CHECK(glt_test::names(other_options, "rank " + std::to_string(last), "other options"));
      auto const other_seed = glt_test::thrown<glt::collective_error>(
          [&] { sampler.sample({}, {.seed = comm.rank() == last ? 1U : 0U}, out); });
      CHECK(glt_test::names(other_seed, "rank " + std::to_string(last), "key"));
      auto const other_step = glt_test::thrown<glt::collective_error>(
          [&] { sampler.sample({}, {.step = comm.rank() == last ? 1 : 0}, out); });
      CHECK(glt_test::names(other_step, "rank " + std::to_string(last), "sample step 1", "sample step 0"));
    }

    // All ranks are still together.
    sampler.sample(std::vector<glt::global_id>{1, 2}, {}, out);
    CHECK(plain(out) == before);
  });
}

TEST_CASE("a graph made for other ranks is refused on every rank") {
  on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        auto alone = comm.split(comm.rank(), 0);
        auto reversed = comm.split(0, -comm.rank());
        for (auto* other : {&alone, &reversed}) {
          auto const error = glt_test::thrown<glt::collective_error>(
              [&] { glt::dist::neighbor_sampler(*other, graph, {.fanouts = {2}}); });
          CHECK(glt_test::names(error,
                                "sampled by rank " + std::to_string(other == &alone ? comm.rank() : comm.size() - 1),
                                "communicator"));
        }
      },
      {2, 4});
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

TEST_CASE("queries travel with their vertices, and a rank is served by the rule that belongs to it") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    auto const rows = glt_test::naive_rows(list);
    for (auto const& partitioner : glt_test::all_partitioners()) {
      divided_graph const divided(list, partitioner, comm.size());
      glt::dist::graph graph(comm, divided.part(comm.rank()));
      glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {9, 9}, .disjoint = true}, first_edges{9});
      glt::sampled_subgraph<cpu, glt::global_id> out;
      for (bool const by_rank : {false, true, false}) {
        if (by_rank) {
          sampler.set_rule_of([](int rank) { return first_edges{2 + rank}; });
        } else {
          sampler.set_rule_of(std::function<first_edges(int)>());
        }
        std::vector<std::int64_t> queries;
        auto const seeds = seeds_of(comm.rank(), 3, 257);
        for (std::size_t i = 0; i < seeds.size(); ++i) {
          queries.push_back(static_cast<std::int64_t>(i) % 7);
        }
        sampler.sample(divided.renumbered(seeds), queries, {.step = 3}, out);
        std::vector<std::int64_t> edges_of(static_cast<std::size_t>(out.nodes().size()), 0);
        for (auto const destination : out.col()) {
          ++edges_of[static_cast<std::size_t>(destination)];
        }
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < out.nodes().size() - out.num_sampled_nodes()[2]; ++i) {
          auto const original = static_cast<std::size_t>(divided.names.original[out.nodes()[i]]);
          auto const query = queries[static_cast<std::size_t>(out.batch()[i])];
          auto const allowed = by_rank ? std::int64_t{2} + comm.rank() : std::int64_t{9};
          wrong +=
              edges_of[static_cast<std::size_t>(i)] == std::min({std::ssize(rows[original]), query, allowed}) ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
      auto const error = glt_test::thrown<glt::collective_error>([&] {
        std::vector<std::int64_t> const one_time(comm.rank() == comm.size() - 1 ? 0 : 1, 5);
        sampler.sample(divided.renumbered({1}), one_time, {.step = 4}, out);
      });
      CHECK(glt_test::names(error, "0 queries", "1 seeds"));
    }
  });
}
