// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/loading/seeds.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// True if requests of a rule carry times, alone or with an occurrence number.
template <class Query>
inline constexpr bool has_time = !std::is_same_v<Query, no_query>;
template <class Query>
inline constexpr bool has_time<occurrence_query<Query>> = has_time<Query>;

/// @throws precondition_error  if seeds have times that the rule does not use, or lack times that it needs
template <class Seeds>
void check_times(Seeds const& seeds, bool needed) {
  if (needed && seeds.size() > 0 && seeds.times.empty()) {
    throw precondition_error("seeds without times for a rule that compares times; give one per seed");
  }
  if (!needed && !seeds.times.empty()) {
    throw precondition_error("seeds with times for a rule that looks at none; leave them out, or sample by a "
                             "temporal_rule");
  }
}

/// List of seeds in memory of a policy; a policy of host memory reads it in place, without a copy.
template <device_policy Policy, class T>
class seed_list {
public:
  explicit seed_list(Policy policy) : copy_(0, std::move(policy)) {}

  /// Returns a view of `values`, copied if necessary; valid until the next call.
  [[nodiscard]] array_view<Policy::space, T const> view(std::vector<T> const& values) {
    host_view<T const> const there(values);
    if constexpr (Policy::space == memory_space::host) {
      return there;
    } else {
      copy_.resize(there.size());
      copy_in(copy_.policy(), there, copy_.view());
      return std::as_const(copy_).view();
    }
  }

private:
  buffer<Policy, T> copy_;
};

/// Vertices of the seeds of a batch, and the queries of their requests, in memory of a policy.
template <device_policy Policy, vertex_id Vertex, class Query = no_query>
class seed_memory {
public:
  explicit seed_memory(Policy policy) : vertices_(policy), queries_(policy) {}

  /// Returns the vertices; valid until the next call, like `queries`.
  [[nodiscard]] array_view<Policy::space, Vertex const> vertices(dist::vertex_seeds<Vertex> const& seeds) {
    return vertices_.view(seeds.vertices);
  }
  /// Returns the queries that requests of the rule carry.
  ///
  /// @pre    the rule has queries: times, or the queries of `independent_rule`
  [[nodiscard]] array_view<Policy::space, Query const> queries(dist::vertex_seeds<Vertex> const& seeds) {
    if constexpr (std::is_same_v<Query, std::int64_t>) {
      return queries_.view(seeds.times);
    } else {
      using inner = std::remove_cvref_t<decltype(std::declval<Query const&>().of_rule())>;
      if constexpr (has_time<inner>) {
        counted_ = count_occurrences<Vertex, inner>(seeds.vertices, seeds.times);
      } else {
        counted_ = count_occurrences<Vertex>(seeds.vertices);
      }
      return queries_.view(counted_);
    }
  }

private:
  seed_list<Policy, Vertex> vertices_;
  seed_list<Policy, Query> queries_;
  std::vector<Query> counted_;
};

/// Ends, labels and times of the seed edges of a batch in memory of a policy.
template <device_policy Policy, vertex_id Vertex>
struct edge_memory {
  explicit edge_memory(Policy policy)
      : sources(policy), offsets(policy), destinations(policy), labels(policy), times(policy) {}

  seed_list<Policy, Vertex> sources;
  seed_list<Policy, std::int64_t> offsets;
  seed_list<Policy, Vertex> destinations;
  seed_list<Policy, std::int64_t> labels;
  seed_list<Policy, std::int64_t> times;
};

/// Items of a bulk call of a sampler, one per batch; the seeds of each lie in a separate `Memory`.
template <device_policy Policy, class Memory, class Item>
class bulk_items {
public:
  explicit bulk_items(Policy policy) : policy_(std::move(policy)) {}

  /// Returns one `item_of(memory, batch)` per batch; valid until the next call.
  template <class Batch, class ItemOf>
  [[nodiscard]] std::span<Item const> of(std::span<Batch const> batches, ItemOf item_of) {
    while (memory_.size() < batches.size()) {
      memory_.emplace_back(policy_);
    }
    items_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      items_.push_back(item_of(memory_[b], batches[b]));
    }
    return items_;
  }

private:
  Policy policy_;
  std::vector<Memory> memory_; // of each batch
  std::vector<Item> items_;
};

} // namespace glt::detail
