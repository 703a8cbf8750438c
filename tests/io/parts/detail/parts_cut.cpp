// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/graphs.hpp"
#include "support/known_sets.hpp"

#include <glt/graph/convert.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/partition/split.hpp>

#include <cstdint>
#include <set>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("rows and values are cut by number, of any shape") {
  std::vector<std::int16_t> const values{0, 1, 10, 11, 20, 21};
  auto const from = io::array::of<std::int16_t>(values, {3, 1, 2});
  std::vector<std::int64_t> const rows{2, 0, 2, 2};
  auto const cut = io::detail::cut_rows(from, rows);
  CHECK(cut.shape() == std::vector<std::int64_t>{4, 1, 2});
  CHECK(to_vector(cut.values<std::int16_t>()) == std::vector<std::int16_t>{20, 21, 0, 1, 20, 21, 20, 21});
  CHECK(io::detail::cut_rows(from, std::vector<std::int64_t>()).shape() == std::vector<std::int64_t>{0, 1, 2});
  CHECK(to_vector(io::detail::cut_values<float>(std::vector<float>{5, 6, 7}, rows)) == std::vector<float>{7, 5, 7, 7});
  CHECK(io::detail::cut_values<float>(std::vector<float>(), rows).empty());
}

TEST_CASE("lists keep their order, and are cut by the part that owns a vertex, a destination or neither") {
  std::vector<local_id> const part_of{1, 0, 1, 0, 0};
  auto const labels = make_relabelling(part_of, 2); // 1 3 4 | 0 2
  using ids = std::vector<global_id>;
  ids const list{4, 0, 2, 4, 1};
  CHECK(io::detail::own_ids(list, labels, 0) == ids{2, 2, 0});
  CHECK(io::detail::own_ids(list, labels, 1) == ids{3, 4});
  CHECK(io::detail::own_ids(ids(), labels, 1).empty());
  ids const sources{0, 1, 2, 3};
  ids const destinations{2, 1, 0, 2};
  auto const pairs = io::detail::own_pairs({sources, destinations}, labels, labels, 1);
  CHECK(pairs.sources == ids{3, 4, 1});
  CHECK(pairs.destinations == ids{4, 3, 4});
  CHECK(io::detail::own_pairs({sources, destinations}, labels, labels, 0).sources == ids{0});
  auto const remote = io::detail::select_remote(list, labels, 1);
  CHECK(remote.original == ids{4, 1}); // once each
  CHECK(remote.ids == ids{2, 0});
}

TEST_CASE("the halo has every remote source once") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const whole = make_csr<device::cpu>(graph.view());
    auto const labels = random_labels(graph.num_vertices, 3);
    for (int part = 0; part < 3; ++part) {
      auto const own = split_graph(whole.view(), labels, part);
      std::set<global_id> remote;
      for (auto const id : own.graph.view().sources()) {
        if (labels.book.owner(id) != part) {
          remote.insert(id);
        }
      }
      CHECK(to_vector(io::detail::make_halo(own.graph.view(), labels.book, part)) ==
            std::vector(remote.begin(), remote.end()));
    }
  }
}
