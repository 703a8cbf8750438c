// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/staging.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/metis_graph.hpp>
#include <glt/outofcore/staging/detail/stage_text.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

void check(std::string const& text, int threads = 1) {
  io::read_options const reading{.threads = threads, .on_progress = {}};
  check_staging(
      text, [&](std::filesystem::path const& file) { return io::detail::read_metis_graph(file, reading); },
      [&](auto comm, std::filesystem::path const& file, std::filesystem::path const& folder) {
        io::detail::stage_metis_graph(comm, file, folder, reading);
      });
}

// A random graph with sizes, weights of vertices and of edges as the format says; `own_weights` a vertex.
std::string random_graph(std::int64_t num_vertices, std::int64_t num_edges, std::string const& format,
                         int own_weights) {
  random_stream draws(random_key(6), static_cast<std::uint64_t>(num_edges));
  std::vector<std::vector<std::int64_t>> neighbors(static_cast<std::size_t>(num_vertices));
  for (std::int64_t e = 0; e < num_edges; ++e) {
    auto const one = draws.below(static_cast<std::uint64_t>(num_vertices));
    auto const two = draws.below(static_cast<std::uint64_t>(num_vertices));
    neighbors[one].push_back(static_cast<std::int64_t>(two) + 1);
    neighbors[two].push_back(static_cast<std::int64_t>(one) + 1);
  }
  auto text = "% a graph\n" + std::to_string(num_vertices) + " " + std::to_string(num_edges) + " " + format +
              (own_weights > 0 ? " " + std::to_string(own_weights) : "") + "\n";
  for (auto const& row : neighbors) {
    std::string line;
    for (int i = 0; i < own_weights + (format[0] == '1' ? 1 : 0); ++i) {
      line += " " + std::to_string(draws.below(100));
    }
    for (auto const neighbor : row) {
      line += " " + std::to_string(neighbor) + (format[2] == '1' ? " 2.5" : "");
    }
    text += line + (draws.below(6) == 0 ? "\n% a remark\n" : "\n");
  }
  return text;
}

} // namespace

TEST_CASE("any number of ranks make the folder of what one reads") {
  check("0 0\n");
  check("0 0 111 2\n");
  for (std::int64_t const num_edges : {0, 1, 3, 200}) {
    check(random_graph(1 + num_edges / 3, num_edges, "000", 0));
    check(random_graph(1 + num_edges / 3, num_edges, "001", 0), 2);
    check(random_graph(1 + num_edges / 3, num_edges, "110", 1));
    check(random_graph(1 + num_edges / 3, num_edges, "111", 3), 3);
  }
}

TEST_CASE("faults are those of the reader, with the line in the whole file") {
  check("");
  check("3\n");
  check("2 1 5\n");
  check("20 10\n" + std::string(19, '\n'));
  auto const graph = random_graph(40, 100, "000", 0);
  check(graph + "\n7 8\n" + std::string(90, '\n'));
  check(graph.substr(0, graph.size() / 2));
  check("% more\n% and more\n6 2\n2\n1\n4\n3\n7\n\n");
  check("6 2\n2\n1\n4\n3\n\n5\n");
  check("6 3\n2\n1\n4\n3 x\n\ny\n");
  check("6 3\n2\n1\n% a remark\n4\n3 5\n% and one\n\n4\n");
  check("6 2 1\n2 7\n1 7\n4 1\n3 2\n\n\n");
}
