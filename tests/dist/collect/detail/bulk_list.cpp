// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_lists.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/hotness/make_hot_rows.hpp>
#include <glt/memory/buffer.hpp>

#include "support/allocations.hpp"
#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

// Lists of a rank in memory of a policy: uneven ones, some empty, some vertices in several of them.
template <class Policy, class Rows>
struct lists_of {
  using list = glt::detail::bulk_list<Policy, glt::global_id, Rows>;

  std::vector<glt::buffer<Policy, glt::global_id>> vertices;
  std::vector<Rows> rows;
  std::vector<list> lists;

  lists_of(divided_graph const& divided, int rank, std::size_t count, bool labels, Policy const& policy) : rows(count) {
    for (std::size_t i = 0; i < count; ++i) {
      auto const step = static_cast<std::int64_t>(i) + 1;
      std::vector<std::int64_t> wanted = glt_test::seeds_of(rank, step, 257);
      for (std::int64_t v = 0; v < 40 * (step % 3); ++v) {
        wanted.push_back((v * 7 + rank) % 257);
      }
      vertices.push_back(glt::make_buffer<Policy>(divided.renumbered(wanted), policy));
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto const keys = std::as_const(vertices[i]).view();
      auto const seeds = static_cast<std::int64_t>(i) % 3 * keys.size() / 2; // none, half, all
      lists.push_back({.vertices = keys, .num_seeds = labels ? seeds : 0, .out = &rows[i]});
    }
  }

  [[nodiscard]] std::span<list const> all() const { return lists; }
};

