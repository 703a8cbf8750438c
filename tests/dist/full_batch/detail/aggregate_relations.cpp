// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/aggregate_relations.hpp>

#include <glt/dist/full_batch/aggregate.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt::dist::aggregator;
using glt_test::divided_hetero_graph;

namespace {

constexpr auto host = glt::memory_space::host;
using rows_type = glt::detail::relation_rows<host, double>;

// Rows of all relations, of one column more for each.
struct all_rows {
  std::vector<std::vector<double>> from;
  std::vector<std::vector<double>> to;
  std::vector<rows_type> views;

  void add(std::int64_t num_from, std::int64_t num_to) {
    auto const columns = std::ssize(from) + 1;
    from.emplace_back();
    for (std::int64_t i = 0; i < num_from * columns; ++i) {
      from.back().push_back(static_cast<double>(i * 29 % 31 - 15) / 8);
    }
    to.emplace_back(static_cast<std::size_t>(num_to * columns), 99.0);
    views.push_back({{from.back().data(), num_from, columns}, {to.back().data(), num_to, columns}});
  }
  [[nodiscard]] std::span<rows_type const> all() const { return views; }
};

} // namespace

TEST_CASE("all relations in one rotation give what each gives alone, to the last bit, in one message a peer") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      INFO(list.name, ", rank ", comm.rank(), " of ", comm.size());
      divided_hetero_graph const divided(list, comm.size());
      glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
      for (std::int64_t const depth : {0, 1, 2}) {
        glt::dist::hetero_sharded_graph sharded(comm, graph, {.depth = depth});
        for (auto const how : {aggregator::sum, aggregator::mean}) {
          all_rows forward, backward, forward_alone, backward_alone;
          for (int e = 0; e < list.schema.num_edge_types(); ++e) {
            auto const sources = sharded.relation(e).num_sources();
            auto const destinations = sharded.relation(e).num_destinations();
            for (auto* const rows : {&forward, &forward_alone}) {
              rows->add(sources, destinations);
            }
            for (auto* const rows : {&backward, &backward_alone}) {
              rows->add(destinations, sources);
            }
          }
          auto const before = sharded.report();
          glt::detail::aggregate_relations(sharded, forward.all(), how);
          glt::detail::aggregate_relations_backward(sharded, backward.all(), how);
          auto const together = sharded.report();
          for (int e = 0; e < list.schema.num_edge_types(); ++e) {
            auto const& there = forward_alone.views[static_cast<std::size_t>(e)];
            auto const& back = backward_alone.views[static_cast<std::size_t>(e)];
            glt::dist::aggregate(sharded.relation(e), there.from, there.to, {.how = how});
            glt::detail::aggregate_backward(sharded.relation(e), back.from, back.to, {.how = how});
          }
          CHECK(forward.to == forward_alone.to);
          CHECK(backward.to == backward_alone.to);
          CHECK(together.bytes - before.bytes == sharded.report().bytes - together.bytes);
          CHECK(together.messages - before.messages <= 2 * (comm.size() - 1));
        }
      }
    }
  });
}

TEST_CASE("relations that do not fit on one rank are an error of all") {
  glt_test::on_ranks([](auto comm) {
    auto const lists = glt_test::hetero_graphs_to_divide();
    auto const& list = *std::ranges::find_if(lists, [](auto const& of) { return of.schema.num_edge_types() > 1; });
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::hetero_sharded_graph sharded(comm, graph);
    bool const is_odd = comm.rank() == comm.size() - 1;
    auto const last = "rank " + std::to_string(comm.size() - 1);
    auto const make = [&](std::int64_t more) {
      all_rows rows;
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        rows.add(sharded.relation(e).num_sources() + more, sharded.relation(e).num_destinations());
      }
      return rows;
    };
    auto const failure = [&](std::span<rows_type const> rows, aggregator how, bool is_backward = false) {
      return glt_test::thrown<glt::collective_error>([&] {
        is_backward ? glt::detail::aggregate_relations_backward(sharded, rows, how)
                    : glt::detail::aggregate_relations(sharded, rows, how);
      });
    };
    auto const good = make(0);
    auto const longer = make(is_odd ? 1 : 0);
    CHECK(glt_test::names(failure(longer.all(), aggregator::sum), last, "for relation 0; pass ["));
    CHECK(glt_test::names(failure(is_odd ? good.all().subspan(1) : good.all(), aggregator::sum), last,
                          "relations by sum"));
    CHECK(glt_test::names(failure(good.all(), is_odd ? aggregator::max : aggregator::sum), last, "relations by max"));
    if (comm.size() > 1) {
      CHECK(
          glt_test::names(failure(good.all(), is_odd ? aggregator::mean : aggregator::sum), last, "other directions"));
    }
    CHECK(failure(good.all(), aggregator::mean) == "(nothing was thrown)");
  });
}
