// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_requests.hpp>

#include <glt/core/error.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <vector>

namespace {

glt::partition_book make_book(int parts) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(part * 10);
  }
  return glt::partition_book(offsets);
}

template <class Policy>
std::vector<glt::local_id> copied(Policy const& policy, glt::detail::row_list const& list) {
  return glt::to_vector(policy, glt::array_view<Policy::space, glt::local_id const>(list.rows, list.size));
}

// What a rank wants at a step: destination, edge and the row that the owner has it in; owner p has the edges 1000 p,
// 1000 p + 2, … in rows 0, 1, …
struct wish {
  int owner;
  glt::global_id destination;
  glt::edge_id edge;
  glt::local_id row;
};

std::vector<wish> wishes_of(int rank, int ranks, std::int64_t step) {
  std::vector<wish> wishes;
  for (std::int64_t i = 0; i < step * 20; ++i) {
    auto const owner = static_cast<int>((i * 7 + rank) % ranks);
    wishes.push_back({owner, owner * 10 + i % 10, owner * 1000 + i * 2, static_cast<glt::local_id>(i)});
  }
  return wishes;
}

} // namespace

TEST_CASE_TEMPLATE("owners get the rows that others ask for, of vertices and of edges, on any policy", Policy,
                   GLT_TEST_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    std::vector<glt::edge_id> own_edges;
    for (std::int64_t i = 0; i < 50; ++i) {
      own_edges.push_back(comm.rank() * 1000 + i * 2);
    }
    glt::detail::id_table<Policy> const table(glt::make_buffer<Policy>(own_edges, policy));
    for (bool const by_edge : {false, true}) {
      glt::detail::row_requests requests(comm, make_book(comm.size()), by_edge, true, policy);
      requests.sources().set_table(comm.rank(), table.view());
      for (std::int64_t step = 0; step < 3; ++step) {
        std::vector<glt::edge_id> ids;
        std::vector<glt::global_id> destinations;
        for (auto const& each : wishes_of(comm.rank(), comm.size(), step)) {
          ids.push_back(each.edge);
          destinations.push_back(each.destination);
        }
        auto const edges = glt::make_buffer<Policy>(ids, policy);
        auto const vertices = glt::make_buffer<Policy>(destinations, policy);
        requests.sources().sort(glt::detail::row_keys<Policy::space, glt::global_id>{vertices.view(), edges.view()},
                                5 * step, 0);
        requests.start({.step = step});
        requests.finish();
        CHECK(requests.anything() == (comm.size() > 1 && step > 0));
        CHECK(requests.asked(comm.rank()).size == 0);
        for (int rank = 0; rank < comm.size() && requests.anything(); ++rank) {
          std::vector<glt::local_id> expected; // what rank asks of this one, in its order
          std::int64_t flagged = 0;
          std::int64_t i = 0;
          for (auto const& each : wishes_of(rank, comm.size(), step)) {
            if (each.owner == comm.rank() && rank != comm.rank()) {
              auto const row = by_edge ? each.row : static_cast<glt::local_id>(each.destination % 10);
              expected.push_back(i < 5 * step ? ~row : row);
              flagged += i < 5 * step ? 1 : 0;
            }
            ++i;
          }
          CHECK(copied(policy, requests.received(rank)) == expected);
          CHECK(requests.received(rank).num_flagged == flagged);
        }
      }
    }
  });
}

TEST_CASE("an edge that its owner has not is an error of the owner, and a failure reaches all ranks") {
  glt_test::on_ranks([](auto comm) {
    using glt::device::cpu;
    glt::detail::row_requests requests(comm, make_book(comm.size()), true, false, cpu());
    auto const next = (comm.rank() + 1) % comm.size();
    std::vector<glt::edge_id> const ids{next * 1000 + 1};
    std::vector<glt::global_id> const destinations{next * 10};
    auto const sort = [&] {
      requests.sources().sort(
          glt::detail::row_keys<cpu::space, glt::global_id>{glt::host_view<glt::global_id const>(destinations),
                                                            glt::host_view<glt::edge_id const>(ids)},
          0, 0);
    };
    if (comm.size() == 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(sort), "has the id 1"));
      return;
    }
    sort();
    requests.start({});
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { requests.finish(); }), "among the 0"));
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { requests.refuse({}, "gave up"); }), "gave up"));
  });
}
