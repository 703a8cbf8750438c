// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/detail/boundary_cover.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>

namespace glt::detail {

/// Sums over a graph with a cover of its boundary: rows of some sources travel, and partial sums for the edges of others.
template <communicator Comm, host_policy Policy, class T>
class covered_pass {
  static constexpr memory_space space = Policy::space;

public:
  covered_pass(dist::sharded_graph<Comm, Policy>& graph, std::int64_t columns)
      : graph_(&graph), cover_(&*graph.cover()), columns_(columns),
        pieces_(sliced_rows::of<Policy>(columns)) {}

  /// out = A x.
  void pull(T const* x, T* out) const {
    graph_->passes().run(
        row_flow::pull, [&](std::int64_t k) { return bytes(cover_->num_sent(k)); },
        [&](std::int64_t k) { return bytes(cover_->num_received(k)); },
        [&](std::int64_t k, std::byte* block) {
          auto* const rows = reinterpret_cast<T*>(block);
          auto const sent = cover_->sent_rows(k);
          move<false>(sent.size(), {x, columns_, sent.data()}, {rows, columns_});
          set<true>(cover_->pushed(k), x, rows + sent.size() * columns_);
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const* const rows = reinterpret_cast<T const*>(block);
          auto const summed = cover_->summed_rows(k);
          set<false>(cover_->pulled(k), rows, out);
          move<true>(summed.size(), {rows + cover_->num_pulled(k) * columns_, columns_},
                     {out, columns_, summed.data()});
        },
        [&] { set<true>(graph_->shard(0), x, out); });
  }

  /// out = Aᵀ gradient, whose rows are divided by their degrees if there are any.
  void push(T const* gradient, array_view<space, local_id const> degrees, T* out) const {
    graph_->passes().run(
        row_flow::push, [&](std::int64_t k) { return bytes(cover_->num_received(k)); },
        [&](std::int64_t k) { return bytes(cover_->num_sent(k)); },
        [&](std::int64_t k, std::byte* block) {
          auto* const rows = reinterpret_cast<T*>(block);
          auto* const behind = rows + cover_->num_pulled(k) * columns_;
          auto const summed = cover_->summed_rows(k);
          set<true>(cover_->pulled_by_source(k), gradient, rows, degrees);
          move<false>(summed.size(), {gradient, columns_, summed.data()}, {behind, columns_});
          graph_->policy().executor().for_each(
              degrees.empty() ? 0 : summed.size(), [=, this](std::int64_t i) {
                for (std::int64_t c = 0; c < columns_; ++c) {
                  behind[i * columns_ + c] /= static_cast<T>(degrees[summed[i]]);
                }
              });
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const* const rows = reinterpret_cast<T const*>(block);
          auto const sent = cover_->sent_rows(k);
          move<true>(sent.size(), {rows, columns_}, {out, columns_, sent.data()});
          set<false>(cover_->pushed_by_source(k), rows + sent.size() * columns_, out);
        },
        [&] { set<true>(graph_->transposed(0), gradient, out, degrees); });
  }

private:
  [[nodiscard]] std::int64_t bytes(std::int64_t rows) const {
    return rows * columns_ * static_cast<std::int64_t>(sizeof(T));
  }

  // y = (or +=) the sums over a shard.
  template <bool Clear>
  void set(dist::shard_view<space> shard, T const* x, T* y,
           array_view<space, local_id const> degrees = {}) const {
    auto const ex = graph_->policy().executor();
    if (Clear) {
      ex.for_each(shard.num_rows * columns_, fill_value<T>{y, T(0)});
    }
    auto const add = [&]<class Edges>(Edges edges) {
      ex.for_each(pieces_.count(shard.rows.size()),
                  add_rows<space, T, Edges>{shard, x, y, pieces_, columns_, edges});
    };
    degrees.empty() ? add(plain_edges{}) : add(weighted_edges<space, T>{{}, 1, degrees});
  }
  template <bool Add>
  void move(std::int64_t count, strided_rows<T const> from, strided_rows<T> to) const {
    graph_->policy().executor().for_each(pieces_.count(count), move_rows<Add, T>{from, to, pieces_});
  }

  dist::sharded_graph<Comm, Policy>* graph_;
  boundary_cover<space> const* cover_;
  std::int64_t columns_;
  sliced_rows pieces_;
};

/// y [num_destinations, columns] = A x, of a graph that has a cover.
template <communicator Comm, device_policy Policy, class T>
void pull_covered(dist::sharded_graph<Comm, Policy>& graph, T const* x, std::int64_t columns, T* y) {
  if constexpr (host_policy<Policy>) { // others have none
    covered_pass<Comm, Policy, T>(graph, columns).pull(x, y);
  }
}

/// out [num_sources, columns] = Aᵀ gradient, whose rows are divided by their degrees if there are any.
template <communicator Comm, device_policy Policy, class T>
void push_covered(dist::sharded_graph<Comm, Policy>& graph, T const* gradient, std::int64_t columns,
                  array_view<Policy::space, local_id const> degrees, T* out) {
  if constexpr (host_policy<Policy>) {
    covered_pass<Comm, Policy, T>(graph, columns).push(gradient, degrees, out);
  }
}

} // namespace glt::detail
