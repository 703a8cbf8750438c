// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/core/error.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("rows of the ranks become one graph, in the order of the ranks") {
  scratch_folder const scratch;
  on_ranks([&](auto comm) {
    auto const folder = scratch / std::to_string(comm.size());
    std::int64_t counted = -1;
    io::detail::stage_graph(
        comm, {}, folder,
        [&](io::detail::staged_edges& edges) {
          io::raw_data::edge_table piece;
          for (int i = 0; i < comm.rank(); ++i) {
            piece.sources.push_back(comm.rank());
            piece.destinations.push_back(i);
          }
          edges.take(piece);
          std::vector<io::raw_data::named_array> features;
          features.push_back({"rank", io::array::of<std::int64_t>(std::vector<std::int64_t>{comm.rank()})});
          return features;
        },
        [&](std::int64_t num_edges, auto const&) {
          counted = num_edges;
          return std::int64_t{comm.size()};
        });
    CHECK(counted == comm.size() * (comm.size() - 1) / 2);
    comm.barrier();
    if (comm.rank() == 0) {
      auto const read = io::detail::read_npy_folder(folder);
      CHECK(read.nodes[0].num_nodes == comm.size());
      CHECK(read.nodes[0].features[0].name == "rank");
      CHECK(read.nodes[0].features[0].values.template values<std::int64_t>()[comm.size() - 1] == comm.size() - 1);
      REQUIRE(std::ssize(read.edges[0].sources) == counted);
      CHECK((counted == 0 || read.edges[0].destinations.back() == comm.size() - 2));
      CHECK(files_of(folder).size() == 4); // edges, vertices, the feature and its name
    }
    comm.barrier();
  });
}

TEST_CASE("a rank that cannot read ends all of them") {
  scratch_folder const scratch;
  on_ranks(
      [&](auto comm) {
        CHECK(names(thrown<collective_error>([&] {
                      io::detail::stage_graph(
                          comm, {}, scratch / std::to_string(comm.size()),
                          [&](io::detail::staged_edges&) -> std::vector<io::raw_data::named_array> {
                            if (comm.rank() == 1) {
                              throw precondition_error("will not");
                            }
                            return {};
                          },
                          [](std::int64_t, auto const&) { return std::int64_t{0}; });
                    }),
                    "rank 1", "will not"));
      },
      {2, 3});
}

TEST_CASE("a file that is changed before all ranks have read it is an error on all of them") {
  scratch_folder const scratch;
  on_ranks(
      [&](auto comm) {
        auto const file = scratch / ("file" + std::to_string(comm.size()));
        if (comm.rank() == 0) {
          write_bytes(file, "1 2");
        }
        comm.barrier();
        io::detail::input_watch watch;
        CHECK(names(thrown<collective_error>([&] {
                      io::detail::stage_graph(
                          comm, watch, scratch / std::to_string(comm.size()),
                          [&](io::detail::staged_edges&) -> std::vector<io::raw_data::named_array> {
                            watch.add(file);
                            comm.barrier();
                            if (comm.rank() == 1) {
                              write_bytes(file, "1 2 3");
                            }
                            return {};
                          },
                          [](std::int64_t, auto const&) { return std::int64_t{0}; });
                    }),
                    file.string(), "bytes instead of 3"));
      },
      {2, 3});
}
