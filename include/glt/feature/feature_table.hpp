// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>

#include <memory>

namespace glt::detail {

[[noreturn]] inline void refuse_edge(std::int64_t i, edge_id id, std::int64_t num_edges) {
  throw precondition_error(message("edge ", i, " has the id ", id, ", which is not among the ", num_edges,
                                   " of these features; pass global edge ids"));
}

/// Map from the global id of an edge to its row.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  E edges with a row each
template <device_policy Policy>
class edge_rows {
public:
  edge_rows() = default;

  /// @shape  ids [E], in the order of the rows
  /// @throws precondition_error  if there is not one row per id, an id is negative or comes twice, or there are
  ///                             2³¹ or more
  /// @cost   O(E), and 20 to 32 bytes an edge
  edge_rows(buffer<Policy, edge_id> ids, std::int64_t num_rows) : edges_(std::move(ids), "edge") {
    if (edges_.size() != num_rows) {
      throw precondition_error(message(num_rows, " rows for ", edges_.size(), " edges; give one per edge"));
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return edges_.size(); }
  /// Returns a view that finds the row of an edge.
  [[nodiscard]] id_table_view<Policy::space> view() const noexcept { return edges_.view(); }

  /// Finds the rows of edges.
  ///
  /// @shape  ids [n] → found, n rows
  /// @throws precondition_error  if an edge is not among these
  void find(array_view<Policy::space, edge_id const> ids, std::vector<local_id>& found) const
    requires host_policy<Policy>
  {
    found.resize(static_cast<std::size_t>(ids.size()));
    edges_.find_all(
        ids.size(), [&](std::int64_t i) { return ids[i]; },
        [&](std::int64_t i, std::int64_t row) {
          if (row < 0) {
            refuse_edge(i, ids[i], size());
          }
          found[static_cast<std::size_t>(i)] = static_cast<local_id>(row);
        });
  }

private:
  id_table<Policy> edges_;
};

} // namespace glt::detail

namespace glt {

/// Several feature tensors of the same vertices or edges, by name; each has its element type and width; move-only. Rows
/// of vertices are found by their number, rows of edges by global edge id, and may have any order.
///
///     table.add("text", std::move(halves));
///     auto const x = table.gather<float>("text", ids); // x.view().features is [S, F]
///     glt::feature_table const of_edges(std::move(edge_ids), std::move(table));
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  N vertices or edges, a row in every tensor each
template <device_policy Policy>
class feature_table {
public:
  static constexpr memory_space space = Policy::space;
  using rows_type = detail::named_rows<space>; ///< name and rows of a tensor
  using view_type = detail::table_view<space>; ///< all tensors, as collectors read them

  /// @throws precondition_error  if num_rows is negative
  explicit feature_table(std::int64_t num_rows, Policy policy = {}) : num_rows_(num_rows), policy_(std::move(policy)) {
    if (num_rows < 0) {
      throw precondition_error(detail::message("feature table of ", num_rows, " rows; give 0 or more"));
    }
  }

  /// Makes a table of edges of the rows of another table.
  ///
  /// @shape  edges [N] global ids, such as the edge ids of a part · rows of N edges, in the same order
  /// @throws precondition_error  if there is not one row per id, an id is negative or comes twice, or there are
  ///                             2³¹ or more
  /// @cost   O(N), and 20 to 32 bytes an edge
  feature_table(buffer<Policy, edge_id> edges, feature_table rows) : feature_table(std::move(rows)) {
    edges_.emplace(std::move(edges), num_rows_);
  }

  feature_table(feature_table&&) noexcept = default;
  feature_table& operator=(feature_table&&) noexcept = default;

  /// Takes a tensor over.
  ///
  /// @throws precondition_error  if there is a tensor of that name, or it does not have one row per vertex or edge
  template <detail::element T>
  void add(std::string name, feature_store<Policy, T> store) {
    if (std::ranges::find(tensors_, name, &tensor::name) != tensors_.end()) {
      throw precondition_error(detail::message("features \"", name, "\" are there already; choose another name"));
    }
    if (store.view().num_vertices() != num_rows_) {
      throw precondition_error(detail::message("features \"", name, "\" of ", store.view().num_vertices(),
                                               " rows in a table of ", num_rows_, " rows; give as many"));
    }
    auto owned = std::make_shared<feature_store<Policy, T> const>(std::move(store));
    auto const rows = detail::without_type(owned->view());
    tensors_.push_back({std::move(name), rows, std::move(owned)});
  }

