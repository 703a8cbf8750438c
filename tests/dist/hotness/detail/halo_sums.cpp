// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/hotness.hpp>

#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

using glt_test::cpu;

namespace {

// Counts the out-edges of every vertex: each rank those of its rows, then all together.
template <class Vertex>
void check_out_degrees(auto& comm, glt_test::edge_list const& list) {
  for (auto const& partitioner : glt_test::all_partitioners()) {
    glt_test::divided_graph const divided(list, partitioner, comm.size());
    glt::dist::graph graph(comm, divided.template part<Vertex>(comm.rank()));
    glt::detail::halo_sums<decltype(comm.duplicate()), cpu, Vertex> halo(comm);
    halo.find(graph);
    halo.announce({});
    halo.reserve();
    std::set<std::int64_t> elsewhere;
    auto const rows = graph.local().num_rows();
    glt::buffer<cpu, glt::detail::log_miss> sums(rows + halo.size());
    for (int round = 0; round < 2; ++round) {
      for (auto& sum : sums) {
        sum = 0;
      }
      auto const slot = halo.slot();
      for (auto const source : graph.local().sources()) {
        ++sums[slot(source)];
        if (graph.book().owner(source) != comm.rank()) {
          elsewhere.insert(source);
          CHECK(slot(source) >= rows);
        }
      }
      CHECK(halo.size() == static_cast<std::int64_t>(elsewhere.size()));
      halo.exchange(sums.view(), rows);
      std::vector<std::uint64_t> expected(static_cast<std::size_t>(list.num_vertices), 0);
      for (auto const source : list.sources) {
        ++expected[static_cast<std::size_t>(source)];
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        CHECK(sums[r] == expected[static_cast<std::size_t>(graph.original()[r])]);
      }
    }
  }
}

} // namespace

TEST_CASE("sums at sources elsewhere reach their owners, again and again") {
  glt_test::on_ranks([](auto comm) {
    check_out_degrees<glt::global_id>(comm, glt_test::random_graph(257, 4099));
    check_out_degrees<glt::local_id>(comm, glt_test::random_graph(101, 37));
    check_out_degrees<glt::global_id>(comm, glt_test::random_graph(3, 50));
    check_out_degrees<glt::global_id>(comm, {"empty", 0, {}, {}});
  });
}

TEST_CASE("a source that no part owns is refused") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(101, 370);
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[0], comm.size());
    auto part = divided.part(comm.rank());
    auto const own = part.graph.view();
    std::vector<glt::global_id> sources(own.sources().begin(), own.sources().end());
    sources[0] = 101;
    part.graph = {own.num_columns(), glt::make_buffer<cpu>(own.offsets()), glt::make_buffer<cpu>(sources)};
    glt::dist::graph const graph(comm, std::move(part));
    glt::detail::halo_sums<decltype(comm.duplicate()), cpu, glt::global_id> halo(comm);
    auto const error = glt_test::thrown<glt::precondition_error>([&] { halo.find(graph); });
    CHECK(glt_test::names(error, "vertex 101", "[0, 101)"));
  });
}
