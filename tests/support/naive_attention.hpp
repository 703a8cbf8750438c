// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>

#include "graphs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace glt_test {

/// An attention over an edge list: its inputs by original id, in double.
struct naive_attention {
  edge_list list;
  std::int64_t heads = 1;
  glt::detail::attention_score score = glt::detail::attention_score::additive;
  double slope = 0.2;
  double dropout = 0;
  glt::random_key key{0};
  std::vector<double> values;  ///< [V, heads · d]
  std::vector<double> keys;    ///< [V, heads · k]
  std::vector<double> queries; ///< [V, heads · k]

  /// What it makes.
  struct result {
    std::vector<double> output;
    std::vector<double> log_sums;
  };

  /// The gradients by its inputs.
  struct gradients {
    std::vector<double> values;
    std::vector<double> keys;
    std::vector<double> queries;
  };

  [[nodiscard]] result forward() const {
    result made;
    made.output.assign(values.size(), 0);
    made.log_sums.assign(static_cast<std::size_t>(list.num_vertices * heads), -std::numeric_limits<double>::infinity());
    each_destination([&](std::size_t v, std::vector<in_edge> const& edges, std::size_t head) {
      auto const shares = coefficients(v, edges, head);
      double sum = 0;
      for (auto const& edge : edges) {
        sum += std::exp(score_of(static_cast<std::size_t>(edge.first), v, head));
      }
      made.log_sums[v * num_heads() + head] = std::log(sum);
      for (std::size_t e = 0; e < edges.size(); ++e) {
        for (std::size_t c = 0; c < columns(values); ++c) {
          made.output[place(values, v, head) + c] +=
              shares[e] * kept(edges[e].second, head) *
              values[place(values, static_cast<std::size_t>(edges[e].first), head) + c];
        }
      }
    });
    return made;
  }

  /// Made of the gradients by the output and by the logarithms of sums, through the whole Jacobian of each softmax.
  [[nodiscard]] gradients backward(std::vector<double> const& gradient, std::vector<double> const& by_log_sums) const {
    gradients made{std::vector<double>(values.size(), 0), std::vector<double>(keys.size(), 0),
                   std::vector<double>(queries.size(), 0)};
    each_destination([&](std::size_t v, std::vector<in_edge> const& edges, std::size_t head) {
      auto const shares = coefficients(v, edges, head);
      auto const to = place(values, v, head);
      std::vector<double> by_share(edges.size(), 0);
      for (std::size_t e = 0; e < edges.size(); ++e) {
        auto const from = place(values, static_cast<std::size_t>(edges[e].first), head);
        auto const factor = kept(edges[e].second, head);
        for (std::size_t c = 0; c < columns(values); ++c) {
          made.values[from + c] += shares[e] * factor * gradient[to + c];
          by_share[e] += factor * gradient[to + c] * values[from + c];
        }
      }
      for (std::size_t e = 0; e < edges.size(); ++e) {
        double by_score = by_log_sums[v * num_heads() + head] * shares[e];
        for (std::size_t other = 0; other < edges.size(); ++other) {
          by_score += by_share[other] * shares[other] * ((other == e ? 1 : 0) - shares[e]);
        }
        auto const u = place(keys, static_cast<std::size_t>(edges[e].first), head);
        auto const q = place(keys, v, head);
        for (std::size_t c = 0; c < columns(keys); ++c) {
          if (score == glt::detail::attention_score::additive) {
            auto const leak = keys[u] + queries[q] > 0 ? 1 : slope;
            made.keys[u] += by_score * leak;
            made.queries[q] += by_score * leak;
          } else {
            auto const scale = 1 / std::sqrt(static_cast<double>(columns(keys)));
            made.keys[u + c] += by_score * scale * queries[q + c];
            made.queries[q + c] += by_score * scale * keys[u + c];
          }
        }
      }
    });
    return made;
  }

private:
  [[nodiscard]] std::size_t num_heads() const { return static_cast<std::size_t>(heads); }
  // Columns of a head.
  [[nodiscard]] std::size_t columns(std::vector<double> const& matrix) const {
    return matrix.size() / static_cast<std::size_t>(list.num_vertices * heads);
  }
  [[nodiscard]] std::size_t place(std::vector<double> const& matrix, std::size_t vertex, std::size_t head) const {
    return (vertex * num_heads() + head) * columns(matrix);
  }

  template <class Visit>
  void each_destination(Visit visit) const {
    auto const rows = naive_rows(list);
    for (std::size_t v = 0; v < rows.size(); ++v) {
      for (std::size_t head = 0; head < num_heads() && !rows[v].empty(); ++head) {
        visit(v, rows[v], head);
      }
    }
  }

  [[nodiscard]] double score_of(std::size_t source, std::size_t destination, std::size_t head) const {
    auto const count = columns(keys);
    auto const u = place(keys, source, head);
    auto const q = place(keys, destination, head);
    if (score == glt::detail::attention_score::additive) {
      auto const sum = keys[u] + queries[q];
      return sum > 0 ? sum : slope * sum;
    }
    double sum = 0;
    for (std::size_t c = 0; c < count; ++c) {
      sum += keys[u + c] * queries[q + c];
    }
    return sum / std::sqrt(static_cast<double>(count));
  }

  [[nodiscard]] std::vector<double> coefficients(std::size_t v, std::vector<in_edge> const& edges,
                                                 std::size_t head) const {
    std::vector<double> scores;
    for (auto const& edge : edges) {
      scores.push_back(score_of(static_cast<std::size_t>(edge.first), v, head));
    }
    auto const largest = *std::ranges::max_element(scores);
    double sum = 0;
    for (auto& value : scores) {
      value = std::exp(value - largest);
      sum += value;
    }
    for (auto& value : scores) {
      value /= sum;
    }
    return scores;
  }

  // 0 or 1 / (1 − dropout): draw `head` of the edge's random stream.
  [[nodiscard]] double kept(glt::edge_id edge, std::size_t head) const {
    glt::random_stream draws(key, static_cast<std::uint64_t>(edge));
    std::uint32_t word = draws.next();
    for (std::size_t h = 0; h < head; ++h) {
      word = draws.next();
    }
    return static_cast<double>(word) / 4294967296.0 < dropout ? 0 : 1 / (1 - dropout);
  }
};

} // namespace glt_test
