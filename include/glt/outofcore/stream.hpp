// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/data_set_view.hpp>
#include <glt/io/progress.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/outofcore/all_types.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/edge_spill.hpp>
#include <glt/outofcore/detail/record_shuffle.hpp>
#include <glt/outofcore/memory_plan.hpp>
#include <glt/partition/partitioner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glt::io {

/// How `assign_by_stream` works.
struct stream_options {
  int passes = 1;
  memory_plan plan{};
  std::filesystem::path scratch{}; ///< an empty folder of this rank, for edges that wait
  progress_callback on_progress{};
};

/// Divides the vertices of a data set that does not fit memory by a streaming partitioner, in the order of their ids.
///
/// The parts are those that the partitioner gives with `stream_order::natural` in memory, on any number of ranks: the
/// ranks sort their share of the rows on disk, and rank 0 streams all of them, range after range. Vertices of all types
/// are in one numbering, as in `all_types`. `make_stream(in_degrees)` makes the `vertex_stream` on rank 0, where the
/// edges into every vertex, [V of all types], live as long as the stream.
///
/// @shape  → [V of all types], on every rank
/// @comm   collective; a pass makes the rounds of `spill_edges` and one of `record_shuffle` per range; in the end a
///         broadcast of 4 bytes a vertex
/// @throws collective_error  on every rank, as `count_in_edges`, or what the partitioner or a disk refuses
/// @cost   memory as planned: rank 0 has 28 bytes a vertex, beside what the limits of the stream need
template <communicator Comm, class MakeStream>
[[nodiscard]] buffer<device::cpu, local_id> assign_by_stream(Comm comm, MakeStream make_stream,
                                                             data_set_view const& data,
                                                             stream_options const& options) {
  all_types const graph(data);
  auto const num_vertices = graph.num_vertices();
  auto const counts = detail::count_in_edges(comm, graph);
  std::vector<global_id> bounds;
  detail::append_bounds(counts, 0, num_vertices, detail::edges_of_range(options.plan), bounds);
  bounds.push_back(num_vertices);
  auto const num_ranges = std::ssize(bounds) - 1;
  auto const rank_of_range = [&](std::int64_t range) { return static_cast<int>(range * comm.size() / num_ranges); };
  auto const rank_of_row = [&](global_id row) {
    return rank_of_range(std::ranges::upper_bound(bounds, row) - bounds.begin() - 1);
  };
  std::vector<global_id> own_bounds;
  std::int64_t first_own = num_ranges;
  for (std::int64_t range = 0; range < num_ranges; ++range) {
    if (rank_of_range(range) == comm.rank()) {
      first_own = std::min(first_own, range);
      own_bounds.push_back(bounds[static_cast<std::size_t>(range)]);
    }
  }
  own_bounds.push_back(own_bounds.empty() ? 0 : bounds[static_cast<std::size_t>(first_own) + own_bounds.size()]);
  if (own_bounds.size() == 1) {
    own_bounds.push_back(own_bounds.front());
  }

  host_view<std::int64_t const> const in_degrees(counts);
  std::optional<decltype(make_stream(in_degrees))> stream;
  std::string failure = glt::detail::failure_of([&] {
    if (comm.rank() == 0) {
      stream.emplace(make_stream(in_degrees));
    }
  });
  for (int pass = 0; pass < options.passes; ++pass) {
    detail::edge_spill spill(options.scratch, own_bounds, options.plan.for_edges / 8);
    detail::spill_edges(comm, graph, options.plan, options.on_progress, rank_of_row, spill);
    detail::record_shuffle to_first(comm, sizeof(detail::moving_edge));
    for (std::int64_t range = 0; range < num_ranges; ++range) {
      buffer<device::cpu, detail::moving_edge> arrived;
      auto const attempt = [&](auto work) {
        if (failure.empty()) {
          failure = glt::detail::failure_of(work);
        }
      };
      attempt([&] {
        if (rank_of_range(range) == comm.rank()) {
          for (auto const& edge : spill.take(static_cast<int>(range - first_own))) {
            to_first.add(0, &edge);
          }
        }
      });
      to_first.exchange(range, failure, [&](std::byte const* record) {
        attempt([&] {
          arrived.resize(arrived.size() + 1);
          std::memcpy(arrived.end() - 1, record, sizeof(detail::moving_edge));
        });
      });
      attempt([&] {
        if (comm.rank() == 0) {
          auto const first = bounds[static_cast<std::size_t>(range)];
          auto const last = bounds[static_cast<std::size_t>(range) + 1];
          auto rows = detail::compress_range(arrived.cview(), first, last);
          arrived = {};
          if (pass > 0 && range == 0) {
            stream->restart();
          }
          stream->place_rows(first,
                             csr_view<memory_space::host, global_id>(num_vertices, std::as_const(rows.offsets).view(),
                                                                     std::as_const(rows.columns).view()));
          if (options.on_progress) {
            options.on_progress(
                {.what = "assigning vertices", .unit = "vertices", .done = last, .total = num_vertices});
          }
        }
      });
    }
  }
  buffer<device::cpu, local_id> part_of;
  if (failure.empty()) {
    failure = glt::detail::failure_of([&] {
      if (comm.rank() == 0) {
        part_of = std::move(*stream).result();
      } else {
        part_of.resize(num_vertices);
      }
    });
  }
  glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure, options.passes,
                     [](auto own, auto first) {
                       return glt::detail::message("makes ", own, " passes, but rank 0 ", first,
                                                   "; ask for the same on all ranks");
                     });
  comm.broadcast(reinterpret_cast<std::byte*>(part_of.data()),
                 num_vertices * static_cast<std::int64_t>(sizeof(local_id)), 0);
  return part_of;
}

} // namespace glt::io
