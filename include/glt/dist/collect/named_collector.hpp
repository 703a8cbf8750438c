// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/row_collector.hpp>
#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::dist {

/// Collector of rows of several tensors of the same vertices or edges, wherever they are stored. Rows of edges are
/// found by global edge id; they come from the owners of the destinations. All edges are seeds.
///
///     glt::dist::named_collector collector(comm, features, {{.name = "title", .type = glt::element_type::float32},
///                                                           {.name = "label", .seeds_only = true}});
///     auto const& rows = collector.collect(nodes, num_seeds, step);
///     auto const title = rows["title"].template as<float>();
///     glt::dist::named_collector of_edges(comm, edge_features);
///     auto const weight = of_edges.collect(sample, step)["weight"].template as<float>();
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
///
/// @comm   per call one header exchange, one exchange of 4 bytes a remote vertex, and one exchange of rows for every
///         `default_round_bytes`, whatever the number of tensors; rows travel as they are stored. For edges the
///         exchange before the rows has 12 bytes an edge and, if any rank needs remote rows, a header exchange follows
template <communicator Comm, device_policy Policy>
class named_collector : public detail::row_collector<Comm, Policy> {
  static constexpr memory_space space = Policy::space;
  using view_type = detail::table_view<space>;

public:
  /// Rows of several tensors; `table["title"].template as<float>()` is a matrix of one row per vertex or edge, or of one
  /// per seed if the tensor is `seeds_only`. Reusable.
  using table_type = detail::collected_table<Policy>;
  /// Tensor by `name`; with another `type` of elements than the stored one, or for `seeds_only`, such as labels.
  using tensor_request = detail::tensor_request;

  /// List of vertices or edges in `collect_bulk`, and the place of their rows.
  template <vertex_id Vertex>
  using bulk_list = detail::bulk_list<Policy, Vertex, table_type>;

  /// Borrows the features, which must outlive the collector. Without requests, all tensors are collected as they are
  /// stored. Policies of the host read rows in `features.neighborhood()` in place, as by `read_in_place`.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank requests a tensor that does not exist, the same tensor twice,
  ///                           or a conversion that does not exist; if ranks request different tensors (types may
  ///                           differ), or the features were made for another rank or another number of ranks
  named_collector(Comm comm, named_features<Policy> const& features, std::vector<tensor_request> const& wanted = {},
                  Policy policy = {})
      : detail::row_collector<Comm, Policy>(comm, features.book(), agree_on_tensors(comm, features, wanted),
                                            table_of_edges(features), policy),
        features_(&features), destinations_(0, policy) {
    detail::read_neighborhood<Policy>(*this, features);
  }

  /// Borrows hot rows from now on: their keys are not requested from other ranks; the results are the same. Ranks may
  /// have different hot rows, or none. If hot rows lack a `seeds_only` tensor, seeds are requested.
  ///
  /// @comm   none
  /// @throws precondition_error  if hot rows lack another collected tensor, have it with other elements or columns, or
  ///                             are of another partitioning
  void use(named_hot_rows<Policy> const& hot) {
    detail::check_partitioning_of(hot, features_->book());
    if (hot.size() == 0) {
      this->set_hot({}, true);
      return;
    }
    auto const tensors = hot.rows().tensors();
    auto const has = [&](auto const& each) {
      return std::ranges::find(tensors, each.name, &detail::named_rows<space>::name) != tensors.end();
    };
    this->set_hot({detail::find_planned(this->plan(), tensors, "hot rows"), hot.vertices().view()},
                  std::ranges::all_of(this->plan(), has));
  }

  /// Reads rows of other ranks in place from now on, where there are views of them. The results are the same; ranks may
  /// read different rows. The memory is kept as long as the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, this rank's is missing, or a view does not have
  ///                             the rows of its part, or one per edge, in all collected tensors
  void read_in_place(node_views<view_type> const& neighborhood) {
    this->set_shared(neighborhood, [this](view_type const& view, int rank) { return source_of(view, rank); });
  }

