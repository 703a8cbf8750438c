// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/gzip.hpp"
#include "support/public_data.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>
#include <glt/io/text/edge_list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using ids = std::vector<global_id>;

io::raw_data read(std::string_view text, io::edge_list_options const& options = {}, int threads = 1,
                  std::int64_t piece = 1 << 20) {
  io::detail::text_source source("a.txt", text, {.piece_bytes = piece});
  return io::detail::read_edge_list(source, options, {.threads = threads});
}

std::string fault_of(std::string_view text, io::edge_list_options const& options = {}) {
  return thrown<io_error>([&] { static_cast<void>(read(text, options)); });
}

std::string refusal_of(io::edge_list_options const& options) {
  return thrown<precondition_error>([&] { static_cast<void>(read("", options)); });
}

// A graph as a person would save it, badly.
std::string text_of(edge_list const& graph, bool weights) {
  std::string text = "# source\tdestination\n";
  for (std::size_t i = 0; i < graph.sources.size(); ++i) {
    text += std::to_string(graph.sources[i]) + (i % 2 == 0 ? "\t" : ", ") + std::to_string(graph.destinations[i]);
    text += weights ? " " + std::to_string(i) + ".25" : "";
    text += i % 5 == 0 ? "\r\n" : i % 5 == 1 ? " \n\n% note\n" : "\n";
  }
  return text;
}

} // namespace

TEST_CASE("edges keep their order and weights, with any number of threads and pieces of any size") {
  for (auto const& graph : adversarial_graphs()) {
    for (bool const weights : {false, true}) {
      auto const text = text_of(graph, weights);
      for (int const threads : {1, 2, 4}) {
        for (std::int64_t const piece : {16, 1000, 1 << 20}) {
          CAPTURE(graph.name);
          CAPTURE(threads);
          CAPTURE(piece);
          auto const set = read(text, {.num_vertices = graph.num_vertices}, threads, piece);
          REQUIRE(set.nodes.size() == 1);
          REQUIRE(set.edges.size() == 1);
          REQUIRE(set.nodes[0].num_nodes == graph.num_vertices);
          REQUIRE(set.edges[0].sources == ids(graph.sources.begin(), graph.sources.end()));
          REQUIRE(set.edges[0].destinations == ids(graph.destinations.begin(), graph.destinations.end()));
          REQUIRE(set.edges[0].weights.size() == (weights ? graph.sources.size() : 0));
          for (std::size_t i = 0; i < set.edges[0].weights.size(); ++i) {
            REQUIRE(set.edges[0].weights[i] == static_cast<float>(i) + 0.25F);
          }
        }
      }
    }
  }
}

TEST_CASE("there is one vertex more than the largest number") {
  CHECK(read("").nodes[0].num_nodes == 0);
  CHECK(read("# only\n% comments").nodes[0].num_nodes == 0);
  CHECK(read("\n \n\r\n").edges[0].sources.empty());
  CHECK(read("0 7").nodes[0].num_nodes == 8);
  auto const one_based = read("1 7\n", {.first_vertex = 1});
  CHECK(one_based.nodes[0].num_nodes == 7);
  CHECK(one_based.edges[0].destinations == ids{6});
  CHECK(read("0 7\n", {.num_vertices = 50}).nodes[0].num_nodes == 50);
  CHECK(read("0 1000000\n").nodes[0].num_nodes == 1'000'001);
}

