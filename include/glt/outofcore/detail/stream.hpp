// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/row_stream.hpp>
#include <glt/partition/partitioner.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Options of `assign_by_stream`.
struct stream_options {
  int passes = 1;
  detail::memory_plan plan{};
  std::filesystem::path scratch{}; ///< an empty folder of this rank, for stored edges
  progress::callback on_progress{};
};

/// Divides the vertices of a data set on disk by a streaming partitioner, in the order of their ids.
///
/// The result equals the partitioner with `stream_order::natural` in memory, on any number of ranks. The ranks sort
/// their shares of the rows on disk, and rank 0 streams all rows, range after range. Vertices of all types are in one
/// numbering, as in `all_types`. On rank 0, `make_stream(in_degrees)` makes the `vertex_stream`; the in-degrees, [V of
/// all types], live as long as the stream.
///
/// @shape  → [V of all types], on every rank
/// @comm   collective; a header exchange; a pass makes the rounds of `spill_edges` and one of `record_shuffle` per
///         range; in the end a broadcast of 4 bytes a vertex
/// @throws collective_error  on every rank, as `count_in_edges`, or if the partitioner throws or a disk fails
/// @cost   memory as planned: rank 0 needs 28 bytes a vertex, beside the memory of the stream's limits
template <communicator Comm, class MakeStream>
[[nodiscard]] buffer<device::cpu, local_id> assign_by_stream(Comm comm, MakeStream make_stream,
                                                             raw_data_view const& data, stream_options const& options) {
  glt::detail::call_site const site{.what = glt::detail::operation::shuffle};
  glt::detail::agree(comm, site, {}, options.passes, [](auto own, auto first) {
    return glt::detail::message("makes ", own, " passes, but rank 0 ", first, "; ask for the same on all ranks");
  });
  detail::all_types const graph(data);
  auto const num_vertices = graph.num_vertices();
  detail::row_stream rows(comm, graph, options.plan, options.scratch, options.on_progress);
  std::optional<decltype(make_stream(rows.in_degrees()))> stream;
  std::string failure = glt::detail::failure_of([&] {
    if (comm.rank() == 0) {
      stream.emplace(make_stream(rows.in_degrees()));
    }
  });
  for (int pass = 0; pass < options.passes; ++pass) {
    rows.pass(failure, [&](global_id first, csr_view<memory_space::host, global_id> range) {
      if (pass > 0 && first == 0) {
        stream->restart();
      }
      stream->place_rows(first, range);
      if (options.on_progress) {
        options.on_progress({.what = "assigning vertices",
                             .unit = "vertices",
                             .done = first + range.num_rows(),
                             .total = num_vertices});
      }
    });
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
  glt::detail::agree(comm, site, failure);
  comm.broadcast(reinterpret_cast<std::byte*>(part_of.data()),
                 num_vertices * static_cast<std::int64_t>(sizeof(local_id)), 0);
  return part_of;
}

} // namespace glt::io::detail
