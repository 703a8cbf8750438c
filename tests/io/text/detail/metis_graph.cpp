// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/metis_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using ids = std::vector<global_id>;

io::raw_data read(std::string_view text, int threads = 1, std::int64_t piece = 1 << 20) {
  io::detail::text_source source("a.graph", text, {.piece_bytes = piece});
  return io::detail::read_metis_graph(source, {.threads = threads});
}

std::string fault_of(std::string_view text) {
  return thrown<io_error>([&] { static_cast<void>(read(text)); });
}

ids values_of(io::raw_data::named_array const& array) {
  auto const values = array.values.values<std::int64_t>();
  return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("rows of every format come back, with any number of threads and pieces of any size") {
  random_stream draws(random_key(6), 0);
  for (std::string const format : {"", "0", "1", "10", "11", "100", "101", "110", "111", "001", "011"}) {
    auto const digit = [&](std::size_t from_right) {
      return format.size() >= from_right && format[format.size() - from_right] == '1';
    };
    for (std::int64_t const n : {0, 1, 37}) {
      for (std::int64_t const weights : {1, 3}) {
        if (weights == 3 && !digit(2)) {
          continue;
        }
        std::int64_t const num_edges = n * 2;
        auto text = "% by a test\n" + std::to_string(n) + " " + std::to_string(num_edges) +
                    (format.empty() ? "" : " " + format) + (weights == 3 ? " 3" : "") + "\n";
        ids sources;
        ids destinations;
        ids sizes;
        ids vertex_weights;
        std::vector<float> edge_weights;
        struct neighbor {
          std::int64_t vertex;
          std::int64_t weight;
        };
        std::vector<std::vector<neighbor>> neighbors(static_cast<std::size_t>(n));
        for (std::int64_t e = 0; e < num_edges; ++e) {
          auto const one = draws.below(static_cast<std::uint64_t>(n));
          auto const two = draws.below(static_cast<std::uint64_t>(n));
          auto const weight = static_cast<std::int64_t>(draws.below(50));
          neighbors[one].push_back({static_cast<std::int64_t>(two), weight});
          neighbors[two].push_back({static_cast<std::int64_t>(one), weight});
        }
        for (std::int64_t v = 0; v < n; ++v) {
          std::string row;
          auto const add = [&](std::int64_t value) { row += (row.empty() ? "" : "  ") + std::to_string(value); };
          auto const drawn = [&] { return static_cast<std::int64_t>(draws.below(50)); };
          if (digit(3)) {
            add(sizes.emplace_back(drawn()));
          }
          for (std::int64_t i = 0; digit(2) && i < weights; ++i) {
            add(vertex_weights.emplace_back(drawn()));
          }
          for (auto const& [vertex, weight] : neighbors[static_cast<std::size_t>(v)]) {
            add(destinations.emplace_back(vertex) + 1);
            sources.push_back(v);
            if (digit(1)) {
              add(static_cast<std::int64_t>(edge_weights.emplace_back(static_cast<float>(weight))));
            }
          }
          text += row + (v % 5 == 0 ? "\r\n" : v % 5 == 1 ? "\n% between\n" : " \n");
        }
        for (int const threads : {1, 2, 5}) {
          for (std::int64_t const piece : {8, 1 << 20}) {
            CAPTURE(text);
            auto const set = read(text, threads, piece);
            REQUIRE(set.nodes[0].num_nodes == n);
            REQUIRE(set.edges[0].sources == sources);
            REQUIRE(set.edges[0].destinations == destinations);
            REQUIRE(set.edges[0].weights == edge_weights);
            auto const& features = set.nodes[0].features;
            REQUIRE(features.size() == (digit(3) ? 1U : 0U) + (digit(2) ? 1U : 0U));
            if (digit(3)) {
              REQUIRE(features.front().name == "size");
              REQUIRE(values_of(features.front()) == sizes);
            }
            if (digit(2)) {
              REQUIRE(features.back().name == "weight");
              REQUIRE(features.back().values.shape() == std::vector{n, weights});
              REQUIRE(values_of(features.back()) == vertex_weights);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the smallest graphs") {
  CHECK(read("0 0\n").nodes[0].num_nodes == 0);
  CHECK(read("1 0\n\n").nodes[0].num_nodes == 1);
  CHECK(read("3 1\n2\n1\n\n\n \n% end\n").nodes[0].num_nodes == 3); // more empty lines than vertices
  auto const pair = read("2 1 1\n2 0.5\n1 0.5");
  CHECK(pair.edges[0].destinations == ids{1, 0});
  CHECK(pair.edges[0].weights == std::vector<float>{0.5F, 0.5F});
}

TEST_CASE("first lines that make no sense are refused") {
  CHECK(names(fault_of(""), "line 1: there is no line of vertices and edges"));
  CHECK(names(fault_of("% only\n"), "line 2: there is no line"));
  CHECK(names(fault_of("3\n"), "where the number of edges should follow"));
  CHECK(names(fault_of("-3 1\n"), "must not be negative"));
  for (char const* format : {"2", "0011", "x", ","}) {
    CAPTURE(format);
    CHECK(names(fault_of(std::string("1 0 ") + format + "\n\n"), "the format is three digits 0 or 1"));
  }
  for (char const* counts : {"10 0", "1 1", "10 70000"}) {
    CAPTURE(counts);
    CHECK(names(fault_of(std::string("1 0 ") + counts + "\n1\n"), "line 1, at", "1 to 65536"));
  }
  CHECK(names(fault_of("1 0 10 1 5\n1\n"), "at \"5\"", "should end here"));
}

TEST_CASE("rows that make no sense are refused with their line") {
  CHECK(names(fault_of("2 1\n2\n3\n"), "line 3, at \"3\"", "a neighbour is a number from 1 to 2"));
  CHECK(names(fault_of("2 1\n0\n1\n"), "line 2, at \"0\"", "a neighbour is a number from 1 to 2"));
  CHECK(names(fault_of("2 1\n2 x\n1\n"), "line 2, at \"x\"", "a neighbour should be here"));
  CHECK(names(fault_of("2 1 1\n2 1\n1\n"), "line 3", "where the weight of an edge should follow"));
  CHECK(names(fault_of("2 1 10\n7 2\n\n"), "line 3, which is empty", "where a weight of the vertex should follow"));
  CHECK(names(fault_of("2 1 100\n\n7 1\n"), "line 2, which is empty", "where the size of the vertex should follow"));
  CHECK(names(fault_of("2 1\n2\n1\n\n1\n"), "line 5, at \"1\"", "the graph has 2 vertices, whose lines are all above"));
}

TEST_CASE("a graph that has not what its first line says is refused") {
  CHECK(names(fault_of("3 1\n2\n1\n"), "line 4: the file ends behind 2 of 3 vertices"));
  CHECK(names(fault_of("2 2\n2\n1\n"), "lists 2 neighbours, not two for each of 2 edges"));
  CHECK(names(fault_of("2 1\n2\n\n"), "lists 1 neighbours, not two for each of 1 edges"));
  CHECK(names(fault_of("9223372036854775807 9223372036854775807\n"), "behind 0 of 9223372036854775807 vertices"));
}

TEST_CASE("an edge on the line of one end only, or with two weights, is refused with its line") {
  for (int const threads : {1, 3}) {
    auto const fault = [&](std::string_view text) {
      return thrown<io_error>([&] { static_cast<void>(read(text, threads, 8)); });
    };
    CHECK(names(fault("3 1\n2\n3\n\n"),
                "line 2: vertex 1 lists vertex 2, but line 3 of vertex 2 does not list vertex 1"));
    CHECK(names(fault("% one\n3 2\n% two\n3\n% three\n% four\n3\n2 2\n"),
                "line 4: vertex 1 lists vertex 3, but line 8 of vertex 3 does not list vertex 1 as often"));
    CHECK(names(fault("2 1 1\n2 4\n1 5\n"), "line 2", "but line 3 of vertex 2 lists vertex 1 with another weight"));
    CHECK(names(fault("3 2 1\n2 4 2 5\n1 5 1 5\n\n"), "line 2", "line 3 of vertex 2", "another weight"));
    CHECK(read("3 4 1\n2 4 2 5 1 1 1 2\n1 5 1 4 3 0\n2 -0\n", threads, 8).edges[0].sources.size() == 8);
  }
}

TEST_CASE("a graph may be packed") {
  scratch_folder const scratch;
  write_bytes(scratch / "mesh.graph.gz", gzip("2 1\n2\n1\n"));
  auto const set = io::detail::read_metis_graph(scratch / "mesh.graph.gz");
  CHECK(set.name == "mesh");
  CHECK(set.edges[0].destinations == ids{1, 0});
}
