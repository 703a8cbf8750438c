// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/vertex_times.hpp>

#include <glt/dist/link/vertex_weights.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

using times_view = glt::host_view<std::int64_t const>;

std::vector<std::int64_t> times_of(glt::host_view<glt::global_id const> originals) {
  std::vector<std::int64_t> times;
  for (auto const original : originals) {
    times.push_back(original * 7 - 3);
  }
  return times;
}

} // namespace

TEST_CASE("times of vertices come from their owners") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (std::int64_t const size : {1, 5, 101}) {
        divided_graph const divided(glt_test::random_graph(size, 2 * size), partitioner, comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::vertex_directory const directory(comm, graph);
        auto const own = times_of(graph.original());
        glt::detail::vertex_times times(comm, directory, times_view(own), cpu());
        std::vector<glt::global_id> vertices; // none on rank 0, all of them twice on rank 1
        for (std::int64_t i = 0; i < 2 * size * comm.rank(); ++i) {
          vertices.push_back(i * 3 % size);
        }
        std::vector<std::int64_t> found(vertices.size());
        times.look_up(glt::host_view<glt::global_id const>(vertices), found, {.what = glt::detail::operation::look_up});
        std::vector<glt::global_id> originals;
        for (auto const vertex : vertices) {
          originals.push_back(divided.names.original[vertex]);
        }
        CHECK(found == times_of(originals));
      }
    }
  });
}

TEST_CASE(
    "a rank with too few times, or with none or weights where others have times, is the same error on every rank") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    auto own = times_of(graph.original());
    auto const last = comm.size() - 1;
    auto const refused = [](auto&& f) { return glt_test::thrown<glt::collective_error>(f); };
    std::vector<double> const weights(own.size(), 1);
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused([&] {
                              if (comm.rank() == last) {
                                glt::dist::vertex_weights(comm, directory, glt::host_view<double const>(weights),
                                                          cpu());
                              } else {
                                glt::detail::vertex_times(comm, directory, times_view(own), cpu());
                              }
                            }),
                            "make_times", "make_weights"));
    }
    if (comm.rank() == last) {
      own.pop_back();
    }
    CHECK(glt_test::names(refused([&] { glt::detail::vertex_times(comm, directory, times_view(own), cpu()); }),
                          "rank " + std::to_string(last), "give one per vertex"));
  });
}
