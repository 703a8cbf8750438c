// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/detail/table_checks.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;
using io::detail::checked_pairs;

TEST_CASE("every pair of a range comes once, in order, whatever the pieces") {
  constexpr auto most = io::detail::copied_pairs::most;
  for (std::int64_t const count : {std::int64_t{0}, std::int64_t{1}, most - 1, most, most + 1, 3 * most + 5}) {
    std::vector<global_id> sources;
    std::vector<global_id> destinations;
    for (std::int64_t i = 0; i < count; ++i) {
      sources.push_back(i);
      destinations.push_back(i % 7);
    }
    checked_pairs const pairs{
        .sources = sources, .destinations = destinations, .num_sources = count, .num_destinations = 7};
    for (auto const first : {std::int64_t{0}, count / 3}) {
      auto next = first;
      pairs.for_each(first, count, [&](std::int64_t place, global_id source, global_id destination) {
        CHECK(place == next);
        CHECK(source == next);
        CHECK(destination == next % 7);
        ++next;
      });
      CHECK(next == count);
    }
  }
}

TEST_CASE("the first pair with an id that is outside is named, and none of its piece is used") {
  auto const refused = [](std::vector<global_id> const& sources, std::vector<global_id> const& destinations) {
    checked_pairs const pairs{.sources = sources,
                              .destinations = destinations,
                              .num_sources = 4,
                              .num_destinations = 3,
                              .of_type = " of type (a, b, c)"};
    int used = 0;
    auto text =
        thrown<precondition_error>([&] { pairs.for_each(0, std::ssize(sources), [&](auto, auto, auto) { ++used; }); });
    CHECK(used == 0);
    return text;
  };
  CHECK(names(refused({0, 3, 4}, {0, 1, 3}), "source of edge 2 of type (a, b, c) is 4", "[0, 4)"));
  CHECK(names(refused({0, 3, 3}, {0, 1, 3}), "destination of edge 2 of type (a, b, c) is 3", "[0, 3)"));
  CHECK(names(refused({0, 4, -1}, {-7, 1, 3}), "destination of edge 0", "-7"));
  CHECK(names(refused({std::numeric_limits<global_id>::min()}, {0}), "source of edge 0"));
  CHECK(names(refused({std::numeric_limits<global_id>::max()}, {0}), "source of edge 0"));
}

TEST_CASE("where the file of pairs is known, it is named, and in the same words whatever the types of edges") {
  std::vector<global_id> const ids{0, 9};
  checked_pairs const pairs{.sources = ids,
                            .destinations = ids,
                            .num_sources = 9,
                            .num_destinations = 9,
                            .of_type = " of type (a, b, c)",
                            .file = "pairs.npy",
                            .source_type = "paper"};
  auto const expected =
      "pairs.npy: source of edge 1 is 9, outside [0, 9), the vertices of type 'paper'; correct the id "
      "or the number of vertices";
  CHECK(thrown<io_error>([&] { pairs.check(); }) == expected);
  CHECK_NOTHROW(pairs.check(0, 1));
  io::raw_data::node_table const papers{.name = "paper", .num_nodes = 9};
  CHECK(thrown<io_error>([&] { io::detail::check_pairs("pairs.npy", "edge", {ids, ids}, papers, papers); }) ==
        expected);
}

TEST_CASE("the ends and link splits of a data set are checked, each in its file") {
  auto const ids = [](std::int64_t last) { return std::vector<global_id>{0, last}; };
  for (int fault = 0; fault < 3; ++fault) {
    io::raw_data data{.name = "set", .nodes = {}, .edges = {}};
    data.nodes.push_back({.name = "a", .num_nodes = 3});
    data.nodes.push_back({.name = "b", .num_nodes = 4});
    data.edges.push_back({.source = "a", .name = "to", .destination = "b"});
    auto& edges = data.edges[0];
    edges.sources = edges.destinations = ids(2);
    edges.links.push_back({"valid", {ids(2), ids(3)}, {ids(0), ids(3)}});
    CHECK_NOTHROW(io::detail::check_pairs(data.view()));
    (fault == 0   ? edges.destinations
     : fault == 1 ? edges.links[0].edges.destinations
                  : edges.links[0].negatives.destinations) = ids(4);
    auto view = data.view();
    std::string const what = fault == 0 ? "edge 1" : "pair 1";
    std::string const rest = " is 4, outside [0, 4), the vertices of type 'b'";
    CHECK(names(thrown<precondition_error>([&] { io::detail::check_pairs(view); }),
                "destination of " + what + (fault == 0 ? " of edges 'to'" : " of link split 'valid' of edges 'to'") +
                    rest));
    view.edges[0].file = view.edges[0].links[0].edges.file = view.edges[0].links[0].negatives.file = "here.npy";
    CHECK(names(thrown<io_error>([&] { io::detail::check_pairs(view); }), "here.npy: destination of " + what + rest));
  }
}

TEST_CASE("a range without vertices has no pairs, and pairs may have another name") {
  std::vector<global_id> const one{0};
  checked_pairs const pairs{
      .sources = one, .destinations = one, .num_sources = 0, .num_destinations = 0, .what = "pair of a link split"};
  CHECK(names(thrown<precondition_error>([&] { pairs.for_each(0, 1, [](auto, auto, auto) {}); }),
              "source of pair of a link split 0 is 0, outside [0, 0)"));
}

TEST_CASE("a watched file that was changed is told instead of the id that came of it") {
  scratch_folder const scratch;
  write_bytes(scratch / "edges", "abc");
  io::detail::input_watch watch;
  watch.add(scratch / "edges");
  std::vector<global_id> const ids{0, 9};
  checked_pairs pairs{.sources = ids, .destinations = ids, .num_sources = 9, .num_destinations = 9, .inputs = &watch};
  auto const visit = [&] { pairs.for_each(0, 2, [](auto, auto, auto) {}); };
  CHECK(names(thrown<precondition_error>(visit), "source of edge 1 is 9"));
  write_bytes(scratch / "edges", "abcd");
  CHECK(names(thrown<io_error>(visit), "edges", "4 bytes instead of 3"));
  pairs.num_sources = pairs.num_destinations = 10;
  CHECK(names(thrown<io_error>(visit), "edges", "4 bytes instead of 3"));
}
