// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/io/text/detail/matrix_market.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using ids = std::vector<global_id>;
using weights = std::vector<float>;

io::raw_data read(std::string_view text, int threads = 1, std::int64_t piece = 1 << 20) {
  io::detail::text_source source("a.mtx", text, {.piece_bytes = piece});
  return io::detail::read_matrix_market(source, {.threads = threads});
}

io::raw_data::edge_table edges_of(std::string const& text, int threads = 1) {
  auto set = read(text, threads);
  return std::move(set.edges.front());
}

std::string fault_of(std::string const& text) {
  return thrown<io_error>([&] { static_cast<void>(read(text)); });
}

std::string const pattern = "%%MatrixMarket matrix coordinate pattern general\n";
std::string const real_symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
std::string const skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n";

} // namespace

TEST_CASE("entries are edges in the order of the lines, with any number of threads") {
  for (auto const& graph : adversarial_graphs()) {
    std::string const size = std::to_string(graph.num_vertices);
    auto text = "%%MatrixMarket MATRIX Coordinate Real General\n% note\n\n" + size + " " + size + " " +
                std::to_string(graph.sources.size()) + "\n";
    for (std::size_t i = 0; i < graph.sources.size(); ++i) {
      text += std::to_string(graph.sources[i] + 1) + (i % 2 == 0 ? " " : "\t ") +
              std::to_string(graph.destinations[i] + 1) + " -" + std::to_string(i) + ".5e0" +
              (i % 3 == 0   ? "\r\n"
               : i % 3 == 1 ? "\n% between\n"
                            : " \n\n");
    }
    for (int const threads : {1, 3}) {
      for (std::int64_t const piece : {50, 1 << 20}) {
        CAPTURE(graph.name);
        auto const set = read(text, threads, piece);
        REQUIRE(set.nodes[0].num_nodes == graph.num_vertices);
        REQUIRE(set.edges[0].sources == ids(graph.sources.begin(), graph.sources.end()));
        REQUIRE(set.edges[0].destinations == ids(graph.destinations.begin(), graph.destinations.end()));
        for (std::size_t i = 0; i < graph.sources.size(); ++i) {
          REQUIRE(set.edges[0].weights[i] == -static_cast<float>(i) - 0.5F);
        }
      }
    }
  }
}

TEST_CASE("symmetric entries off the diagonal are two edges") {
  auto const symmetric = edges_of(real_symmetric + "3 3 3\n1 1 5\n3 1 6\n3 2 7\n", 2);
  CHECK(symmetric.sources == ids{0, 2, 0, 2, 1});
  CHECK(symmetric.destinations == ids{0, 0, 2, 1, 2});
  CHECK(symmetric.weights == weights{5, 6, 6, 7, 7});
  auto const negative = edges_of(skew + "3 3 2\n2 1 6\n3 2 -7\n");
  CHECK(negative.sources == ids{1, 0, 2, 1});
  CHECK(negative.weights == weights{6, -6, -7, 7});
}

TEST_CASE("a pattern has no weights") {
  auto const set = read(pattern + "2 2 1\n2 1\n");
  CHECK(set.edges[0].sources == ids{1});
  CHECK(set.edges[0].weights.empty());
  CHECK(read(pattern + "5 5 0\n").nodes[0].num_nodes == 5);
  CHECK(read(pattern + "0 0 0").nodes[0].num_nodes == 0);
}

TEST_CASE("what no graph can be made of is refused by its first lines") {
  CHECK(names(fault_of(""), "a.mtx: ", "the file is empty"));
  CHECK(names(fault_of("1 2\n"), "line 1, at \"1 2\"", "begins with %%MatrixMarket"));
  CHECK(names(fault_of("%%MatrixMarket vector\n"), "at \"vector\"", "only a 'matrix'"));
  CHECK(names(fault_of("%%MatrixMarket matrix array real general\n"), "at \"array real general\"",
              "only a 'coordinate' matrix"));
  CHECK(names(fault_of("%%MatrixMarket matrix coordinate complex general\n"), "at \"complex general\"",
              "'pattern', 'real' or 'integer'"));
  CHECK(names(fault_of("%%MatrixMarket matrix coordinate real Hermitian\n"), "at \"Hermitian\"",
              "'general', 'symmetric' or 'skew-symmetric'"));
  CHECK(names(fault_of("%%MatrixMarket matrix coordinate real\n"), "at its end", "'general', 'symmetric'"));
  CHECK(names(fault_of("%%MatrixMarket matrix coordinate real general x\n"), "at \"x\"", "should end here"));
  CHECK(names(fault_of(pattern + "% only\n"), "line 3", "ends before the line of rows, columns and entries"));
  CHECK(names(fault_of(pattern + "2 3 1\n"), "line 2, at \"2 3 1\"", "square matrix"));
  CHECK(names(fault_of(pattern + "2 2\n"), "line 2", "where the number of entries should follow"));
  CHECK(names(fault_of(pattern + "-2 2 1\n"), "must not be negative"));
  CHECK(names(fault_of(pattern + "2 2 1 7\n"), "line 2, at \"7\"", "should end here"));
  CHECK(names(fault_of(pattern + "1000000000000 1000000000000 1\n1 1\n"),
              "has 1 edges and numbers vertices up to 999999999999"));
}

TEST_CASE("entries that do not fit are refused with their line") {
  CHECK(names(fault_of(pattern + "2 2 1\n0 1\n"), "line 3, at \"0 1\"", "a row is a number from 1 to 2"));
  CHECK(names(fault_of(pattern + "2 2 1\n1 3\n"), "line 3, at \"3\"", "a column is a number from 1 to 2"));
  CHECK(names(fault_of(pattern + "2 2 1\n1 2 3\n"), "line 3, at \"3\"", "should end here, behind row and column"));
  CHECK(names(fault_of(real_symmetric + "2 2 1\n2 1\n"), "line 3", "where a value should follow"));
  CHECK(names(fault_of(real_symmetric + "2 2 1\n1 2 1\n"), "line 3, at \"1 2 1\"", "above the diagonal"));
  CHECK(names(fault_of(skew + "2 2 1\n1 1 1\n"), "line 3, at \"1 1 1\"", "on that of a skew-symmetric one"));
  CHECK(names(fault_of(pattern + "2 2 2\n1 2\n"), "line 4: the file has 1 entries and says it has 2"));
  CHECK(names(fault_of(pattern + "2 2 0\n1 2\n"), "the file has 1 entries and says it has 0"));
}

TEST_CASE("a matrix may be packed") {
  scratch_folder const scratch;
  write_bytes(scratch / "mesh.mtx.gz", gzip(pattern + "3 3 1\n1 3\n"));
  auto const set = io::detail::read_matrix_market(scratch / "mesh.mtx.gz");
  CHECK(set.name == "mesh");
  CHECK(set.edges[0].destinations == ids{2});
}
