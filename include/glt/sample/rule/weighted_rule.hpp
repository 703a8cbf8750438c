// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/random.hpp>
#include <glt/sample/detail/pick/prefix_pick.hpp>
#include <glt/sample/detail/pick/smallest_keys.hpp>
#include <glt/sample/detail/pick/table_pick.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weights.hpp>

#include <limits>

namespace glt {

/// Draws in proportion to the weights of a row's edges, without or with replacement; never an edge of weight 0.
///
/// With tables a draw costs O(1), without them a row costs O(degree). Both give the same distribution, but not the same
/// picks. A row gives all its edges of positive weight, in row order, if the fanout allows. With replacement and
/// without tables the picks are in row order, else in order of draw.
///
/// @shape  weights [E], in row order · tables made of the same graph and weights, or empty
/// @pre    the weights passed `validate_weights`; not checked
/// @cost   as `pick_distinct_by_table` and `pick_by_table`, or `pick_smallest_keys` and `pick_by_prefix_sums`
template <memory_space Space>
struct weighted_rule {
  using query_type = no_query;

  edge_weights<Space> weights;
  detail::weight_tables_view<Space> tables{};

  /// Checks the arguments; samplers call it once.
  ///
  /// @throws precondition_error  if there is not one weight per edge, or the tables belong to another graph
  template <class Graph>
  void check(Graph const& graph, hop_options) const {
    detail::check_num_weights(graph, weights);
    bool const fit = tables.slots.size() == graph.num_edges() && tables.num_positive.size() == graph.num_rows();
    if (!tables.empty() && !fit) {
      throw precondition_error(detail::message("weight tables of ", tables.num_positive.size(), " rows and ",
                                               tables.slots.size(), " edges for a graph of ", graph.num_rows(), " and ",
                                               graph.num_edges(), "; make weight_tables of this graph"));
    }
  }

  /// Prefetches the number of positive weights of a row.
  template <class Graph>
  GLT_HOST_DEVICE void prefetch(Graph const&, std::int64_t row) const noexcept {
    if (!tables.empty()) {
      detail::prefetch(tables.num_positive.data() + row);
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
  count(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key, std::uint64_t) const noexcept {
    auto const positive =
        tables.empty() ? detail::count_positive(weights_of(graph, row), enough(options)) : num_positive(row);
    return detail::num_picked(positive, options);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE void pick(Graph const& graph, std::int64_t row, no_query query, hop_options options, random_key key,
                            std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    prepare(graph, row, query, options, key, subject, count, out);
    finish(graph, row, query, options, key, subject, count, out);
  }

  /// First half of `pick`, which prefetches the memory that `finish` reads.
  template <class Graph, class Position>
  GLT_HOST_DEVICE void prepare(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key key,
                               std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    if (!tables.empty() && (options.replace || count < num_positive(row))) {
      detail::draw_places(random_stream(key, subject), slots_of(graph, row), count, out);
    }
  }

  /// Second half of `pick`; `out` is unchanged since `prepare`.
  template <class Graph, class Position>
  GLT_HOST_DEVICE void finish(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key key,
                              std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    random_stream const stream(key, subject);
    if (count == 0) {
      return;
    }
    if (!options.replace && count == graph.degree(row)) {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Position>(i);
      }
    } else if (options.fanout < 0) {
      detail::pick_positive(weights_of(graph, row), out);
    } else if (tables.empty()) {
      if (options.replace) {
        detail::pick_by_prefix_sums(stream, weights_of(graph, row), count, out);
      } else {
        detail::pick_smallest_keys(stream, weights_of(graph, row), 0, count, out);
      }
    } else if (options.replace) {
      detail::pick_by_table(stream, slots_of(graph, row), count, out);
    } else if (count == num_positive(row)) {
      detail::pick_positive(weights_of(graph, row), out);
    } else {
      detail::pick_distinct_by_table(stream, random_stream(key.fold(1), subject), slots_of(graph, row),
                                     weights_of(graph, row), count, out);
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t work(Graph const& graph, std::int64_t row) const noexcept {
    return tables.empty() ? graph.degree(row) : 0;
  }
  template <class Team, class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_by(Team const& team, Graph const& graph, std::int64_t row,
                                                                no_query, hop_options options, random_key,
                                                                std::uint64_t) const noexcept {
    auto const positive = tables.empty()
                              ? team.select_if(graph.degree(row), enough(options), positive_weights(graph, row),
                                               [](std::int64_t, std::int64_t) {})
                              : num_positive(row);
    return detail::num_picked(positive, options);
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE void pick_by(Team const& team, Graph const& graph, std::int64_t row, [[maybe_unused]] no_query query,
                               hop_options options, random_key key, std::uint64_t subject, std::int64_t count,
                               Position* out, Emit emit) const noexcept {
    auto const degree = graph.degree(row);
    if (!options.replace && count == degree) {
      team.for_each(count, [&](std::int64_t i) { emit(i, i); });
      return;
    }
    if (options.fanout < 0) {
      team.select_if(degree, count, positive_weights(graph, row), emit);
      return;
    }
    random_stream const stream(key, subject);
    if constexpr (Team::size == 1) { // always so with tables, whose draws are few
      pick(graph, row, query, options, key, subject, count, out);
    } else if (options.replace) {
      detail::pick_by_prefix_sums(stream, weights_of(graph, row), count, out, team);
    } else {
      detail::pick_smallest_keys_by(team, stream, weights_of(graph, row), count, out);
    }
    team.for_each(count, [&](std::int64_t i) { emit(i, out[i]); });
  }

private:
  // Returns the number of positive edges that must be counted.
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::int64_t enough(hop_options options) noexcept {
    return options.fanout < 0 ? std::numeric_limits<std::int64_t>::max() : options.replace ? 1 : options.fanout;
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto positive_weights(Graph const& graph, std::int64_t row) const noexcept {
    return [row_weights = weights_of(graph, row)](std::int64_t i) { return row_weights[i] > 0; };
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr edge_weights<Space> weights_of(Graph const& graph,
                                                                         std::int64_t row) const noexcept {
    return weights.subview(graph.offset(row), graph.degree(row));
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto slots_of(Graph const& graph, std::int64_t row) const noexcept {
    return tables.slots.subview(graph.offset(row), graph.degree(row));
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_positive(std::int64_t row) const noexcept {
    return tables.num_positive[row];
  }
};

} // namespace glt
