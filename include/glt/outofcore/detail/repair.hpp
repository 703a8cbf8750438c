// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/csr.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/row_stream.hpp>
#include <glt/outofcore/detail/stream.hpp>
#include <glt/partition/detail/balance_repair.hpp>

namespace glt::io::detail {

/// Moves vertices of a data set on disk out of parts that exceed limits, as `repair_balance` does in memory. The result
/// is the same for any number of ranks. The option `passes` is ignored.
///
/// On rank 0, make_limits(in_degrees) makes the `balance_constraints`; the in-degrees, [V of all types], live as long.
///
/// @shape  part_of [V of all types], the same on all ranks → [V of all types], on every rank
/// @comm   collective; as `count_in_edges` and a header exchange; if limits are exceeded, up to 8 times a pass of
///         `assign_by_stream`, and in the end a broadcast of 4 bytes a vertex
/// @throws collective_error  on every rank, as `assign_by_stream`, or if `repair_balance` would throw
/// @cost   memory as planned: rank 0 needs 28 bytes a vertex, beside the memory of the limits
template <communicator Comm, class MakeLimits>
[[nodiscard]] buffer<device::cpu, local_id> repair_by_stream(Comm comm, detail::all_types const& graph,
                                                             buffer<device::cpu, local_id> part_of, int num_parts,
                                                             MakeLimits make_limits, stream_options const& options) {
  detail::row_stream rows(comm, graph, options.plan, options.scratch, options.on_progress);
  std::optional<glt::detail::balance_repair> repair;
  auto failure = glt::detail::failure_of([&] {
    if (comm.rank() == 0) {
      repair.emplace(std::move(part_of), make_limits(rows.in_degrees()), num_parts);
    }
  });
  for (std::int64_t round = 0;; ++round) {
    glt::detail::agree(
        comm, {.what = glt::detail::operation::shuffle, .step = round}, failure, num_parts, [](auto own, auto first) {
          return glt::detail::message("has ", own, " parts, but rank 0 ", first, "; ask for the same on all ranks");
        });
    auto more = std::byte(repair && repair->wants_round() ? 1 : 0);
    comm.broadcast(&more, 1, 0);
    if (more == std::byte(0)) {
      break;
    }
    rows.pass(failure,
              [&](global_id first, csr_view<memory_space::host, global_id> range) { repair->see_rows(first, range); });
    if (failure.empty() && repair) {
      failure = glt::detail::failure_of([&] { repair->finish_round(); });
    }
  }
  if (repair) {
    part_of = std::move(*repair).result();
  }
  comm.broadcast(reinterpret_cast<std::byte*>(part_of.data()),
                 part_of.size() * static_cast<std::int64_t>(sizeof(local_id)), 0);
  return part_of;
}

} // namespace glt::io::detail
