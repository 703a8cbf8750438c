// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/graph/convert.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;

namespace {

template <class Vertex, class Policy>
void check_rows(glt_test::edge_list const& list, csr_options options, Policy const& policy) {
  auto const sources = make_buffer<Policy>(std::vector<Vertex>(list.sources.begin(), list.sources.end()), policy);
  auto const destinations =
      make_buffer<Policy>(std::vector<Vertex>(list.destinations.begin(), list.destinations.end()), policy);
  auto const graph = make_csr(coo_view<Policy::space, Vertex>(list.num_vertices, sources.view(), destinations.view()),
                              options, policy);
  auto oriented = list;
  if (options.by_source) {
    oriented.sources.swap(oriented.destinations);
  }
  std::vector<edge_offset> offsets{0};
  std::vector<Vertex> columns;
  std::vector<edge_id> ids;
  for (auto const& row : glt_test::naive_rows(oriented)) {
    for (auto const& [source, id] : row) {
      columns.push_back(static_cast<Vertex>(source));
      ids.push_back(id);
    }
    offsets.push_back(static_cast<edge_offset>(columns.size()));
  }
  CHECK(graph.view().num_columns() == list.num_vertices);
  CHECK(to_vector(policy, graph.view().offsets()) == offsets);
  CHECK(to_vector(policy, graph.view().sources()) == columns);
  CHECK(to_vector(policy, graph.view().edge_ids()) == (options.edge_ids ? ids : std::vector<edge_id>{}));
}

} // namespace

TEST_CASE_TEMPLATE("rows keep the edges in the order of the list", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    for (bool const by_source : {false, true}) {
      for (bool const edge_ids : {false, true}) {
        check_rows<local_id>(list, {.by_source = by_source, .edge_ids = edge_ids}, policy);
        check_rows<global_id>(list, {.by_source = by_source, .edge_ids = edge_ids}, policy);
      }
    }
  }
}
