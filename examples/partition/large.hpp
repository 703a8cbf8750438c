// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "console.hpp"
#include "large_hotness.hpp"
#include "options.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/text/detail/assignment.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/stream.hpp>
#include <glt/partition/balance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

/// A folder beside the one to make, the same for all ranks, for what waits on disk; it goes away with rank 0's.
class shared_scratch {
public:
  /// @comm   collective; a header exchange and a broadcast
  template <glt::communicator Comm>
  shared_scratch(Comm comm, std::filesystem::path const& beside) {
    std::string text;
    glt::run_together(comm, [&] {
      if (comm.rank() == 0) {
        made_.emplace(beside);
        text = made_->path().string();
      }
    });
    glt::detail::broadcast_text(comm, text);
    path_ = text;
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

  /// A folder in it for one rank.
  template <glt::communicator Comm>
  [[nodiscard]] std::filesystem::path of_rank(Comm const& comm) const {
    return glt::io::detail::make_folders(path_, "rank-" + std::to_string(comm.rank()));
  }

private:
  std::optional<glt::io::detail::atomic_folder> made_; // never committed
  std::filesystem::path path_;
};

/// Bytes a vertex that the arrays of --balance and of --method need beside those of every job.
inline std::int64_t more_bytes(options const& chosen) {
  return (asks_balance(chosen, "seeds") ? 4 : 0) + (chosen.method == "multilevel" ? 40 : 0);
}

/// Assigns the vertices of all types of a data set that stays on disk.
template <glt::communicator Comm>
assignment assign_large(Comm comm, options const& chosen, glt::io::detail::all_types const& graph,
                        glt::io::detail::memory_plan const& plan, std::filesystem::path const& scratch, console& out) {
  auto const num_vertices = graph.num_vertices();
  // Partitioners that look at no edge see a graph without any.
  auto const edgeless = [&](auto const& partitioner) {
    glt::buffer<cpu, glt::edge_offset> offsets(num_vertices + 1);
    std::ranges::fill(offsets, 0);
    return partitioner(host_csr(num_vertices, offsets.cview(), {}), chosen.parts);
  };
  auto const limits = [&](glt::host_view<std::int64_t const> in_degrees) {
    return limits_of(chosen, graph.schema(), graph.train(),
                     [&] { return glt::balance_limit::weights("edges", in_degrees, chosen.slack); });
  };
  glt::io::detail::stream_options const streaming{
      .passes = chosen.passes, .plan = plan, .scratch = scratch, .on_progress = out.progress()};
  auto const streamed = [&](auto make_stream) {
    return glt::io::detail::assign_by_stream(comm, make_stream, graph.data(), streaming);
  };
  auto const repair = [&](assignment part_of) {
    return glt::io::detail::repair_by_stream(
        comm, graph, std::move(part_of), chosen.parts,
        [&](auto in_degrees) { return with_vertices(limits(in_degrees), chosen); }, streaming);
  };
  // Of vertices alone, no part of a stream has more than the limit, but some may have none.
  auto const repaired = [&](assignment part_of) {
    std::vector<bool> has_vertices(static_cast<std::size_t>(chosen.parts), false);
    for (auto const part : part_of) {
      has_vertices[static_cast<std::size_t>(part)] = true;
    }
    auto const limited = std::ranges::count(has_vertices, false) > 0 ||
                         std::ranges::any_of(chosen.balance, [](auto const& of) { return of != "vertices"; });
    return limited || graph.schema().num_node_types() > 1 ? repair(std::move(part_of)) : std::move(part_of);
  };
  auto const& method = chosen.method;
  if (method == "contiguous") {
    std::vector<std::int64_t> in_degrees;
    if (asks_balance(chosen, "edges")) {
      in_degrees = glt::io::detail::count_in_edges(comm, graph);
    }
    return edgeless(make_contiguous(chosen, limits(in_degrees)));
  }
  if (method == "random") {
    return edgeless(glt::random_partitioner{.seed = chosen.key});
  }
  if (method == "hash") {
    return edgeless(glt::hash_partitioner{.seed = chosen.key});
  }
  if (method == "file") {
    auto const given = glt::io::detail::read_assignment(chosen.assignment);
    return edgeless(glt::assigned_partitioner{.parts = given.view()});
  }
  if (method == "fennel") {
    return repaired(streamed([&](auto in_degrees) {
      return make_fennel(chosen, limits(in_degrees)).stream(num_vertices, graph.num_edges(), chosen.parts);
    }));
  }
  if (method == "ldg") {
    return repaired(streamed(
        [&](auto in_degrees) { return make_ldg(chosen, limits(in_degrees)).stream(num_vertices, chosen.parts); }));
  }
  if (method == "multilevel") {
    return repair(glt::io::detail::assign_multilevel(
        comm, graph, chosen.parts, [&](auto in_degrees) { return make_multilevel(chosen, limits(in_degrees)); },
        streaming));
  }
  if (method == "frequency") {
    check_has_seeds(graph.train());
    auto const dealt = streamed([&](auto) { return make_ldg(chosen).stream(num_vertices, chosen.parts); });
    return repaired(assign_by_frequency(comm, chosen, graph, dealt.view(), limits, plan, scratch, out.progress()));
  }
  throw glt::precondition_error("--method " + method +
                                " needs the whole graph in one process: start one without "
                                "--memory, or use multilevel, ldg or fennel");
}

/// Edges of all types by the parts of their ends, every rank those of its slices.
///
/// @pre    parts were checked, as `make_relabelling` does; not checked
/// @throws collective_error  on every rank, as `checked_pairs::for_each`
template <glt::communicator Comm>
std::vector<std::int64_t> count_edges_between(Comm comm, glt::io::detail::all_types const& graph,
                                              glt::host_view<glt::local_id const> part_of, int num_parts) {
  auto const parts = static_cast<std::size_t>(num_parts);
  std::vector<std::int64_t> between;
  glt::run_together(comm, [&] {
    between.assign(parts * parts, 0);
    for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
      auto const ends = glt::io::detail::ends_of(graph, e);
      auto const first_source = graph.first_vertex(graph.schema().source_type(e));
      auto const first_destination = graph.first_vertex(graph.schema().destination_type(e));
      auto const [first, last] = glt::io::detail::slice_of(ends.sources.size(), comm.size(), comm.rank());
      ends.for_each(first, last, [&](glt::edge_id, glt::global_id source, glt::global_id destination) {
        ++between[static_cast<std::size_t>(part_of[first_source + source]) * parts +
                  static_cast<std::size_t>(part_of[first_destination + destination])];
      });
    }
  });
  comm.all_reduce(std::span<std::int64_t>(between), glt::reduction::sum);
  return between;
}

} // namespace glt_partition
