// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/stream.hpp>

#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/partition/repair_balance.hpp>

#include "support/errors.hpp"
#include "support/random_ids.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"
#include "support/typed_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace io = glt::io;

namespace {

constexpr int num_parts = 3;
constexpr std::int64_t vertices = 120;

// Most edges end in the first vertices, and these are in the first part.
io::raw_data uneven_set() {
  return glt_test::plain_set(vertices, glt_test::random_ids(1500, vertices, 1),
                             glt_test::random_ids(1500, vertices / 3, 2), {});
}

glt::buffer<glt::device::cpu, glt::local_id> uneven_parts() {
  glt::buffer<glt::device::cpu, glt::local_id> part_of(vertices);
  for (std::int64_t v = 0; v < vertices; ++v) {
    part_of[v] = static_cast<glt::local_id>(v * num_parts / vertices);
  }
  return part_of;
}

glt::balance_constraints limits_of(auto balance_of_edges) {
  glt::balance_constraints limits;
  limits.push_back(glt::balance_limit::vertices());
  limits.push_back(balance_of_edges);
  return limits;
}

} // namespace

TEST_CASE("parts of a graph on disk are repaired as those of the same graph in memory") {
  auto const data = uneven_set();
  auto const graph = glt_test::whole_graph_of(data);
  auto const expected =
      glt::repair_balance(graph.view(), uneven_parts(), limits_of(glt::balance_limit::edges(graph.view())), num_parts);
  CHECK_FALSE(std::ranges::equal(expected, uneven_parts()));
  auto const view = data.view();
  io::detail::all_types const all(view);
  for (std::int64_t const memory : {1000, 1 << 24}) {
    glt_test::on_ranks([&](auto comm) {
      glt_test::scratch_folder const scratch;
      auto const made = io::detail::repair_by_stream(
          comm, all, uneven_parts(), num_parts,
          [](auto in_degrees) { return limits_of(glt::balance_limit::weights("edges", in_degrees)); },
          {.plan = {.for_vertices = 0, .for_edges = memory}, .scratch = scratch.path()});
      CHECK(std::ranges::equal(made, expected));
    });
  }
}

TEST_CASE("a wrong limit is named on every rank") {
  auto const data = uneven_set();
  auto const view = data.view();
  io::detail::all_types const all(view);
  glt_test::on_ranks([&](auto comm) {
    glt_test::scratch_folder const scratch;
    auto const fault = glt_test::thrown<glt::collective_error>([&] {
      static_cast<void>(io::detail::repair_by_stream(
          comm, all, uneven_parts(), num_parts,
          [](auto in_degrees) { return limits_of(glt::balance_limit::weights("edges", in_degrees, -1)); },
          {.plan = {.for_vertices = 0, .for_edges = 1000}, .scratch = scratch.path()}));
    });
    CHECK(glt_test::names(fault, "slack of -1"));
  });
}
