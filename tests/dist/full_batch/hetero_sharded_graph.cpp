// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/hetero_sharded_graph.hpp>

#include <glt/dist/full_batch/aggregate.hpp>

#include "support/hetero_parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt_test::divided_hetero_graph;

namespace {

constexpr std::int64_t columns = 2;

using values_type = glt::buffer<glt::device::cpu, double>;

// Small integers, of which sums are exact.
double value_at(std::int64_t vertex, std::int64_t column, int salt) {
  return static_cast<double>((vertex * 31 + column * 7 + salt) % 23 - 11);
}

// The value of a rank's vertices of a type, and the ids that they have in the whole graph.
values_type own_values(divided_hetero_graph const& divided, int type, int rank, int salt) {
  auto const& names = divided.names[static_cast<std::size_t>(type)];
  values_type values(names.book.size(rank) * columns);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    values[i] = value_at(names.original[names.book.begin(rank) + i / columns], i % columns, salt);
  }
  return values;
}

std::int64_t count_differences(divided_hetero_graph const& divided, int type, int rank, values_type const& own,
                               std::vector<double> const& whole) {
  auto const& names = divided.names[static_cast<std::size_t>(type)];
  std::int64_t different = 0;
  for (std::int64_t i = 0; i < own.size(); ++i) {
    auto const vertex = names.original[names.book.begin(rank) + i / columns];
    different += own[i] != whole[static_cast<std::size_t>(vertex * columns + i % columns)];
  }
  return different;
}

} // namespace

TEST_CASE("sums over a relation and their gradients are those of one loop over its edges") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      divided_hetero_graph const divided(list, comm.size());
      glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
      glt::dist::hetero_sharded_graph sharded(comm, graph);
      CHECK(sharded.schema() == list.schema);
      std::int64_t bytes = 0;
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        INFO(list.name, ", relation ", e, ", rank ", comm.rank(), " of ", comm.size());
        auto const from = list.schema.source_type(e);
        auto const to = list.schema.destination_type(e);
        std::vector<double> y(static_cast<std::size_t>(list.schema.num_vertices(to) * columns), 0);
        std::vector<double> dx(static_cast<std::size_t>(list.schema.num_vertices(from) * columns), 0);
        auto const& edges = list.relations[static_cast<std::size_t>(e)];
        for (std::size_t i = 0; i < edges.sources.size(); ++i) {
          for (std::int64_t c = 0; c < columns; ++c) {
            y[static_cast<std::size_t>(edges.destinations[i] * columns + c)] += value_at(edges.sources[i], c, 0);
            dx[static_cast<std::size_t>(edges.sources[i] * columns + c)] += value_at(edges.destinations[i], c, 5);
          }
        }
        auto& relation = sharded.relation(e);
        REQUIRE(relation.num_sources() == sharded.num_sources(from));
        REQUIRE(relation.num_destinations() == sharded.num_destinations(to));
        auto const x = own_values(divided, from, comm.rank(), 0);
        auto const gradient = own_values(divided, to, comm.rank(), 5);
        values_type own_y(gradient.size());
        values_type own_dx(x.size());
        using matrix = glt::host_matrix<double>;
        using const_matrix = glt::host_matrix<double const>;
        auto const sources = relation.num_sources();
        auto const destinations = relation.num_destinations();
        glt::dist::aggregate(relation, const_matrix(x.data(), sources, columns),
                             matrix(own_y.data(), destinations, columns));
        glt::detail::aggregate_backward(relation, const_matrix(gradient.data(), destinations, columns),
                                        matrix(own_dx.data(), sources, columns));
        CHECK(count_differences(divided, to, comm.rank(), own_y, y) == 0);
        CHECK(count_differences(divided, from, comm.rank(), own_dx, dx) == 0);
        bytes += (relation.num_sent() + relation.num_boundary()) * columns * 8;
      }
      CHECK(sharded.report().bytes == bytes);
      CHECK(sharded.report().passes == 2 * list.schema.num_edge_types());
    }
  });
}
