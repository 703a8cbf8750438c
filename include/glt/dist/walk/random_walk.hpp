// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/dist/walk/detail/walk_turn.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/walk_block.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace glt::dist {

/// Walks across the parts of a graph: element by element what the serial `random_walker` returns for the same
/// starts and key, up to the numbering of the parts.
///
/// Walkers go to the owner of their vertex and make as many steps there as stay inside the part. What they came
/// to is told to their homes along the way.
///
/// @comm   an exchange to set off and one a round, of which there are at most `length`, and fewer where the
///         parts hold walks together, unless a rank makes more than 2²⁰ steps of a round for others: it then
///         takes more rounds. An exchange is one of headers and at most one of payload. A walker that crosses
///         costs 24 bytes (32 with restart), and a step that its home did not make 8 + sizeof(Vertex), and 8
///         more with edge ids
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class random_walker {
  static_assert(host_accessible(Policy::space), "random_walker walks on the host: use a host-accessible policy");

public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from those of rank
  ///                           0, or the graph was made for another rank or number of ranks
  random_walker(Comm comm, graph<Policy, Vertex> const& graph, walk_options options, Policy policy = {})
      : graph_(&graph), options_(options), rank_(comm.rank()), direct_(comm, options.edge_ids, policy),
        returning_(comm, options.edge_ids, std::move(policy)) {
    auto const check = [&] {
      validate(options_);
      check_own_part(comm, graph.part(), graph.book().num_parts(), "part", "walked by");
    };
    fingerprint print;
    print.add(options.length).add(options.walks_per_start).add(std::bit_cast<std::int64_t>(options.restart));
    agree(comm, {.what = operation::make_sampler}, failure_of(check), print.add(options.edge_ids).value(),
          [](auto, auto) {
            return "walks with other options than rank 0; pass the same length, walks per start, restart and edge ids "
                   "on all ranks";
          });
  }

  [[nodiscard]] walk_options const& options() const noexcept { return options_; }

  /// Walks from this rank's starts into `out`; a rank without starts joins with an empty list.
  ///
  /// @shape  starts [S] global ids, of any part → walks [S · walks_per_start, length + 1] of global ids
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a start of a rank is not in [0, V) or the keys differ; `out`
  ///                           is unspecified then
  /// @cost   O(1) a step; memory of 24 (32 with restart) bytes for every walker that is here at the same time,
  ///         and some 50 MB for what is told and sent in a round
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) {
    if (options_.restart > 0) {
      run(returning_, starts, key, out);
    } else {
      run(direct_, starts, key, out);
    }
  }

private:
  template <class Walker>
  void run(walk_rounds<Comm, Policy, Vertex, Walker>& rounds, array_view<space, Vertex const> starts, sample_key key,
           walks<Policy, Vertex>& out) {
    owned_rows<space, Vertex> const rows{graph_->local(), &graph_->book()};
    walk_turn<space, Vertex, Walker> const turn{.path = std::span(&rows, 1),
                                                .rank = rank_,
                                                .key = walk_key(key),
                                                .original = graph_->original(),
                                                .length = options_.length,
                                                .return_below = glt::detail::words_below(options_.restart)};
    rounds.run(key, starts, options_.walks_per_start, options_.length, graph_->book(), turn, out);
  }

  graph<Policy, Vertex> const* graph_;
  walk_options options_;
  int rank_;
  walk_rounds<Comm, Policy, Vertex, path_walker> direct_;
  walk_rounds<Comm, Policy, Vertex, returning_walker> returning_;
};

} // namespace glt::dist
