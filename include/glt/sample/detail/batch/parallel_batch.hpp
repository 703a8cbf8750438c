// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/parallel_hop_place.hpp>
#include <glt/sample/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::detail {

/// The sizes of a batch that is being sampled, in memory of those who sample: written once, so that work that is
/// enqueued early finds them.
///
/// @shape  all [2 + 3 · (L + 1)]: the first seed that is no vertex, 0, and for every hop the vertices, edges and
///         expanded vertices up to there; entry 0 is that of the seeds
template <memory_space Space>
struct batch_sizes {
  static constexpr std::int64_t per_hop = 3;
  static constexpr std::int64_t before_hops = 2;
  [[nodiscard]] static constexpr std::int64_t length(std::int64_t hops) noexcept {
    return before_hops + per_hop * (hops + 1);
  }

  array_view<Space, std::int64_t> all;

  /// Places for who is handed a size as a view of one element.
  [[nodiscard]] constexpr array_view<Space, std::int64_t> bad_seed() const noexcept { return all.subview(0, 1); }
  [[nodiscard]] constexpr array_view<Space, std::int64_t const> zero() const noexcept { return all.subview(1, 1); }
  [[nodiscard]] constexpr array_view<Space, std::int64_t> nodes(std::int64_t hop) const noexcept {
    return all.subview(before_hops + per_hop * hop, 1);
  }
  [[nodiscard]] constexpr array_view<Space, std::int64_t> edges(std::int64_t hop) const noexcept {
    return all.subview(before_hops + per_hop * hop + 1, 1);
  }
  [[nodiscard]] constexpr array_view<Space, std::int64_t> expanded(std::int64_t hop) const noexcept {
    return all.subview(before_hops + per_hop * hop + 2, 1);
  }
};

template <memory_space Space>
struct start_batch {
  array_view<Space, std::int64_t> sizes;
  std::int64_t num_seeds;
  array_view<Space, edge_offset> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t) const {
    sizes[0] = num_seeds; // none of them is bad
    for (std::int64_t i = 1; i < batch_sizes<Space>::length(0); ++i) {
      sizes[i] = 0;
    }
    offsets[0] = 0;
  }
};

/// The sizes of a batch where it is sampled, and what the host knows of them: upper bounds, and the numbers themselves
/// once they were read.
template <device_policy Policy>
class parallel_batch {
  static constexpr memory_space space = Policy::space;

public:
  explicit parallel_batch(Policy policy = {}) : policy_(policy), sizes_(0, policy) {}

  /// Starts a batch, whose sizes and first offset are 0 then.
  ///
  /// @shape  offsets [1], written
  /// @where  enqueues only
  void begin(std::int64_t num_seeds, frontier expand, array_view<space, edge_offset> offsets) {
    fresh_ = expand == frontier::fresh;
    exact_ = false;
    hop_ = first_ = edges_ = expanded_ = 0;
    sizes_.resize(std::max(sizes_.size(), batch_sizes<space>::length(7)));
    policy_.executor().for_each(1, start_batch<space>{sizes_.view(), num_seeds, offsets});
  }

  [[nodiscard]] batch_sizes<space> sizes() noexcept { return {sizes_.view()}; }
  /// Hops that have ended.
  [[nodiscard]] std::int64_t hop() const noexcept { return hop_; }
  /// True if what follows are the numbers for all before this hop, not only bounds.
  [[nodiscard]] bool exact() const noexcept { return exact_; }
  /// Position in nodes of the first vertex of the frontier, if exact.
  [[nodiscard]] std::int64_t first() const noexcept { return first_; }
  [[nodiscard]] std::int64_t frontier_bound() const noexcept { return frontier_; }
  [[nodiscard]] std::int64_t edges_bound() const noexcept { return edges_; }
  [[nodiscard]] std::int64_t expanded_bound() const noexcept { return expanded_; }

  /// Where the edges of the next hop go; valid until it ends.
  [[nodiscard]] hop_place<space> next_place() {
    if (auto const length = batch_sizes<space>::length(hop_ + 1); sizes_.size() < length) {
      sizes_.resize(2 * length); // now, for the sizes have to stay where they are until the hop ends
    }
    auto const all = sizes();
    known_size<space> const first{fresh_ && hop_ > 0 ? all.nodes(hop_ - 1) : all.zero()};
    return {{first, {all.nodes(hop_)}}, {all.edges(hop_)}, {all.expanded(hop_)}};
  }

  /// Copies all sizes to the host.
  ///
  /// @cost   waits for what was enqueued before
  [[nodiscard]] batch_sizes<memory_space::host> read() {
    known_.resize(static_cast<std::size_t>(sizes_.size()));
    copy_out(policy_, std::as_const(sizes_).view(), host_view<std::int64_t>(known_));
    return {known_};
  }

  /// Takes the numbers up to this hop from what was read.
  void know(batch_sizes<memory_space::host> known) noexcept {
    edges_ = known.edges(hop_)[0];
    expanded_ = known.expanded(hop_)[0];
    first_ = fresh_ && hop_ > 0 ? known.nodes(hop_ - 1)[0] : 0;
    frontier_ = known.nodes(hop_)[0] - first_;
    exact_ = true;
  }

  /// Bounds the frontier of the first hop.
  void end_seeds(std::int64_t nodes_bound) noexcept { frontier_ = nodes_bound; }
  /// Ends a hop of at most so many edges and vertices that may be new, after which there are at most `nodes_bound`.
  void end_hop(std::int64_t num_edges, std::int64_t num_sources, std::int64_t nodes_bound) noexcept {
    expanded_ += frontier_;
    edges_ += num_edges;
    frontier_ = fresh_ ? std::min(num_sources, nodes_bound) : nodes_bound;
    exact_ = false;
    ++hop_;
  }

private:
  Policy policy_;
  buffer<Policy, std::int64_t> sizes_; // see `batch_sizes`
  std::vector<std::int64_t> known_;    // a copy of them
  bool fresh_ = true;
  bool exact_ = false;
  std::int64_t hop_ = 0;
  std::int64_t first_ = 0;
  std::int64_t frontier_ = 0;
  std::int64_t edges_ = 0;
  std::int64_t expanded_ = 0;
};

} // namespace glt::detail
