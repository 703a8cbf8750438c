// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_parts.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/metapath.hpp>
#include <glt/sample/walk/walk_options.hpp>

namespace glt::dist {

/// Walker along a cycle of edge types across the parts of a heterogeneous graph. For the same starts and key, the
/// result equals the serial `metapath_walker` element by element. Ids differ only by the numbering of the parts. As in
/// the serial walker, a step along (A, r, B) goes from B to A.
///
/// Concurrent calls: none on one object.
///
/// @comm   as `random_walker` without restart
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class metapath_walker : public glt::detail::walker_of_parts<metapath_walker<Comm, Policy, Vertex>, Policy,
                                                            hetero_graph<Policy, Vertex>, metapath_options> {
  using base = typename metapath_walker::walker_of_parts;

public:
  using typename base::bulk_item;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// @shape  edge_types [n], as `validate_metapath`
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options or edge types of a rank are wrong or differ from rank 0's,
  ///                           or the graph was made for another rank or number of ranks
  metapath_walker(Comm comm, hetero_graph<Policy, Vertex> const& graph, std::vector<int> const& edge_types,
                  metapath_options options, Policy policy = {})
      : base(graph, options, policy), edge_types_(edge_types), path_(0, policy),
        rounds_(comm, options.edge_ids, policy) {
    auto const check = [&] {
      detail::validate_metapath(graph.schema(), edge_types, options.length);
      for (auto const edge_type : edge_types) {
        detail::check_edge_ids(graph.local(edge_type), options.edge_ids);
      }
      make_path();
    };
    this->agree(comm, graph, check, detail::fingerprint_of(options, edge_types),
                "edge types, length, walks per start and edge ids");
  }

  void read_in_place(node_views<typename graph_part<Policy, Vertex>::view_type> const& neighborhood)
    requires host_policy<Policy>
  {
    base::read_in_place(neighborhood);
    make_path();
  }

  /// Walks for several batches in as many rounds as one takes; number and keys are the same on all ranks.
  ///
  /// @comm   collective; messages as for the batch that takes the most rounds
  void walk_bulk(std::span<bulk_item const> batches) {
    glt::detail::path_step<glt::detail::relation_cycle<base::space, rows>> const step{{std::as_const(path_).view()}};
    rounds_.run(batches, this->parts_.book(first_type()), this->options_, step, this->parts_.name(first_type()),
                this->sends_nothing());
  }

private:
  using rows = glt::detail::part_rows<base::space, Vertex>;

  [[nodiscard]] std::size_t first_type() const noexcept { return static_cast<std::size_t>(edge_types_.front()); }
  void make_path() {
    std::vector<rows> path;
    for (auto const edge_type : edge_types_) {
      path.push_back(this->parts_.rows(static_cast<std::size_t>(edge_type)));
    }
    path_ = make_buffer<Policy>(path, path_.policy());
  }

  std::vector<int> edge_types_;
  buffer<Policy, rows> path_;
  glt::detail::walk_rounds<Comm, Policy, Vertex, glt::detail::path_walker<>> rounds_;
};

} // namespace glt::dist
