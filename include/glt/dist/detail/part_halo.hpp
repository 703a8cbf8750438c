// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/batch_numbering.hpp>

namespace glt::detail {

/// Slot of a vertex in a part: local vertices have the slots of their rows, the halo has the slots behind.
///
/// @pre    the vertex belongs to the part or its halo; not checked
template <class Vertex, class PositionInHalo>
struct part_slot {
  Vertex begin;
  Vertex end;
  PositionInHalo halo;
  GLT_HOST_DEVICE std::int64_t operator()(Vertex vertex) const {
    return vertex >= begin && vertex < end ? std::int64_t{vertex - begin} : end - begin + std::int64_t{halo(vertex)};
  }
};

// True for edge first + i if another part owns its source.
template <memory_space Space, class Vertex>
struct is_from_elsewhere {
  csr_view<Space, Vertex> rows;
  edge_offset first;
  Vertex begin;
  Vertex end;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const {
    auto const source = rows.source(first + i);
    return source < begin || source >= end;
  }
};

template <memory_space Space, class Vertex>
struct write_own_slots {
  csr_view<Space, Vertex> rows;
  Vertex begin;
  array_view<Space, std::int64_t> slots;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const { slots[e] = rows.source(e) - begin; }
};

// Sources of the edges from other parts, for `batch_numbering`.
template <memory_space Space, class Vertex>
struct halo_occurrences {
  csr_view<Space, Vertex> rows;
  edge_offset first;
  array_view<Space, std::int64_t const> edges; // counted from `first`
  array_view<Space, Vertex> vertices;          // written
  std::int64_t num_own;
  array_view<Space, std::int64_t> slots; // written, or empty

  GLT_HOST_DEVICE Vertex key(std::int64_t i) const { return rows.source(first + edges[i]); }
  GLT_HOST_DEVICE Vertex known(std::int64_t n) const { return vertices[n]; }
  GLT_HOST_DEVICE void set(std::int64_t i, local_id number) const {
    if (!slots.empty()) {
      slots[first + edges[i]] = num_own + number;
    }
  }
  GLT_HOST_DEVICE void add(std::int64_t i, local_id number) const { vertices[number] = key(i); }
};

/// Distinct sources of a part's edges that other parts own, in the order of the edges.
template <device_policy Policy, vertex_id Vertex>
class part_halo {
  static constexpr memory_space space = Policy::space;
  using numbering = batch_numbering<Policy, Vertex>;
  using position_in_halo = decltype(std::declval<numbering&>().look_up(array_view<space, Vertex const>()));

public:
  /// @param  block_size  number of edges that are numbered at a time
  explicit part_halo(Policy policy = {}, std::int64_t block_size = std::int64_t{1} << 22)
      : policy_(policy), block_size_(block_size), numbering_(policy), vertices_(0, policy) {}

  /// Finds the halo of rows whose vertices are [begin, end), once; writes the slots of all sources if `slots` is not
  /// empty.
  ///
  /// @shape  rows with E edges, sources are global ids · slots [E], written, or empty
  /// @cost   O(E); some 100 bytes a halo vertex
  void find(csr_view<space, Vertex> rows, global_id begin, global_id end, array_view<space, std::int64_t> slots = {}) {
    begin_ = static_cast<Vertex>(begin);
    end_ = static_cast<Vertex>(end);
    number_in_blocks(rows, slots);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return vertices_.size(); }
  /// @shape  [size()] global ids
  [[nodiscard]] array_view<space, Vertex const> vertices() const noexcept { return vertices_.view(); }

  /// Returns a function that borrows this object, which must not move.
  [[nodiscard]] part_slot<Vertex, position_in_halo> slot() noexcept {
    return {begin_, end_, numbering_.look_up(vertices())};
  }

private:
  void number_in_blocks(csr_view<space, Vertex> rows, array_view<space, std::int64_t> slots) {
    auto const ex = policy_.executor();
    ex.for_each(slots.size(), write_own_slots<space, Vertex>{rows, begin_, slots});
    buffer<Policy, std::int64_t> edges(std::min(rows.num_edges(), block_size_), policy_);
    buffer<Policy, std::int64_t> sizes(2, policy_);
    numbering_.clear();
    std::int64_t size = 0;
    for (edge_offset first = 0; first < rows.num_edges(); first += block_size_) {
      auto const count = ex.select_if(std::min(rows.num_edges() - first, block_size_),
                                      is_from_elsewhere<space, Vertex>{rows, first, begin_, end_}, edges.view());
      vertices_.resize(numbering_.bound_after(count));
      copy_in(policy_, host_view<std::int64_t const>(&size, 1), sizes.view().subview(0, 1));
      numbering_.number_all({.bound = count}, std::as_const(sizes).view().subview(0, 1), sizes.view().subview(1, 1),
                            halo_occurrences<space, Vertex>{rows, first, std::as_const(edges).view().subview(0, count),
                                                            vertices_.view(), end_ - begin_, slots});
      size = read_element(policy_, sizes.view(), 1);
      numbering_.tighten(size);
    }
    vertices_.resize(size);
  }

  Policy policy_;
  std::int64_t block_size_;
  numbering numbering_;
  buffer<Policy, Vertex> vertices_;
  Vertex begin_ = 0;
  Vertex end_ = 0;
};

} // namespace glt::detail
