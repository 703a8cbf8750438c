// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/hotness.hpp>
#include <glt/outofcore/detail/hotness_estimate_options.hpp>
#include <glt/outofcore/detail/row_slices.hpp>
#include <glt/outofcore/detail/scratch_array.hpp>
#include <glt/partition/detail/frequency.hpp>

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

} // namespace glt::io::detail
