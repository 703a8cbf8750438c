// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_parts.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/node2vec_step.hpp>
#include <glt/sample/walk/walk_options.hpp>

namespace glt::dist {

/// Walker of second-order walks across the parts of a graph. For the same starts and key, the result equals the serial
/// `node2vec_walker` element by element. Ids differ only by the numbering of the parts.
///
/// The owner of a walk's vertex draws a candidate and a random number. If the number alone does not decide, the walker
/// goes to the previous vertex's owner, to search its row. From there the walker goes to the candidate if it is
/// accepted, or back for another attempt. After as many attempts as in the serial walker, the step is drawn exactly.
///
/// Concurrent calls: none on one object.
///
/// @comm   an exchange to start and one per round; an attempt takes up to two rounds: to the owner of the previous
///         vertex, unless the number decides alone, and to the owner of the vertex of the next attempt. An exact draw
///         takes two rounds for every neighbour that could still be drawn, at most the degree: the walker asks the
///         previous vertex's owner about one after the other. A walker that moves between ranks costs 56 bytes; a step
///         made away from home costs as for `random_walker`
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class node2vec_walker : public glt::detail::walker_of_parts<node2vec_walker<Comm, Policy, Vertex>, Policy,
                                                            graph<Policy, Vertex>, node2vec_options> {
  using base = typename node2vec_walker::walker_of_parts;

public:
  using typename base::bulk_item;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0,
  ///                           or the graph was made for another rank or number of ranks
  /// @cost   O(E of the part), to check whether rows ascend
  node2vec_walker(Comm comm, graph<Policy, Vertex> const& graph, node2vec_options options, Policy policy = {})
      : base(graph, options, policy), rounds_(comm, options.edge_ids, policy) {
    auto const check = [&] {
      detail::check_edge_ids(graph.local(), options.edge_ids);
      ascending_ = detail::rows_ascend(policy.executor(), graph.local());
    };
    this->agree(comm, graph, check, detail::fingerprint_of(options), "length, walks per start, p, q and edge ids");
    ascending_ = !detail::any_above_zero(detail::exchange_values(
        detail::host_comm(comm), {.what = detail::operation::make_sampler, .hop = 1}, {}, ascending_ ? 0 : 1));
  }

  /// Walks for several batches in as many rounds as one takes; number and keys are the same on all ranks.
  ///
  /// @comm   collective; messages as for the batch that takes the most rounds
  /// @cost   attempts as the serial walker; memory of 56 bytes for every walker on this rank at the same time, and some
  ///         100 MB for visits and messages of a round
  void walk_bulk(std::span<bulk_item const> batches) {
    glt::detail::node2vec_step<glt::detail::part_rows<base::space, Vertex>> const step{
        this->parts_.rows(), ascending_, glt::detail::node2vec_choice(this->options_)};
    rounds_.run(batches, this->parts_.book(), this->options_, step, this->parts_.name(), this->sends_nothing());
  }

private:
  bool ascending_ = false; // rows of all parts, which other ranks may read
  glt::detail::walk_rounds<Comm, Policy, Vertex, glt::detail::second_order_walker<>> rounds_;
};

} // namespace glt::dist
