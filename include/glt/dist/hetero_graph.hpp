// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hotness/detail/hot_edges.hpp>
#include <glt/dist/shared/detail/replicated_parts.hpp>
#include <glt/dist/shared/detail/rule_data.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/partition/split.hpp>

namespace glt::dist {

/// Heterogeneous graph of which every rank owns one part: vertices of every type with all their in-edges.
///
/// Vertices of a type are numbered part by part; `book()` tells their owners and `original()` their original ids.
/// Memory holds the part plus P + 1 offsets a node type.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  local(e) rows are the vertices of this part of the destination type, columns global ids of the
///         source type
template <device_policy Policy, vertex_id Vertex = global_id>
class hetero_graph {
public:
  using policy_type = Policy;
  using vertex_type = Vertex;
  static constexpr memory_space space = Policy::space;

  /// Takes over this rank's part and agrees with the other ranks on types and partitions.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if a rank has the part of another rank, its part contradicts its schema
  ///                           or books, or has other types or partitions than the part of rank 0
  template <communicator Comm>
  hetero_graph(Comm& comm, hetero_part<Policy, Vertex> part) : part_(std::move(part)) {
    auto const fault = detail::failure_of([&] { check(comm.rank(), comm.size()); });
    detail::agree(comm, {.what = detail::operation::make_graph}, fault, fault.empty() ? print() : 0,
                  "has other types or partition books than rank 0; load parts of one partition on all ranks");
  }

  [[nodiscard]] hetero_schema const& schema() const noexcept { return part_.schema; }
  [[nodiscard]] int part() const noexcept { return part_.part; }

  /// @pre    node_type is in [0, schema().num_node_types()); not checked
  [[nodiscard]] partition_book const& book(int node_type) const noexcept {
    return part_.books[static_cast<std::size_t>(node_type)];
  }
  /// Returns the original id of every vertex of a type in this part, by local id.
  ///
  /// @pre    as `book`
  [[nodiscard]] array_view<space, global_id const> original(int node_type) const noexcept {
    return part_.original[static_cast<std::size_t>(node_type)].view();
  }
  /// @pre    edge_type is in [0, schema().num_edge_types()); not checked
  [[nodiscard]] csr_view<space, Vertex> local(int edge_type) const {
    return part_.relations[static_cast<std::size_t>(edge_type)].view();
  }
  /// Returns views of the parts that samplers of this graph read in place; without entries if there is no such part.
  [[nodiscard]] node_views<typename hetero_part<Policy, Vertex>::view_type> const& neighborhood() const noexcept {
    return neighborhood_;
  }

private:
  template <device_policy, vertex_id>
  friend class data_set; // shares memory
  friend struct glt::detail::copied_edges;

  // Moves the part to node-shared memory. Collective; see `share`.
  template <node_memory Node>
  void share(Node& node) {
    auto shared = dist::share(node, part_, Policy());
    part_ = std::move(shared.own);
    neighborhood_ = std::move(shared.neighborhood);
  }
  // Moves the part to memory that the machine shares, and copies the parts of other machines there; to private memory
  // if `memory` is empty. Collective; see `replicate_parts`.
  template <communicator Comm, class Memory>
  void replicate(Comm& comm, Memory& memory) {
    if constexpr (host_policy<Policy> && space == memory_space::host) {
      on_memory(comm, memory, [&](auto& node) { replicate_on(comm, node); });
    } else {
      throw precondition_error("a replicated topology on a device; policies of the host alone read graphs in place, so "
                               "make the data set on device::cpu");
    }
  }
  // Calls use(memory); if it is empty, with private memory.
  template <communicator Comm, class Memory, class Use>
  static void on_memory(Comm& comm, Memory& memory, Use use) {
    if constexpr (!std::same_as<Memory, std::nullopt_t>) {
      if (memory) {
        use(*memory);
        return;
      }
    }
    detail::private_node alone(comm);
    use(alone);
  }
  // Moves the data of a rule to the memory of the parts that are read in place. Collective; see `share_rule`, and
  // `replicate_parts` over a replicated topology.
  template <communicator Comm, class Memory, class Rule>
  void share_data(Comm& comm, Memory& memory, Rule& rule, int edge_type) {
    if constexpr (host_policy<Policy> && space == memory_space::host) {
      on_memory(comm, memory, [&](auto& node) {
        detail::share_data(node, neighborhood_, rule, static_cast<std::size_t>(edge_type), [&](auto& shared) {
          if (neighborhood_.everywhere) {
            detail::replicate_parts(comm, node, shared.block, shared.of_node, detail::read_shared);
          }
        });
      });
    }
  }
  // Replaces the copies of hot edges, or keeps them if there is no budget. Collective; see `data_set::copy_hot_edges`.
  template <communicator Comm>
  void copy_hot_edges(Comm& comm, std::span<host_view<double const> const> hotness, std::int64_t bytes,
                      std::span<std::optional<detail::edge_values_view<space>> const> values) {
    auto made = detail::hot_edges_maker(comm, *this, hotness, values).make(bytes);
    hot_edges_ = bytes == 0 ? hot_edges_ : std::move(made);
  }
  template <communicator Comm, node_memory Node>
  void replicate_on(Comm& comm, Node& node) {
    detail::shared_arrays_of_part<Policy, Vertex> shared(node, std::span(std::as_const(part_.relations)),
                                                         std::span(std::as_const(part_.original)), Policy());
    part_.relations = std::move(shared.graphs);
    part_.original = std::move(shared.original);
    detail::replicate_parts(comm, node, shared.block, shared.neighborhood, [](std::span<std::byte const> block) {
      return detail::view_of_part<space, Vertex>(detail::read_shared(block));
    });
    neighborhood_ = std::move(shared.neighborhood);
  }

