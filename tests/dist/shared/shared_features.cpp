// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/shared/shared_features.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

constexpr std::int64_t columns = 7;

struct collected {
  std::vector<float> features;
  std::vector<glt::detail::label_type> labels;
  friend bool operator==(collected const&, collected const&) = default;
};

collected plain(glt::dist::collected_rows<cpu, float> const& rows) {
  return {glt_test::to_vector(rows.features), glt_test::to_vector(rows.labels)};
}

collected expected(std::vector<std::int64_t> const& vertices, std::int64_t num_labels) {
  collected rows;
  for (auto const vertex : vertices) {
    for (std::int64_t c = 0; c < columns; ++c) {
      rows.features.push_back(divided_graph::feature(vertex, c));
    }
    if (std::ssize(rows.labels) < num_labels) {
      rows.labels.push_back(divided_graph::label(vertex));
    }
  }
  return rows;
}

enum class topology { one_machine, mixed, refused };

// Collects some lists with and without shared memory and compares.
void check_rows(auto comm, glt_test::named_partitioner const& partitioner, topology machines) {
  divided_graph const divided(glt_test::random_graph(257, 999), partitioner, comm.size());
  auto node = glt_test::node_of(comm, machines == topology::refused && comm.rank() == comm.size() - 1);
  auto shared = glt::dist::share(node, divided.features(comm.rank(), columns).view());
  if (machines == topology::mixed) {
    glt_test::hide_every_other(shared.neighborhood, comm.rank());
  }
  glt::dist::feature_store const store(comm, divided.names.book, std::move(shared.own));
  glt::counting_comm counted(comm);
  glt::dist::feature_collector collector(counted, store);
  collector.read_in_place(shared.neighborhood);
  std::int64_t in_place = 0;
  std::int64_t remote = 0;
  std::int64_t own = 0;
  glt::dist::collected_rows<cpu, float> out;
  for (std::int64_t step = 0; step < 6; ++step) {
    auto const vertices = glt_test::seeds_of(comm.rank(), step, 257); // some twice, some lists empty
    auto const num_labels = std::ssize(vertices) * step / 5;          // none, some, all
    collector.collect(glt::host_view<glt::global_id const>(divided.renumbered(vertices)), num_labels, step, out);
    CHECK(plain(out) == expected(vertices, num_labels));
    for (auto const vertex : divided.renumbered(vertices)) {
      auto const owner = store.book().owner(vertex);
      bool const is_local =
          machines == topology::one_machine || (machines == topology::mixed && (owner - comm.rank()) % 2 == 0);
      (owner == comm.rank() ? own : is_local ? in_place : remote) += 1;
    }
  }
  CHECK(collector.counts().own == own);
  CHECK(collector.counts().in_place == in_place);
  CHECK(collector.counts().remote == remote);
  CHECK(collector.why_not_in_place().empty() == (machines == topology::one_machine || comm.size() == 1));
  if (machines == topology::one_machine) {
    CHECK(counted.counts().payload.collectives == 0);
    CHECK(counted.counts().total().bytes == 6 * glt::detail::header_bytes * (comm.size() - 1));
  }
}

} // namespace

TEST_CASE("rows read in place are those that messages bring, on one machine, on several, and where nothing "
          "is shared") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const machines : {topology::one_machine, topology::mixed, topology::refused}) {
        check_rows(comm, partitioner, machines);
      }
    }
  });
}

TEST_CASE("the own rows lie in the shared block, which lasts as long as its last reader") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
        auto node = glt_test::node_of(comm);
        auto shared = std::optional(glt::dist::share(node, divided.features(comm.rank(), columns).view()));
        auto const& own = *shared->neighborhood.of_rank[static_cast<std::size_t>(comm.rank())];
        CHECK(shared->own.view().features.data() == own.features.data());
        CHECK(shared->own.view().labels.size() == divided.names.book.size(comm.rank()));
        auto const rows = std::move(shared->own);
        auto neighborhood = std::optional(std::move(shared->neighborhood));
        shared.reset();
        if (comm.rank() == 0) {
          neighborhood.reset();
        }
        comm.barrier();
        auto const first = divided.names.original[divided.names.book.begin(comm.rank())];
        CHECK(rows.view().features(0, 3) == divided_graph::feature(first, 3));
        if (neighborhood) {
          auto const other = divided.names.original[divided.names.book.begin(0)];
          CHECK(neighborhood->of_rank[0]->features(0, 3) == divided_graph::feature(other, 3));
        }
        comm.barrier();
      },
      {1, 2, 3, 4});
}

