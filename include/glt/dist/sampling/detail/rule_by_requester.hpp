// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/detail/book_view.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// A rule for each requester; the query of a row is the rank that it is drawn for.
template <memory_space Space, class Rule>
struct rule_by_requester {
  using query_type = local_id;

  array_view<Space, Rule const> rules{}; // [R]

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, local_id requester,
                                                             hop_options options, random_key key,
                                                             std::uint64_t subject) const noexcept {
    return rules[requester].count(graph, row, {}, options, key, subject);
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, local_id requester, hop_options options,
                                      random_key key, std::uint64_t subject, std::int64_t count,
                                      Position* out) const noexcept {
    rules[requester].pick(graph, row, {}, options, key, subject, count, out);
  }
};

template <memory_space Space>
struct write_requester {
  book_view<Space> rows; // of every requester
  array_view<Space, local_id> requesters;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { requesters[i] = rows.owner(i); }
};

/// The rules of a hop by requester, where kernels reach them; reusable.
template <device_policy Policy, class Rule>
class requester_rules {
  static constexpr memory_space space = Policy::space;

public:
  explicit requester_rules(Policy policy = {})
      : policy_(policy), rules_(0, policy), offsets_(0, policy), requesters_(0, policy) {}

  /// @param rule_of  `rule_of(rank)` is the rule by which the rows that a rank asks for are drawn
  /// @shape  offsets [R + 1], where the rows of every requester begin
  template <class RuleOf>
  void set(RuleOf const& rule_of, std::span<std::int64_t const> offsets) {
    std::vector<Rule> rules;
    for (std::size_t rank = 0; rank + 1 < offsets.size(); ++rank) {
      rules.push_back(rule_of(static_cast<int>(rank)));
    }
    rules_ = make_buffer<Policy>(rules, policy_);
    offsets_ = make_buffer<Policy>(offsets, policy_);
    requesters_.resize(offsets.back());
    policy_.executor().for_each(
        requesters_.size(),
        write_requester<space>{book_view<space>(std::as_const(offsets_).view()), requesters_.view()});
  }

  [[nodiscard]] rule_by_requester<space, Rule> rule() const noexcept { return {rules_.view()}; }
  /// @shape  [offsets[R]]
  [[nodiscard]] array_view<space, local_id const> queries() const noexcept { return requesters_.view(); }

private:
  Policy policy_;
  buffer<Policy, Rule> rules_;
  buffer<Policy, global_id> offsets_;
  buffer<Policy, local_id> requesters_;
};

} // namespace glt::detail
