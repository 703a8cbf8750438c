// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hotness/hotness.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/hotness_estimate_options.hpp>
#include <glt/outofcore/detail/hotness_walk.hpp>
#include <glt/outofcore/detail/row_slices.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/hotness/hotness.hpp>

namespace glt::io::detail {

// Makes the walk of a graph for at most that many lists of seeds, after `check` has passed on all ranks.
template <communicator Comm, class Check>
[[nodiscard]] hotness_walk_on_disk<Comm> make_hotness_walk_on_disk(Comm& comm, all_types const& graph, int num_lists,
                                                                   hotness_estimate_options const& options,
                                                                   Check check) {
  glt::detail::call_site const site{.what = glt::detail::operation::estimate_hotness};
  auto const failure = glt::detail::failure_of([&] {
    glt::detail::validate(options.hotness);
    check();
  });
  glt::detail::fingerprint inputs;
  inputs.add(glt::detail::hotness_fingerprint(options.hotness))
      .add(graph.num_vertices())
      .add(graph.num_edges())
      .add(num_lists);
  glt::detail::agree(comm, site, failure, inputs.value(), [](auto, auto) {
    return "estimates hotness of another graph, for other parts or with other options than rank 0; pass the same on "
           "all ranks";
  });
  auto const columns =
      hotness_walk_on_disk<Comm>::agree_on_columns(comm, graph.num_vertices(), num_lists, options.plan);
  auto const rows_a_round = agree_on_rows_a_round(comm, options.plan, 8 * columns);
  auto const in_degrees = count_in_edges(comm, graph);
  std::optional<hotness_walk_on_disk<Comm>> walk;
  auto const no_room = glt::detail::failure_of(
      [&] { walk.emplace(comm, graph, host_view<std::int64_t const>(in_degrees), columns, rows_a_round, options); });
  glt::detail::agree(comm, site, no_room);
  return std::move(*walk);
}

/// Estimates how likely a batch is to touch each vertex of a graph whose edges stay on disk. Bit for bit equal to
/// `glt::estimate_hotness` for the graph of all types in memory, as `make_homogeneous` makes it.
///
/// @shape  seeds [S], numbered as in `all_types`, the same on all ranks → [V], on every rank
/// @comm   collective; as `estimate_hotness_of_parts` for one part, and a variable exchange of 8 bytes a vertex
/// @throws collective_error  on every rank, if the options of a rank are wrong or differ from rank 0's, or naming a
///                           seed or the end of an edge that is not in [0, V)
/// @cost   as `estimate_hotness_of_parts`
template <communicator Comm>
[[nodiscard]] buffer<device::cpu, double> estimate_hotness(Comm comm, detail::all_types const& graph,
                                                           host_view<global_id const> seeds,
                                                           hotness_estimate_options const& options) {
  auto walk = detail::make_hotness_walk_on_disk(
      comm, graph, 1, options, [&] { glt::detail::validate_vertices("seed", seeds, graph.num_vertices()); });
  walk.estimate(1, [&](auto give) {
    for (auto const seed : seeds) {
      give(seed, 0);
    }
  });
  buffer<device::cpu, double> hotness;
  auto const no_room = glt::detail::failure_of([&] { hotness.resize(graph.num_vertices()); });
  glt::detail::agree(comm, {.what = glt::detail::operation::estimate_hotness}, no_room);
  detail::row_slices<Comm, double> slices(comm, graph.num_vertices(), 0, 1);
  std::ranges::copy(walk.hotness(0), hotness.begin() + slices.own().first);
  slices.hand_round(hotness.view(), 1);
  return hotness;
}

/// Estimates the same for the training vertices of each part: calls use(part, hotness) on all ranks, part after part.
/// The hotness is [rows of `slice_of(V, ranks, rank)`]. As many parts are estimated at a time as fit in the plan.
///
/// `use` may communicate; if it fails, it must fail on all ranks.
///
/// @shape  part_of [V], the same on all ranks; read for training vertices only
/// @comm   collective; a reduction of 8 bytes a vertex; per group of parts and hop a header exchange, and two variable
///         exchanges of 8 bytes a vertex and part, the second in rounds
/// @throws collective_error  on every rank, if the options of a rank are wrong or differ from rank 0's, a part of a
///                           training vertex is not in [0, num_parts), or naming an edge whose end does not exist
/// @cost   O(L · E · P) additions over the ranks; reads all edges L times a group of parts. Memory 16 bytes a vertex
///         and part of a group, and over the ranks 8 bytes a vertex and part of a group and 4 a vertex
template <communicator Comm, class Use>
void estimate_hotness_of_parts(Comm comm, all_types const& graph, host_view<local_id const> part_of, int num_parts,
                               hotness_estimate_options const& options, Use use) {
  std::vector<global_id> seeds;
  auto walk = detail::make_hotness_walk_on_disk(comm, graph, num_parts, options, [&] {
    glt::detail::check_num_parts(num_parts);
    if (part_of.size() != graph.num_vertices()) {
      throw precondition_error(glt::detail::message("parts of ", part_of.size(), " vertices for ", graph.num_vertices(),
                                                    "; give one part per vertex"));
    }
    for (auto const& table : graph.data().nodes) {
      glt::detail::validate_vertices("node type '" + table.name + "': train", host_view<global_id const>(table.train),
                                     table.num_nodes);
    }
    seeds = graph.train();
    for (auto const seed : seeds) {
      if (part_of[seed] < 0 || part_of[seed] >= num_parts) {
        throw precondition_error(glt::detail::message("vertex ", seed, " is in part ", part_of[seed], ", outside [0, ",
                                                      num_parts, "), the parts to estimate hotness for"));
      }
    }
  });
  for (std::int64_t first = 0; first < num_parts; first += walk.most_columns()) {
    auto const columns = std::min(walk.most_columns(), num_parts - first);
    walk.estimate(columns, [&](auto give) {
      for (auto const seed : seeds) {
        auto const column = part_of[seed] - first;
        if (column >= 0 && column < columns) {
          give(seed, column);
        }
      }
    });
    for (std::int64_t column = 0; column < columns; ++column) {
      use(static_cast<int>(first + column), walk.hotness(column));
    }
  }
}

} // namespace glt::io::detail
