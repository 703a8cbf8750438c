// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"

#include <glt/io/parts/parts.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The parts of a data set in five.
struct five_parts {
  explicit five_parts(io::raw_data from = hetero_known_set()) : data(std::move(from)), labels(random_labels(data, 5)) {
    std::vector<global_id> const hot{0, 1, 2, 3, 4, 5, 6, 7, 8};
    io::write_options const options{.hot = {{.node_type = 0, .by_part = {hot, hot, hot, hot, hot}}}, .halo = true};
    io::detail::raw_data_cutter cutter(io::view_of(data), labels, options);
    for (int part = 0; part < 5; ++part) {
      parts.push_back(cutter.cut(part));
    }
  }
  // Books in which part 1 is the old parts [first, last).
  [[nodiscard]] std::vector<partition_book> books(int first, int last) const {
    std::vector<partition_book> made;
    for (auto const& of_type : labels) {
      made.emplace_back(std::vector<global_id>{0, of_type.book.begin(first), of_type.book.end(last - 1),
                                               of_type.book.num_vertices()});
    }
    return made;
  }
  io::raw_data data;
  std::vector<relabelling> labels;
  std::vector<io::detail::part_content> parts;
};

} // namespace

TEST_CASE("parts joined are the part that the coarser book cuts out") {
  five_parts const five;
  for (auto const& [first, last] : {std::pair{0, 5}, std::pair{1, 3}, std::pair{2, 3}, std::pair{3, 5}}) {
    CAPTURE(first);
    CAPTURE(last);
    auto const books = five.books(first, last);
    std::vector<relabelling> coarse;
    for (std::size_t t = 0; t < books.size(); ++t) {
      coarse.push_back({books[t], make_buffer<device::cpu>(five.labels[t].original.view()),
                        make_buffer<device::cpu>(five.labels[t].renumbered.view())});
    }
    std::vector<global_id> const hot{0, 1, 2, 3, 4, 5, 6, 7, 8};
    io::write_options const options{.hot = {{.node_type = 0, .by_part = {{}, hot, {}}}}, .halo = true};
    auto const wanted = io::detail::raw_data_cutter(io::view_of(five.data), coarse, options).cut(1);
    auto const merged = io::detail::merge_parts(
        std::span(five.parts).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)), books,
        1);
    CHECK(merged.graph.part == 1);
    CHECK(merged.graph.books == books);
    for (std::size_t t = 0; t < wanted.nodes.size(); ++t) {
      CHECK(to_vector(merged.graph.original[t]) == to_vector(wanted.graph.original[t]));
      CHECK(to_vector(merged.nodes[t].labels.bytes()) == to_vector(wanted.nodes[t].labels.bytes()));
      CHECK(merged.nodes[t].labels.shape() == wanted.nodes[t].labels.shape());
      CHECK(to_vector(merged.nodes[t].times) == to_vector(wanted.nodes[t].times));
      for (auto const list :
           {&io::detail::part_nodes::train, &io::detail::part_nodes::valid, &io::detail::part_nodes::test}) {
        auto own = merged.nodes[t].*list;
        auto all = wanted.nodes[t].*list;
        std::ranges::sort(own);
        std::ranges::sort(all);
        CHECK(own == all);
      }
      for (std::size_t i = 0; i < wanted.nodes[t].features.size(); ++i) {
        CHECK(merged.nodes[t].features[i].values.shape() == wanted.nodes[t].features[i].values.shape());
        CHECK(to_vector(merged.nodes[t].features[i].values.bytes()) ==
              to_vector(wanted.nodes[t].features[i].values.bytes()));
      }
      auto hot_ids = to_vector(merged.nodes[t].hot.ids);
      auto wanted_ids = to_vector(wanted.nodes[t].hot.ids);
      for (std::size_t i = 0; i < hot_ids.size(); ++i) {
        auto const v = five.labels[t].original[hot_ids[i]];
        CHECK(merged.nodes[t].hot.features[0].values.matrix<float>()(static_cast<std::int64_t>(i), 0) ==
              static_cast<float>(v));
      }
      std::ranges::sort(hot_ids);
      std::ranges::sort(wanted_ids);
      CHECK(hot_ids == wanted_ids);
    }
    for (std::size_t e = 0; e < wanted.edges.size(); ++e) {
      CHECK(rows_of(merged.graph.relations[e].view()) == rows_of(wanted.graph.relations[e].view()));
      CHECK(to_vector(merged.edges[e].weights) == to_vector(wanted.edges[e].weights));
      CHECK(to_vector(merged.edges[e].times) == to_vector(wanted.edges[e].times));
      CHECK(to_vector(merged.edges[e].halo) == to_vector(wanted.edges[e].halo));
      for (std::size_t i = 0; i < wanted.edges[e].links.size(); ++i) {
        CHECK(merged.edges[e].links[i].edges.sources.size() == wanted.edges[e].links[i].edges.sources.size());
        CHECK(merged.edges[e].links[i].negatives.destinations.size() ==
              wanted.edges[e].links[i].negatives.destinations.size());
      }
    }
  }
}

TEST_CASE("parts that do not belong together are refused") {
  five_parts const five;
  auto const fault = [&](std::span<io::detail::part_content const> parts, std::vector<partition_book> books, int part) {
    return thrown<precondition_error>(
        [&] { static_cast<void>(io::detail::merge_parts(parts, std::move(books), part)); });
  };
  auto const all = std::span(five.parts);
  CHECK(names(fault(all.subspan(1, 2), five.books(1, 4), 1), "part 1 at place 0 of 2", "consecutive"));
  CHECK(names(fault(all.subspan(1, 2), five.books(1, 3), 0), "part 0 of the new books"));
  CHECK(names(fault(all.subspan(1, 2), five.books(1, 3), 3), "part 3 of the new books"));
  CHECK(names(fault(all.subspan(1, 2), {}, 1), "part 1 at place 0"));
  CHECK(names(fault({}, five.books(1, 3), 1), "merge of no part"));
}
