// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/detail/boundary_cover.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
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
      : graph_(&graph), cover_(&*graph.cover()), rows_(graph.policy(), columns) {}

  /// out = A x.
  void pull(T const* x, T* out) const {
    graph_->passes().run(
        row_flow::pull, [&](std::int64_t k) { return rows_.bytes(cover_->num_sent(k)); },
        [&](std::int64_t k) { return rows_.bytes(cover_->num_received(k)); },
        [&](std::int64_t k, std::byte* block) {
          auto* const rows = reinterpret_cast<T*>(block);
          auto const sent = cover_->sent_rows(k);
          auto* const sums = rows + sent.size() * rows_.columns();
          rows_.template move<false>(sent.size(), x, sent.data(), rows, nullptr);
          rows_.clear(sums, cover_->num_served(k));
          rows_.add(cover_->pushed(k), x, sums);
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const* const rows = reinterpret_cast<T const*>(block);
          auto const summed = cover_->summed_rows(k);
          rows_.add(cover_->pulled(k), rows, out);
          rows_.template move<true>(summed.size(), rows + cover_->num_pulled(k) * rows_.columns(), nullptr,
                                    out, summed.data());
        },
        [&] {
          rows_.clear(out, graph_->num_destinations());
          rows_.add(graph_->shard(0), x, out);
        });
  }

  /// out = Aᵀ gradient, whose rows are divided by their degrees if there are any.
  void push(T const* gradient, array_view<space, local_id const> degrees, T* out) const {
    graph_->passes().run(
        row_flow::push, [&](std::int64_t k) { return rows_.bytes(cover_->num_received(k)); },
        [&](std::int64_t k) { return rows_.bytes(cover_->num_sent(k)); },
        [&](std::int64_t k, std::byte* block) {
          auto* const rows = reinterpret_cast<T*>(block);
          auto const columns = rows_.columns();
          auto* const behind = rows + cover_->num_pulled(k) * columns;
          auto const summed = cover_->summed_rows(k);
          rows_.clear(rows, cover_->num_pulled(k));
          rows_.add(cover_->pulled_by_source(k), gradient, rows, degrees);
          rows_.template move<false>(summed.size(), gradient, summed.data(), behind, nullptr);
          graph_->policy().executor().for_each(degrees.empty() ? 0 : summed.size(), [=](std::int64_t i) {
            for (std::int64_t c = 0; c < columns; ++c) {
              behind[i * columns + c] /= static_cast<T>(degrees[summed[i]]);
            }
          });
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const* const rows = reinterpret_cast<T const*>(block);
          auto const sent = cover_->sent_rows(k);
          rows_.template move<true>(sent.size(), rows, nullptr, out, sent.data());
          rows_.add(cover_->pushed_by_source(k), rows + sent.size() * rows_.columns(), out);
        },
        [&] {
          rows_.clear(out, graph_->num_sources());
          rows_.add(graph_->transposed(0), gradient, out, degrees);
        });
  }

private:
  dist::sharded_graph<Comm, Policy>* graph_;
  boundary_cover<space> const* cover_;
  row_sums<Policy, T> rows_;
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
