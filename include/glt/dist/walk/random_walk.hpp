// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_parts.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/walk_options.hpp>

#include <variant>

namespace glt::dist {

/// Walker of random walks across the parts of a graph. For the same starts and key, the result equals the serial
/// `random_walker` element by element. Ids differ only by the numbering of the parts.
///
/// A walker goes to the owner of its vertex and makes as many steps there as stay inside the part, or inside parts that
/// the owner reads in place: see `read_in_place`. Its visits are reported to its home rank along the way.
///
/// Concurrent calls: none on one object. The communicator is for host memory, with any policy.
///
/// @comm   an exchange to start and one per round. There are at most `length` rounds, and fewer if walks stay inside
///         parts; more only if a rank makes over 2²⁰ steps of a round for other ranks. An exchange is one of headers
///         and at most one of payload. A walker that moves between ranks costs 24 bytes (32 with restart); a step made
///         away from home costs 8 + sizeof(Vertex) bytes, plus 8 with edge ids
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class random_walker : public glt::detail::walker_of_parts<random_walker<Comm, Policy, Vertex>, Policy,
                                                          graph<Policy, Vertex>, walk_options> {
  using base = typename random_walker::walker_of_parts;

public:
  using typename base::bulk_item;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0,
  ///                           or the graph was made for another rank or number of ranks
  random_walker(Comm comm, graph<Policy, Vertex> const& graph, walk_options options, Policy policy = {})
      : base(graph, options, policy), rounds_(make_rounds(comm, options, policy)) {
    this->agree(
        comm, graph, [&] { detail::check_edge_ids(graph.local(), options.edge_ids); }, detail::fingerprint_of(options),
        "length, walks per start, restart and edge ids");
  }

  /// Walks for several batches in as many rounds as one takes; number and keys are the same on all ranks.
  ///
  /// @comm   collective; messages as for the batch that takes the most rounds
  /// @cost   O(1) a step; memory of 24 (32 with restart) bytes for every walker on this rank at the same time, and some
  ///         100 MB for visits and messages of a round; a device policy synchronises several times a round
  void walk_bulk(std::span<bulk_item const> batches) {
    glt::detail::path_step<glt::detail::one_relation<glt::detail::part_rows<base::space, Vertex>>> const step{
        {this->parts_.rows()}, glt::detail::words_below(this->options_.restart)};
    std::visit(
        [&](auto& kind) {
          kind.run(batches, this->parts_.book(), this->options_, step, this->parts_.name(), this->sends_nothing());
        },
        rounds_);
  }

private:
  template <class Walker>
  using rounds_of = glt::detail::walk_rounds<Comm, Policy, Vertex, Walker>;
  using rounds = std::variant<rounds_of<glt::detail::path_walker<>>, rounds_of<glt::detail::returning_walker<>>>;

  static rounds make_rounds(Comm& comm, walk_options const& options, Policy const& policy) {
    return options.restart > 0 ? rounds(std::in_place_index<1>, comm, options.edge_ids, policy)
                               : rounds(std::in_place_index<0>, comm, options.edge_ids, policy);
  }

  rounds rounds_;
};

} // namespace glt::dist
