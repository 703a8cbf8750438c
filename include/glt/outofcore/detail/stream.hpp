// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/rows_to_first.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/repair_balance.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Counts the edges from and into every vertex; nothing if every edge is there in both directions.
///
/// @shape  → [V of all types], or empty
/// @comm   collective; two header exchanges and two reductions, of a number and of 8 bytes a vertex
/// @throws collective_error  on every rank, as `checked_pairs::for_each`
template <communicator Comm>
[[nodiscard]] std::vector<std::int64_t> count_both_directions(Comm& comm, all_types const& graph) {
  auto const each_edge = [&](auto use) {
    for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
      auto const ends = ends_of(graph, e);
      auto const first_source = graph.first_vertex(graph.schema().source_type(e));
      auto const first_destination = graph.first_vertex(graph.schema().destination_type(e));
      auto const [first, last] = slice_of(ends.sources.size(), comm.size(), comm.rank());
      ends.for_each(first, last, [&](edge_id, global_id source, global_id destination) {
        use(first_source + source, first_destination + destination);
      });
    }
  };
  std::int64_t sum = 0;
  run_together(comm, [&] {
    each_edge(
        [&](global_id source, global_id destination) { sum += glt::detail::direction_sign(source, destination); });
  });
  comm.all_reduce(std::span<std::int64_t>(&sum, 1), reduction::sum);
  std::vector<std::int64_t> counts;
  if (sum != 0) {
    run_together(comm, [&] {
      counts.assign(static_cast<std::size_t>(graph.num_vertices()), 0);
      each_edge([&](global_id source, global_id destination) {
        ++counts[static_cast<std::size_t>(source)];
        ++counts[static_cast<std::size_t>(destination)];
      });
    });
    comm.all_reduce(std::span<std::int64_t>(counts), reduction::sum);
  }
  return counts;
}

/// Stream of the rows of a graph on disk to rank 0, ordered by id, any number of times. Each rank sorts its share of
/// the rows on disk; ranges of rows follow each other.
template <communicator Comm>
class row_stream {
public:
  /// @comm   collective; as `count_in_edges`, and as `count_both_directions` if both directions are asked for
  row_stream(Comm comm, all_types const& graph, memory_plan const& plan, std::filesystem::path scratch,
             task_progress::callback on_progress, row_edges directions = row_edges::into)
      : comm_(std::move(comm)), graph_(graph), plan_(plan), scratch_(std::move(scratch)),
        on_progress_(std::move(on_progress)), directions_(directions), in_degrees_(count_in_edges(comm_, graph)) {
    std::vector<std::int64_t> degrees; // of both directions
    if (directions == row_edges::both) {
      degrees = count_both_directions(comm_, graph);
      directions_ = degrees.empty() ? row_edges::into : row_edges::both;
    }
    append_bounds(degrees.empty() ? in_degrees_ : degrees, 0, graph.num_vertices(), edges_of_range(plan), bounds_);
    bounds_.push_back(graph.num_vertices());
    auto first_own = num_ranges();
    for (std::int64_t range = 0; range < num_ranges(); ++range) {
      if (rank_of_range(range) == comm_.rank()) {
        first_own = std::min(first_own, range);
        own_bounds_.push_back(bounds_[static_cast<std::size_t>(range)]);
      }
    }
    own_bounds_.push_back(own_bounds_.empty() ? 0 : bounds_[static_cast<std::size_t>(first_own) + own_bounds_.size()]);
    if (own_bounds_.size() == 1) {
      own_bounds_.push_back(own_bounds_.front());
    }
  }

  /// Returns the number of edges into every vertex; equal on all ranks.
  ///
  /// @shape  [V of all types]
  [[nodiscard]] host_view<std::int64_t const> in_degrees() const noexcept { return in_degrees_; }

  /// Calls take(first, rows) on rank 0 with all rows, range after range.
  ///
  /// @comm   collective; the rounds of `spill_edges`, and of `rows_to_first` one per range
  /// @throws collective_error  on every rank, as `spill_edges`, and in the next round if `failure` is not empty; an
  ///                           exception of `take` becomes the failure
  template <class Take>
  void pass(std::string& failure, Take take) {
    edge_spill spill(scratch_, own_bounds_, plan_.for_edges / 8);
    spill_edges(
        comm_, graph_, plan_, on_progress_,
        [this](global_id row) { return rank_of_range(std::ranges::upper_bound(bounds_, row) - bounds_.begin() - 1); },
        spill, directions_);
    auto const num_own = own_bounds_.front() < own_bounds_.back() ? std::ssize(own_bounds_) - 1 : 0;
    range_rows rows;
    glt::detail::rows_to_first(
        comm_, graph_.num_vertices(), num_own, failure,
        [&](std::int64_t range) {
          rows = {};
          auto const taken = spill.take(static_cast<int>(range));
          rows = compress_range(taken.view(), spill.begin(static_cast<int>(range)), spill.end(static_cast<int>(range)));
          return csr_view<memory_space::host, global_id>(graph_.num_vertices(), std::as_const(rows.offsets).view(),
                                                         std::as_const(rows.columns).view());
        },
        take);
  }

private:
  [[nodiscard]] std::int64_t num_ranges() const noexcept { return std::ssize(bounds_) - 1; }
  [[nodiscard]] int rank_of_range(std::int64_t range) const {
    return static_cast<int>(range * comm_.size() / num_ranges());
  }