TEST_CASE("columns behind the second are what the options say") {
  auto const temporal = read("1 2 3 1082040961\n",
                             {.columns = {io::edge_list_options::column::weight, io::edge_list_options::column::time}});
  CHECK(temporal.edges[0].weights == std::vector<float>{3});
  CHECK(temporal.edges[0].times == std::vector<std::int64_t>{1'082'040'961});
  CHECK(names(fault_of("# no\n1 2 3 4\n"), "line 2, at \"1 2 3 4\": the line has 4 columns",
              "glt-partition --columns src,dst,weight,time,ignored, or edge_list_options::columns"));
  CHECK(names(fault_of("1 2\n3 4 5\n"), "line 2, at \"5\": the line should end here"));
  CHECK(names(fault_of("1 2 3\n3 4\n"), "line 2", "the line ends where a weight should follow"));
  CHECK(read("from,to\n1,2\n", {.header_lines = 1}).edges[0].sources == ids{1});
}

TEST_CASE("source and destination can be any columns") {
  using enum io::edge_list_options::column;
  auto const set = read("2020,7,x,3\n2021,8,,4 # last\n", {.columns = {time, destination, ignored, source}}, 2, 12);
  CHECK(set.edges[0].sources == ids{3, 4});
  CHECK(set.edges[0].destinations == ids{7, 8});
  CHECK(set.edges[0].times == std::vector<std::int64_t>{2020, 2021});
  CHECK(set.nodes[0].num_nodes == 9);
  CHECK(names(fault_of("1,2\n", {.columns = {time, destination, source}}), "ends where a source vertex should follow"));
  CHECK(names(refusal_of({.columns = {source, weight}}), "one source and one destination"));
  CHECK(names(refusal_of({.columns = {source, destination, source}}), "one source and one destination"));
}

TEST_CASE("columns may have a separator of their own, quotes, and comments behind them") {
  using enum io::edge_list_options::column;
  for (char const separator : {'|', ':', '\t', ' ', ','}) {
    std::string text = "1;2;a b, \"c\";0.5\n3 ; 4;;1e1 % note\r\n";
    if (separator == ' ' || separator == ',') {
      text = "1;2;ab\"c\";0.5\n3;4;;1e1\n";
    }
    std::ranges::replace(text, ';', separator);
    auto const set = read(text, {.columns = {ignored, weight}, .delimiter = separator});
    CHECK(set.edges[0].sources == ids{1, 3});
    CHECK(set.edges[0].destinations == ids{2, 4});
    CHECK(set.edges[0].weights == std::vector<float>{0.5F, 10});
  }
  CHECK(read("1|2|0.5\n", {.delimiter = '|'}).edges[0].weights == std::vector<float>{0.5F});
  CHECK(names(fault_of("1|2,3\n", {.delimiter = '|'}), "at \",3\": the line should end here"));
  CHECK(names(fault_of("1 2\n", {.delimiter = '|'}), "does not belong to a number, nor separates two"));
  auto const quoted = read("\"1\",\"2\",\"0.5\"\n\"3\" \"4\" 7 # more, of 3\n");
  CHECK(quoted.edges[0].sources == ids{1, 3});
  CHECK(quoted.edges[0].weights == std::vector<float>{0.5F, 7});
  CHECK(read("1 2 \"a \"\"b, c\" 5\n", {.columns = {ignored, time}}).edges[0].times == std::vector<std::int64_t>{5});
  CHECK(read("1 2 # 3\n4 5% 6").edges[0].destinations == ids{2, 5});
  CHECK(names(fault_of("\"1 2\n"), "a quote should end here"));
  CHECK(names(fault_of("\"a\" 2\n"), "a source vertex should be here"));
  for (char const separator : {'"', '\n', '#', '-', '5'}) {
    CHECK(names(refusal_of({.delimiter = separator}), "which belongs to numbers"));
  }
}

TEST_CASE("sparse numbers are relabelled in ascending order") {
  auto const text = "9000000000000000000 5\n5 77\n77 9000000000000000000\n";
  auto const set = read(text, {.relabel = true}, 2, 10);
  CHECK(set.nodes[0].num_nodes == 3);
  CHECK(set.edges[0].sources == ids{2, 0, 1});
  CHECK(set.edges[0].destinations == ids{0, 1, 2});
  REQUIRE(set.nodes[0].features.size() == 1);
  CHECK(set.nodes[0].features[0].name == "original_id");
  auto const original = set.nodes[0].features[0].values.values<std::int64_t>();
  CHECK(ids(original.begin(), original.end()) == ids{5, 77, 9'000'000'000'000'000'000});
  CHECK(names(fault_of(text), "a.txt: has 3 edges and numbers vertices up to 9000000000000000000",
              "edge_list_options::relabel"));
  CHECK(names(fault_of("9223372036854775807 0\n"), "a source vertex is none of 9223372036854775807 vertices"));
  CHECK(read("", {.relabel = true}).nodes[0].num_nodes == 0);
}

TEST_CASE("what is no edge is refused with its line") {
  CHECK(names(fault_of("0 1\n-3 4\n"), "a.txt (at byte 4): line 2, at \"-3 4\"", "must not be negative"));
  CHECK(names(fault_of("0 1\n\n3\n"), "line 3", "the line ends where a destination vertex should follow"));
  CHECK(names(fault_of("0 9223372036854775808\n"), "a destination vertex does not fit an integer of 64 bits"));
  CHECK(names(fault_of("0 1 \n2 x\n"), "line 2, at \"x\": a destination vertex should be here"));
  CHECK(names(fault_of(std::string_view("0 1\n2\0003\n", 8)), R"(line 2, at "\x003": does not belong)"));
  CHECK(names(fault_of("0 5\n", {.num_vertices = 5}), "a destination vertex is none of 5 vertices from 0 on"));
  CHECK(names(fault_of(std::string(100'000, '7')), "line 1, at \"7777", "\"…: a source vertex does not fit"));
  CHECK(names(fault_of(std::string(100'000, 'x') + " 3"), "line 1, at \"xxx", "a source vertex should be here"));
}

TEST_CASE("a very long line of blanks is a line like others") {
  CHECK(read("1" + std::string(3'000'000, ' ') + "2\n3 4\n").edges[0].sources == ids{1, 3});
}

TEST_CASE("options that contradict each other are refused") {
  CHECK(names(refusal_of({.num_vertices = -2}), "-2 vertices"));
  CHECK(names(refusal_of({.first_vertex = -1}), "from -1 on"));
  CHECK(names(refusal_of({.num_vertices = 3, .relabel = true}), "leave them out"));
  CHECK(names(refusal_of({.first_vertex = 1, .relabel = true}), "leave them out"));
  CHECK(names(refusal_of({.header_lines = -1}), "a header of -1 lines"));
  CHECK(names(refusal_of({.columns = {io::edge_list_options::column::weight, io::edge_list_options::column::weight}}),
              "two columns of weights"));
  CHECK(names(refusal_of({.columns = {io::edge_list_options::column::time, io::edge_list_options::column::ignored,
                                      io::edge_list_options::column::time}}),
              "two columns of weights or of times"));
  CHECK(names(fault_of("1,2\n", {.header_lines = 2}), "the text has 1 lines, and its header 2"));
}

TEST_CASE("a file may be packed, cut or missing") {
  scratch_folder const scratch;
  write_bytes(scratch / "web.txt.gz", gzip("0 1\n1 2"));
  auto const set = io::read_edge_list(scratch / "web.txt.gz");
  CHECK(set.name == "web");
  CHECK(set.edges[0].destinations == ids{1, 2});
  auto const whole = gzip("0 1\n1 2\n");
  write_bytes(scratch / "cut.gz", whole.substr(0, whole.size() - 5));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_edge_list(scratch / "cut.gz")); }), "cut.gz",
              "ends within"));
  write_bytes(scratch / "bad.gz", gzip("0 1\n1 x\n"));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_edge_list(scratch / "bad.gz")); }),
              "bad.gz (at byte 6): line 2 of the unpacked text, at \"x\""));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_edge_list(scratch / "none")); }), "no such file"));
}

