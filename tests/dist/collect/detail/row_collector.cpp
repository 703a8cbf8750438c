// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_collector.hpp>

#include <glt/core/element_type.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/hotness/make_hot_rows.hpp>
#include <glt/dist/hotness/make_named_hot_rows.hpp>
#include <glt/memory/buffer.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(GLT_TEST_THRUST) && !defined(GLT_TEST_CUDA)
#define POLICIES glt::device::cpu, glt_test::emulated_cpp
#else
#define POLICIES GLT_TEST_POLICIES
#endif

using glt_test::divided_graph;
using glt_test::gathered;

namespace {

template <class Policy>
glt::feature_table<Policy> table_on(Policy const& policy, std::vector<std::int64_t> const& items) {
  auto const table = glt_test::named_table(items);
  glt::feature_table<Policy> made(table.num_rows(), policy);
  for (auto const& [name, rows] : table.tensors()) {
    glt::detail::visit_element(rows.type, [&]<class T>(std::type_identity<T>) {
      made.add(name, glt::feature_store<Policy, T>(rows.num_rows, rows.num_columns,
                                                   glt::make_buffer<Policy>(rows.template as<T>().flat(), policy), {},
                                                   glt::make_buffer<Policy>(rows.scales, policy)));
    });
  }
  return made;
}

// Rows of `named_value`s of items, three columns of int8 with scales.
template <class Policy>
glt::feature_store<Policy, std::int8_t> matrix_on(Policy const& policy, std::vector<std::int64_t> const& items,
                                                  bool labels) {
  auto const rows = glt_test::named_store<std::int8_t>(items, 2, 3, {0.5F, 2, 1});
  return {std::ssize(items), 3, glt::make_buffer<Policy>(rows.view().features.flat(), policy),
          glt::make_buffer<Policy>(labels ? items : std::vector<std::int64_t>(), policy),
          glt::make_buffer<Policy>(rows.view().scales, policy)};
}

template <class T, class Policy>
std::vector<T> elements(Policy const& policy, glt::detail::any_rows<Policy::space> const& rows) {
  return glt::to_vector(policy, rows.template as<T>().flat());
}

// What is divided over ranks: vertices, or edges with their destinations; items are original ids of vertices, or ids of
// edges.
struct divided_items {
  glt::partition_book book;
  std::vector<std::vector<std::int64_t>> items; // of every part, in the order of its rows
  std::vector<glt::global_id> destinations;     // of every item: the vertex itself, or where the edge ends
  bool by_edge;

  divided_items(divided_graph const& divided, bool edges) : book(divided.names.book), by_edge(edges) {
    auto const& whole = divided.whole;
    destinations.resize(static_cast<std::size_t>(edges ? whole.view().num_edges() : whole.view().num_rows()));
    for (int part = 0; part < book.num_parts(); ++part) {
      auto& own = items.emplace_back();
      for (auto v = book.begin(part); v < book.end(part); ++v) {
        auto const vertex = divided.names.original[v];
        if (!edges) {
          own.push_back(vertex);
          destinations[static_cast<std::size_t>(vertex)] = v;
          continue;
        }
        for (auto e = whole.view().offset(vertex); e < whole.view().offset(vertex + 1); ++e) {
          own.push_back(whole.view().id_of_edge(e));
          destinations[static_cast<std::size_t>(own.back())] = v;
        }
      }
    }
  }

