// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bounded_size.hpp>
#include <glt/core/detail/element_at.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/numbering.hpp>
#include <glt/sample/detail/batch/position_table.hpp>

#include <bit>

namespace glt::detail {

/// Functor that returns the position of a vertex in nodes, or −1.
template <memory_space Space, class Vertex>
struct vertex_look_up {
  position_table table;
  array_view<Space, Vertex const> nodes;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(Vertex vertex) const {
    return table.find(vertex, element_at<Space, Vertex>{nodes});
  }
};

/// Numbering of keys in first-seen order by all threads of the policy. Equals `first_seen_numbering` for any order of
/// the threads.
///
/// Sizes stay in memory of the policy; the host knows upper bounds. A table of positions keeps the smallest position of
/// every key, which is its first occurrence.
///
/// @cost   2 to 4 slots of 4 bytes for every number that the bounds allow, emptied for every batch; 12 bytes an
///         occurrence of a round
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <device_policy Policy>
class parallel_numbering {
  static constexpr memory_space space = Policy::space;
  static constexpr std::int64_t min_slots = 1024;
  static constexpr std::int64_t most_positions = std::numeric_limits<local_id>::max();

public:
  explicit parallel_numbering(Policy policy = {})
      : policy_(policy), slots_(0, policy), links_(0, policy), ranks_(0, policy), firsts_(0, policy) {}

  /// Forgets all keys and keeps the memory. Makes room for `expected` numbers; more may come, but at most `most`
  /// different keys.
  ///
  /// @where  enqueues only
  void clear(std::int64_t expected = 0, std::int64_t most = most_positions, std::int64_t = 0) {
    bound_ = 0;
    most_ = most;
    make_table(std::min(expected, most));
  }

  /// Forgets all keys and numbers distinct keys by their places.
  ///
  /// @where  enqueues only
  template <class Key>
  void enter(array_view<space, Key const> keys) {
    clear(keys.size(), keys.size());
    policy_.executor().for_each(keys.size(), enter_distinct<space, Key>{keys, table()});
    bound_ = keys.size();
  }

  /// Returns an upper bound of the count of numbers, as far as the host knows.
  [[nodiscard]] std::int64_t bound() const noexcept { return bound_; }

  /// Returns the bound after a round of `count` occurrences.
  [[nodiscard]] std::int64_t bound_after(std::int64_t count) const noexcept { return std::min(bound_ + count, most_); }

  /// Sets the exact count of numbers, or a better bound.
  void tighten(std::int64_t bound) noexcept { bound_ = std::min(bound_, bound); }

  /// Returns a functor for kernels: the position of a vertex in nodes, the known keys; for work enqueued before the
  /// next round.
  ///
  /// @pre    `clear` was called
  template <class Vertex>
  [[nodiscard]] vertex_look_up<space, Vertex> look_up(array_view<space, Vertex const> nodes) noexcept {
    return {table(), nodes};
  }

  /// Numbers the keys of a round of occurrences after the before[0] keys of earlier rounds. Writes the new number of
  /// keys to after[0].
  ///
  /// @shape  count as many occurrences · before [1] · after [1], written, at another address
  /// @where  enqueues only
  /// @throws precondition_error  if the bounds of numbers and occurrences together do not fit 31 bits
  /// @cost   O(count.bound + before[0] if the table has to grow)
  template <occurrences Occurrences>
  void number_all(detail::bounded_size<space> count, array_view<space, std::int64_t const> before,
                  array_view<space, std::int64_t> after, Occurrences const& of) {
    if (count.bound < 0 || count.bound >= most_positions - bound_) {
      throw precondition_error(message("numbering of up to ", count.bound, " occurrences after up to ", bound_,
                                       " vertices; together they must fit 31 bits: sample ", "smaller batches"));
    }
    auto const ex = policy_.executor();
    auto const bound = bound_after(count.bound);
    if (2 * bound > num_slots_) {
      make_table(bound);
      ex.for_each(bound_, enter_known<space, Occurrences>{of, before, table()});
    }
    links_.resize(count.bound);
    firsts_.resize(count.bound);
    ranks_.resize(count.bound + 1);
    ex.for_each(count.bound, enter_occurrences<space, Occurrences>{of, count, before, table(), links_.view()});
    ex.exclusive_scan(count.bound,
                      mark_first<space>{count, before, slots_.data(), std::as_const(links_).view(), firsts_.view()},
                      ranks_.view());
    ex.for_each(std::max<std::int64_t>(count.bound, 1), // one thread writes the number of keys
                set_numbers<space, Occurrences>{of, count, before, after, slots_.data(), std::as_const(links_).view(),
                                                std::as_const(firsts_).view(), std::as_const(ranks_).view()});
    bound_ = bound;
  }

private:
  [[nodiscard]] position_table table() noexcept {
    auto const slots = static_cast<std::uint64_t>(num_slots_);
    return {slots_.data(), slots - 1, 64 - std::countr_zero(slots)};
  }