  /// Writes the rows of all vertices; a `seeds_only` tensor gets the rows of the first `num_seeds`.
  ///
  /// @shape  vertices [N] global ids; distinct ids save bytes but are not required
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), or more seeds than vertices, or
  ///                           has no memory for the rows; the tensors of `out` are unchanged then
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_seeds, std::int64_t step, table_type& out) {
    detail::bulk_list<Policy, Vertex, table_type> const list{vertices, {}, num_seeds, &out};
    collect_bulk(std::span(&list, 1), step);
  }

  /// Writes the rows of edges with known destinations.
  ///
  /// @shape  ids [n] global edge ids · destinations [n] global vertex ids
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a destination outside [0, V), different numbers of ids
  ///                           and destinations, or an edge that the owner of its destination does not store, has no
  ///                           memory for the rows, or the features are of vertices
  /// @cost   O(n · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, edge_id const> ids, array_view<space, Vertex const> destinations, std::int64_t step,
               table_type& out) {
    detail::bulk_list<Policy, Vertex, table_type> const list{destinations, ids, destinations.size(), &out};
    collect_bulk(std::span(&list, 1), step);
  }

  /// Collects the rows of the edges of a sample, in its order.
  ///
  /// @throws collective_error  also if a rank has sampled edges without their ids
  template <vertex_id Vertex>
  void collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step, table_type& out) {
    detail::sampled_destinations(this->policy(), sample, destinations_);
    collect(sample.edge_ids(), std::as_const(destinations_).view(), step, out);
  }

  /// Collects several lists in one sweep of messages; see `feature_collector::collect_bulk`.
  template <vertex_id Vertex>
  void collect_bulk(std::span<bulk_list<Vertex> const> lists, std::int64_t step) {
    auto const prepare = [&] {
      targets_.reserve(lists.size() * this->plan().size());
      for (auto const& list : lists) {
        detail::check_num_first("seeds", list.num_seeds, list.vertices.size());
        reserve(list.vertices.size(), list.num_seeds, *list.out);
      }
    };
    auto const resize = [&] {
      targets_.clear();
      for (auto const& list : lists) {
        this->resize(list.vertices.size(), list.num_seeds, *list.out);
      }
      return std::span<detail::row_target const>(targets_);
    };
    this->template collect_rows<detail::any_conversion>(lists, step, prepare, resize);
  }

  /// Collects into memory of the collector; the result is valid until the next call.
  template <vertex_id Vertex>
  table_type const& collect(array_view<space, Vertex const> vertices, std::int64_t num_seeds, std::int64_t step) {
    collect(vertices, num_seeds, step, collected_);
    return collected_;
  }

  /// Collects all tensors for all vertices into memory of the collector.
  template <vertex_id Vertex>
  table_type const& collect(array_view<space, Vertex const> vertices, std::int64_t step) {
    return collect(vertices, vertices.size(), step);
  }
  template <vertex_id Vertex>
  table_type const& collect(array_view<space, edge_id const> ids, array_view<space, Vertex const> destinations,
                            std::int64_t step) {
    collect(ids, destinations, step, collected_);
    return collected_;
  }
  template <vertex_id Vertex>
  table_type const& collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step) {
    collect(sample, step, collected_);
    return collected_;
  }

private:
  static std::optional<detail::id_table_view<space>> table_of_edges(named_features<Policy> const& features) {
    return features.of_edges() ? std::optional(features.local().view().edges) : std::nullopt;
  }
  static auto agree_on_tensors(Comm& comm, named_features<Policy> const& features,
                               std::vector<tensor_request> const& wanted) {
    auto const misfit = detail::failure_of([&] {
      if (features.of_edges()) {
        detail::check_collected_edges(features.book(), comm.size());
      } else {
        detail::check_collected(features.book(), features.local().num_rows(), comm);
      }
    });
    return detail::agree_on_plan(comm, misfit, features.local().tensors(), wanted);
  }

  // Returns the rows of all tensors in a view of a part.
  [[nodiscard]] detail::source_rows<space> source_of(view_type const& view, int rank) const {
    auto const what = detail::message("view of part ", rank);
    auto const* const keys = features_->of_edges() ? "edges" : "vertices";
    auto const num_rows = view.of_edges ? view.edges.size() : features_->book().size(rank);
    detail::source_rows<space> made{detail::find_planned(this->plan(), view.rows, what), view.edges};
    for (std::size_t t = 0; t < made.tensors.size(); ++t) {
      if (view.of_edges != features_->of_edges() || made.tensors[t].num_rows != num_rows) {
        throw precondition_error(detail::message(what, " of ", num_rows, view.of_edges ? " edges" : " vertices",
                                                 " with ", made.tensors[t].num_rows, " rows of features \"",
                                                 this->plan()[t].name, "\" of ", keys,
                                                 "; share the features that the ranks were given"));
      }
    }
    return made;
  }

  [[nodiscard]] static std::int64_t rows_of(detail::planned_tensor<space> const& tensor, std::int64_t size,
                                            std::int64_t num_seeds) noexcept {
    return tensor.seeds_only ? num_seeds : size;
  }

  // Reserves memory for the rows of a batch; the contents of `out` stay.
  void reserve(std::int64_t size, std::int64_t num_seeds, table_type& out) {
    auto const& plan = this->plan();
    out.tensors.reserve(plan.size());
    while (out.tensors.size() < plan.size()) {
      out.tensors.push_back({.name = plan[out.tensors.size()].name, .bytes = {}});
    }
    for (std::size_t t = 0; t < plan.size(); ++t) {
      out.tensors[t].name.reserve(plan[t].name.size());
      detail::adopt_policy(this->policy(), out.tensors[t].bytes);
      out.tensors[t].bytes.reserve(rows_of(plan[t], size, num_seeds) * plan[t].local.num_columns *
                                   detail::size_of(plan[t].result));
    }
  }

  // Sets every tensor's name, type and number of rows, and adds its target; does not fail after `reserve`.
  void resize(std::int64_t size, std::int64_t num_seeds, table_type& out) {
    auto const& plan = this->plan();
    out.tensors.erase(out.tensors.begin() + std::ssize(plan), out.tensors.end());
    for (std::size_t t = 0; t < plan.size(); ++t) {
      auto& tensor = out.tensors[t];
      tensor.name = plan[t].name;
      tensor.type = plan[t].result;
      tensor.num_rows = rows_of(plan[t], size, num_seeds);
      tensor.num_columns = plan[t].local.num_columns;
      tensor.bytes.clear();
      tensor.bytes.resize(tensor.num_rows * tensor.num_columns * detail::size_of(tensor.type));
      targets_.push_back({tensor.type, tensor.bytes.data()});
    }
  }

  named_features<Policy> const* features_;
  std::vector<detail::row_target> targets_; // [lists, tensors]
  buffer<Policy, global_id> destinations_;  // of the edges of a sample
  table_type collected_;
};

template <communicator Comm, device_policy Policy>
named_collector(Comm, named_features<Policy> const&, std::vector<detail::tensor_request> const& = {}, Policy = {})
    -> named_collector<Comm, Policy>;

} // namespace glt::dist
