// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/exclusion_exchange.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/naive_links.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

struct edge {
  glt::global_id source;
  glt::global_id destination;
  bool operator==(edge const&) const = default;
};

std::vector<edge> wanted_out(glt_test::edge_list const& list, divided_graph const& divided, int rank, int round) {
  std::vector<edge> edges;
  auto const seed = static_cast<std::uint64_t>(rank + 10 * round);
  for (auto const& [source, destination] : glt_test::some_positives(list, 4 * ((rank + round) % 3), seed)) {
    edges.push_back({divided.names.renumbered[source], divided.names.renumbered[destination]});
  }
  return edges;
}

template <class Policy>
struct seeds_of_edges {
  glt::buffer<Policy, glt::global_id> sources;
  glt::buffer<Policy, glt::global_id> destinations;
  glt::detail::seed_edges<Policy, glt::global_id> seeds;

  seeds_of_edges(std::vector<edge> const& edges, Policy const& policy) : seeds(policy) {
    std::vector<glt::global_id> from;
    std::vector<glt::global_id> to;
    for (auto const [source, destination] : edges) {
      from.push_back(source);
      to.push_back(destination);
    }
    sources = glt::make_buffer<Policy>(from, policy);
    destinations = glt::make_buffer<Policy>(to, policy);
    seeds.assign(std::as_const(sources).view(), std::as_const(destinations).view());
  }
};

template <class Policy>
std::vector<glt::detail::seed_edges_view<Policy::space, glt::global_id>> one(seeds_of_edges<Policy> const& batch) {
  return {batch.seeds.view()};
}

// The excluded positions of a row, on the host.
template <class Policy>
struct excluded_positions {
  std::vector<std::uint64_t> filter;
  std::vector<std::int64_t> rows;
  std::vector<glt::edge_offset> offsets;
  std::vector<glt::edge_offset> positions;

  excluded_positions(Policy const& policy, glt::detail::exclusions_view<Policy::space> view)
      : filter(glt::to_vector(policy, view.filter)), rows(glt::to_vector(policy, view.rows)),
        offsets(glt::to_vector(policy, view.offsets)), positions(glt::to_vector(policy, view.positions)) {}

  [[nodiscard]] std::vector<glt::edge_offset> of(std::int64_t row) const {
    return glt_test::to_vector(
        glt::detail::exclusions_view<glt::memory_space::host>{filter, rows, offsets, positions}.of(row));
  }
};

} // namespace

TEST_CASE_TEMPLATE("owners know what every rank excludes from their rows", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    Policy const policy;
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (!glt::host_policy<Policy> && (partitioner.name != "random" || list.num_vertices != 257)) {
          continue;
        }
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
        auto const own = divided.part(comm.rank());
        glt::detail::exclusion_exchange exclusions(comm, glt::detail::part_of_relation(graph), policy);
        for (int round = 0; round < 3; ++round) {
          bool const reverses = round % 2 == 1;
          auto const mine = wanted_out(list, divided, comm.rank(), round);
          seeds_of_edges<Policy> const seeds(mine, policy);
          exclusions.exclude(one(seeds), {0, true, reverses}, {.what = glt::detail::operation::exclude, .step = round});
          for (int rank = 0; rank < comm.size(); ++rank) {
            auto const theirs = wanted_out(list, divided, rank, round);
            auto const rows = own.graph.view();
            excluded_positions<Policy> const excluded(policy, *exclusions.in_part(graph.part(), rank, 0));
            bool all_equal = true;
            for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
              auto const vertex = graph.book().begin(comm.rank()) + row;
              std::vector<glt::edge_offset> expected;
              for (std::int64_t i = 0; i < rows.degree(row); ++i) {
                auto const source = rows.source(rows.offset(row) + i);
                bool const out = std::ranges::find(theirs, edge{source, vertex}) != theirs.end();
                bool const back = reverses && std::ranges::find(theirs, edge{vertex, source}) != theirs.end();
                if (out || back) {
                  expected.push_back(i);
                }
              }
              all_equal = all_equal && excluded.of(row) == expected;
            }
            INFO(list.name, ", ", partitioner.name, ", requester ", rank);
            CHECK(all_equal);
          }
        }
      }
    }
  });
}

TEST_CASE("an edge outside the graph, or a failure, of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::detail::exclusion_exchange exclusions(comm, glt::detail::part_of_relation(graph), cpu());
    auto const refused = [&](edge bad, std::string const& failure) {
      std::vector<edge> const edges{{1, 2}, comm.rank() == last ? bad : edge{3, 4}};
      seeds_of_edges<cpu> const seeds(edges, cpu());
      return glt_test::thrown<glt::collective_error>(
          [&] { exclusions.exclude(one(seeds), {0, true, false}, {}, comm.rank() == last ? failure : ""); });
    };
    CHECK(glt_test::names(refused({1, 101}, ""), name, "101"));
    CHECK(glt_test::names(refused({-1, 1}, ""), name, "-1"));
    CHECK(refused({1, 1}, "no memory") == name + ": no memory");
    exclusions.exclude(one(seeds_of_edges<cpu>({}, cpu())), {0, true, false}, {}); // all ranks are still together
  });
}
