// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/hotness.hpp>

#include <glt/core/random.hpp>
#include <glt/sample/hotness/hotness.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/ranks.hpp"
#include "support/typed_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using glt::global_id;
using glt::device::cpu;
namespace io = glt::io;

namespace {

std::vector<io::raw_data> sets_to_try() {
  std::vector<io::raw_data> sets;
  for (auto const& list : glt_test::adversarial_graphs()) {
    auto const n = list.num_vertices;
    std::vector<std::int64_t> train;
    for (std::int64_t v = 0; v < n; v += 3) {
      train.push_back(v * 7 % n);
    }
    if (train.size() > 2) {
      train.push_back(train[1]); // a vertex that is two seeds, and one that is three
      train.push_back(train[0]);
      train.push_back(train[0]);
    }
    sets.push_back(glt_test::plain_set(n, {list.sources.begin(), list.sources.end()},
                                       {list.destinations.begin(), list.destinations.end()}, std::move(train)));
  }
  for (std::int64_t const vertices : {0, 1, 2, 50, 301}) {
    sets.push_back(glt_test::typed_set(vertices, 12 * vertices));
  }
  return sets;
}

std::vector<glt::hotness_options> options_to_try() {
  return {{.neighbors = {.fanouts = {4}}, .batch_size = 1},
          {.neighbors = {.fanouts = {3, 2, 5}}, .batch_size = 4},
          {.neighbors = {.fanouts = {3, 2, 5}, .expand = glt::frontier::all}, .batch_size = 4},
          {.neighbors = {.fanouts = {3, 2}, .replace = true}, .batch_size = 1000000},
          {.neighbors = {.fanouts = {-1, 300}}, .batch_size = 2}};
}

// As little memory as there can be, room for two parts at a time and exchanges in pieces, room for everything.
std::vector<io::detail::memory_plan> plans_to_try(std::int64_t num_vertices) {
  return {{.for_vertices = 0, .for_edges = 40},
          {.for_vertices = 60 * num_vertices, .for_edges = 1000},
          io::detail::plan_memory(num_vertices, std::int64_t{1} << 30)};
}

std::vector<double> in_memory(io::raw_data const& data, std::vector<global_id> const& seeds,
                              glt::hotness_options const& options) {
  auto const graph = glt_test::whole_graph_of(data);
  return glt_test::to_vector(glt::estimate_hotness<cpu>(graph.view(), glt::host_view<global_id const>(seeds), options));
}

} // namespace

TEST_CASE("hotness of edges that stay where they are is that of the graph in memory, bit for bit") {
  for (auto const& data : sets_to_try()) {
    io::detail::all_types const graph(data.view());
    CAPTURE(data.name);
    CAPTURE(graph.num_vertices());
    CAPTURE(graph.num_edges());
    for (auto const& hotness : options_to_try()) {
      for (auto const& seeds : {graph.train(), std::vector<global_id>{}}) {
        auto const expected = in_memory(data, seeds, hotness);
        glt_test::on_ranks([&](auto comm) {
          for (auto const& plan : plans_to_try(graph.num_vertices())) {
            auto const found = io::detail::estimate_hotness(comm, graph, glt::host_view<global_id const>(seeds),
                                                            {.hotness = hotness, .plan = plan});
            CHECK(glt_test::to_vector(found) == expected);
          }
        });
      }
    }
  }
}

TEST_CASE("hotness of every part is that of its training vertices, however many parts there is room for") {
  for (auto const& [vertices, edges] : {std::pair{60, 900}, std::pair{7, 0}, std::pair{0, 0}}) {
    auto const data = glt_test::typed_set(vertices, edges);
    io::detail::all_types const graph(data.view());
    glt::hotness_options const hotness{.neighbors = {.fanouts = {3, 2}}, .batch_size = 5};
    for (int const num_parts : {1, 2, 5, 9}) {
      std::vector<glt::local_id> part_of;
      std::vector<std::vector<global_id>> seeds(static_cast<std::size_t>(num_parts));
      glt::random_stream draws(glt::random_key(3), static_cast<std::uint64_t>(num_parts));
      for (std::int64_t v = 0; v < graph.num_vertices(); ++v) { // part 1 gets none
        auto const part = draws.below(static_cast<std::uint64_t>(num_parts));
        part_of.push_back(static_cast<glt::local_id>(part == 1 ? 0 : part));
      }
      for (auto const seed : graph.train()) {
        seeds[static_cast<std::size_t>(part_of[static_cast<std::size_t>(seed)])].push_back(seed);
      }
      std::vector<std::vector<double>> expected;
      for (auto const& of_part : seeds) {
        expected.push_back(in_memory(data, of_part, hotness));
      }
      glt_test::on_ranks([&](auto comm) {
        for (auto const& plan : plans_to_try(graph.num_vertices())) {
          for (int const threads : {1, 3}) {
            int next = 0;
            io::detail::estimate_hotness_of_parts(comm, graph, glt::host_view<glt::local_id const>(part_of), num_parts,
                                                  {.hotness = hotness, .plan = plan, .policy = cpu(threads)},
                                                  [&](int part, glt::host_view<double const> found) {
                                                    CHECK(part == next++);
                                                    auto const [first, last] = io::detail::slice_of(
                                                        graph.num_vertices(), comm.size(), comm.rank());
                                                    auto const& all = expected[static_cast<std::size_t>(part)];
                                                    CHECK(std::vector(found.begin(), found.end()) ==
                                                          std::vector(all.begin() + first, all.begin() + last));
                                                  });
            CHECK(next == num_parts);
          }
        }
      });
    }
  }
}

