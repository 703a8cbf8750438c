// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/aggregate_pass.hpp>
#include <glt/dist/full_batch/detail/combine_rows.hpp>
#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Blocks that travel in a pass over a graph with a cover of its boundary. Between two ranks the cover is used if it
/// takes fewer bytes than the rows of all sources.
///
/// A block consists of rows and sums; backward, of rows and gradients. The weights of pushed edges follow if they
/// travel with it, and for extremes the chosen edges.
template <class Graph, class T>
class covered_blocks {
  using policy = typename Graph::policy_type;
  static constexpr memory_space space = policy::space;

public:
  using incoming_type = incoming_boundary<space>;
  using outgoing_type = outgoing_boundary<space>;

  template <class Value, class Number>
  struct block_parts {
    Value* rows;
    Value* sums;
    Value* weights;
    Number* chosen;
  };

  /// @param  weights  number of weights of an edge
  covered_blocks(Graph const& graph, std::int64_t columns, bool has_winners, std::int64_t weights)
      : graph_(&graph), rows_(graph.policy(), columns), winners_(has_winners ? columns : 0), weights_(weights) {}

  [[nodiscard]] row_sums<policy, T> const& rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t weights() const noexcept { return weights_; }

  [[nodiscard]] incoming_type incoming(std::int64_t k) const {
    auto const in = graph_->cover()->incoming(k);
    return size_of(in, weights_) < rows_.bytes(graph_->num_received(k))
               ? in
               : incoming_type{graph_->shard(k), graph_->transposed(k), {}, {}};
  }
  [[nodiscard]] outgoing_type outgoing(std::int64_t k) const {
    auto const out = graph_->cover()->outgoing(k);
    auto const all = graph_->sent_rows(k);
    return size_of(out, weights_) < rows_.bytes(all.size()) ? out : outgoing_type{all, {}, {}};
  }

  /// Returns the bytes of a block with `weights` weights for each pushed edge.
  template <class Boundary>
  [[nodiscard]] std::int64_t size_of(Boundary const& of, std::int64_t weights) const {
    auto const size = counts_of(of);
    return rows_.bytes(size.rows + size.sums) + size.edges * weights * static_cast<std::int64_t>(sizeof(T)) +
           size.sums * winners_ * static_cast<std::int64_t>(sizeof(local_id));
  }

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

private:
  // Contents of the blocks between two ranks.
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

  Graph const* graph_;
  row_sums<policy, T> rows_;
  std::int64_t winners_; // columns with winners
  std::int64_t weights_;
};

/// Pass over a graph with a cover of its boundary: rows of some sources travel, and partial results for the edges of
/// other sources.
template <communicator Comm, host_policy Policy, class T>
class covered_pass {
  static constexpr memory_space space = Policy::space;
  using options_type = dist::aggregation<space, T>;
  using blocks_type = covered_blocks<dist::sharded_graph<Comm, Policy>, T>;
  using incoming_type = typename blocks_type::incoming_type;
  using outgoing_type = typename blocks_type::outgoing_type;

public:
  /// @pre    the pass has begun, and is covered
  covered_pass(dist::sharded_graph<Comm, Policy>& graph, std::int64_t columns, options_type const& options,
               aggregate_pass<Comm, Policy> const& pass)
      : graph_(&graph), blocks_(graph, columns, is_extreme(options.how), pass.is_weighted() ? options.heads : 0),
        options_(options), served_weights_(pass.template served_weights<T>()) {}

  /// Writes the rows of x, combined over all edges, to y [num_destinations] and, for extremes, to `chosen`.
  void pull(T const* x, T* y, local_id* chosen) const {
    if (blocks_.weights() > 0) {
      fetch_weights();
    }
    graph_->passes().run(
        row_flow::pull, [&](std::int64_t k) { return blocks_.size_of(blocks_.outgoing(k), 0); },
        [&](std::int64_t k) { return blocks_.size_of(blocks_.incoming(k), 0); },
        [&](std::int64_t k, std::byte* block) {
          auto const out = blocks_.outgoing(k);
          auto const parts = blocks_.parts_of(block, out, 0);
          blocks_.rows().template move<false>(out.sent.size(), x, out.sent.data(), parts.rows, nullptr);
          combine_rows(graph_->policy(), out.pushed, x, blocks_.rows().columns(),
                       served_options(served_weights_at(k), out), parts.sums, parts.chosen, true);
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const in = blocks_.incoming(k);
          auto const parts = blocks_.parts_of(block, in, 0);
          combine_rows(graph_->policy(), in.pulled, parts.rows, blocks_.rows().columns(), options_, y, chosen, false);
          if (options_.how == dist::aggregator::max) {
            merge<true>(in, parts, y, chosen);
          } else if (options_.how == dist::aggregator::min) {
            merge<false>(in, parts, y, chosen);
          } else {
            blocks_.rows().template move<true>(in.summed.size(), parts.sums, nullptr, y, in.summed.data());
          }
        },
        [&] {
          combine_rows(graph_->policy(), graph_->shard(0), x, blocks_.rows().columns(), options_, y, chosen, true);
        });
  }

