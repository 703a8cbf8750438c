// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/make_hot_rows.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hotness.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using hot_rows = glt::dist::hot_rows<cpu, float>;

namespace {

// All vertices in original ids, each rank in an order of its own.
std::vector<std::int64_t> all_vertices(int rank) {
  std::vector<std::int64_t> vertices;
  for (std::int64_t v = 0; v < 257; ++v) {
    vertices.push_back((v * 31 + rank) % 257);
  }
  return vertices;
}

} // namespace

TEST_CASE("hot rows are the rows and labels of the hottest vertices, within the budget") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 1500), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 3));
    auto const seeds = divided.renumbered({3, 50, 99, 200});
    auto const hotness = glt::dist::estimate_hotness<decltype(comm), cpu, glt::global_id>(
        comm, graph, seeds, {.neighbors = {.fanouts = {4, 2}}, .batch_size = 2});
    for (std::int64_t const budget : {0, 1000, 5000, 100'000}) {
      auto const hot = glt::dist::make_hot_rows(comm, store, hotness.view(), budget);
      CHECK(hot.bytes() <= budget);
      auto const count = hot_rows::capacity(budget, 3, true);
      auto const expected = glt::dist::hottest_vertices(comm, store.book(), hotness.view(), count);
      REQUIRE(std::vector(hot.vertices().ids().begin(), hot.vertices().ids().end()) == expected);
      for (std::int64_t i = 0; i < hot.size(); ++i) {
        auto const vertex = divided.names.original[hot.vertices().ids()[i]];
        CHECK(hot.rows().labels[i] == divided_graph::label(vertex));
        CHECK(hot.rows().features(i, 2) == divided_graph::feature(vertex, 2));
      }
    }
  });
}

TEST_CASE("what is collected with hot rows is bit for bit what is collected without, for fewer bytes") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      divided_graph const divided(glt_test::random_graph(257, 999), partitioner, comm.size());
      auto const& book = divided.names.book;
      glt::dist::feature_store const store(comm, book, divided.features(comm.rank(), 5));
      std::vector<glt::global_id> kept;
      for (glt::global_id v = comm.rank(); v < 257 && comm.rank() != 2; v += 2) { // rank 2 has none
        kept.push_back(v);                                                        // own ones as well
      }
      auto const hot = glt::detail::fetch_hot_rows(comm, store, kept);
      glt::counting_comm counted(comm);
      glt::dist::feature_collector plain(counted, store);
      glt::dist::feature_collector with(counted, store, hot, cpu(2));
      auto const ids = divided.renumbered(all_vertices(comm.rank()));
      for (std::int64_t const labels : {0, 100, 257}) {
        glt::dist::collected_rows<cpu, float> expected;
        glt::dist::collected_rows<cpu, float> found;
        counted.reset();
        plain.collect(glt::host_view<glt::global_id const>(ids), labels, 0, expected);
        auto const plain_bytes = counted.counts().total().bytes;
        counted.reset();
        with.collect(glt::host_view<glt::global_id const>(ids), labels, 1, found);
        CHECK(glt_test::to_vector(found.features) == glt_test::to_vector(expected.features));
        CHECK(glt_test::to_vector(found.labels) == glt_test::to_vector(expected.labels));
        std::vector<std::int64_t> bytes{plain_bytes, counted.counts().total().bytes};
        comm.all_reduce(std::span(bytes), glt::reduction::sum);
        std::int64_t saved = std::ranges::count_if(kept, [&](auto v) { return book.owner(v) != comm.rank(); });
        std::int64_t saved_labels = 0;
        for (std::int64_t i = 0; i < labels; ++i) {
          auto const id = ids[static_cast<std::size_t>(i)];
          saved_labels += hot.vertices().find(id) >= 0 && book.owner(id) != comm.rank() ? 1 : 0;
        }
        std::int64_t bytes_saved = saved * (4 + 5 * 4) + saved_labels * 8;
        comm.all_reduce(std::span(&bytes_saved, 1), glt::reduction::sum);
        CHECK(bytes[0] - bytes[1] == bytes_saved);
      }
      auto const counts = with.counts();
      auto const remote = 257 - book.size(comm.rank());
      auto const cached = std::ranges::count_if(kept, [&](auto v) { return book.owner(v) != comm.rank(); });
      CHECK(counts.own == 3 * book.size(comm.rank()));
      CHECK(counts.cached == 3 * cached);
      CHECK(counts.remote == 3 * (remote - cached));
      CHECK(counts.hit_ratio() == (cached == 0 ? 0 : static_cast<double>(cached) / static_cast<double>(remote)));
      CHECK(plain.counts().cached == 0);
      CHECK(plain.counts().hit_ratio() == 0);
    }
  });
}