TEST_CASE("a hub that everybody draws for certain is hot on any number of ranks, not overflowing") {
  std::vector<std::int64_t> const hub(3000, 0);
  std::vector<std::int64_t> leaves;
  for (std::int64_t v = 1; v <= 3000; ++v) {
    leaves.push_back(v);
  }
  auto const data = glt_test::plain_set(3001, hub, leaves, leaves);
  io::detail::all_types const graph(data.view());
  for (std::int64_t const batch_size : {3, 2500, 3000}) {
    glt::hotness_options const hotness{.neighbors = {.fanouts = {1}}, .batch_size = batch_size};
    auto const expected = in_memory(data, leaves, hotness);
    glt_test::on_ranks([&](auto comm) {
      auto const found =
          io::detail::estimate_hotness(comm, graph, glt::host_view<global_id const>(leaves),
                                       {.hotness = hotness, .plan = {.for_edges = 1000}, .policy = cpu(2)});
      CHECK(glt_test::to_vector(found) == expected);
    });
  }
}

TEST_CASE("what is wrong on one rank is said on all") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const failure = [&](io::raw_data const& data, std::vector<global_id> const& seeds,
                             io::detail::hotness_estimate_options const& options) {
      io::detail::all_types const graph(data.view());
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(io::detail::estimate_hotness(comm, graph, glt::host_view<global_id const>(seeds), options));
      });
    };
    glt::hotness_options const good{.neighbors = {.fanouts = {2}}};
    auto const data = glt_test::typed_set(20, 50);
    CHECK(glt_test::names(failure(data, {}, {}), "no fanouts"));
    auto const outside = data.nodes[0].num_nodes + data.nodes[2].num_nodes;
    auto const seeds = comm.rank() == last ? std::vector<global_id>{3, outside} : std::vector<global_id>{3, 4};
    CHECK(glt_test::names(failure(data, seeds, {.hotness = good}), "seed 1 is", "rank " + std::to_string(last)));
    auto torn = glt_test::typed_set(20, 50);
    torn.edges[0].sources[49] = data.nodes[2].num_nodes;
    CHECK(glt_test::names(failure(torn, {}, {.hotness = good}), "source of edge 49", "writes"));
    if (comm.size() > 1) {
      auto other = good;
      other.batch_size += comm.rank() == last ? 1 : 0;
      CHECK(glt_test::names(failure(data, {}, {.hotness = other}), "other options than rank 0"));
    }
    io::detail::hotness_estimate_options stopping{.hotness = good};
    if (comm.rank() == last) {
      stopping.on_progress = [](io::task_progress const&) { throw std::runtime_error("stopped"); };
    }
    CHECK(glt_test::names(failure(data, {}, stopping), "stopped"));
  });
}

TEST_CASE("parts that training vertices cannot be in are refused on all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const data = glt_test::typed_set(20, 50);
    io::detail::all_types const graph(data.view());
    auto const failure = [&](io::detail::all_types const& of, std::vector<glt::local_id> const& part_of, int parts) {
      return glt_test::thrown<glt::collective_error>([&] {
        io::detail::estimate_hotness_of_parts(comm, of, glt::host_view<glt::local_id const>(part_of), parts,
                                              {.hotness = {.neighbors = {.fanouts = {2}}}}, [](int, auto) {});
      });
    };
    std::vector<glt::local_id> part_of(static_cast<std::size_t>(graph.num_vertices()), 0);
    CHECK(glt_test::names(failure(graph, {0, 0}, 1), "parts of 2 vertices for 31"));
    CHECK(glt_test::names(failure(graph, part_of, 0), "0 parts"));
    part_of[static_cast<std::size_t>(graph.train()[2])] = 2;
    CHECK(glt_test::names(failure(graph, part_of, 2), "is in part 2, outside [0, 2)"));
    auto torn = glt_test::typed_set(20, 50);
    torn.nodes[2].train[1] = 11;
    CHECK(
        glt_test::names(failure(io::detail::all_types(torn.view()), part_of, 3), "node type 'author': train 1 is 11"));
  });
}
