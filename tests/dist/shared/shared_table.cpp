// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/shared/shared_table.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::elements_of;
using glt_test::gathered;

namespace {

glt::feature_table<cpu> table_of(divided_graph const& divided, int rank) {
  std::vector<std::int64_t> items;
  for (auto v = divided.names.book.begin(rank); v < divided.names.book.end(rank); ++v) {
    items.push_back(divided.names.original[v]);
  }
  return glt_test::named_table(items);
}

} // namespace

TEST_CASE("tables in shared memory are read in place with the rows that messages bring, which come where "
          "that fails") {
  glt_test::on_ranks(
      [](auto comm) {
        std::vector<std::int64_t> all(101);
        std::iota(all.begin(), all.end(), 0);
        auto const whole = glt_test::named_table(all);
        for (auto const& partitioner : glt_test::all_partitioners()) {
          for (bool const refused : {false, true}) {
            divided_graph const divided(glt_test::random_graph(101, 370), partitioner, comm.size());
            auto node = glt_test::node_of(comm, refused && comm.rank() == 0);
            auto shared = glt::dist::share(node, table_of(divided, comm.rank()));
            auto const& own_view = *shared.neighborhood.of_rank[static_cast<std::size_t>(comm.rank())];
            for (std::size_t t = 0; t < own_view.rows.size(); ++t) {
              CHECK(own_view.rows[t].rows.data == shared.own.tensors()[t].rows.data);
            }
            glt::dist::named_features const features(comm, divided.names.book, std::move(shared.own));
            glt::counting_comm counted(comm);
            glt::dist::named_collector collector(
                counted, features,
                {{.name = "small", .type = glt::element_type::float32}, {.name = "dense"}, {.name = "label"}});
            collector.read_in_place(shared.neighborhood);
            counted.reset();
            std::int64_t total = 0;
            for (std::int64_t step = 0; step < 4; ++step) {
              auto const vertices = glt_test::seeds_of(comm.rank(), step, 101);
              auto const ids = divided.renumbered(vertices);
              auto const& rows = collector.collect(glt::host_view<glt::global_id const>(ids), step);
              CHECK(elements_of<float>(rows["small"]) == gathered<float>(whole, "small", vertices));
              CHECK(elements_of<float>(rows["dense"]) == gathered<float>(whole, "dense", vertices));
              CHECK(elements_of<std::int64_t>(rows["label"]) == gathered<std::int64_t>(whole, "label", vertices));
              total += std::ssize(vertices);
            }
            auto const counts = collector.counts();
            CHECK(counts.own + counts.in_place + counts.remote == total);
            if (refused && comm.size() > 1) {
              CHECK(counts.in_place == 0);
              CHECK_FALSE(collector.why_not_in_place().empty());
            } else {
              CHECK(counts.remote == 0);
              CHECK(counted.counts().payload.collectives == 0);
              CHECK(collector.why_not_in_place().empty());
            }
            comm.barrier();
          }
        }
      },
      {1, 2, 3, 5});
}

TEST_CASE("tables of edges are read in place with what finds them") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const part = divided.part(comm.rank());
    std::vector<glt::edge_id> own;
    for (std::int64_t e = 0; e < part.graph.view().num_edges(); ++e) {
      own.push_back(part.graph.view().id_of_edge(e));
    }
    auto node = glt_test::node_of(comm);
    auto shared =
        glt::dist::share(node, glt::feature_table<cpu>(glt::make_buffer<cpu>(own), glt_test::named_table(own)));
    glt::dist::named_features const features(comm, divided.names.book, std::move(shared.own));
    glt::counting_comm counted(comm);
    glt::dist::named_collector collector(counted, features,
                                         {{.name = "small", .type = glt::element_type::float32}, {.name = "year"}});
    collector.read_in_place(shared.neighborhood);
    counted.reset();
    std::vector<glt::edge_id> ids;
    std::vector<glt::global_id> destinations;
    for (std::int64_t v = comm.rank(); v < 101; v += 2) {
      for (auto e = divided.whole.view().offset(v); e < divided.whole.view().offset(v + 1); ++e) {
        ids.push_back(divided.whole.view().id_of_edge(e));
        destinations.push_back(divided.names.renumbered[v]);
      }
    }
    std::vector<std::int64_t> all(370);
    std::iota(all.begin(), all.end(), 0);
    auto const whole = glt_test::named_table(all);
    auto const& rows = collector.collect(glt::host_view<glt::edge_id const>(ids),
                                         glt::host_view<glt::global_id const>(destinations), 0);
    CHECK(elements_of<float>(rows["small"]) == gathered<float>(whole, "small", ids));
    CHECK(elements_of<std::int64_t>(rows["year"]) == gathered<std::int64_t>(whole, "year", ids));
    CHECK(collector.counts().remote == 0);
    CHECK(counted.counts().payload.collectives == 0);
    auto const refused = [&](auto change) {
      auto views = shared.neighborhood;
      change(*views.of_rank[0]);
      return glt_test::thrown<glt::precondition_error>([&] { collector.read_in_place(views); });
    };
    CHECK(glt_test::names(refused([](auto& view) {
                            for (auto& tensor : view.rows) {
                              tensor.rows.num_rows += 1;
                            }
                          }),
                          "view of part 0", "features \"small\" of edges"));
    CHECK(glt_test::names(refused([](auto& view) { view.of_edges = false; }), "vertices with", "of edges"));
    comm.barrier();
  });
}

TEST_CASE("tables without tensors and without rows are shared as well, even where ranks have different ones") {
  glt_test::on_ranks([](auto comm) {
    auto node = glt_test::node_of(comm);
    glt::feature_table<cpu> table(0);
    if (comm.rank() == 1) {
      table.add("wide", glt_test::named_store<float>(std::vector<std::int64_t>(), 0, 7));
    }
    auto const shared = glt::dist::share(node, table);
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const& view = shared.neighborhood.of_rank[static_cast<std::size_t>(rank)];
      REQUIRE(view.has_value());
      REQUIRE(view->rows.size() == (rank == 1 ? 1 : 0));
      if (rank == 1) {
        CHECK(view->rows.front().name == "wide");
        CHECK(view->rows.front().rows.num_columns == 7);
        CHECK(view->rows.front().rows.num_rows == 0);
      }
    }
    CHECK(shared.own.names().size() == (comm.rank() == 1 ? 1 : 0));
    comm.barrier();
  });
}

TEST_CASE("ranks that share tables of different kinds get an error, and no table of edges is taken for another") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
        auto node = glt_test::node_of(comm);
        auto table = table_of(divided, comm.rank());
        glt::dist::named_features const features(comm, divided.names.book, table_of(divided, comm.rank()));
        if (comm.rank() == 1) {
          std::vector<glt::edge_id> ids(static_cast<std::size_t>(table.num_rows()));
          std::iota(ids.begin(), ids.end(), 0);
          table = glt::feature_table<cpu>(glt::make_buffer<cpu>(ids), std::move(table));
        }
        auto const shared = glt::dist::share(node, table);
        for (std::size_t rank = 0; rank < shared.neighborhood.of_rank.size(); ++rank) {
          CHECK(shared.neighborhood.of_rank[rank]->of_edges == (rank == 1));
          CHECK(shared.neighborhood.of_rank[rank]->rows.size() == table.names().size());
        }
        glt::dist::named_collector collector(comm, features);
        CHECK(glt_test::names(
            glt_test::thrown<glt::precondition_error>([&] { collector.read_in_place(shared.neighborhood); }),
            "view of part 1", " edges with", "of vertices"));
        comm.barrier();
      },
      {2, 3});
}
