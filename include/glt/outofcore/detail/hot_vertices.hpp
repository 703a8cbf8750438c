// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/hotness.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/slices.hpp>
#include <glt/partition/detail/part_capacities.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Options of `assign_by_frequency`.
struct frequency_assignment_options {
  hotness_estimate_options estimate{}; ///< how a part will sample
  double capacity_slack = 0.05;        ///< a part has at most (1 + slack) · V / P vertices, rounded up
  std::filesystem::path scratch{};     ///< a folder of this rank, for stored hotness
};

/// Assigns every vertex of a graph with edges on disk to the part whose training vertices reach it most. The result
/// equals `dist::frequency_partitioner` in memory if its partitioner `deal` returned `dealt`.
///
/// The hotness of all parts is stored in the scratch folder of rank 0, which assigns the vertices. On rank 0,
/// make_limits(in_degrees) makes the `balance_constraints`; the in-degrees, [V of all types], live as long as these.
///
/// @shape  dealt [V of all types], the same on all ranks → [V of all types], on every rank
/// @comm   collective; as `estimate_hotness_of_parts`; per part a header exchange and variable exchanges of 8 bytes a
///         vertex; a reduction of 8 bytes a vertex and a broadcast of 4
/// @throws collective_error  on every rank, as `estimate_hotness_of_parts`, if capacity_slack is negative or a limit
///                           wrong, or if the hotness cannot be written
/// @cost   as `estimate_hotness_of_parts` and, on rank 0, as `assign_by_hotness`, and 8 bytes of disk a vertex and part
template <communicator Comm, class MakeLimits>
[[nodiscard]] buffer<device::cpu, local_id>
assign_by_frequency(Comm comm, detail::all_types const& graph, host_view<local_id const> dealt, int num_parts,
                    frequency_assignment_options const& options, MakeLimits make_limits) {
  auto const num_vertices = graph.num_vertices();
  auto const agree = [&](std::string const& failure) {
    glt::detail::agree(
        comm, {.what = glt::detail::operation::estimate_hotness}, failure, num_parts, [](auto own, auto first) {
          return glt::detail::message("makes ", own, " parts, but rank 0 ", first, "; ask for the same on all ranks");
        });
  };
  std::optional<detail::scratch_array<double>> hotness;
  std::optional<detail::row_slices<Comm, double>> slices;
  buffer<device::cpu, local_id> part_of;
  auto const rows_a_round = detail::agree_on_rows_a_round(comm, options.estimate.plan, sizeof(double));
  agree(glt::detail::failure_of([&] {
    glt::detail::check_slack("assignment by hotness", options.capacity_slack);
    slices.emplace(comm, num_vertices, 1, rows_a_round);
    part_of.resize(num_vertices);
    if (comm.rank() == 0) {
      hotness.emplace(options.scratch / "hotness");
    }
  }));
  detail::estimate_hotness_of_parts(
      comm, graph, dealt, num_parts, options.estimate, [&](int part, host_view<double const> own) {
        std::string failure;
        slices->collect(own, 0, [&](std::int64_t first, host_view<double const> values) {
          if (failure.empty()) {
            failure = glt::detail::failure_of([&] { hotness->write(part * num_vertices + first, values); });
          }
        });
        agree(failure);
      });
  slices.reset();
  auto const in_degrees = detail::count_in_edges(comm, graph);
  agree(glt::detail::failure_of([&] {
    if (comm.rank() == 0) {
      auto const rows = std::move(*hotness).take();
      part_of = glt::detail::assign_by_hotness({rows.data(), num_parts, num_vertices},
                                               {.capacity_slack = options.capacity_slack,
                                                .balance = make_limits(host_view<std::int64_t const>(in_degrees))});
    }
  }));
  comm.broadcast(reinterpret_cast<std::byte*>(part_of.data()),
                 num_vertices * static_cast<std::int64_t>(sizeof(local_id)), 0);
  return part_of;
}

/// The hottest of the offered vertices, at most `most`; of two equally hot ones the lower id wins.
///
/// @where  16 bytes a vertex that is kept
class hottest_so_far {
public:
  explicit hottest_so_far(std::int64_t most) : most_(most) { kept_.reserve(static_cast<std::size_t>(most)); }

  void offer(global_id vertex, double heat) {
    entry const offered{heat, vertex};
    if (std::ssize(kept_) < most_) {
      kept_.push_back(offered);
    } else if (most_ > 0 && hotter(offered, kept_.front())) {
      std::ranges::pop_heap(kept_, hotter);
      kept_.back() = offered;
    } else {
      return;
    }
    std::ranges::push_heap(kept_, hotter);
  }

  /// Returns the vertices, the hottest first.
  [[nodiscard]] std::vector<global_id> take() && {
    std::ranges::sort_heap(kept_, hotter);
    std::vector<global_id> vertices;
    vertices.reserve(kept_.size());
    for (auto const& [heat, vertex] : kept_) {
      vertices.push_back(vertex);
    }
    return vertices;
  }

private:
  struct entry {
    double heat;
    global_id vertex;
  };
  static bool hotter(entry const& a, entry const& b) {
    return a.heat != b.heat ? a.heat > b.heat : a.vertex < b.vertex;
  }

