// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/partitioners.hpp"

#include <glt/partition/book.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("new ids are contiguous by part and keep the original order inside a part") {
  std::vector<local_id> const part_of{2, 0, 2, 2, 0, 3};
  auto const labels = make_relabelling(part_of, 5);
  CHECK(labels.book == partition_book({0, 2, 2, 5, 6, 6}));
  CHECK(to_vector(labels.original) == std::vector<global_id>{1, 4, 0, 2, 3, 5});
  CHECK(to_vector(labels.renumbered) == std::vector<global_id>{2, 0, 3, 4, 1, 5});
}

TEST_CASE("the two directions are inverse, and every vertex is in the part it was given") {
  for (auto const& graph : adversarial_graphs()) {
    auto const rows = make_csr<device::cpu>(graph.view());
    for (auto const& partitioner : all_partitioners()) {
      CAPTURE(graph.name);
      CAPTURE(partitioner.name);
      for (int const num_parts : {1, 2, 5, 80}) {
        auto const part_of = partitioner.run(rows.view(), num_parts);
        auto const labels = make_relabelling(part_of.view(), num_parts);
        REQUIRE(labels.book.num_parts() == num_parts);
        REQUIRE(labels.book.num_vertices() == graph.num_vertices);
        for (std::int64_t v = 0; v < graph.num_vertices; ++v) {
          REQUIRE(labels.original[labels.renumbered[v]] == v);
          REQUIRE(labels.book.owner(labels.renumbered[v]) == part_of[v]);
        }
      }
    }
  }
}

TEST_CASE("ranges of ids keep their numbers") {
  auto const graph = random_graph(101, 37);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const labels = make_relabelling(contiguous_partitioner{}(rows.view(), 4).view(), 4);
  for (std::int64_t v = 0; v < 101; ++v) {
    CHECK(labels.renumbered[v] == v);
  }
}

TEST_CASE("a vertex in a part that does not exist is named") {
  std::vector<local_id> const part_of{0, 1, 3, -1};
  auto const complaint = [&](int num_parts) {
    return thrown<precondition_error>([&] { static_cast<void>(make_relabelling(part_of, num_parts)); });
  };
  CHECK(names(complaint(3), "vertex 2 is 3", "[0, 3)"));
  CHECK(names(complaint(4), "vertex 3 is -1", "[0, 4)"));
  CHECK(names(complaint(0), "0 parts"));
}