TEST_CASE("all remote rows at hand leave no payload message") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
        glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 5));
        auto const ids = divided.renumbered(all_vertices(0));
        auto const hot = glt::detail::fetch_hot_rows(comm, store, ids);
        glt::counting_comm counted(comm);
        glt::dist::feature_collector collector(counted, store, hot);
        glt::dist::collected_rows<cpu, float> out;
        collector.collect(glt::host_view<glt::global_id const>(ids), 257, 0, out);
        CHECK(counted.counts().payload.collectives == 0);
        CHECK(collector.counts().hit_ratio() == 1);
      },
      {2, 3});
}

TEST_CASE("bad vertices are the same error on every rank, and hot rows of another store are refused") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 2));
    std::vector<glt::global_id> const odd{3, comm.rank() == last ? 101 : 5};
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>(
                              [&] { static_cast<void>(glt::detail::fetch_hot_rows(comm, store, odd)); }),
                          "rank " + std::to_string(last), "vertex 1 is 101"));
    std::vector<glt::global_id> const twice{3, 3};
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                              [&] { static_cast<void>(glt::detail::fetch_hot_rows(comm, store, twice)); }),
                          "hot vertex 1 is 3"));
    glt::dist::feature_store const wider(comm, divided.names.book, divided.features(comm.rank(), 3));
    std::vector<glt::global_id> const some{3, 4};
    auto const wide = glt::detail::fetch_hot_rows(comm, wider, some);
    CHECK(glt_test::names(
        glt_test::thrown<glt::precondition_error>([&] { glt::dist::feature_collector(comm, store, wide); }),
        "hot rows of 3 columns", "2 columns"));
  });
}

TEST_CASE("hot rows without labels serve vertices whose labels are not wanted") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 5));
    glt::dist::feature_store const bare(comm, divided.names.book, divided.features(comm.rank(), 5, false));
    auto const ids = divided.renumbered(all_vertices(comm.rank()));
    auto const hot = glt::detail::fetch_hot_rows(comm, bare, ids);
    glt::dist::feature_collector plain(comm, store);
    glt::dist::feature_collector with(comm, store);
    std::int64_t cached = 0;
    for (std::int64_t const labels : {0, 100, 257}) {
      glt::dist::collected_rows<cpu, float> expected;
      glt::dist::collected_rows<cpu, float> found;
      plain.collect(glt::host_view<glt::global_id const>(ids), labels, labels, expected);
      with.use(hot);
      with.collect(glt::host_view<glt::global_id const>(ids), labels, labels, found);
      CHECK(glt_test::to_vector(found.features) == glt_test::to_vector(expected.features));
      CHECK(glt_test::to_vector(found.labels) == glt_test::to_vector(expected.labels));
      cached += std::count_if(ids.begin() + labels, ids.end(),
                              [&](auto id) { return store.book().owner(id) != comm.rank(); });
    }
    CHECK(with.counts().cached == cached);
    CHECK(with.counts().own + with.counts().cached + with.counts().remote == 3 * 257);
  });
}