template <class Policy>
void check_equal(auto& comm, divided_graph const& divided, bool labels, bool hot, bool in_place) {
  Policy const policy;
  INFO("rank ", comm.rank(), " of ", comm.size(), ", labels ", labels, ", hot ", hot, ", in place ", in_place);
  constexpr std::int64_t columns = 7;
  glt::dist::feature_store const store(comm, divided.names.book,
                                       glt_test::device_features(divided, comm.rank(), columns, labels, policy));
  std::vector<glt::feature_store<Policy, float>> parts;
  glt::node_views<glt::feature_view<Policy::space, float>> views{.of_rank = {}, .reason = {}, .keeper = {}};
  for (int part = 0; part < comm.size(); ++part) {
    parts.push_back(glt_test::device_features(divided, part, columns, labels, policy));
    views.of_rank.emplace_back(std::as_const(parts.back()).view());
  }
  glt_test::hide_every_other(views, comm.rank());
  std::vector<glt::global_id> hot_vertices;
  for (glt::global_id v = comm.rank(); v < 257; v += 3) {
    hot_vertices.push_back(v);
  }
  auto const hot_keys = glt::make_buffer<Policy>(hot_vertices, policy);
  auto const hot_rows = glt::detail::fetch_hot_rows(comm, store, hot_keys.view(), policy);
  glt::dist::feature_collector together(comm, store, policy);
  if (hot) {
    together.use(hot_rows);
  }
  if (in_place) {
    together.read_in_place(views);
  }
  glt::dist::feature_collector alone(comm, store, policy);
  using rows = glt::dist::collected_rows<Policy, float>;
  for (int const count : {1, 4, 3, 0}) { // a rank may have more lists than another one
    lists_of<Policy, rows> const lists(divided, comm.rank(), static_cast<std::size_t>(count + comm.rank() % 2), labels,
                                       policy);
    together.collect_bulk(lists.all(), count);
    for (int i = 0; i < 5; ++i) {
      rows expected;
      auto const mine = static_cast<std::size_t>(i) < lists.lists.size();
      auto const list = mine ? lists.lists[static_cast<std::size_t>(i)] : typename decltype(lists)::list{};
      alone.collect(list.vertices, list.num_seeds, i, expected);
      if (mine) {
        CHECK(glt::to_vector(policy, std::as_const(list.out->features).view()) ==
              glt::to_vector(policy, std::as_const(expected.features).view()));
        CHECK(glt::to_vector(policy, std::as_const(list.out->labels).view()) ==
              glt::to_vector(policy, std::as_const(expected.labels).view()));
      }
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("rows of lists that are collected together are those of one list after the other", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    for (bool const hot : {false, true}) {
      for (bool const in_place : {false, true}) {
        check_equal<Policy>(comm, divided, true, hot, in_place);
      }
    }
    check_equal<Policy>(comm, divided, false, false, false);
  });
}

TEST_CASE_TEMPLATE(
    "lists of more rows than a round arrive; four lists cost the exchanges of one, and a remote row once", Policy,
    GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    for (std::int64_t const columns : {7, 9000}) { // at most 29 rows a round on hosts, all rows on devices
      glt::counting_comm counted(comm);
      glt::dist::feature_store const store(comm, divided.names.book,
                                           glt_test::device_features(divided, comm.rank(), columns, true, policy));
      glt::dist::feature_collector collector(counted, store, policy);
      using rows = glt::dist::collected_rows<Policy, float>;
      lists_of<Policy, rows> const lists(divided, comm.rank(), 4, true, policy);
      std::int64_t collectives = 0;
      std::int64_t remote = 0;
      std::vector<rows> expected(4);
      std::map<glt::global_id, bool> wanted; // of other ranks; true if a list has it among its seeds
      for (std::size_t i = 0; i < 4; ++i) {
        auto const& list = lists.lists[i];
        counted.reset();
        collector.collect(list.vertices, list.num_seeds, 0, expected[i]);
        collectives = std::max(collectives, counted.counts().total().collectives);
        auto const keys = glt::to_vector(policy, list.vertices);
        for (std::size_t v = 0; v < keys.size(); ++v) {
          if (divided.names.book.owner(keys[v]) != comm.rank()) {
            wanted[keys[v]] |= std::cmp_less(v, list.num_seeds);
            ++remote;
          }
        }
      }
      std::int64_t bytes = glt::detail::header_bytes * (comm.size() - 1);
      for (auto const& [vertex, is_seed] : wanted) {
        bytes += 4 + columns * 4 + (is_seed ? 8 : 0); // id, features, label
      }
      auto const before = collector.counts();
      counted.reset();
      collector.collect_bulk(lists.all(), 1);
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK(glt::to_vector(policy, lists.rows[i].features.view()) ==
              glt::to_vector(policy, std::as_const(expected[i].features).view()));
        CHECK(glt::to_vector(policy, lists.rows[i].labels.view()) ==
              glt::to_vector(policy, std::as_const(expected[i].labels).view()));
      }
      auto const sent = counted.counts().total();
      // Requests of this rank, replies to others; a device pads each tensor of a message to 16 bytes.
      auto const padding = glt::host_policy<Policy> ? 0 : 2 * 15 * sent.collectives * (comm.size() - 1);
      std::vector<std::int64_t> sums{bytes, sent.bytes, padding};
      comm.all_reduce(std::span(sums), glt::reduction::sum);
      CHECK(sums[0] <= sums[1]);
      CHECK(sums[1] <= sums[0] + sums[2]);
      bool const one_round = columns == 7 || !glt::host_policy<Policy>;
      CHECK((one_round ? sent.collectives == collectives : comm.size() == 1 || sent.collectives > 3));
      CHECK(collector.counts().remote - before.remote == std::ssize(wanted));
      CHECK(collector.counts().repeated - before.repeated == remote - std::ssize(wanted));
      CHECK((comm.size() == 1 || remote > std::ssize(wanted)));
    }
  });
}