  [[nodiscard]] std::vector<glt::global_id> destinations_of(std::vector<std::int64_t> const& list) const {
    std::vector<glt::global_id> made;
    for (auto const item : list) {
      made.push_back(destinations[static_cast<std::size_t>(item)]);
    }
    return made;
  }
  [[nodiscard]] std::vector<std::int64_t> all() const {
    std::vector<std::int64_t> made(destinations.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = static_cast<std::int64_t>(i);
    }
    return made;
  }
};

// Collects a list with all combinations of hot rows and rows in place.
//
// make(comm) makes a collector, hot(comm, keys, destinations) hot rows and near(part) a view of the rows of a part;
// collect(collector, keys, destinations, step) collects and checks.
template <class View, class Policy, class Make, class Hot, class Near, class Collect>
void check_combinations(auto& comm, Policy const& policy, divided_items const& divided, Make make, Hot hot, Near near,
                        Collect collect) {
  auto const all = divided.all();
  auto const num = std::ssize(all);
  std::vector<std::int64_t> hot_items;
  for (std::int64_t i = comm.rank() == 2 ? num : 0; i < num; i += 3) { // rank 2 has none
    hot_items.push_back(i);
  }
  auto const on_policy = [&](std::vector<std::int64_t> const& values) {
    return glt::make_buffer<Policy>(values, policy);
  };
  auto const keys_of = [&](std::vector<std::int64_t> const& items) {
    return divided.by_edge ? items : divided.destinations_of(items);
  };
  auto const hot_keys = on_policy(keys_of(hot_items));
  auto const hot_ends = on_policy(divided.destinations_of(hot_items));
  auto const hot_rows = hot(comm, hot_keys.view(), hot_ends.view());
  glt::node_views<View> views{.of_rank = {}, .reason = {}, .keeper = {}};
  for (int part = 0; part < comm.size(); ++part) {
    views.of_rank.emplace_back(near(part));
  }
  glt_test::hide_every_other(views, comm.rank());
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < 60 * (1 + comm.rank()); ++i) {
    list.push_back(i * 29 % num);
  }
  auto const keys = on_policy(keys_of(list));
  auto const ends = on_policy(divided.destinations_of(list));
  for (bool const in_place : {false, true}) {
    for (bool const is_hot : {false, true}) {
      auto collector = make(comm);
      if (is_hot) {
        collector.use(hot_rows);
      }
      if (in_place) {
        collector.read_in_place(views);
        CHECK((collector.why_not_in_place() == "hidden") == (comm.size() > 1));
      }
      collect(collector, keys.view(), ends.view(), list);
      glt::detail::collected_counts expected;
      for (auto const item : list) {
        auto const owner = divided.book.owner(divided.destinations[static_cast<std::size_t>(item)]);
        ++(owner == comm.rank()                          ? expected.own
           : in_place && (owner - comm.rank()) % 2 == 0  ? expected.in_place
           : is_hot && comm.rank() != 2 && item % 3 == 0 ? expected.cached
                                                         : expected.remote);
      }
      auto const counts = collector.counts();
      CHECK(counts.own == expected.own);
      CHECK(counts.in_place == expected.in_place);
      CHECK(counts.cached == expected.cached);
      CHECK(counts.remote == expected.remote);
    }
  }
}

std::vector<std::int64_t> first_of(std::vector<std::int64_t> const& list, std::int64_t count) {
  return {list.begin(), list.begin() + count};
}

} // namespace

TEST_CASE_TEMPLATE("rows and labels of vertices are the same from hot rows, in place and by messages, on any policy",
                   Policy, POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    divided_items const divided(
        divided_graph(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size()), false);
    auto const matrix = [&](int part) {
      return matrix_on(policy, divided.items[static_cast<std::size_t>(part)], true);
    };
    glt::dist::feature_store const store(comm, divided.book, matrix(comm.rank()));
    std::vector<glt::feature_store<Policy, std::int8_t>> parts;
    for (int part = 0; part < comm.size(); ++part) {
      parts.push_back(matrix(part));
    }
    auto const whole = glt_test::named_table(divided.all());
    glt::dist::collected_rows<Policy, float> out;
    check_combinations<glt::feature_view<Policy::space, std::int8_t>>(
        comm, policy, divided, [&](auto& c) { return glt::dist::feature_collector(c, store, policy); },
        [&](auto& c, auto keys, auto) { return glt::detail::fetch_hot_rows(c, store, keys, policy); },
        [&](int part) { return parts[static_cast<std::size_t>(part)].view(); },
        [&](auto& collector, auto keys, auto, std::vector<std::int64_t> const& list) {
          collector.collect(keys, 20, 0, out);
          CHECK(glt::to_vector(policy, std::as_const(out.features).view()) == gathered<float>(whole, "small", list));
          CHECK(glt::to_vector(policy, std::as_const(out.labels).view()) == first_of(list, 20));
        });
  });
}

namespace {

std::vector<glt::detail::tensor_request> wishes() {
  return {{.name = "small", .type = glt::element_type::float32},
          {.name = "label", .seeds_only = true},
          {.name = "dense", .type = glt::element_type::float64},
          {.name = "year"}};
}

template <class Policy>
void check_table(Policy const& policy, glt::detail::collected_table<Policy> const& rows,
                 glt::feature_table<glt_test::cpu> const& whole, std::vector<std::int64_t> const& list,
                 std::int64_t num_seeds) {
  CHECK(elements<float>(policy, rows["small"]) == gathered<float>(whole, "small", list));
  CHECK(elements<double>(policy, rows["dense"]) == gathered<double>(whole, "dense", list));
  CHECK(elements<std::int64_t>(policy, rows["year"]) == gathered<std::int64_t>(whole, "year", list));
  CHECK(elements<std::int64_t>(policy, rows["label"]) ==
        gathered<std::int64_t>(whole, "label", first_of(list, num_seeds)));
}

} // namespace

