// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/detail/orders.hpp>
#include <glt/partition/stream/detail/vertex_stream.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a graph goes through the stream in the order of the key or of its ids, as often as asked") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    auto const shuffled = detail::make_random_permutation<local_id>(graph.num_vertices, random_key(9));
    for (int const passes : {1, 3}) {
      for (auto const order : {stream_order::random, stream_order::natural}) {
        auto stream = ldg_partitioner{}.stream(graph.num_vertices, 3);
        for (int pass = 0; pass < passes; ++pass) {
          if (pass > 0) {
            stream.restart();
          }
          for (std::int64_t i = 0; i < graph.num_vertices; ++i) {
            auto const v = order == stream_order::random ? std::int64_t{shuffled[i]} : i;
            stream.place(v, rows.view().row(v));
          }
        }
        CHECK(to_vector(detail::stream_graph(ldg_partitioner{}.stream(graph.num_vertices, 3), rows.view(), order, 9,
                                             passes)) == to_vector(std::move(stream).result()));
      }
    }
  }
}

TEST_CASE("there is at least one pass") {
  auto const rows = make_csr<device::cpu>(random_graph(7, 20).view());
  CHECK(names(thrown<precondition_error>([&] {
                static_cast<void>(
                    detail::stream_graph(ldg_partitioner{}.stream(7, 2), rows.view(), stream_order::natural, 1, -2));
              }),
              "-2 passes"));
}
