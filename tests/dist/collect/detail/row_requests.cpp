// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_requests.hpp>

#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/memory/copy.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using glt::device::cpu;
using hot_rows = glt::dist::hot_rows<cpu, float>;

namespace {

constexpr std::int64_t part_size = 20;

glt::partition_book make_book(int parts) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(part * part_size);
  }
  return glt::partition_book(offsets);
}

// Vertices kept here, own ones too.
hot_rows make_hot(std::vector<glt::global_id> const& vertices) {
  auto const count = static_cast<std::int64_t>(vertices.size());
  return {glt::make_buffer<cpu>(vertices), glt::feature_store<cpu, float>(count, 0, {})};
}

} // namespace

TEST_CASE("every vertex of a list is own, cached or asked for, with its place in the list") {
  glt_test::on_ranks([](auto comm) {
    auto const book = make_book(comm.size());
    std::vector<glt::global_id> kept;
    for (glt::global_id v = 1; v < book.num_vertices(); v += 3) {
      kept.push_back(v);
    }
    auto const hot = make_hot(kept);
    hot_rows const none;
    glt::dist::row_requests requests(comm);
    for (auto const* const used : {static_cast<hot_rows const*>(nullptr), &none, &hot}) {
      using two_counts = std::pair<std::int64_t, std::int64_t>;
      for (auto const& [marked, never] : {two_counts{0, 0}, {7, 0}, {30, 0}, {9, 9}, {0, 30}}) {
        std::vector<glt::global_id> list;
        for (std::int64_t i = 0; i < 30; ++i) {
          list.push_back((i * 13 + comm.rank()) % book.num_vertices());
        }
        requests.route(book, glt::host_view<glt::global_id const>(list), marked,
                       used == nullptr ? nullptr : &used->vertices(), never);
        std::vector<int> seen(list.size(), 0);
        for (std::size_t i = 0; i < requests.own().size(); ++i) {
          auto const place = static_cast<std::size_t>(requests.own_places()[i]);
          ++seen[place];
          CHECK(list[place] == book.begin(comm.rank()) + requests.own()[i]);
        }
        for (std::size_t i = 0; i < requests.cached().size(); ++i) {
          auto const place = static_cast<std::size_t>(requests.cached_places()[i]);
          ++seen[place];
          CHECK(list[place] == kept[static_cast<std::size_t>(requests.cached()[i])]);
          CHECK(book.owner(list[place]) != comm.rank());
          CHECK(requests.cached_places()[i] >= never);
        }
        for (int rank = 0; rank < comm.size(); ++rank) {
          auto const rows = requests.asked_of(static_cast<std::size_t>(rank));
          auto const places = requests.asked_places_of(static_cast<std::size_t>(rank));
          REQUIRE(rows.size() == places.size());
          for (std::size_t i = 0; i < rows.size(); ++i) {
            auto const place = static_cast<std::size_t>(places[i]);
            ++seen[place];
            CHECK(list[place] == book.begin(rank) + glt::dist::row_of(rows[i]));
            CHECK(glt::dist::is_marked(rows[i]) == (places[i] < marked));
            CHECK((used == nullptr || used->vertices().find(list[place]) < 0 || places[i] < never));
          }
        }
        CHECK(seen == std::vector<int>(list.size(), 1));
        requests.start({.step = marked}, 0, {});
        requests.finish();
        std::int64_t received = 0;
        for (auto const count : requests.received_counts()) {
          received += count;
        }
        std::int64_t asked = requests.num_asked();
        comm.all_reduce(std::span(&received, 1), glt::reduction::sum);
        comm.all_reduce(std::span(&asked, 1), glt::reduction::sum);
        CHECK(received == asked);
      }
    }
  });
}

TEST_CASE("a vertex that does not exist is refused, and the failure reaches all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const book = make_book(comm.size());
    glt::dist::row_requests requests(comm);
    std::vector<glt::global_id> const list{0, book.num_vertices()};
    auto const hot = make_hot({0});
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                            requests.route(book, glt::host_view<glt::global_id const>(list), 0, &hot.vertices());
                          }),
                          "is outside"));
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { requests.refuse({}, "no such vertex"); }),
                          "rank 0", "no such vertex"));
  });
}