  /// Writes the gradients by sources to out [num_sources]; `degrees` of the destinations, if any, divide `gradient`.
  void push(T const* gradient, local_id const* chosen, array_view<space, local_id const> degrees, T* out) const {
    auto const columns = blocks_.rows().columns();
    graph_->passes().run(
        row_flow::push, [&](std::int64_t k) { return blocks_.size_of(blocks_.incoming(k), blocks_.weights()); },
        [&](std::int64_t k) { return blocks_.size_of(blocks_.outgoing(k), blocks_.weights()); },
        [&](std::int64_t k, std::byte* block) {
          auto const in = blocks_.incoming(k);
          auto const parts = blocks_.parts_of(block, in, blocks_.weights());
          spread_rows(graph_->policy(), in.pulled_by_source, gradient, chosen, columns, options_, degrees, parts.rows,
                      true);
          blocks_.rows().template move<false>(in.summed.size(), gradient, in.summed.data(), parts.sums, nullptr);
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
          auto const served = blocks_.outgoing(k);
          auto const parts = blocks_.parts_of(block, served, blocks_.weights());
          blocks_.rows().template move<true>(served.sent.size(), parts.rows, nullptr, out, served.sent.data());
          spread_rows(graph_->policy(), served.pushed_by_source, parts.sums, parts.chosen, columns,
                      served_options(parts.weights, served), {}, out, false);
        },
        [&] {
          spread_rows(graph_->policy(), graph_->transposed(0), gradient, chosen, columns, options_, degrees, out, true);
        });
  }

private:
  // Returns the options for edges that other ranks push.
  [[nodiscard]] options_type served_options(T const* weights, outgoing_type const& out) const {
    auto options = options_;
    options.edge_weights = {weights, out.pushed.num_edges * blocks_.weights()};
    return options;
  }
  [[nodiscard]] T* served_weights_at(std::int64_t k) const {
    return blocks_.weights() > 0 ? served_weights_ + graph_->cover()->num_served_before(k) * blocks_.weights()
                                 : nullptr;
  }

  void fetch_weights() const {
    auto const bytes = [&](std::int64_t edges) {
      return edges * blocks_.weights() * static_cast<std::int64_t>(sizeof(T));
    };
    graph_->passes().run(
        row_flow::push, [&](std::int64_t k) { return bytes(blocks_.incoming(k).pushed.size()); },
        [&](std::int64_t k) { return bytes(blocks_.outgoing(k).pushed.num_edges); },
        [&](std::int64_t k, std::byte* block) { pack_weights(blocks_.incoming(k), reinterpret_cast<T*>(block)); },
        [&](std::int64_t k, std::byte const* block) {
          std::copy_n(reinterpret_cast<T const*>(block), blocks_.outgoing(k).pushed.num_edges * blocks_.weights(),
                      served_weights_at(k));
        },
        [] {});
  }
  void pack_weights(incoming_type const& in, T* block) const {
    graph_->policy().executor().for_each(blocks_.weights() > 0 ? in.pushed.size() : 0, [=, this](std::int64_t i) {
      std::copy_n(options_.edge_weights.data() + in.pushed[i] * blocks_.weights(), blocks_.weights(),
                  block + i * blocks_.weights());
    });
  }

  template <bool Largest, class Parts>
  void merge(incoming_type const& in, Parts const& parts, T* y, local_id* chosen) const {
    graph_->policy().executor().for_each(
        in.summed.size(), merge_extremes<Largest, T>{parts.sums, parts.chosen, in.pushed.data(), in.summed.data(), y,
                                                     chosen, blocks_.rows().columns()});
  }
  // Writes the winners of summed rows as numbers of pushed edges, if they are pushed edges.
  void pack_winners(incoming_type const& in, local_id const* chosen, local_id* numbers) const {
    auto const columns = blocks_.rows().columns();
    graph_->policy().executor().for_each(in.summed.size(), [=](std::int64_t i) {
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const edge = chosen[std::int64_t{in.summed[i]} * columns + c];
        auto const found = std::lower_bound(in.pushed.begin(), in.pushed.end(), edge);
        numbers[i * columns + c] =
            found != in.pushed.end() && *found == edge ? static_cast<local_id>(found - in.pushed.begin()) : no_edge;
      }
    });
  }

  dist::sharded_graph<Comm, Policy>* graph_;
  blocks_type blocks_;
  options_type options_;
  T* served_weights_; // weights of edges that other ranks push; null if edges have none
};

} // namespace glt::detail