TEST_CASE_TEMPLATE(
    "tensors of vertices and of edges are the same from hot rows, in place and by messages, on any policy", Policy,
    POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    for (bool const by_edge : {false, true}) {
      divided_items const divided(
          divided_graph(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size()), by_edge);
      auto const whole = glt_test::named_table(divided.all());
      auto const& own = divided.items[static_cast<std::size_t>(comm.rank())];
      if (!by_edge) {
        std::vector<glt::feature_table<Policy>> parts;
        for (auto const& items : divided.items) {
          parts.push_back(table_on(policy, items));
        }
        glt::dist::named_features const features(comm, divided.book, table_on(policy, own));
        check_combinations<glt::detail::table_view<Policy::space>>(
            comm, policy, divided, [&](auto& c) { return glt::dist::named_collector(c, features, wishes(), policy); },
            [&](auto& c, auto keys, auto) { return glt::detail::fetch_hot_rows(c, features, keys, policy); },
            [&](int part) { return parts[static_cast<std::size_t>(part)].view(); },
            [&](auto& collector, auto keys, auto, std::vector<std::int64_t> const& list) {
              check_table(policy, collector.collect(keys, 20, 0), whole, list, 20);
            });
        continue;
      }
      std::vector<glt::feature_table<Policy>> parts;
      for (auto const& items : divided.items) {
        parts.emplace_back(glt::make_buffer<Policy>(items, policy), table_on(policy, items));
      }
      glt::dist::named_features const features(
          comm, divided.book, glt::feature_table<Policy>(glt::make_buffer<Policy>(own, policy), table_on(policy, own)));
      check_combinations<glt::detail::table_view<Policy::space>>(
          comm, policy, divided, [&](auto& c) { return glt::dist::named_collector(c, features, wishes(), policy); },
          [&](auto& c, auto keys, auto ends) { return glt::detail::fetch_hot_rows(c, features, keys, ends, policy); },
          [&](int part) { return parts[static_cast<std::size_t>(part)].view(); },
          [&](auto& collector, auto keys, auto ends, std::vector<std::int64_t> const& list) {
            check_table(policy, collector.collect(keys, ends, 0), whole, list,
                        std::ssize(list)); // all are seeds
          });
    }
  });
}

TEST_CASE("a wrong number of edges on a rank is an error of all ranks, of edges' collectors and of others") {
  glt_test::on_ranks([](auto comm) {
    using glt_test::cpu;
    cpu const policy;
    auto const last = comm.size() - 1;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    divided_items const items(divided, true);
    auto const& own = items.items[static_cast<std::size_t>(comm.rank())];
    glt::dist::named_features const features(
        comm, items.book, glt::feature_table<cpu>(glt::make_buffer<cpu>(own, policy), glt_test::named_table(own)));
    glt::dist::named_collector of_edges(comm, features);
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 5));
    glt::dist::feature_collector of_vertices(comm, store);
    glt::dist::collected_rows<cpu, float> out;
    glt::detail::collected_table<cpu> table;
    std::vector<glt::edge_id> const edges{0, 1, 2};
    auto const ends = items.destinations_of({0, 1, 2});
    auto const refused = [&]<class Rows>(auto& collector, std::int64_t num_edges, Rows& to) {
      using list = glt::detail::bulk_list<cpu, glt::global_id, Rows>;
      std::vector<list> const lists{{.vertices = glt::host_view<glt::global_id const>(ends),
                                     .edges = glt::host_view<glt::edge_id const>(edges.data(), num_edges),
                                     .out = &to}};
      return glt_test::thrown<glt::collective_error>([&] { collector.collect_bulk(std::span<list const>(lists), 0); });
    };
    auto const name = "rank " + std::to_string(last);
    for (std::int64_t const wrong : {0, 2}) {
      auto const count = comm.rank() == last ? wrong : 3;
      CHECK(
          glt_test::names(refused(of_edges, count, table), name, std::to_string(wrong) + " edges with 3 destinations"));
    }
    CHECK(
        glt_test::names(refused(of_vertices, comm.rank() == last ? 2 : 0, out), name, "the features are of vertices"));
    CHECK(refused(of_edges, 3, table) == "(nothing was thrown)");
    CHECK(refused(of_vertices, 0, out) == "(nothing was thrown)");
  });
}

TEST_CASE("a call on a batch that is not larger than another one before allocates as much as its headers, "
          "whatever its size") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
        glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 5));
        glt::dist::feature_collector collector(comm, store);
        glt::dist::collected_rows<glt_test::cpu, float> out;
        std::vector<glt::global_id> ids(1000);
        for (std::size_t i = 0; i < ids.size(); ++i) {
          ids[i] = static_cast<glt::global_id>(i * 31 % 257);
        }
        glt::host_view<glt::global_id const> const all(ids);
        std::vector<std::int64_t> allocations;
        for (std::int64_t const size : {1000, 1000, 500, 10}) {
          auto const before = glt_test::num_allocations();
          collector.collect(all.subview(0, size), size / 2, size, out);
          allocations.push_back(glt_test::num_allocations() - before);
        }
        CHECK(allocations[1] <= 1); // one rank: the headers
        CHECK(allocations[2] == allocations[1]);
        CHECK(allocations[3] == allocations[1]);
      },
      {1});
}
