// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/builder.hpp>

#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <cstdint>
#include <vector>

namespace {

using glt::device::cpu;

glt::detail::hop_sample<cpu, std::int64_t> hop(std::vector<glt::edge_offset> const& offsets,
                                               std::vector<std::int64_t> const& sources) {
  return {glt::make_buffer<cpu>(offsets), glt::make_buffer<cpu>(sources), {}};
}

} // namespace

TEST_CASE("draws become a subgraph in first-seen order") {
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::detail::subgraph_builder<cpu, std::int64_t> builder;
    glt::sampled_subgraph<cpu, std::int64_t> out;
    std::vector<std::int64_t> const seeds{70, 30};
    builder.begin(seeds, expand, out);
    CHECK(glt_test::to_vector(builder.next_frontier()) == seeds);
    builder.add_hop(hop({0, 2, 3}, {30, 90, 50})); // 70 <- 30, 90; 30 <- 50
    auto const fresh = expand == glt::frontier::fresh;
    auto const expected = fresh ? std::vector<std::int64_t>{90, 50} : std::vector<std::int64_t>{70, 30, 90, 50};
    CHECK(glt_test::to_vector(builder.next_frontier()) == expected);
    builder.add_hop(fresh ? hop({0, 0, 1}, {10}) : hop({0, 0, 0, 0, 1}, {10})); // 50 <- 10
    CHECK(glt_test::to_vector(out.nodes()) == std::vector<std::int64_t>{70, 30, 90, 50, 10});
    CHECK(glt_test::to_vector(out.row()) == std::vector<glt::local_id>{1, 2, 3, 4});
    CHECK(glt_test::to_vector(out.col()) == std::vector<glt::local_id>{0, 0, 1, 3});
  }
}

TEST_CASE("a hop for another frontier is refused") {
  glt::detail::subgraph_builder<cpu, std::int64_t> builder;
  glt::sampled_subgraph<cpu, std::int64_t> out;
  builder.begin(std::vector<std::int64_t>{1, 2}, glt::frontier::fresh, out);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { builder.add_hop(hop({0, 1}, {5})); }),
                        "2 offsets", "2 vertices"));
}

TEST_CASE("a hop whose offsets contradict its sources is refused before anything is written") {
  glt::detail::subgraph_builder<cpu, std::int64_t> builder;
  glt::sampled_subgraph<cpu, std::int64_t> out;
  builder.begin(std::vector<std::int64_t>{1, 2}, glt::frontier::fresh, out);
  for (auto const& offsets : {std::vector<glt::edge_offset>{0, 1, 3}, std::vector<glt::edge_offset>{1, 2, 2}}) {
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { builder.add_hop(hop(offsets, {5, 6})); }),
                          "2 sources"));
  }
  CHECK(out.row().empty());
}

TEST_CASE("edges between known vertices replace those of all rows, or follow those that were drawn") {
  glt::detail::subgraph_builder<cpu, std::int64_t> builder;
  glt::sampled_subgraph<cpu, std::int64_t> out;
  auto const sizes = [](auto const& list) { return std::vector<std::int64_t>(list.begin(), list.end()); };
  for (bool const whole : {false, true}) {
    builder.begin(std::vector<std::int64_t>{70, 30, 70}, glt::frontier::fresh, out);
    builder.add_hop(hop({0, 1, 1}, {90}));
    builder.finish();
    auto const offsets = whole ? std::vector<glt::edge_offset>{0, 2, 2, 3} : std::vector<glt::edge_offset>{0, 1};
    auto const sources = whole ? std::vector<glt::local_id>{1, 2, 0} : std::vector<glt::local_id>{0};
    builder.close(whole ? 0 : 2, {glt::make_buffer<cpu>(offsets), glt::make_buffer<cpu>(sources), {}}, out);
    CHECK(glt_test::to_vector(out.nodes()) == std::vector<std::int64_t>{70, 30, 90});
    CHECK(glt_test::to_vector(out.seed_index()) == std::vector<glt::local_id>{0, 1, 0});
    CHECK(glt_test::to_vector(out.row()) ==
          (whole ? std::vector<glt::local_id>{1, 2, 0} : std::vector<glt::local_id>{2, 0}));
    CHECK(glt_test::to_vector(out.col()) ==
          (whole ? std::vector<glt::local_id>{0, 0, 2} : std::vector<glt::local_id>{0, 2}));
    CHECK(sizes(out.num_sampled_nodes()) == std::vector<std::int64_t>{2, 1, 0});
    CHECK(sizes(out.num_sampled_edges()) == std::vector<std::int64_t>{whole ? 2 : 1, 1});
    CHECK(out.block(0).num_edges() == out.row().size());
    CHECK(out.block(1).num_edges() == (whole ? 2 : 1));
  }
}

TEST_CASE("a disjoint batch keeps the same vertex apart in different trees") {
  glt::detail::subgraph_builder<cpu, std::int64_t> builder;
  glt::sampled_subgraph<cpu, std::int64_t> out;
  builder.begin_disjoint(std::vector<std::int64_t>{7, 7}, glt::frontier::fresh, out);
  CHECK(glt_test::to_vector(builder.typed().current_trees(0)) == std::vector<glt::local_id>{0, 1});
  builder.add_hop(hop({0, 2, 4}, {3, 7, 3, 3}));
  CHECK(glt_test::to_vector(out.nodes()) == std::vector<std::int64_t>{7, 7, 3, 3});
  CHECK(glt_test::to_vector(out.batch()) == std::vector<glt::local_id>{0, 1, 0, 1});
  CHECK(glt_test::to_vector(out.row()) == std::vector<glt::local_id>{2, 0, 3, 3});
  CHECK(glt_test::to_vector(builder.typed().current_trees(0)) == std::vector<glt::local_id>{0, 1});
  builder.begin(std::vector<std::int64_t>{7}, glt::frontier::fresh, out);
  CHECK(out.batch().empty());
  CHECK(builder.typed().current_trees(0).empty());
}
