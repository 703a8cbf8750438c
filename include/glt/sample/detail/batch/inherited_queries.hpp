// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

template <memory_space Space, class Query>
struct query_of_tree {
  array_view<Space, Query const> of_seeds;
  array_view<Space, local_id const> trees;
  array_view<Space, Query> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = of_seeds[trees[i]]; }
};

/// Queries of a frontier: every vertex inherits the query of its tree's seed; reusable.
template <device_policy Policy, class Rule>
class inherited_queries {
  using query_type = typename Rule::query_type;

public:
  explicit inherited_queries(Policy policy = {}) : policy_(policy), queries_(0, policy) {}

  /// @shape  of_seeds [S] · trees [frontier] → [frontier]; empty if the rule has no queries
  /// @cost   O(frontier)
  [[nodiscard]] array_view<Policy::space, query_type const> of(array_view<Policy::space, query_type const> of_seeds,
                                                               array_view<Policy::space, local_id const> trees) {
    if constexpr (has_query<Rule>) {
      queries_.resize(trees.size());
      policy_.executor().for_each(trees.size(),
                                  query_of_tree<Policy::space, query_type>{of_seeds, trees, queries_.view()});
    }
    return queries_.view();
  }

private:
  Policy policy_;
  buffer<Policy, query_type> queries_;
};

} // namespace glt::detail
