// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_parts.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

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
class random_walker {
public:
  static constexpr memory_space space = Policy::space;
  using bulk_item = glt::detail::walks_to_make<Policy, Vertex>;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0,
  ///                           or the graph was made for another rank or number of ranks
  random_walker(Comm comm, graph<Policy, Vertex> const& graph, walk_options options, Policy policy = {})
      : options_(options), parts_(graph, policy), rounds_(make_rounds(comm, options, policy)) {
    auto const check = [&] {
      detail::validate(options_);
      detail::check_edge_ids(graph.local(), options_.edge_ids);
      detail::check_own_part(comm, graph.part(), graph.book().num_parts(), "part", "walked by");
    };
    detail::fingerprint print;
    print.add(options.length).add(options.walks_per_start).add(std::bit_cast<std::int64_t>(options.restart));
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, detail::failure_of(check),
                  print.add(options.edge_ids).value(), [](auto, auto) {
                    return "walks with other options than rank 0; pass the same length, walks per start, restart and "
                           "edge ids "
                           "on all ranks";
                  });
  }

  [[nodiscard]] walk_options const& options() const noexcept { return options_; }

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
  /// @throws collective_error  on every rank, if a start of a rank is not in [0, V) or the keys differ; `out` is then
  ///                           unspecified
  /// @cost   O(1) a step; memory of 24 (32 with restart) bytes for every walker on this rank at the same time, and some
  ///         100 MB for visits and messages of a round; a device policy synchronises several times a round
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) {
    bulk_item const batch{starts, key, &out};
    walk_bulk(std::span(&batch, 1));
  }
  /// Walks for several batches in as many rounds as one takes; number and keys are the same on all ranks.
  ///
  /// @comm   collective; messages as for the batch that takes the most rounds
  void walk_bulk(std::span<bulk_item const> batches) {
    glt::detail::path_step<glt::detail::one_relation<glt::detail::part_rows<space, Vertex>>> const step{
        {parts_.rows()}, glt::detail::words_below(options_.restart)};
    std::visit([&](auto& kind) { kind.run(batches, parts_.book(), options_, step, parts_.name(), sends_nothing()); },
               rounds_);
  }

  template <class Starts, class Out,
            class Reason = typename decltype(glt::detail::reason_of_seeds<Starts, space, Vertex>())::type>
    requires(!glt::detail::fitting_seeds<Starts, Out, space, Vertex, walks<Policy, Vertex>>)
  void walk(Starts const&, sample_key, Out&) = delete;

private:
  template <class Walker>
  using rounds_of = glt::detail::walk_rounds<Comm, Policy, Vertex, Walker>;
  using rounds = std::variant<rounds_of<glt::detail::path_walker<>>, rounds_of<glt::detail::returning_walker<>>>;

  static rounds make_rounds(Comm& comm, walk_options const& options, Policy const& policy) {
    return options.restart > 0 ? rounds(std::in_place_index<1>, comm, options.edge_ids, policy)
                               : rounds(std::in_place_index<0>, comm, options.edge_ids, policy);
  }

  walk_options options_;
  glt::detail::walk_parts<Policy, graph<Policy, Vertex>> parts_;
  rounds rounds_;
};

} // namespace glt::dist
