// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_parts.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/node2vec_step.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

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
class node2vec_walker {
public:
  static constexpr memory_space space = Policy::space;
  using bulk_item = glt::detail::walks_to_make<Policy, Vertex>;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0,
  ///                           or the graph was made for another rank or number of ranks
  /// @cost   O(E of the part), to check whether rows ascend
  node2vec_walker(Comm comm, graph<Policy, Vertex> const& graph, node2vec_options options, Policy policy = {})
      : options_(options), parts_(graph, policy), rounds_(comm, options.edge_ids, policy) {
    auto const check = [&] {
      detail::validate(options_);
      detail::check_edge_ids(graph.local(), options_.edge_ids);
      detail::check_own_part(comm, graph.part(), graph.book().num_parts(), "part", "walked by");
      ascending_ = detail::rows_ascend(policy.executor(), graph.local());
    };
    detail::fingerprint print;
    print.add(options.length).add(options.walks_per_start).add(options.edge_ids);
    print.add(std::bit_cast<std::int64_t>(options.p)).add(std::bit_cast<std::int64_t>(options.q));
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, detail::failure_of(check),
                  print.value(), [](auto, auto) {
                    return "walks with other options than rank 0; pass the same length, walks per start, p, q and "
                           "edge ids on all "
                           "ranks";
                  });
    ascending_ = !detail::any_above_zero(detail::exchange_values(
        detail::host_comm(comm), {.what = detail::operation::make_sampler, .hop = 1}, {}, ascending_ ? 0 : 1));
  }

  [[nodiscard]] node2vec_options const& options() const noexcept { return options_; }

  /// Walks through rows of other ranks in place from now on, as `neighbor_sampler::read_in_place`; walks stay the same.
  ///
  /// @comm   none
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(node_views<detail::part_view<space, Vertex>> const& neighborhood)
    requires host_policy<Policy>
  {
    parts_.read_in_place(neighborhood);
  }
  /// Returns true if all ranks walk through all rows in place, as over a replicated topology. Then calls send nothing, do
  /// not wait for other ranks, and throw on the rank that failed alone.
  [[nodiscard]] bool sends_nothing() const noexcept { return parts_.shared().everywhere(); }
  /// Returns the reason why rows of some ranks are not read in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return parts_.shared().reason(); }

  /// Walks from this rank's starts into `out`; a rank without starts passes an empty list.
  ///
  /// @shape  starts [S] global ids, of any part → walks [S · walks_per_start, length + 1] of global ids
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  as `random_walker`
  /// @cost   attempts as the serial walker; memory of 56 bytes for every walker on this rank at the same time, and some
  ///         100 MB for visits and messages of a round
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) {
    bulk_item const batch{starts, key, &out};
    walk_bulk(std::span(&batch, 1));
  }
  /// Walks for several batches in as many rounds as one takes; number and keys are the same on all ranks.
  ///
  /// @comm   collective; messages as for the batch that takes the most rounds
  void walk_bulk(std::span<bulk_item const> batches) {
    glt::detail::node2vec_step<glt::detail::part_rows<space, Vertex>> const step{
        parts_.rows(), ascending_, glt::detail::node2vec_choice(options_)};
    rounds_.run(batches, parts_.book(), options_, step, parts_.name(), sends_nothing());
  }

  template <class Starts, class Out,
            class Reason = typename decltype(glt::detail::reason_of_seeds<Starts, space, Vertex>())::type>
    requires(!glt::detail::fitting_seeds<Starts, Out, space, Vertex, walks<Policy, Vertex>>)
  void walk(Starts const&, sample_key, Out&) = delete;

private:
  node2vec_options options_;
  bool ascending_ = false; // rows of all parts, which other ranks may read
  glt::detail::walk_parts<Policy, graph<Policy, Vertex>> parts_;
  glt::detail::walk_rounds<Comm, Policy, Vertex, glt::detail::second_order_walker<>> rounds_;
};

} // namespace glt::dist
