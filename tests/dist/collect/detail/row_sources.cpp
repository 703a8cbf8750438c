// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_sources.hpp>

#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t part_size = 20;

glt::partition_book make_book(int parts) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(part * part_size);
  }
  return glt::partition_book(offsets);
}

// Rows and places of a list, in ordinary memory.
template <class Policy>
auto copied(Policy const& policy, glt::detail::row_list const& list) {
  using view = glt::array_view<Policy::space, glt::local_id const>;
  using places = glt::array_view<Policy::space, std::int64_t const>;
  return std::pair(glt::to_vector(policy, view(list.rows, list.size)),
                   glt::to_vector(policy, places(list.places, list.size)));
}

} // namespace

TEST_CASE_TEMPLATE(
    "every key of a list is in the list of one source, with its place, and flagged if it is among the first", Policy,
    GLT_TEST_POLICIES) {
  Policy const policy;
  for (int const parts : {1, 3, 5}) {
    auto const book = make_book(parts);
    int const own = parts / 2;
    std::vector<glt::global_id> kept; // own ones too
    for (glt::global_id v = 1; v < book.num_vertices(); v += 3) {
      kept.push_back(v);
    }
    glt::detail::id_table<Policy> const hot(glt::make_buffer<Policy>(kept, policy));
    glt::detail::row_sources<Policy> sources(book, own, false, policy);
    CHECK(sources.num_sources() == parts + 1);
    for (bool const is_hot : {false, true}) {
      for (bool const is_local : {false, true}) {
        sources.set_table(sources.hot(), is_hot ? hot.view() : glt::detail::id_table_view<Policy::space>());
        std::vector<char> local(static_cast<std::size_t>(parts), 0);
        local[static_cast<std::size_t>(own)] = 1;
        local[0] = is_local || own == 0 ? 1 : 0;
        sources.set_local(local);
        using two_counts = std::pair<std::int64_t, std::int64_t>;
        for (auto const& [flagged, never] : {two_counts{0, 0}, {7, 0}, {30, 0}, {9, 9}, {0, 30}}) {
          std::vector<glt::global_id> list;
          for (std::int64_t i = 0; i < 30; ++i) {
            list.push_back((i * 13 + own) % book.num_vertices());
          }
          auto const keys = glt::make_buffer<Policy>(list, policy);
          sources.sort(glt::detail::row_keys<Policy::space, glt::global_id>{keys.view()}, flagged, never);
          std::vector<int> seen(list.size(), 0);
          for (int source = 0; source < sources.num_sources(); ++source) {
            auto const [rows, places] = copied(policy, sources.list(source));
            std::int64_t num_flagged = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
              auto const vertex = list[static_cast<std::size_t>(places[i])];
              auto const row = glt::detail::unflagged(rows[i]);
              ++seen[static_cast<std::size_t>(places[i])];
              CHECK((i == 0 || places[i] > places[i - 1]));
              CHECK((rows[i] < 0) == (places[i] < flagged));
              num_flagged += rows[i] < 0 ? 1 : 0;
              bool const may_be_hot = is_hot && vertex % 3 == 1 && places[i] >= never &&
                                      !sources.is_local(static_cast<int>(vertex / part_size));
              CHECK((source == sources.hot()) == may_be_hot);
              CHECK(vertex ==
                    (source == sources.hot() ? kept[static_cast<std::size_t>(row)] : book.begin(source) + row));
            }
            CHECK(num_flagged == sources.list(source).num_flagged);
          }
          CHECK(seen == std::vector<int>(list.size(), 1));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("edges have the rows that the table of their source says, and one without is refused", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  auto const book = make_book(3);
  auto const table = [&](std::vector<glt::edge_id> const& ids) {
    return glt::detail::id_table<Policy>(glt::make_buffer<Policy>(ids, policy));
  };
  auto const own = table({1004, 1002, 1000});
  auto const near = table({2002, 2001});
  auto const hot = table({77, std::int64_t{5} << 40});
  glt::detail::row_sources<Policy> sources(book, 1, true, policy);
  sources.set_table(1, own.view());
  sources.set_table(2, near.view());
  sources.set_table(3, hot.view());
  sources.set_local({0, 1, 1});
  auto const sort = [&](std::vector<glt::edge_id> const& ids, std::vector<glt::global_id> const& destinations) {
    auto const edges = glt::make_buffer<Policy>(ids, policy);
    auto const vertices = glt::make_buffer<Policy>(destinations, policy);
    sources.sort(glt::detail::row_keys<Policy::space, glt::global_id>{vertices.view(), edges.view()}, 2, 0);
  };
  sort({1000, std::int64_t{5} << 40, 2001, 9, 1004}, {20, 3, 41, 7, 39});
  using lists = std::pair<std::vector<glt::local_id>, std::vector<std::int64_t>>;
  CHECK(copied(policy, sources.list(0)) == lists{{7}, {3}}); // asked for
  CHECK(copied(policy, sources.list(1)) == lists{{~2, 0}, {0, 4}});
  CHECK(copied(policy, sources.list(2)) == lists{{1}, {2}});
  CHECK(copied(policy, sources.list(3)) == lists{{~1}, {1}});
  CHECK(sources.list(3).num_flagged == 1);
  auto const key = glt::detail::read_element(
      policy, glt::array_view<Policy::space, glt::detail::edge_key const>(sources.edge_keys(), 1), 0);
  CHECK(key.value() == 9);
  CHECK(key.row() == 7);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { sort({1002, 1001}, {20, 21}); }),
                        "has the id 1001", "among the 3"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { sort({2000}, {41}); }), "has the id 2000",
                        "among the 2"));
}