  std::int64_t most_;
  std::vector<entry> kept_{}; // a heap, the coldest first
};

/// Returns the number of vertices of a type that a part keeps.
[[nodiscard]] inline std::int64_t share_of(std::int64_t num_vertices, double ratio) {
  return static_cast<std::int64_t>(ratio * static_cast<double>(num_vertices));
}

/// Finds, for every part and node type, the remote vertices that its training vertices reach most. The edges of the
/// graph stay on disk. A list has `ratio` · V of the type vertices, rounded down, or all that are reached.
///
/// A rank gets the lists of its `part_owners` parts, in the form of `write_parts_collective`; its other lists are
/// empty.
///
/// @shape  part_of [V of all types], the same on all ranks → [node types]
/// @comm   collective; as `estimate_hotness_of_parts`, and per part a header exchange and variable exchanges of 8 bytes
///         a vertex
/// @throws collective_error  on every rank, as `estimate_hotness_of_parts`, if the ratio is not in [0, 1], or if the
///                           lists of a rank may take more than a quarter of its plan's bytes for edges
/// @cost   as `estimate_hotness_of_parts`, and O(V · P · log V) at worst; memory 8 bytes an id of the lists, and 16
///         bytes an id of one part's lists
template <communicator Comm>
[[nodiscard]] std::vector<write_options::hot_vertices>
find_hot_vertices(Comm comm, detail::all_types const& graph, host_view<local_id const> part_of, int num_parts,
                  double ratio, hotness_estimate_options const& options) {
  auto const agree = [&](std::string const& failure) {
    glt::detail::agree(comm, {.what = glt::detail::operation::estimate_hotness}, failure, num_parts,
                       [](auto own, auto first) {
                         return glt::detail::message("finds hot vertices of ", own, " parts, but rank 0 of ", first,
                                                     "; ask for the same on all ranks");
                       });
  };
  auto const num_types = graph.schema().num_node_types();
  std::vector<write_options::hot_vertices> made;
  std::optional<detail::part_owners> owners;
  std::optional<detail::row_slices<Comm, double>> slices;
  auto const rows_a_round = detail::agree_on_rows_a_round(comm, options.plan, sizeof(double));
  agree(glt::detail::failure_of([&] {
    glt::detail::check_num_parts(num_parts);
    if (!(ratio >= 0 && ratio <= 1)) {
      throw precondition_error(glt::detail::message("hot vertices: ", ratio, " of all; keep a share in [0, 1]"));
    }
    std::int64_t most = 0;
    for (int type = 0; type < num_types; ++type) {
      most += detail::share_of(graph.schema().num_vertices(type), ratio);
      made.push_back({.node_type = type, .by_part = {}});
      made.back().by_part.resize(static_cast<std::size_t>(num_parts));
    }
    owners.emplace(num_parts, comm.size());
    auto const [first, last] = owners->parts_of(comm.rank());
    auto const bytes = 8 * most * (last - first) + 16 * most;
    if (bytes > options.plan.for_edges / 4) {
      throw precondition_error(glt::detail::message(
          "lists of hot vertices for ", last - first, " parts take up to ", bytes, " bytes, and ",
          options.plan.for_edges / 4, " are left for them; keep a smaller share than ", ratio, ", allow ",
          (4 * bytes - options.plan.for_edges) / 3 * 4 + 4, " bytes more of memory, or start more ranks"));
    }
    slices.emplace(comm, graph.num_vertices(), 1, rows_a_round);
  }));
  detail::estimate_hotness_of_parts(
      comm, graph, part_of, num_parts, options, [&](int part, host_view<double const> own) {
        auto const writer = owners->rank_of(part);
        std::vector<detail::hottest_so_far> hottest;
        std::string failure = glt::detail::failure_of([&] {
          for (int type = 0; type < num_types && comm.rank() == writer; ++type) {
            hottest.emplace_back(detail::share_of(graph.schema().num_vertices(type), ratio));
          }
        });
        slices->collect(own, writer, [&](std::int64_t first, host_view<double const> values) {
          if (!failure.empty()) {
            return;
          }
          failure = glt::detail::failure_of([&] {
            int type = 0;
            for (std::int64_t i = 0; i < values.size(); ++i) {
              auto const vertex = first + i;
              if (values[i] > 0 && part_of[vertex] != part) {
                for (; vertex >= graph.first_vertex(type + 1); ++type) {
                }
                hottest[static_cast<std::size_t>(type)].offer(vertex - graph.first_vertex(type), values[i]);
              }
            }
          });
        });
        if (failure.empty()) {
          failure = glt::detail::failure_of([&] {
            for (std::size_t type = 0; type < hottest.size(); ++type) {
              made[type].by_part[static_cast<std::size_t>(part)] = std::move(hottest[type]).take();
            }
          });
        }
        agree(failure);
      });
  return made;
}

} // namespace glt::io::detail