TEST_CASE("the Facebook graph of SNAP is what its description says" *
          doctest::test_suite("data snap-facebook-combined")) {
  auto const folder = public_data("snap-facebook-combined");
  if (!folder) {
    return;
  }
  auto const set =
      io::read_edge_list(*folder / "raw/facebook-combined.jlg", {.header_lines = 1, .first_vertex = 1}, {.threads = 2});
  CHECK(set.nodes[0].num_nodes == 4039);
  auto const expected = io::read_npy<std::int64_t>(*folder / "edge_index.npy", 2);
  auto const num_edges = static_cast<std::size_t>(expected.shape[1]);
  REQUIRE(num_edges == 88'234);
  REQUIRE(set.edges[0].sources.size() == num_edges);
  CHECK(std::equal(set.edges[0].sources.begin(), set.edges[0].sources.end(), expected.data.begin()));
  CHECK(std::equal(set.edges[0].destinations.begin(), set.edges[0].destinations.end(),
                   expected.data.begin() + expected.shape[1]));
}

TEST_CASE("a weight that a float cannot tell from 0 is refused with its line") {
  for (char const* const bad : {"1e-60", "-3e-60", "0.4e-400", "1e-40"}) {
    CAPTURE(bad);
    CHECK(names(fault_of("0 1 1\n1 2 " + std::string(bad) + "\n"), "line 2, at", "too small for a number of 32 bits"));
  }
  CHECK(read("0 1 0\n1 2 -0.0e7\n2 0 0e-60\n").edges[0].weights == std::vector<float>{0, 0, 0});
}
