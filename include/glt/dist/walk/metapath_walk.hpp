// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
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
      : options_(options), path_(0, policy), rounds_(comm, options.edge_ids, policy) {
    auto const check = [&] {
      detail::validate(options_);
      detail::validate_metapath(graph.schema(), edge_types, options_.length);
      auto const type_of = [&](int edge_type) { return graph.schema().destination_type(edge_type); };
      auto const start_type = type_of(edge_types.front());
      book_ = &graph.book(start_type);
      detail::check_own_part(comm, graph.part(), book_->num_parts(), "part", "walked by");
      std::vector<rows> path;
      for (auto const edge_type : edge_types) {
        detail::check_edge_ids(graph.local(edge_type), options_.edge_ids);
        auto const& book = graph.book(type_of(edge_type));
        auto const& offsets = offsets_.emplace_back(make_buffer<Policy>(book.offsets(), policy));
        path.push_back(glt::detail::make_part_rows(graph.local(edge_type), graph.part(), book, offsets));
      }
      starts_ = path.front();
      path_ = make_buffer<Policy>(path, policy);
      original_ = graph.original(start_type);
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
    rounds_.run(batches, *book_, options_, step, {starts_, {}, original_});
  }

private:
  using rows = glt::detail::part_rows<space, Vertex>;

  metapath_options options_;
  partition_book const* book_ = nullptr;           // of the starts
  std::vector<buffer<Policy, global_id>> offsets_; // of the books, in memory of the executor
  rows starts_{};
  buffer<Policy, rows> path_;
  array_view<space, global_id const> original_;
  glt::detail::walk_rounds<Comm, Policy, Vertex, glt::detail::path_walker<>> rounds_;
};

} // namespace glt::dist
