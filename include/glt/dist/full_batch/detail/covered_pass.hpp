// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/aggregate_pass.hpp>
#include <glt/dist/full_batch/detail/boundary_cover.hpp>
#include <glt/dist/full_batch/detail/combine_rows.hpp>
#include <glt/dist/full_batch/detail/extreme_rows.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace glt::detail {

/// A pass over a graph with a cover of its boundary: rows of some sources travel, and partial results for the edges of
/// others. Between two ranks the cover is used where that takes fewer bytes than the rows of all sources.
///
/// A block is rows, sums (or the other way round, gradients), the weights of pushed edges if they go with it, and of
/// extremes the edges that have them.
template <communicator Comm, host_policy Policy, class T>
class covered_pass {
  static constexpr memory_space space = Policy::space;
  using options_type = dist::aggregation<space, T>;

public:
  /// @param served_weights  room for the weights of edges that other ranks push; null where edges have none
  covered_pass(dist::sharded_graph<Comm, Policy>& graph, std::int64_t columns, options_type const& options,
               aggregate_pass<Comm, Policy> const& pass)
      : graph_(&graph), cover_(&*graph.cover()), rows_(graph.policy(), columns), options_(options),
        weights_(pass.is_weighted() ? options.heads : 0), served_weights_(pass.template served_weights<T>()) {}

  /// y [num_destinations] and, of extremes, `chosen` get what they hold combined with the rows of x over all edges.
  template <class Prepare>
  void pull(T const* x, T* y, local_id* chosen, Prepare prepare) const {
    if (weights_ > 0) {
      fetch_weights();
    }
    graph_->passes().run(
        row_flow::pull, [&](std::int64_t k) { return size_of(outgoing(k), 0); },
        [&](std::int64_t k) { return size_of(incoming(k), 0); },
        [&](std::int64_t k, std::byte* block) {
          auto const out = outgoing(k);
          auto const parts = parts_of(block, out, 0);
          rows_.template move<false>(out.sent.size(), x, out.sent.data(), parts.rows, nullptr);
          rows_.clear(parts.sums, out.pushed.num_rows);
          if (is_extreme(options_.how)) {
            std::fill_n(parts.chosen, out.pushed.num_rows * rows_.columns(), no_edge);
          }
          combine_rows(graph_->policy(), out.pushed, x, rows_.columns(), served_options(served_weights_at(k), out),
                       parts.sums, parts.chosen);
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const in = incoming(k);
          auto const parts = parts_of(block, in, 0);
          combine_rows(graph_->policy(), in.pulled, parts.rows, rows_.columns(), options_, y, chosen);
          if (options_.how == dist::aggregator::max) {
            merge<true>(in, parts, y, chosen);
          } else if (options_.how == dist::aggregator::min) {
            merge<false>(in, parts, y, chosen);
          } else {
            rows_.template move<true>(in.summed.size(), parts.sums, nullptr, y, in.summed.data());
          }
        },
        [&] {
          prepare();
          combine_rows(graph_->policy(), graph_->shard(0), x, rows_.columns(), options_, y, chosen);
        });
  }

  /// out [num_sources] gets what the gradients of all destinations are by sources; degrees, if there are any, divide them.
  void push(T const* gradient, local_id const* chosen, array_view<space, local_id const> degrees, T* out) const {
    auto const columns = rows_.columns();
    graph_->passes().run(
        row_flow::push, [&](std::int64_t k) { return size_of(incoming(k), weights_); },
        [&](std::int64_t k) { return size_of(outgoing(k), weights_); },
        [&](std::int64_t k, std::byte* block) {
          auto const in = incoming(k);
          auto const parts = parts_of(block, in, weights_);
          rows_.clear(parts.rows, in.pulled.num_columns);
          spread_rows(graph_->policy(), in.pulled_by_source, gradient, chosen, columns, options_, degrees, parts.rows);
          rows_.template move<false>(in.summed.size(), gradient, in.summed.data(), parts.sums, nullptr);
          graph_->policy().executor().for_each(degrees.empty() ? 0 : in.summed.size(), [=](std::int64_t i) {
            for (std::int64_t c = 0; c < columns; ++c) {
              parts.sums[i * columns + c] /= static_cast<T>(degrees[in.summed[i]]);
            }
          });
          pack_weights(in, parts.weights);
          if (is_extreme(options_.how)) {
            pack_winners(in, chosen, parts.chosen);
          }
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const served = outgoing(k);
          auto const parts = parts_of(block, served, weights_);
          rows_.template move<true>(served.sent.size(), parts.rows, nullptr, out, served.sent.data());
          spread_rows(graph_->policy(), served.pushed_by_source, parts.sums, parts.chosen, columns,
                      served_options(parts.weights, served), {}, out);
        },
        [&] {
          rows_.clear(out, graph_->num_sources());
          spread_rows(graph_->policy(), graph_->transposed(0), gradient, chosen, columns, options_, degrees, out);
        });
  }

private:
  using incoming_type = incoming_boundary<space>;
  using outgoing_type = outgoing_boundary<space>;