  void check(int rank, int size) const {
    if (part_.part != rank) {
      throw precondition_error(detail::message("was given part ", part_.part, "; rank r takes part r"));
    }
    if (std::ssize(part_.books) != schema().num_node_types() || part_.original.size() != part_.books.size() ||
        std::ssize(part_.relations) != schema().num_edge_types()) {
      throw precondition_error(detail::message(
          part_.books.size(), " books, ", part_.original.size(), " lists of original ids and ", part_.relations.size(),
          " relations for ", schema().num_node_types(), " node types and ", schema().num_edge_types(), " edge types"));
    }
    for (int t = 0; t < schema().num_node_types(); ++t) {
      auto const& name = schema().node_types()[static_cast<std::size_t>(t)].name;
      if (book(t).num_parts() != size) {
        throw precondition_error(detail::message("partition of type '", name, "' into ", book(t).num_parts(),
                                                 " parts on ", size, " ranks; start as many ranks as there are parts"));
      }
      if (book(t).num_vertices() != schema().num_vertices(t) || original(t).size() != book(t).size(rank)) {
        throw precondition_error(detail::message(
            original(t).size(), " original ids and a book of ", book(t).num_vertices(), " vertices of type '", name,
            "', but its part has ", book(t).size(rank), " of ", schema().num_vertices(t)));
      }
    }
    for (int e = 0; e < schema().num_edge_types(); ++e) {
      auto const rows = book(schema().destination_type(e)).size(rank);
      auto const columns = schema().num_vertices(schema().source_type(e));
      if (local(e).num_rows() != rows || local(e).num_columns() != columns) {
        throw precondition_error(detail::message("part of ", local(e).num_rows(), " rows and ", local(e).num_columns(),
                                                 " columns of relation ", schema().name_of_edge_type(e),
                                                 ", but the books say ", rows, " and ", columns));
      }
    }
  }

  [[nodiscard]] std::int64_t print() const {
    detail::fingerprint print;
    print.add(schema().num_node_types());
    for (int t = 0; t < schema().num_node_types(); ++t) {
      print.add(schema().node_types()[static_cast<std::size_t>(t)].name).add(detail::book_fingerprint(book(t)));
    }
    for (int e = 0; e < schema().num_edge_types(); ++e) {
      print.add(schema().edge_types()[static_cast<std::size_t>(e)].name);
      print.add(schema().source_type(e)).add(schema().destination_type(e));
    }
    return print.value();
  }

  hetero_part<Policy, Vertex> part_;
  node_views<detail::part_view<space, Vertex>> neighborhood_;
  std::shared_ptr<detail::hot_edges<Vertex> const> hot_edges_; // copies of in-edges of other parts, or null
};

} // namespace glt::dist
