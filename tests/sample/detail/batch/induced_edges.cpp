// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/induced_edges.hpp>

#include "support/graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::device::cpu;

namespace {

// Every third vertex is known, by a number from 0 on that says which one it is.
struct every_third {
  std::int64_t operator()(std::int64_t vertex) const { return vertex % 3 == 0 ? vertex / 3 : -1; }
};

void check(glt_test::edge_list const& list, std::vector<glt::local_id> const& rows, cpu policy,
           glt::detail::hop_sample<cpu, glt::local_id>& out) {
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const naive = glt_test::naive_rows(list);
  glt::detail::induced_edges<cpu, glt::local_id> known(policy);
  std::vector<glt::local_id> set;
  for (glt::local_id v = 0; v < list.num_vertices; v += 3) {
    set.push_back(v);
  }
  for (bool const ids : {true, false, true}) {
    known.select(graph.view(), glt::host_view<glt::local_id const>(rows), glt::host_view<glt::local_id const>(set),
                 every_third{}, ids, out);
    std::vector<std::int64_t> offsets{0};
    std::vector<glt::local_id> positions;
    std::vector<std::int64_t> edge_ids;
    for (auto const row : rows) {
      for (auto const& [source, id] : naive[static_cast<std::size_t>(row)]) {
        if (source % 3 == 0) {
          positions.push_back(static_cast<glt::local_id>(source / 3));
          edge_ids.push_back(id);
        }
      }
      offsets.push_back(static_cast<std::int64_t>(positions.size()));
    }
    CHECK(glt_test::to_vector(out.offsets) == offsets);
    CHECK(glt_test::to_vector(out.sources) == positions);
    CHECK(glt_test::to_vector(out.edge_ids) == (ids ? edge_ids : std::vector<std::int64_t>{}));
  }
}

} // namespace

TEST_CASE("the selected edges are those whose sources are known, row by row") {
  glt::detail::hop_sample<cpu, glt::local_id> out;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    std::vector<glt::local_id> rows;
    for (std::int64_t i = 0; i < list.num_vertices; i += 2) {
      rows.push_back(static_cast<glt::local_id>(i * 5 % list.num_vertices));
    }
    check(list, rows, cpu(), out);
    check(list, rows, cpu(3), out);
  }
}

TEST_CASE("rows may be longer than a block, or end at its bounds") {
  constexpr auto block = glt::detail::induced_edges<cpu, glt::local_id>::block_size;
  glt_test::edge_list list{"long rows", 7, {}, {}};
  for (std::int64_t i = 0; i < 2 * block + 100; ++i) {
    list.add(i % 7, 2);
  }
  for (std::int64_t i = 0; i < block; ++i) {
    list.add(i % 5, 4);
    list.add(i % 6, 5);
  }
  glt::detail::hop_sample<cpu, glt::local_id> out;
  check(list, {4, 5, 2, 0, 2}, cpu(), out);
  check(list, {0, 2, 4, 6, 5}, cpu(3), out);
}