  [[nodiscard]] std::int64_t num_rows() const noexcept { return num_rows_; }
  /// Returns true if the rows are of edges, and false if they are of vertices.
  [[nodiscard]] bool of_edges() const noexcept { return edges_.has_value(); }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  /// Returns the names, in the order in which they were added.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& each : tensors_) {
      all.push_back(each.name);
    }
    return all;
  }

  /// Returns the element type of a tensor.
  ///
  /// @throws precondition_error  listing the names, if there is no tensor of that name
  [[nodiscard]] element_type type(std::string_view name) const { return find(name).rows.type; }
  [[nodiscard]] std::int64_t num_columns(std::string_view name) const { return find(name).rows.num_columns; }

  /// Returns a tensor as it is stored.
  ///
  /// @throws precondition_error  if there is no tensor of that name, or T is not its element type
  template <detail::element T>
  [[nodiscard]] feature_view<space, T> view(std::string_view name) const {
    auto const& found = find(name);
    if (found.rows.type != detail::element_type_of<T>) {
      refuse<T>(name);
    }
    return static_cast<feature_store<Policy, T> const*>(found.store.get())->view();
  }

  /// Returns all tensors, in the order in which they were added; without the labels of their stores.
  [[nodiscard]] std::vector<rows_type> tensors() const {
    std::vector<detail::named_rows<space>> all;
    for (auto const& each : tensors_) {
      all.push_back({each.name, each.rows});
    }
    return all;
  }

  /// Borrows all tensors, and the table that finds rows of edges.
  [[nodiscard]] view_type view() const {
    return {tensors(), edges_ ? edges_->view() : detail::id_table_view<space>(), of_edges()};
  }

  /// Copies rows of a tensor, converted as by `gather_rows`.
  ///
  /// @shape  ids [S], rows of vertices or global edge ids · out [S, F], written
  /// @pre    every row of a vertex is in [0, N); not checked
  /// @throws precondition_error  if there is no tensor of that name, its elements cannot become `Out`, out is not
  ///                             [S, F], an edge is not in the table, or the table of edges is in memory of a device
  template <class Id, detail::element Out>
  void gather(std::string_view name, array_view<space, Id const> ids, matrix_view<space, Out> out) const {
    if (edges_) {
      if constexpr (host_policy<Policy> && std::same_as<Id, edge_id>) {
        std::vector<local_id> rows;
        edges_->find(ids, rows);
        gather_stored(name, array_view<space, local_id const>(rows.data(), ids.size()), out);
        return;
      }
      throw precondition_error(detail::message("features \"", name,
                                               "\" of edges are gathered by glt::edge_id, and in "
                                               "memory of the host; a collector gathers them on devices"));
    }
    gather_stored(name, ids, out);
  }
  /// Copies rows of a tensor into new memory.
  template <detail::element Out, class Id>
  [[nodiscard]] feature_store<Policy, Out> gather(std::string_view name, array_view<space, Id const> ids) const {
    auto const columns = num_columns(name);
    buffer<Policy, Out> rows(ids.size() * columns, policy_);
    gather(name, ids, matrix_view<space, Out>(rows.data(), ids.size(), columns));
    return {ids.size(), columns, std::move(rows)};
  }

private:
  struct tensor {
    std::string name;
    detail::any_rows<space> rows;
    std::shared_ptr<void const> store; // a feature_store of the element type
  };

  [[nodiscard]] tensor const& find(std::string_view name) const { return detail::find_named(tensors_, name); }

  template <class Id, class Out>
  void gather_stored(std::string_view name, array_view<space, Id const> ids, matrix_view<space, Out> out) const {
    auto const& from = find(name).rows;
    constexpr auto type = detail::element_type_of<Out>;
    if (!detail::gathers(from.type, type)) {
      refuse<Out>(name);
    }
    detail::check_gather(ids.size(), from.num_columns, out.rows(), out.columns());
    detail::transfer_any_rows<detail::cached_writes, detail::conversions_to<Out>>(
        policy_.executor(), ids.size(), from, detail::rows_listed<Id>{ids.data()}, detail::rows_in_order{}, type,
        reinterpret_cast<std::byte*>(out.data()));
  }

  template <class T>
  [[noreturn]] void refuse(std::string_view name) const {
    throw precondition_error(detail::message("features \"", name, "\" are ", detail::name_of(type(name)), ", not ",
                                             detail::name_of(detail::element_type_of<T>), "; ask for ",
                                             detail::name_of(type(name)), ", or gather them as float32 or float64"));
  }

  std::int64_t num_rows_;
  Policy policy_;
  std::optional<detail::edge_rows<Policy>> edges_; // none of vertices
  std::vector<tensor> tensors_;
};

} // namespace glt