TEST_CASE("rows of edges and named tensors are those of one list after the other") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    auto const& book = divided.names.book;
    std::vector<std::int64_t> items; // original vertices of the part
    std::vector<std::int64_t> own;   // its edges
    std::vector<glt::edge_id> ids;   // all edges, and where they end
    std::vector<glt::global_id> ends;
    auto const whole = divided.whole.view();
    for (glt::global_id v = 0; v < 257; ++v) {
      auto const vertex = divided.names.original[v];
      bool const is_own = book.owner(v) == comm.rank();
      if (is_own) {
        items.push_back(vertex);
      }
      for (auto e = whole.offset(vertex); e < whole.offset(vertex + 1); ++e) {
        ids.push_back(whole.id_of_edge(e));
        ends.push_back(v);
        if (is_own) {
          own.push_back(ids.back());
        }
      }
    }
    glt::dist::named_features const features(comm, book, glt_test::named_table(items));
    glt::dist::named_features const of_edges(
        comm, book, glt::feature_table<cpu>(glt::make_buffer<cpu>(own), glt_test::named_table(own)));
    std::vector<glt::detail::tensor_request> const wishes{
        {.name = "small", .type = glt::element_type::float32}, {.name = "label", .seeds_only = true}, {.name = "year"}};
    glt::dist::named_collector of_vertices(comm, features, wishes);
    glt::dist::named_collector named(comm, of_edges, wishes);
    auto const equal = [](glt::detail::collected_table<cpu> const& a, glt::detail::collected_table<cpu> const& b) {
      return std::ranges::equal(a.tensors, b.tensors, [](auto const& x, auto const& y) {
        return x.name == y.name && x.type == y.type && x.num_rows == y.num_rows && x.num_columns == y.num_columns &&
               std::ranges::equal(x.bytes, y.bytes);
      });
    };

    using table = glt::detail::collected_table<cpu>;
    lists_of<cpu, table> const lists(divided, comm.rank(), 4, true, cpu{});
    of_vertices.collect_bulk(lists.all(), 0);
    for (std::size_t i = 0; i < 4; ++i) {
      table expected;
      of_vertices.collect(lists.lists[i].vertices, lists.lists[i].num_seeds, 1, expected);
      CHECK(equal(lists.rows[i], expected));
    }

    glt::host_view<glt::edge_id const> const all_ids(ids);
    glt::host_view<glt::global_id const> const all_ends(ends);
    std::vector<table> tables(3);
    std::vector<glt::detail::bulk_list<cpu, glt::global_id, table>> table_lists;
    for (std::int64_t i = 0; i < 3; ++i) {
      auto const some_ids = all_ids.subview(100 * i + comm.rank(), 200 * (i % 2) + 20);
      auto const some_ends = all_ends.subview(100 * i + comm.rank(), some_ids.size());
      auto const b = static_cast<std::size_t>(i);
      table_lists.push_back(
          {.vertices = some_ends, .edges = some_ids, .num_seeds = some_ids.size(), .out = &tables[b]});
    }
    named.collect_bulk(std::span(std::as_const(table_lists)), 2);
    for (std::size_t b = 0; b < 3; ++b) {
      table expected;
      named.collect(table_lists[b].edges, table_lists[b].vertices, 4, expected);
      CHECK(equal(tables[b], expected));
    }
  });
}

TEST_CASE("a bad list of one rank is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    bool const is_last = comm.rank() == last;
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 2, false));
    glt::dist::feature_collector collector(comm, store);
    lists_of<cpu, glt::dist::collected_rows<cpu, float>> const good(divided, comm.rank(), 3, false, cpu{});
    auto const refused = [&](auto change) {
      auto lists = good.lists;
      if (is_last) {
        change(lists[1]);
      }
      return glt_test::thrown<glt::collective_error>(
          [&] { collector.collect_bulk(std::span(std::as_const(lists)), 1); });
    };
    std::vector<glt::global_id> const bad{3, 257};
    CHECK(glt_test::names(refused([&](auto& list) { list.vertices = bad; }), text, "vertex 1 is 257"));
    CHECK(glt_test::names(refused([](auto& list) { list.num_seeds = list.vertices.size() + 1; }), text, "labels"));
    CHECK(glt_test::names(refused([](auto& list) { list.num_seeds = 1; }), text, "labels"));
    CHECK(glt_test::names(refused([](auto& list) { list.out = nullptr; }), text, "nothing to write"));
    collector.collect_bulk(good.all(), 1);
  });
}

TEST_CASE("lists that are not longer than others before allocate as much as their headers") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
        glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 5));
        glt::dist::feature_collector collector(comm, store);
        lists_of<cpu, glt::dist::collected_rows<cpu, float>> const lists(divided, comm.rank(), 4, true, cpu{});
        std::vector<std::int64_t> allocations;
        for (std::size_t const count : {4, 4, 3}) {
          auto const before = glt_test::num_allocations();
          collector.collect_bulk(lists.all().first(count), 0);
          allocations.push_back(glt_test::num_allocations() - before);
        }
        CHECK(allocations[1] <= 1); // one rank: the headers
        CHECK(allocations[2] == allocations[1]);
      },
      {1});
}
