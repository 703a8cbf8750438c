// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/part_halo.hpp>

#include "support/device_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

template <class Slot, glt::memory_space Space, class Vertex>
struct write_slot {
  Slot slot;
  glt::csr_view<Space, Vertex> rows;
  glt::array_view<Space, std::int64_t> slots;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const { slots[e] = slot(rows.source(e)); }
};

template <class Policy, class Vertex>
void check_halo(glt_test::edge_list const& list, int parts) {
  Policy const policy;
  glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], parts);
  for (int p = 0; p < parts; ++p) {
    auto const part = glt_test::device_part<Policy, Vertex>(divided, p, policy);
    auto const rows = part.graph.view();
    auto const begin = part.book.begin(p);
    auto const num_own = part.book.size(p);
    std::vector<Vertex> expected;
    std::vector<std::int64_t> expected_slots;
    for (auto const source : glt::to_vector(policy, rows.sources())) {
      bool const own = source >= begin && source < begin + num_own;
      auto const found = std::ranges::find(expected, source);
      expected_slots.push_back(own ? source - begin : num_own + (found - expected.begin()));
      if (!own && found == expected.end()) {
        expected.push_back(source);
      }
    }
    glt::detail::part_halo<Policy, Vertex> halo(policy, 100);
    glt::buffer<Policy, std::int64_t> slots(rows.num_edges(), policy);
    halo.find(rows, begin, begin + num_own, slots.view());
    CHECK(halo.size() == static_cast<std::int64_t>(expected.size()));
    CHECK(glt::to_vector(policy, halo.vertices()) == expected);
    CHECK(glt::to_vector(policy, slots.view()) == expected_slots);

    glt::buffer<Policy, std::int64_t> looked_up(rows.num_edges(), policy);
    policy.executor().for_each(rows.num_edges(), write_slot<decltype(halo.slot()), Policy::space, Vertex>{
                                                     halo.slot(), rows, looked_up.view()});
    CHECK(glt::to_vector(policy, looked_up.view()) == expected_slots);
  }
}

} // namespace

TEST_CASE_TEMPLATE("the halo of a part is numbered in the order of its edges", Policy, GLT_TEST_POLICIES) {
  check_halo<Policy, glt::global_id>(glt_test::random_graph(257, 4099), 3);
  check_halo<Policy, glt::local_id>(glt_test::random_graph(101, 370), 2);
  check_halo<Policy, glt::local_id>(glt_test::random_graph(101, 370), 1);
  check_halo<Policy, glt::global_id>({"empty", 0, {}, {}}, 2);
}
