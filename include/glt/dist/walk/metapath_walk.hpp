// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_parts.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/metapath.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::dist {

/// Walker along a cycle of edge types across the parts of a heterogeneous graph. For the same starts and key, the
/// result equals the serial `metapath_walker` element by element. Ids differ only by the numbering of the parts. As in
/// the serial walker, a step along (A, r, B) goes from B to A.
///
/// Concurrent calls: none on one object.
///
/// @comm   as `random_walker` without restart
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class metapath_walker {
public:
  static constexpr memory_space space = Policy::space;
  using bulk_item = glt::detail::walks_to_make<Policy, Vertex>;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @shape  edge_types [n], as `validate_metapath`
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options or edge types of a rank are wrong or differ from rank 0's,
  ///                           or the graph was made for another rank or number of ranks
  metapath_walker(Comm comm, hetero_graph<Policy, Vertex> const& graph, std::vector<int> const& edge_types,
                  metapath_options options, Policy policy = {})
      : options_(options), edge_types_(edge_types), parts_(graph, policy), path_(0, policy),
        rounds_(comm, options.edge_ids, policy) {
    auto const check = [&] {
      detail::validate(options_);
      detail::validate_metapath(graph.schema(), edge_types, options_.length);
      detail::check_own_part(comm, graph.part(), parts_.book(first_type()).num_parts(), "part", "walked by");
      for (auto const edge_type : edge_types) {
        detail::check_edge_ids(graph.local(edge_type), options_.edge_ids);
      }
      make_path();
    };
    detail::fingerprint print;
    print.add(options.length).add(options.walks_per_start).add(options.edge_ids);
    for (auto const edge_type : edge_types) {
      print.add(edge_type);
    }
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, detail::failure_of(check),
                  print.value(), [](auto, auto) {
                    return "walks with other options than rank 0; pass the same edge types, length, walks per start "
                           "and edge ids on "
                           "all ranks";
                  });
  }

  [[nodiscard]] metapath_options const& options() const noexcept { return options_; }

  /// Walks through rows of other ranks in place from now on, as `neighbor_sampler::read_in_place`; walks stay the same.
  ///
  /// @comm   none
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(node_views<detail::part_view<space, Vertex>> const& neighborhood)
    requires host_policy<Policy>
  {
    parts_.read_in_place(neighborhood);
    make_path();
  }
  /// Returns true if all ranks walk through all rows in place, as over a replicated topology. Then calls send nothing, do
  /// not wait for other ranks, and throw on the rank that failed alone.
  [[nodiscard]] bool sends_nothing() const noexcept { return parts_.shared().everywhere(); }
  /// Returns the reason why rows of some ranks are not read in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return parts_.shared().reason(); }

  /// Walks from this rank's starts into `out`; a rank without starts passes an empty list.
  ///
  /// @shape  starts [S] global ids of the destination type of the first edge type, of any part → walks
  ///         [S · walks_per_start, length + 1] of global ids; column s + 1 is of the source type of step s
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  as `random_walker`
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) {
    bulk_item const batch{starts, key, &out};
    walk_bulk(std::span(&batch, 1));
  }
  /// Walks for several batches in as many rounds as one takes; number and keys are the same on all ranks.
  ///
  /// @comm   collective; messages as for the batch that takes the most rounds
  void walk_bulk(std::span<bulk_item const> batches) {
    glt::detail::path_step<glt::detail::relation_cycle<space, rows>> const step{{std::as_const(path_).view()}};
    rounds_.run(batches, parts_.book(first_type()), options_, step, parts_.name(first_type()), sends_nothing());
  }

private:
  using rows = glt::detail::part_rows<space, Vertex>;

  [[nodiscard]] std::size_t first_type() const noexcept { return static_cast<std::size_t>(edge_types_.front()); }
  void make_path() {
    std::vector<rows> path;
    for (auto const edge_type : edge_types_) {
      path.push_back(parts_.rows(static_cast<std::size_t>(edge_type)));
    }
    path_ = make_buffer<Policy>(path, path_.policy());
  }

  metapath_options options_;
  std::vector<int> edge_types_;
  glt::detail::walk_parts<Policy, hetero_graph<Policy, Vertex>> parts_;
  buffer<Policy, rows> path_;
  glt::detail::walk_rounds<Comm, Policy, Vertex, glt::detail::path_walker<>> rounds_;
};

} // namespace glt::dist
