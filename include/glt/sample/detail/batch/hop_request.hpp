// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Names of vertices in the random numbers: their original ids, or the row numbers if vertices were not renumbered.
template <memory_space Space>
using original_ids = array_view<Space, global_id const>;

/// Request of one hop: the rows to expand, and the options of the draw. Data about the graph may be in another memory
/// space than the request.
///
/// @shape  rows [S] · original [graph.num_rows()] or empty · queries [S], or empty if the rule has none
/// @units  rows are row numbers of the graph, in any order
template <memory_space Space, class Row, class Rule = uniform_rule, memory_space GraphSpace = Space>
struct hop_request {
  static constexpr memory_space space = Space;

  array_view<Space, Row const> rows;
  original_ids<GraphSpace> original;
  hop_options options;
  random_key key;
  Rule rule{};
  array_view<Space, typename Rule::query_type const> queries{};

  /// Returns the name of the random stream of request i.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t subject(std::int64_t i) const noexcept {
    return static_cast<std::uint64_t>(original.empty() ? std::int64_t{rows[i]} : original[rows[i]]);
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto query(std::int64_t i) const noexcept {
    if constexpr (has_query<Rule>) {
      return queries[i];
    } else {
      return no_query{};
    }
  }
  /// Returns the requests of `count` rows from `first` on.
  [[nodiscard]] constexpr hop_request subrequest(std::int64_t first, std::int64_t count) const {
    auto part = *this;
    part.rows = rows.subview(first, count);
    if constexpr (has_query<Rule>) {
      part.queries = queries.subview(first, count);
    }
    return part;
  }
};

} // namespace glt::detail