TEST_CASE("hot rows of ranks elsewhere go along with rows in place") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[2], comm.size());
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.features(comm.rank(), columns).view());
    glt_test::hide_every_other(shared.neighborhood, comm.rank());
    glt::dist::feature_store const store(comm, divided.names.book, std::move(shared.own));
    glt::buffer<cpu, glt::global_id> hot_vertices(86);
    glt::buffer<cpu, float> hot_features(86 * columns);
    glt::buffer<cpu, glt::detail::label_type> hot_labels(86);
    for (std::int64_t i = 0; i < 86; ++i) {
      hot_vertices[i] = 3 * i;
      hot_labels[i] = divided_graph::label(divided.names.original[3 * i]);
      for (std::int64_t c = 0; c < columns; ++c) {
        hot_features[i * columns + c] = divided_graph::feature(divided.names.original[3 * i], c);
      }
    }
    glt::feature_store<cpu, float> copies(86, columns, std::move(hot_features), std::move(hot_labels));
    glt::dist::hot_rows<cpu, float> const hot(std::move(hot_vertices), std::move(copies));
    glt::dist::feature_collector collector(comm, store, hot);
    collector.read_in_place(shared.neighborhood);
    std::vector<std::int64_t> vertices;
    std::int64_t cached = 0;
    std::int64_t remote = 0;
    for (std::int64_t i = 0; i < 100 * comm.rank(); ++i) {
      vertices.push_back(i * 29 % 257);
      auto const vertex = divided.renumbered({vertices.back()})[0];
      bool const is_local = (store.book().owner(vertex) - comm.rank()) % 2 == 0;
      (vertex % 3 == 0 ? cached : remote) += is_local ? 0 : 1;
    }
    glt::dist::collected_rows<cpu, float> out;
    collector.collect(glt::host_view<glt::global_id const>(divided.renumbered(vertices)), 50 * comm.rank(), 0, out);
    CHECK(plain(out) == expected(vertices, 50 * comm.rank()));
    CHECK(collector.counts().cached == cached);
    CHECK(collector.counts().remote == remote);
  });
}

TEST_CASE("any memory that a rank reaches will do, such as parts that it has mapped, on some ranks or on all") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), columns));
    auto const parts = std::make_shared<std::vector<glt::feature_store<cpu, float>>>();
    glt::node_views<glt::feature_view<cpu::space, float>> mapped{.of_rank = {}, .reason = {}, .keeper = parts};
    for (int part = 0; part < comm.size(); ++part) {
      parts->push_back(divided.features(part, columns));
      mapped.of_rank.emplace_back(parts->back().view());
    }
    glt::dist::feature_collector collector(comm, store);
    if (comm.rank() % 2 == 0) {
      collector.read_in_place(std::move(mapped));
    }
    std::vector<std::int64_t> vertices;
    for (std::int64_t i = 0; i < 120; ++i) {
      vertices.push_back((i * 29 + comm.rank()) % 257);
    }
    glt::dist::collected_rows<cpu, float> out;
    collector.collect(glt::host_view<glt::global_id const>(divided.renumbered(vertices)), 60, 0, out);
    CHECK(plain(out) == expected(vertices, 60));
    CHECK((collector.counts().remote == 0 || comm.rank() % 2 == 1));
    CHECK((collector.counts().in_place == 0 || comm.rank() % 2 == 0));
  });
}

TEST_CASE("integers with scales are read in place with the same results") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const& book = divided.names.book;
    auto const rows = book.size(comm.rank());
    glt::buffer<cpu, std::int8_t> values(rows * 2);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::int8_t>(divided.names.original[book.begin(comm.rank()) + i / 2] + i % 2);
    }
    glt::buffer<cpu, float> scales(2);
    scales[0] = 0.5F;
    scales[1] = 2.0F;
    glt::feature_store<cpu, std::int8_t> const mine(rows, 2, std::move(values), {}, std::move(scales));
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, mine.view());
    glt::dist::feature_store const store(comm, book, std::move(shared.own));
    glt::dist::feature_collector collector(comm, store);
    collector.read_in_place(shared.neighborhood);
    std::vector<std::int64_t> vertices;
    for (std::int64_t v = 0; v < 101; v += 1 + comm.rank()) {
      vertices.push_back(v);
    }
    glt::dist::collected_rows<cpu, float> out;
    collector.collect(glt::host_view<glt::global_id const>(divided.renumbered(vertices)), 0, 0, out);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      CHECK(out.features[2 * static_cast<std::int64_t>(i)] == 0.5F * static_cast<float>(vertices[i]));
      CHECK(out.features[2 * static_cast<std::int64_t>(i) + 1] == 2.0F * static_cast<float>(vertices[i] + 1));
    }
  });
}

TEST_CASE("views that are not of the store's parts are refused") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
        auto node = glt_test::node_of(comm);
        auto const shared = glt::dist::share(node, divided.features(comm.rank(), 2).view());
        auto const wide = glt::dist::share(node, divided.features(comm.rank(), 3).view());
        auto const unlabelled = glt::dist::share(node, divided.features(comm.rank(), 2, false).view());
        glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 2));
        glt::dist::feature_collector collector(comm, store);
        CHECK(glt_test::names(collector.why_not_in_place(), "share no memory", "read_in_place"));
        auto const refused = [&](auto views) {
          return glt_test::thrown<glt::precondition_error>([&] { collector.read_in_place(views); });
        };
        CHECK(glt_test::names(refused(wide.neighborhood), "3 columns", "2 columns"));
        CHECK(glt_test::names(refused(unlabelled.neighborhood), "without labels"));
        auto other = shared.neighborhood;
        other.of_rank.pop_back();
        CHECK(glt_test::names(refused(other), "one entry per rank"));
        other = shared.neighborhood;
        other.of_rank[static_cast<std::size_t>(comm.rank())].reset();
        CHECK(glt_test::names(refused(other), "own rows"));
        other = shared.neighborhood;
        other.of_rank[0]->features = {other.of_rank[0]->features.data(), 1, 2};
        CHECK(glt_test::names(refused(other), "1 rows of 2 columns", "part 0"));
        collector.read_in_place(shared.neighborhood);
        CHECK(collector.why_not_in_place().empty());
        comm.barrier();
      },
      {2, 3});
}
