// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/hetero_builder.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <initializer_list>
#include <vector>

namespace {

using glt::device::cpu;
using ids = std::vector<glt::local_id>;

glt::detail::hop_sample<cpu, glt::local_id> drawn(std::initializer_list<glt::edge_offset> offsets,
                                                  std::initializer_list<glt::local_id> sources) {
  glt::detail::hop_sample<cpu, glt::local_id> hop;
  hop.offsets = glt::make_buffer<cpu>(glt::host_view<glt::edge_offset const>(offsets));
  hop.sources = glt::make_buffer<cpu>(glt::host_view<glt::local_id const>(sources));
  return hop;
}

glt::hetero_schema const schema({{"a", 100}, {"b", 100}}, {{"b", "x", "a"}, {"a", "y", "a"}, {"a", "z", "b"}});

} // namespace

TEST_CASE("what is new in a hop is expanded in the next, first-seen by type") {
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    bool const all = expand == glt::frontier::all;
    glt::detail::hetero_builder<cpu, glt::local_id> builder;
    glt::hetero_subgraph<cpu> out;
    ids const a_seeds{7, 8, 7};
    std::vector<glt::host_view<glt::local_id const>> const seeds{a_seeds, {}};
    builder.begin(schema, seeds, {.fanouts = {}, .expand = expand}, out);
    CHECK(glt_test::to_vector(builder.typed().current_frontier(0)) == ids{7, 8});
    CHECK(builder.typed().current_frontier(1).empty());
    builder.typed().add_relation(0, drawn({0, 2, 3}, {50, 51, 50}));
    CHECK(builder.typed().current_frontier(1).empty()); // 50 and 51 wait for the next hop
    builder.typed().add_relation(1, drawn({0, 1, 2}, {9, 7}));
    builder.typed().skip_relation(2);
    builder.end_hop();
    CHECK(glt_test::to_vector(builder.typed().current_frontier(0)) == (all ? ids{7, 8, 9} : ids{9}));
    CHECK(glt_test::to_vector(builder.typed().current_frontier(1)) == ids{50, 51});
    builder.typed().skip_relation(0);
    builder.typed().add_relation(1, all ? drawn({0, 0, 0, 1}, {8}) : drawn({0, 1}, {8}));
    builder.typed().add_relation(2, drawn({0, 1, 2}, {60, 9}));
    builder.end_hop();
    CHECK(glt_test::to_vector(out.nodes(0)) == ids{7, 8, 9, 60});
    CHECK(glt_test::to_vector(out.nodes(1)) == ids{50, 51});
    CHECK(glt_test::to_vector(out.seed_index(0)) == ids{0, 1, 0});
    CHECK(glt_test::to_vector(out.row(0)) == ids{0, 1, 0});
    CHECK(glt_test::to_vector(out.col(0)) == ids{0, 0, 1});
    CHECK(glt_test::to_vector(out.row(1)) == ids{2, 0, 1});
    CHECK(glt_test::to_vector(out.col(1)) == ids{0, 1, 2});
    CHECK(glt_test::to_vector(out.row(2)) == ids{3, 2});
    CHECK(glt_test::to_vector(out.num_sampled_nodes(0)) == std::vector<std::int64_t>{2, 1, 1});
    CHECK(glt_test::to_vector(out.num_sampled_nodes(1)) == std::vector<std::int64_t>{0, 2, 0});
    CHECK(glt_test::to_vector(out.num_sampled_edges(1)) == std::vector<std::int64_t>{2, 1});
  }
}

TEST_CASE("a hop that does not fit its frontier is refused") {
  glt::detail::hetero_builder<cpu, glt::local_id> builder;
  glt::hetero_subgraph<cpu> out;
  ids const a_seeds{7, 8};
  std::vector<glt::host_view<glt::local_id const>> const seeds{a_seeds, {}};
  builder.begin(schema, seeds, {}, out);
  auto const refused = [&](glt::detail::hop_sample<cpu, glt::local_id> const& hop) {
    return glt_test::thrown<glt::precondition_error>([&] { builder.typed().add_relation(1, hop); });
  };
  CHECK(glt_test::names(refused(drawn({0, 1}, {9})), "2 offsets", "edge type 1", "frontier of 2"));
  CHECK(glt_test::names(refused(drawn({0, 1, 1}, {9, 9})), "2 sources", "edge type 1"));
  CHECK(glt_test::names(refused(drawn({1, 1, 2}, {9, 9})), "3 offsets"));
}