  Comm comm_;
  all_types const& graph_;
  memory_plan plan_;
  std::filesystem::path scratch_;
  task_progress::callback on_progress_;
  row_edges directions_;
  std::vector<std::int64_t> in_degrees_;
  std::vector<global_id> bounds_;
  std::vector<global_id> own_bounds_; // of the ranges that this rank sorts
};

/// Options of `assign_by_stream`.
struct stream_options {
  int passes = 1;
  detail::memory_plan plan{};
  std::filesystem::path scratch{}; ///< an empty folder of this rank, for stored edges
  task_progress::callback on_progress{};
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

/// Sends all rows to rank 0 as often as its `rounds` wants them, and then its result to all ranks.
///
/// On rank 0, make_rounds(in_degrees) makes an object such as `balance_repair` or a multilevel partitioner's stream;
/// the in-degrees, [V of all types], live as long.
///
/// @shape  → [V of all types], on every rank
/// @comm   collective; as `row_stream`; a header exchange, the rounds of `glt::detail::run_rounds`, and a broadcast of 4
///         bytes a vertex
/// @throws collective_error  on every rank, as `assign_by_stream`, or if the object throws
/// @cost   memory as planned: rank 0 needs 28 bytes a vertex, beside the memory of the object
template <communicator Comm, class MakeRounds>
[[nodiscard]] buffer<device::cpu, local_id> run_rounds(Comm comm, detail::all_types const& graph, int num_parts,
                                                       row_edges directions, MakeRounds make_rounds,
                                                       stream_options const& options) {
  detail::row_stream rows(comm, graph, options.plan, options.scratch, options.on_progress, directions);
  std::optional<decltype(make_rounds(rows.in_degrees()))> rounds;
  auto failure = glt::detail::failure_of([&] {
    if (comm.rank() == 0) {
      rounds.emplace(make_rounds(rows.in_degrees()));
    }
  });
  glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure, num_parts, [](auto own, auto first) {
    return glt::detail::message("has ", own, " parts, but rank 0 ", first, "; ask for the same on all ranks");
  });
  glt::detail::run_rounds(comm, failure, rounds, [&](auto take) { rows.pass(failure, take); });
  buffer<device::cpu, local_id> part_of(rounds ? 0 : graph.num_vertices());
  if (rounds) {
    part_of = std::move(*rounds).result();
  }
  comm.broadcast(reinterpret_cast<std::byte*>(part_of.data()),
                 part_of.size() * static_cast<std::int64_t>(sizeof(local_id)), 0);
  return part_of;
}

/// Moves vertices of a data set on disk out of parts that exceed limits, as `repair_balance` does in memory. The result
/// is the same for any number of ranks. The option `passes` is ignored.
///
/// On rank 0, make_limits(in_degrees) makes the `balance_constraints`; the in-degrees, [V of all types], live as long.
///
/// @shape  part_of [V of all types], the same on all ranks → [V of all types], on every rank
/// @comm   collective; as `run_rounds`, with up to 8 rounds
/// @throws collective_error  on every rank, as `assign_by_stream`, or if `repair_balance` would throw
/// @cost   memory as planned: rank 0 needs 28 bytes a vertex, beside the memory of the limits
template <communicator Comm, class MakeLimits>
[[nodiscard]] buffer<device::cpu, local_id> repair_by_stream(Comm comm, detail::all_types const& graph,
                                                             buffer<device::cpu, local_id> part_of, int num_parts,
                                                             MakeLimits make_limits, stream_options const& options) {
  return run_rounds(
      comm, graph, num_parts, row_edges::into,
      [&](host_view<std::int64_t const> in_degrees) {
        return glt::detail::balance_repair(std::move(part_of), make_limits(in_degrees), num_parts);
      },
      options);
}

/// Divides the vertices of a data set on disk by a multilevel partitioner, as the same graph in memory. The result is
/// the same for any number of ranks; limits may be exceeded, see `repair_by_stream`. The option `passes` is ignored.
///
/// On rank 0, make_partitioner(in_degrees) makes the `multilevel_partitioner`; the in-degrees, [V of all types], live as
/// long. The contracted graph must fit in the memory of rank 0.
///
/// @shape  → [V of all types], on every rank
/// @comm   collective; as `run_rounds`, with the partitioner's rounds and one more
/// @throws collective_error  on every rank, as `assign_by_stream`, or if the partitioner throws
/// @cost   memory as planned: rank 0 needs 28 bytes a vertex, beside the memory of the partitioner's stream
template <communicator Comm, class MakePartitioner>
[[nodiscard]] buffer<device::cpu, local_id> assign_multilevel(Comm comm, detail::all_types const& graph, int num_parts,
                                                              MakePartitioner make_partitioner,
                                                              stream_options const& options) {
  return run_rounds(
      comm, graph, num_parts, row_edges::both,
      [&](host_view<std::int64_t const> in_degrees) {
        return make_partitioner(in_degrees).stream(graph.num_vertices(), num_parts);
      },
      options);
}

} // namespace glt::io::detail