  // How much there is of what travels between two ranks.
  struct counts {
    std::int64_t rows;
    std::int64_t sums;
    std::int64_t edges;
  };
  [[nodiscard]] static counts counts_of(incoming_type const& in) {
    return {in.pulled.num_columns, in.summed.size(), in.pushed.size()};
  }
  [[nodiscard]] static counts counts_of(outgoing_type const& out) {
    return {out.sent.size(), out.pushed.num_rows, out.pushed.num_edges};
  }
  [[nodiscard]] std::int64_t size_of(counts const& of, std::int64_t weights) const {
    auto const winners = is_extreme(options_.how) ? of.sums * rows_.columns() : 0;
    return rows_.bytes(of.rows + of.sums) + of.edges * weights * static_cast<std::int64_t>(sizeof(T)) +
           winners * static_cast<std::int64_t>(sizeof(local_id));
  }
  template <class Boundary>
  [[nodiscard]] std::int64_t size_of(Boundary const& of, std::int64_t weights) const {
    return size_of(counts_of(of), weights);
  }

  [[nodiscard]] incoming_type incoming(std::int64_t k) const {
    auto const in = cover_->incoming(k);
    return size_of(in, weights_) < rows_.bytes(graph_->num_received(k))
               ? in
               : incoming_type{graph_->shard(k), graph_->transposed(k), {}, {}};
  }
  [[nodiscard]] outgoing_type outgoing(std::int64_t k) const {
    auto const out = cover_->outgoing(k);
    auto const all = graph_->sent_rows(k);
    return size_of(out, weights_) < rows_.bytes(all.size()) ? out : outgoing_type{all, {}, {}};
  }

  template <class Value, class Number>
  struct block_parts {
    Value* rows;
    Value* sums;
    Value* weights;
    Number* chosen;
  };
  template <class Boundary>
  [[nodiscard]] block_parts<T, local_id> parts_of(std::byte* block, Boundary const& of, std::int64_t weights) const {
    auto const size = counts_of(of);
    auto* const rows = reinterpret_cast<T*>(block);
    auto* const sums = rows + size.rows * rows_.columns();
    auto* const behind = sums + size.sums * rows_.columns();
    return {rows, sums, behind, reinterpret_cast<local_id*>(behind + size.edges * weights)};
  }
  template <class Boundary>
  [[nodiscard]] block_parts<T const, local_id const> parts_of(std::byte const* block, Boundary const& of,
                                                        std::int64_t weights) const {
    auto const made = parts_of(const_cast<std::byte*>(block), of, weights);
    return {made.rows, made.sums, made.weights, made.chosen};
  }

  // Options of edges that other ranks push.
  [[nodiscard]] options_type served_options(T const* weights, outgoing_type const& out) const {
    auto options = options_;
    options.edge_weights = {weights, out.pushed.num_edges * weights_};
    return options;
  }
  [[nodiscard]] T* served_weights_at(std::int64_t k) const {
    return weights_ > 0 ? served_weights_ + cover_->num_served_before(k) * weights_ : nullptr;
  }

  void fetch_weights() const {
    auto const bytes = [&](std::int64_t edges) { return edges * weights_ * static_cast<std::int64_t>(sizeof(T)); };
    graph_->passes().run(
        row_flow::push, [&](std::int64_t k) { return bytes(incoming(k).pushed.size()); },
        [&](std::int64_t k) { return bytes(outgoing(k).pushed.num_edges); },
        [&](std::int64_t k, std::byte* block) { pack_weights(incoming(k), reinterpret_cast<T*>(block)); },
        [&](std::int64_t k, std::byte const* block) {
          std::copy_n(reinterpret_cast<T const*>(block), outgoing(k).pushed.num_edges * weights_, served_weights_at(k));
        },
        [] {});
  }
  void pack_weights(incoming_type const& in, T* block) const {
    graph_->policy().executor().for_each(weights_ > 0 ? in.pushed.size() : 0, [=, this](std::int64_t i) {
      std::copy_n(options_.edge_weights.data() + in.pushed[i] * weights_, weights_, block + i * weights_);
    });
  }

  template <bool Largest, class Parts>
  void merge(incoming_type const& in, Parts const& parts, T* y, local_id* chosen) const {
    graph_->policy().executor().for_each(in.summed.size(),
                                         merge_extremes<Largest, T>{parts.sums, parts.chosen, in.pushed.data(),
                                                                    in.summed.data(), y, chosen, rows_.columns()});
  }
  // The winners of summed rows as numbers of pushed edges, where they are such.
  void pack_winners(incoming_type const& in, local_id const* chosen, local_id* numbers) const {
    auto const columns = rows_.columns();
    graph_->policy().executor().for_each(in.summed.size(), [=](std::int64_t i) {
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const edge = chosen[std::int64_t{in.summed[i]} * columns + c];
        auto const found = std::lower_bound(in.pushed.begin(), in.pushed.end(), edge);
        numbers[i * columns + c] = found != in.pushed.end() && *found == edge
                                       ? static_cast<local_id>(found - in.pushed.begin())
                                       : no_edge;
      }
    });
  }

  dist::sharded_graph<Comm, Policy>* graph_;
  boundary_cover<space> const* cover_;
  row_sums<Policy, T> rows_;
  options_type options_;
  std::int64_t weights_; // of an edge
  T* served_weights_;
};

} // namespace glt::detail
