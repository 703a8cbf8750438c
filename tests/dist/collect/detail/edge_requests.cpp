// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/edge_requests.hpp>

#include <glt/core/error.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

glt::partition_book make_book(int parts) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(part * 10);
  }
  return glt::partition_book(offsets);
}

// Owner p has the edges 1000 p, 1000 p + 2, … in rows 0, 1, …
struct owner_rows {
  int rank;
  void operator()(std::span<glt::edge_id const> ids, std::vector<glt::local_id>& rows) const {
    rows.clear();
    for (auto const id : ids) {
      if (id / 1000 != rank || id % 2 != 0) {
        throw glt::precondition_error("no such edge");
      }
      rows.push_back(static_cast<glt::local_id>(id % 1000 / 2));
    }
  }
};

} // namespace

TEST_CASE("owners get the rows that others ask for, and own edges stay at home") {
  glt_test::on_ranks([](auto comm) {
    auto const book = make_book(comm.size());
    glt::dist::edge_requests requests(comm);
    for (std::int64_t step = 0; step < 3; ++step) {
      std::vector<glt::edge_id> ids;
      std::vector<glt::global_id> destinations;
      for (std::int64_t i = 0; i < step * 20; ++i) {
        auto const owner = (i * 7 + comm.rank()) % comm.size();
        destinations.push_back(owner * 10 + i % 10);
        ids.push_back(owner * 1000 + i * 2);
      }
      owner_rows const find{comm.rank()};
      requests.route(book, glt::host_view<glt::edge_id const>(ids),
                     glt::host_view<glt::global_id const>(destinations), find);
      requests.start({.step = step}, {});
      requests.finish(find);
      CHECK(requests.anything() == (comm.size() > 1 && step > 0));
      std::size_t own = 0;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] / 1000 == comm.rank()) {
          REQUIRE(own < requests.own().size());
          CHECK(requests.own_places()[own] == static_cast<std::int64_t>(i));
          CHECK(requests.own()[own++] == static_cast<glt::local_id>(i));
        }
      }
      CHECK(own == requests.own().size());
      for (int rank = 0; rank < comm.size(); ++rank) {
        // What rank asks of this one, in its order.
        std::vector<glt::dist::wire_row> expected;
        for (std::int64_t i = 0; i < step * 20 && rank != comm.rank(); ++i) {
          if ((i * 7 + rank) % comm.size() == comm.rank()) {
            expected.push_back(static_cast<glt::dist::wire_row>(i));
          }
        }
        auto const p = static_cast<std::size_t>(rank);
        auto const received = requests.received_of(p);
        CHECK(std::vector(received.begin(), received.end()) == expected);
        CHECK(requests.received_counts()[p] == static_cast<std::int64_t>(expected.size()));
        CHECK(requests.asked_of(p).size() == requests.asked_places_of(p).size());
        for (auto const place : requests.asked_places_of(p)) {
          CHECK(ids[static_cast<std::size_t>(place)] / 1000 == rank);
        }
      }
    }
  });
}

TEST_CASE("an edge that its owner has not is an error of the owner") {
  glt_test::on_ranks([](auto comm) {
    auto const book = make_book(comm.size());
    glt::dist::edge_requests requests(comm);
    auto const next = (comm.rank() + 1) % comm.size();
    std::vector<glt::edge_id> const ids{next * 1000 + 1};
    std::vector<glt::global_id> const destinations{next * 10};
    owner_rows const find{comm.rank()};
    auto const ask = [&] {
      requests.route(book, glt::host_view<glt::edge_id const>(ids),
                     glt::host_view<glt::global_id const>(destinations), find);
    };
    if (comm.size() == 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(ask), "no such edge"));
      return;
    }
    ask();
    requests.start({}, {});
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { requests.finish(find); }), "no such edge"));
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { requests.refuse({}, "gave up"); }), "gave up"));
  });
}
