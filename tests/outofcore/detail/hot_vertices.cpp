// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/hot_vertices.hpp>

#include <glt/comm/serial.hpp>
#include <glt/core/random.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/outofcore/detail/parts.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/hotness/hotness.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"
#include "support/typed_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using glt::global_id;
namespace io = glt::io;

namespace {

using lists = std::vector<std::vector<global_id>>; // by part

// All vertices of the type that other parts have and the part's training vertices reach, sorted.
std::vector<global_id> naive(io::detail::all_types const& graph, std::vector<double> const& hotness,
                             std::vector<glt::local_id> const& part_of, int part, int type, double ratio) {
  std::vector<global_id> found;
  for (auto v = graph.first_vertex(type); v < graph.first_vertex(type + 1); ++v) {
    if (part_of[static_cast<std::size_t>(v)] != part && hotness[static_cast<std::size_t>(v)] > 0) {
      found.push_back(v - graph.first_vertex(type));
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), [&](global_id v) {
    return hotness[static_cast<std::size_t>(graph.first_vertex(type) + v)];
  });
  auto const wanted = static_cast<std::size_t>(ratio * static_cast<double>(graph.schema().num_vertices(type)));
  found.resize(std::min(found.size(), wanted));
  return found;
}

std::vector<glt::local_id> random_parts(std::int64_t num_vertices, int num_parts) {
  glt::random_stream draws(glt::random_key(6), 1);
  std::vector<glt::local_id> parts;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    parts.push_back(static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(num_parts))));
  }
  return parts;
}

} // namespace

TEST_CASE("hot vertices are those of the whole order, at most so many of every type, on the rank of their part") {
  for (auto const& [vertices, edges] : {std::pair{0, 0}, std::pair{1, 4}, std::pair{40, 0}, std::pair{150, 1100}}) {
    auto const data = glt_test::typed_set(vertices, edges);
    io::detail::all_types const graph(data.view());
    auto const whole = glt_test::whole_graph_of(data);
    glt::hotness_options const hotness{.neighbors = {.fanouts = {4, 3}}, .batch_size = 5};
    for (int const parts : {1, 3, 6}) {
      auto const part_of = random_parts(graph.num_vertices(), parts);
      std::vector<std::vector<double>> estimates;
      for (int part = 0; part < parts; ++part) {
        std::vector<global_id> seeds;
        std::ranges::copy_if(graph.train(), std::back_inserter(seeds),
                             [&](global_id v) { return part_of[static_cast<std::size_t>(v)] == part; });
        auto const made =
            glt::estimate_hotness<glt::device::cpu>(whole.view(), glt::host_view<global_id const>(seeds), hotness);
        estimates.emplace_back(made.begin(), made.end());
      }
      for (double const ratio : {0.0, 0.1, 0.37, 1.0}) {
        glt_test::on_ranks([&](auto comm) {
          for (std::int64_t const room : {60000, 1 << 24}) {
            auto const found =
                io::detail::find_hot_vertices(comm, graph, glt::host_view<glt::local_id const>(part_of), parts, ratio,
                                              {.hotness = hotness, .plan = {.for_edges = room}});
            REQUIRE(found.size() == 3);
            auto const [first, last] = io::detail::slice_of(parts, comm.size(), comm.rank());
            for (int type = 0; type < 3; ++type) {
              auto const& of_type = found[static_cast<std::size_t>(type)];
              CHECK(of_type.node_type == type);
              CHECK(of_type.features.empty());
              lists expected(static_cast<std::size_t>(parts));
              for (auto part = static_cast<int>(first); part < last; ++part) {
                expected[static_cast<std::size_t>(part)] =
                    naive(graph, estimates[static_cast<std::size_t>(part)], part_of, part, type, ratio);
              }
              CHECK(of_type.by_part == expected);
            }
          }
        });
      }
    }
  }
}

TEST_CASE("parts written by ranks hold the hot rows that one process writes") {
  glt_test::scratch_folder const scratch;
  auto data = glt_test::typed_set(90, 900);
  for (auto& nodes : data.nodes) {
    std::vector<float> features;
    for (std::int64_t i = 0; i < 2 * nodes.num_nodes; ++i) {
      features.push_back(static_cast<float>(i));
    }
    nodes.features.push_back({"feat", io::array::of<float>(features, {nodes.num_nodes, 2})});
  }
  io::detail::all_types const graph(data.view());
  auto const part_of = random_parts(graph.num_vertices(), 5);
  std::vector<glt::relabelling> labels;
  for (int type = 0; type < 3; ++type) {
    auto const first = graph.first_vertex(type);
    labels.push_back(glt::make_relabelling(
        glt::host_view<glt::local_id const>(part_of).subview(first, graph.first_vertex(type + 1) - first), 5));
  }
  io::detail::hotness_estimate_options const options{.hotness = {.neighbors = {.fanouts = {3, 3}}, .batch_size = 4},
                                                     .plan = {.for_vertices = 0, .for_edges = 1 << 20}};
  auto const alone = io::detail::find_hot_vertices(glt::serial_comm(), graph,
                                                   glt::host_view<glt::local_id const>(part_of), 5, 0.2, options);
  io::write_parts(scratch / "alone", data, labels, {.hot = alone});
  auto const expected = glt_test::files_of(scratch / "alone");
  CHECK(expected.contains("part-4/paper/hot_ids.npy"));
  glt_test::on_ranks([&](auto comm) {
    auto const folder = scratch / ("together" + std::to_string(comm.size()));
    io::detail::write_parts_collective(comm, folder, data.view(), labels,
                                       {.hot = io::detail::find_hot_vertices(
                                            comm, graph, glt::host_view<glt::local_id const>(part_of), 5, 0.2, options),
                                        .plan = options.plan});
    if (comm.rank() == 0) {
      CHECK(glt_test::files_of(folder) == expected);
    }
  });
}

TEST_CASE("shares that are none, and lists that do not fit, are refused on all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const data = glt_test::typed_set(1000, 50);
    io::detail::all_types const graph(data.view());
    auto const part_of = random_parts(graph.num_vertices(), 8);
    auto const failure = [&](double ratio, io::detail::memory_plan const& plan) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(io::detail::find_hot_vertices(comm, graph, glt::host_view<glt::local_id const>(part_of), 8,
                                                        ratio,
                                                        {.hotness = {.neighbors = {.fanouts = {2}}}, .plan = plan}));
      });
    };
    io::detail::memory_plan const roomy{.for_edges = 1 << 24};
    auto const alone = comm.rank() == comm.size() - 1;
    CHECK(glt_test::names(failure(alone ? 1.5 : 0.5, roomy), "1.5 of all", "[0, 1]"));
    CHECK(glt_test::names(failure(std::numeric_limits<double>::quiet_NaN(), roomy), "nan of all"));
    CHECK(glt_test::names(failure(0.5, {.for_edges = 1000}), "lists of hot vertices", "250 are left", "0.5"));
  });
}
