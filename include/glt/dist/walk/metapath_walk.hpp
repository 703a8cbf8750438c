// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/dist/walk/detail/walk_turn.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/metapath.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace glt::dist {

/// Walks along a cycle of edge types across the parts of a heterogeneous graph: element by element what the
/// serial `metapath_walker` returns for the same starts and key, up to the numbering of the parts.
///
/// @comm   as `random_walker` without restart
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class metapath_walker {
  static_assert(host_accessible(Policy::space), "metapath_walker walks on the host: use a host-accessible policy");

public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @shape  edge_types [n], as `validate_metapath`
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options or edge types of a rank are wrong or differ from
  ///                           those of rank 0, or the graph was made for another rank or number of ranks
  metapath_walker(Comm comm, hetero_graph<Policy, Vertex> const& graph, std::vector<int> const& edge_types,
                  metapath_options options, Policy policy = {})
      : options_(options), rank_(comm.rank()), rounds_(comm, options.edge_ids, std::move(policy)) {
    auto const check = [&] {
      validate(options_);
      validate_metapath(graph.schema(), edge_types, options_.length);
      start_type_ = graph.schema().destination_type(edge_types.front());
      check_own_part(comm, graph.part(), graph.book(start_type_).num_parts(), "part", "walked by");
      for (auto const edge_type : edge_types) {
        path_.push_back({graph.local(edge_type), &graph.book(graph.schema().destination_type(edge_type))});
      }
      original_ = graph.original(start_type_);
    };
    fingerprint print;
    print.add(options.length).add(options.walks_per_start).add(options.edge_ids);
    for (auto const edge_type : edge_types) {
      print.add(edge_type);
    }
    agree(comm, {.what = operation::make_sampler}, failure_of(check), print.value(), [](auto, auto) {
      return "walks with other options than rank 0; pass the same edge types, length, walks per start and edge ids on "
             "all ranks";
    });
  }

  [[nodiscard]] metapath_options const& options() const noexcept { return options_; }

  /// Walks from this rank's starts into `out`; a rank without starts joins with an empty list.
  ///
  /// @shape  starts [S] global ids of the destination type of the first edge type, of any part → walks
  ///         [S · walks_per_start, length + 1] of global ids; column s + 1 is of the source type of step s
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  as `random_walker`
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) {
    walk_turn<space, Vertex, path_walker> const turn{.path = path_,
                                                     .rank = rank_,
                                                     .key = walk_key(key),
                                                     .original = original_,
                                                     .length = options_.length,
                                                     .return_below = 0};
    rounds_.run(key, starts, options_.walks_per_start, options_.length, *path_.front().book, turn, out);
  }

private:
  metapath_options options_;
  int rank_;
  int start_type_ = 0;
  std::vector<owned_rows<space, Vertex>> path_;
  original_ids<space> original_;
  walk_rounds<Comm, Policy, Vertex, path_walker> rounds_;
};

} // namespace glt::dist
