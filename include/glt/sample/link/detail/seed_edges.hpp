// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/negatives.hpp>

namespace glt::detail {

/// Borrowed seed edges of a batch, searchable in kernels.
///
/// Negatives belong to groups: one per positive, or for triplets one per source.
///
/// @shape  sources [S] · destinations, occurrences [P] in the order of the batch · sorted_sources, sorted_destinations
///         [P], ascending by source, then by destination · offsets [S + 1] as in `link_sources`, or empty
template <memory_space Space, vertex_id Vertex>
struct seed_edges_view {
  array_view<Space, Vertex const> sources;
  array_view<Space, Vertex const> destinations;
  array_view<Space, std::int64_t const> occurrences;
  array_view<Space, Vertex const> sorted_sources;
  array_view<Space, Vertex const> sorted_destinations;
  array_view<Space, std::int64_t const> offsets;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return destinations.size(); }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_groups(negative_mode mode) const noexcept {
    return mode == negative_mode::binary ? size() : sources.size();
  }

  /// Returns the place of the source of a positive.
  ///
  /// @cost   O(log S)
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t source_of(std::int64_t positive) const noexcept {
    return offsets.empty() ? positive
                           : first_where(0, sources.size(), [&](std::int64_t s) { return offsets[s + 1] > positive; });
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t source_of(std::int64_t group,
                                                                 negative_mode mode) const noexcept {
    return mode == negative_mode::binary ? source_of(group) : group;
  }
  /// Returns the first positive of a group, or −1 for a source without positives.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t first_of(std::int64_t group, negative_mode mode) const noexcept {
    if (mode == negative_mode::binary || offsets.empty()) {
      return group;
    }
    return offsets[group] == offsets[group + 1] ? -1 : offsets[group];
  }

  /// True if sorted edge i is not equal to the one before it.
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool is_distinct(std::int64_t i) const noexcept {
    return i == 0 || sorted_sources[i] != sorted_sources[i - 1] || sorted_destinations[i] != sorted_destinations[i - 1];
  }

  /// @cost   O(log P)
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool contains(Vertex source, Vertex destination) const noexcept {
    auto const i = first_where(0, size(), [&](std::int64_t at) {
      return sorted_sources[at] > source || (sorted_sources[at] == source && sorted_destinations[at] >= destination);
    });
    return i < size() && sorted_sources[i] == source && sorted_destinations[i] == destination;
  }
};

template <memory_space Space, class Vertex>
struct number_seed_edges {
  array_view<Space, Vertex const> from;
  array_view<Space, Vertex> keys;
  array_view<Space, std::int64_t> order;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = from[i];
    order[i] = i;
  }
};

template <memory_space Space, class Vertex>
struct gather_sources {
  seed_edges_view<Space, Vertex> from;
  array_view<Space, std::int64_t const> order;
  array_view<Space, Vertex> to;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from.sources[from.source_of(order[i])]; }
};

// Counts the equal edges before one: its place less the place of the first equal edge, found by bisection.
template <memory_space Space, class Vertex>
struct count_equal_before {
  array_view<Space, Vertex const> sources; // sorted, like the destinations
  array_view<Space, Vertex const> destinations;
  array_view<Space, std::int64_t const> order;
  array_view<Space, std::int64_t> occurrences;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = first_where(
        0, i, [&](std::int64_t at) { return sources[at] == sources[i] && destinations[at] == destinations[i]; });
    occurrences[order[i]] = i - first;
  }
};

// Computes the random key of every group, by original ids: of its first positive, or of its source and no destination.
template <memory_space Space, memory_space IdSpace, class Vertex>
struct key_of_group {
  random_key key;
  seed_edges_view<Space, Vertex> positives;
  negative_mode mode;
  array_view<IdSpace, global_id const> source_originals; // empty: ids are original ids; likewise the next
  array_view<IdSpace, global_id const> destination_originals;
  array_view<Space, random_key> keys;
  GLT_HOST_DEVICE void operator()(std::int64_t group) const {
    auto const source = id(source_originals, positives.sources[positives.source_of(group, mode)]);
    auto const first = positives.first_of(group, mode);
    keys[group] = first < 0 ? positive_key(key, source, -1, 0)
                            : positive_key(key, source, id(destination_originals, positives.destinations[first]),
                                           positives.occurrences[first]);
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE static std::int64_t id(array_view<IdSpace, global_id const> original, Vertex vertex) {
    return original.empty() ? std::int64_t{vertex} : original[vertex];
  }
};

/// Seed edges of a batch in memory of a policy, sorted; reusable.
template <device_policy Policy, vertex_id Vertex>
class seed_edges {
  static constexpr memory_space space = Policy::space;
  using ids = array_view<space, Vertex const>;

public:
  explicit seed_edges(Policy policy = {})
      : policy_(std::move(policy)), order_(0, policy_), occurrences_(0, policy_), sources_(0, policy_),
        destinations_(0, policy_) {}

  /// Borrows all lists until the next call.
  ///
  /// @shape  sources [S] · destinations [P]
  /// @where  may only enqueue
  /// @pre    the lists fit; not checked
  /// @cost   two sorts of P keys; allocates only while the batch is larger than any before
  void assign(link_sources<space, Vertex> sources, ids destinations) {
    auto const ex = policy_.executor();
    auto const size = destinations.size();
    batch_sources_ = sources;
    batch_destinations_ = destinations;
    order_.resize(size);
    occurrences_.resize(size);
    sources_.resize(size);
    destinations_.resize(size);
    ex.for_each(size, number_seed_edges<space, Vertex>{destinations, destinations_.view(), order_.view()});
    ex.sort_by_key(destinations_.view(), order_.view());
    auto const order = std::as_const(order_).view();
    ex.for_each(size, gather_sources<space, Vertex>{view(), order, sources_.view()});
    ex.sort_by_key(sources_.view(), order_.view());
    ex.for_each(size, permute_elements<space, Vertex, std::int64_t>{destinations, order, destinations_.view()});
    ex.for_each(size,
                count_equal_before<space, Vertex>{std::as_const(sources_).view(), std::as_const(destinations_).view(),
                                                  order, occurrences_.view()});
  }

  [[nodiscard]] std::int64_t size() const noexcept { return batch_destinations_.size(); }
  /// Returns a view, valid until the next `assign`, and as long as the lists of the last `assign`.
  [[nodiscard]] seed_edges_view<space, Vertex> view() const noexcept {
    return {batch_sources_.ids, batch_destinations_,  occurrences_.view(),
            sources_.view(),    destinations_.view(), batch_sources_.offsets};
  }

private:
  Policy policy_;
  link_sources<space, Vertex> batch_sources_;
  ids batch_destinations_;
  buffer<Policy, std::int64_t> order_;
  buffer<Policy, std::int64_t> occurrences_;
  buffer<Policy, Vertex> sources_;
  buffer<Policy, Vertex> destinations_;
};

} // namespace glt::detail