  // Makes an empty table for that many numbers, at most half full.
  void make_table(std::int64_t numbers) {
    num_slots_ = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max(2 * std::min(numbers, most_positions), min_slots))));
    slots_.clear(); // nothing to keep
    slots_.resize(num_slots_);
    policy_.executor().for_each(num_slots_, empty_slots<space>{slots_.view()});
  }

  Policy policy_;
  buffer<Policy, local_id> slots_;
  std::int64_t num_slots_ = 0;
  buffer<Policy, std::uint32_t> links_;
  buffer<Policy, local_id> ranks_;
  buffer<Policy, local_id> firsts_;
  std::int64_t bound_ = 0;
  std::int64_t most_ = most_positions;
};

/// Functor that returns the position of a numbered vertex, `numbering.position_of(vertex)`.
template <class Numbering>
struct position_in {
  Numbering const* numbering;
  template <class Vertex>
  std::int64_t operator()(Vertex vertex) const noexcept {
    return numbering->position_of(vertex);
  }
};

/// Counterpart of `parallel_numbering` for one host thread; keys are vertices or vertices of trees.
template <device_policy Policy, vertex_id Vertex>
class host_numbering {
  static constexpr memory_space space = Policy::space;

public:
  explicit host_numbering(Policy const& = {}) {}

  /// @param num_vertices  all vertices are below it; 0 if unknown
  void clear(std::int64_t = 0, std::int64_t = 0, std::int64_t num_vertices = 0) {
    vertices_.clear(num_vertices);
    trees_.clear();
  }
  void enter(array_view<space, Vertex const> vertices) {
    clear();
    vertices_.number_all(
        vertices.size(), [vertices](std::int64_t i) { return vertices[i]; }, [](std::int64_t, local_id, local_id) {});
  }
  [[nodiscard]] std::int64_t bound() const noexcept { return std::int64_t{vertices_.size()} + trees_.size(); }
  [[nodiscard]] std::int64_t bound_after(std::int64_t count) const noexcept { return bound() + count; }
  void tighten(std::int64_t) noexcept {}

  /// @pre    the batch has no trees; not checked
  [[nodiscard]] auto look_up(array_view<space, Vertex const>) const noexcept {
    return position_in<first_seen_numbering<Vertex>>{&vertices_};
  }

  template <occurrences Occurrences>
  void number_all(bounded_size<space> count, array_view<space, std::int64_t const>,
                  array_view<space, std::int64_t> after, Occurrences const& of) {
    auto const number_in = [&](auto& numbering) {
      numbering.number_all(
          count(), [of](std::int64_t e) { return of.key(e); },
          [of](std::int64_t e, local_id number, local_id next) {
            of.set(e, number);
            of.add(e, next); // kept if it was new
          });
      after[0] = numbering.size();
    };
    if constexpr (std::is_same_v<decltype(of.key(0)), Vertex>) {
      number_in(vertices_);
    } else {
      number_in(trees_);
    }
  }

private:
  first_seen_numbering<Vertex> vertices_;
  first_seen_numbering<tree_vertex<Vertex>> trees_;
};

/// Numbering of the vertices of a batch in first-seen order. Hosts use a table for one thread, which is several times
/// faster.
template <device_policy Policy, vertex_id Vertex>
using batch_numbering =
    std::conditional_t<host_policy<Policy>, host_numbering<Policy, Vertex>, parallel_numbering<Policy>>;

} // namespace glt::detail
