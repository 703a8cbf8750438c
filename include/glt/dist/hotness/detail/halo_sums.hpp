// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/graph.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/numbering.hpp>
#include <glt/sample/hotness/detail/hotness_walk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::dist {

/// Where the sum of a vertex is: own vertices have the place of their row, those of the halo the places behind.
///
/// @pre    the vertex belongs to the part or its halo; not checked
template <vertex_id Vertex>
struct part_slot {
  Vertex begin;
  Vertex end;
  first_seen_numbering<Vertex> const* halo;
  std::int64_t operator()(Vertex vertex) const noexcept {
    return vertex >= begin && vertex < end ? vertex - begin : end - begin + std::int64_t{halo->position_of(vertex)};
  }
};

/// The sources of a part's edges that other parts own (its halo), and the way of sums to their owners.
template <communicator Comm, vertex_id Vertex>
class halo_sums {
public:
  explicit halo_sums(Comm comm) : requests_(std::move(comm)) {}

  /// Finds the halo of this rank's part, in the order of its edges.
  ///
  /// @throws precondition_error  if a source is not in [0, V)
  /// @cost   O(E); some 100 bytes a halo vertex
  template <device_policy Policy>
  void find(graph<Policy, Vertex> const& graph) {
    begin_ = static_cast<Vertex>(graph.book().begin(graph.part()));
    end_ = static_cast<Vertex>(graph.book().end(graph.part()));
    for (auto const source : graph.local().sources()) {
      bool const own = source >= begin_ && source < end_;
      if (!own && numbering_.number(source).second) {
        vertices_.push_back(source);
      }
    }
    requests_.route(graph.book(), host_view<Vertex const>(vertices_));
    sent_.resize(vertices_.size());
  }

  /// Vertices of the halo.
  [[nodiscard]] std::int64_t size() const noexcept { return numbering_.size(); }
  /// Borrows the halo, which must outlive it and stay where it is.
  [[nodiscard]] part_slot<Vertex> slot() const noexcept { return {begin_, end_, &numbering_}; }

  /// Tells the owners, once, whose sums will come.
  ///
  /// @comm   collective; one header exchange and, if any rank has a halo, 4 bytes a vertex of it
  void announce(call_site site) {
    requests_.start(site, 0, {});
    requests_.finish();
  }
  /// Makes room for the sums of the others: after `announce`, so that `exchange` cannot fail for want of memory.
  void make_room() { received_.resize(requests_.received().size()); }

  /// Moves the sums behind the first `rows` to their owners and adds what comes from the others.
  ///
  /// @shape  sums [rows + size()]
  /// @comm   collective; if any rank has a halo, one variable exchange of 8 bytes a vertex of it
  template <memory_space Space>
  void exchange(array_view<Space, detail::log_miss> sums, std::int64_t rows) {
    if (!requests_.anything()) {
      return;
    }
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      sent_[i] = std::min(sums[rows + requests_.asked_places()[i]], detail::certain);
    }
    detail::exchange_rows(requests_.comm(), host_view<detail::log_miss const>(sent_), requests_.asked_counts(),
                  host_view<detail::log_miss>(received_), requests_.received_counts());
    for (std::size_t i = 0; i < received_.size(); ++i) {
      detail::add_capped(sums[row_of(requests_.received()[i])], received_[i]);
    }
  }

private:
  first_seen_numbering<Vertex> numbering_;
  std::vector<Vertex> vertices_;
  Vertex begin_ = 0;
  Vertex end_ = 0;
  requests<Comm> requests_;
  std::vector<detail::log_miss> sent_;
  std::vector<detail::log_miss> received_;
};

} // namespace glt::dist
