// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What libFuzzer calls, and `fuzz_main.cpp` where there is no libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace glt_test {

/// Inputs to begin with; every fuzz target defines it.
std::vector<std::string> fuzz_seeds();

/// Ends the program with a text that says why; a fuzzer keeps the input.
inline void insist(bool holds, char const* what) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
  }
}

template <class T>
std::string bytes_of(std::span<T const> values) {
  auto const bytes = std::as_bytes(values);
  return std::to_string(values.size()) + ':' + std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size());
}

/// Everything in a data set of one type of vertices and one of edges, as one string; checks that it belongs together.
inline std::string everything_in(glt::io::raw_data const& set) {
  insist(set.nodes.size() == 1 && set.edges.size() == 1, "there is one type of each");
  auto const& nodes = set.nodes.front();
  auto const& edges = set.edges.front();
  auto const count = edges.sources.size();
  insist(edges.destinations.size() == count, "every edge has two ends");
  insist(edges.weights.empty() || edges.weights.size() == count, "every edge has a weight");
  insist(edges.times.empty() || edges.times.size() == count, "every edge has a time");
  for (auto const* ends : {&edges.sources, &edges.destinations}) {
    for (auto const vertex : *ends) {
      insist(vertex >= 0 && vertex < nodes.num_nodes, "every end is a vertex");
    }
  }
  auto made = std::to_string(nodes.num_nodes) + bytes_of(std::span(edges.sources)) +
              bytes_of(std::span(edges.destinations)) + bytes_of(std::span(edges.weights)) +
              bytes_of(std::span(edges.times));
  for (auto const& [name, values] : nodes.features) {
    insist(values.rows() == nodes.num_nodes, "every vertex has its features");
    made += name + bytes_of(std::span(values.bytes().data(), static_cast<std::size_t>(values.bytes().size())));
  }
  return made;
}

/// Reads a text in one piece by one thread, and again in small pieces by several threads; both must give the same,
/// be it a string or an `io_error`. `choice` decides about pieces and threads.
template <class Read>
void read_twice(std::string_view text, unsigned choice, Read read) {
  auto const outcome = [&](std::int64_t piece_bytes, int threads) {
    try {
      glt::io::detail::text_source source("input", text, {.piece_bytes = piece_bytes});
      return "value " + read(source, glt::io::read_options{.threads = threads});
    } catch (glt::io_error const& error) {
      return std::string("error ") + error.what();
    }
  };
  auto const expected = outcome(std::int64_t{1} << 20, 1);
  int const threads = choice % 32 == 7 ? 2 + static_cast<int>(choice / 32 % 2) : 1; // they take long to start
  auto const got = outcome(std::int64_t{1} << (choice / 16 % 8), threads);
  if (got != expected) {
    std::fprintf(stderr, "%s\n%s\n", expected.c_str(), got.c_str());
  }
  insist(got == expected, "pieces and threads make no difference");
}

} // namespace glt_test
