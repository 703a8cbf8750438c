// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/part_halo.hpp>
#include <glt/dist/graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/hotness/detail/log_miss.hpp>

#include <utility>

namespace glt::detail {

template <memory_space Space>
struct gather_halo_sum {
  array_view<Space, log_miss const> sums; // of the halo
  array_view<Space, std::int64_t const> places;
  array_view<Space, log_miss> sent;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const sum = sums[places[i]];
    sent[i] = sum < certain ? sum : certain;
  }
};

template <memory_space Space>
struct add_halo_sum {
  array_view<Space, local_id const> rows;
  array_view<Space, log_miss const> received;
  array_view<Space, log_miss> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { add_capped(sums[rows[i]], received[i]); }
};

/// Halo of a part (sources of its edges that other parts own), and the exchange of sums with their owners.
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class halo_sums {
  static constexpr memory_space space = Policy::space;

public:
  explicit halo_sums(Comm comm, Policy policy = {})
      : halo_(policy), routed_(std::move(comm), policy), sent_(0, policy), received_(0, policy) {}

  /// Finds the halo of this rank's part, in the order of its edges.
  ///
  /// @throws precondition_error  if a source is not in [0, V)
  /// @cost   as `part_halo::find`
  void find(dist::graph<Policy, Vertex> const& graph) {
    halo_.find(graph.local(), graph.book().begin(graph.part()), graph.book().end(graph.part()));
    routed_.route(graph.book(), halo_.vertices(), row_alone{});
    sent_.resize(halo_.size());
  }

  /// Vertices of the halo.
  [[nodiscard]] std::int64_t size() const noexcept { return halo_.size(); }
  /// Returns a slot that borrows the halo; the halo must outlive it and must not move.
  [[nodiscard]] auto slot() noexcept { return halo_.slot(); }

  /// Tells the owners once for which vertices this rank will send sums.
  ///
  /// @comm   collective; one header exchange and, if any rank has a halo, 4 bytes per halo vertex
  void announce(call_site site) { routed_.send(site); }
  /// Allocates memory for received sums. Call it after `announce`: then `exchange` cannot run out of memory.
  void reserve() { received_.resize(routed_.received().size()); }

  /// Sends the sums from index `rows` on to their owners, and adds the received sums to the first `rows`.
  ///
  /// @shape  sums [rows + size()]
  /// @comm   collective; if any rank has a halo, one variable exchange of 8 bytes per halo vertex
  void exchange(array_view<space, log_miss> sums, std::int64_t rows) {
    if (!routed_.anything()) {
      return;
    }
    auto const ex = routed_.policy().executor();
    ex.for_each(sent_.size(), gather_halo_sum<space>{sums.subview(rows, size()), routed_.places(), sent_.view()});
    routed_.exchange().start(std::as_const(sent_).view(), received_.view());
    routed_.exchange().wait();
    ex.for_each(received_.size(), add_halo_sum<space>{routed_.received(), std::as_const(received_).view(), sums});
  }

private:
  part_halo<Policy, Vertex> halo_;
  routed_list<Comm, Policy, local_id> routed_;
  buffer<Policy, log_miss> sent_;
  buffer<Policy, log_miss> received_;
};

} // namespace glt::detail
