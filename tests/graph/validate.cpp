// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/exec/threaded.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/validate.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using rows_view = csr_view<memory_space::host>;

template <class View>
std::string complaint(View view) {
  return thrown<precondition_error>([&] { validate(view); });
}

} // namespace

TEST_CASE("well-formed graphs pass") {
  glt::detail::thread_pool pool(3);
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view(), {.edge_ids = true});
    CHECK_NOTHROW(validate(graph.view()));
    CHECK_NOTHROW(validate(rows.view()));
    CHECK_NOTHROW(validate(graph.view(), exec::threaded(pool)));
    CHECK_NOTHROW(validate(rows.view(), minimal_executor{}));
  }
  CHECK_NOTHROW(validate(rows_view{}));
}

TEST_CASE("the first bad end of an edge list is named with its value and the bound") {
  auto graph = random_graph(97, 5003);
  graph.sources[4242] = 97;
  graph.sources[5002] = -9;
  graph.destinations[77] = -1;
  CHECK(names(complaint(graph.view()), "source of edge 4242 is 97", "[0, 97)"));
  glt::detail::thread_pool pool(3);
  CHECK(thrown<precondition_error>([&] { validate(graph.view(), exec::threaded(pool)); }) == complaint(graph.view()));
  graph.sources[4242] = 0;
  CHECK(names(complaint(graph.view()), "source of edge 5002 is -9"));
  graph.sources[5002] = 96;
  CHECK(names(complaint(graph.view()), "destination of edge 77 is -1", "[0, 97)"));
  graph.destinations[77] = std::numeric_limits<local_id>::max();
  CHECK(names(complaint(graph.view()), "destination of edge 77 is 2147483647"));
  graph.destinations[77] = 96;
  CHECK_NOTHROW(validate(graph.view()));
}

TEST_CASE("an edge in a graph without vertices is an error") {
  edge_list const graph{"no vertices", 0, {0}, {0}};
  CHECK(names(complaint(graph.view()), "source of edge 0 is 0", "[0, 0)"));
}

TEST_CASE("wrong row offsets are named") {
  std::vector<local_id> const sources{1, 0, 2};
  std::vector<edge_offset> offsets{0, 1, 1, 3};
  CHECK_NOTHROW(validate(rows_view(3, offsets, sources)));
  offsets = {1, 1, 2, 3};
  CHECK(names(complaint(rows_view(3, offsets, sources)), "row offset 0 is 1"));
  offsets = {0, 2, 1, 3};
  CHECK(names(complaint(rows_view(3, offsets, sources)), "row offset 2 is 1", "2"));
  offsets = {0, -1, 2, 3};
  CHECK(names(complaint(rows_view(3, offsets, sources)), "row offset 1 is -1"));
  offsets = {0, 1, 2, 2};
  CHECK(names(complaint(rows_view(3, offsets, sources)), "row offset 3", "is 2", "3 edges"));
  offsets = {0, 1, 2, 4};
  CHECK(names(complaint(rows_view(3, offsets, sources)), "row offset 3", "is 4", "3 edges"));
}

TEST_CASE("wrong sources and edge ids of rows are named") {
  std::vector<edge_offset> const offsets{0, 1, 3};
  std::vector<local_id> sources{1, 0, 5};
  std::vector<edge_id> ids{0, 7, -2};
  CHECK(names(complaint(rows_view(5, offsets, sources)), "source at position 2 is 5", "[0, 5)"));
  CHECK_NOTHROW(validate(rows_view(6, offsets, sources)));
  CHECK(names(complaint(rows_view(6, offsets, sources, ids)), "edge id at position 2 is -2"));
  sources[0] = -1;
  CHECK(names(complaint(rows_view(6, offsets, sources)), "source at position 0 is -1"));
}
