// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/numbering.hpp>

namespace glt::detail {

/// Occurrences of keys that `batch_numbering` numbers: a trivially copyable functor, callable on the policy's executor.
///
/// - `o.key(e)`: the key of occurrence e of the round
/// - `o.known(n)`: the key of number n, given in an earlier round
/// - `o.set(e, number)`: takes the number of occurrence e, once for every e in any order
/// - `o.add(e, number)`: its key is new, and `known(number)` must be that key in later rounds; hosts also call it with
///   the next free number for keys that are not new
template <class O>
concept occurrences = std::is_trivially_copyable_v<O> && requires(O const& o, std::int64_t e, local_id number) {
  { o.key(e) == o.known(e) } -> std::same_as<bool>;
  { spread(o.key(e)) } -> std::same_as<std::uint64_t>;
  o.set(e, number);
  o.add(e, number);
};

/// Open-addressing table whose slots hold positions of keys: [0, before) are numbers of known keys, before + e is
/// occurrence e of the round.
struct position_table {
  static constexpr local_id empty = std::numeric_limits<local_id>::max();

  local_id* slots = nullptr;
  std::uint64_t mask = 0;
  int shift = 64;

  /// Returns the slot of a key, which holds the smallest of its positions after all were entered.
  template <class Key, class KeyAt>
  GLT_HOST_DEVICE std::uint32_t enter(Key key, local_id position, KeyAt const& key_at) const {
    for (std::uint64_t place = spread(key) >> shift;; place = (place + 1) & mask) {
      local_id* const slot = slots + place;
      local_id found = atomic_load(slot);
      if (found == empty) {
        found = atomic_compare_exchange(slot, empty, position);
        if (found == empty) {
          return static_cast<std::uint32_t>(place);
        }
      }
      if (key_at(found) == key) { // a slot may change its position, but not its key
        if (position < found) {
          atomic_min(slot, position);
        }
        return static_cast<std::uint32_t>(place);
      }
    }
  }

  /// Returns the position of a key, −1 if it was not entered.
  template <class Key, class KeyAt>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t find(Key key, KeyAt const& key_at) const {
    for (std::uint64_t place = spread(key) >> shift;; place = (place + 1) & mask) {
      local_id const found = slots[place];
      if (found == empty) {
        return -1;
      }
      if (key_at(found) == key) {
        return found;
      }
    }
  }
};

template <class Occurrences>
struct key_at_position {
  Occurrences of;
  std::int64_t before;
  GLT_HOST_DEVICE auto operator()(std::int64_t position) const {
    return position < before ? of.known(position) : of.key(position - before);
  }
};

// Enters distinct keys with their places.
template <memory_space Space, class Key>
struct enter_distinct {
  array_view<Space, Key const> keys;
  position_table table;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const key_at = [this](std::int64_t n) { return keys[n]; };
    table.enter(keys[i], static_cast<local_id>(i), key_at);
  }
};

// Enters the known keys into a new table.
template <memory_space Space, class Occurrences>
struct enter_known {
  Occurrences of;
  array_view<Space, std::int64_t const> before;
  position_table table;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (n < before[0]) {
      table.enter(of.known(n), static_cast<local_id>(n), key_at_position<Occurrences>{of, before[0]});
    }
  }
};

// Sets links[e] to the slot of the key of e.
template <memory_space Space, class Occurrences>
struct enter_occurrences {
  Occurrences of;
  bounded_size<Space> count;
  array_view<Space, std::int64_t const> before;
  position_table table;
  array_view<Space, std::uint32_t> links;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    if (e < count()) {
      auto const known = before[0];
      links[e] = table.enter(of.key(e), static_cast<local_id>(known + e), key_at_position<Occurrences>{of, known});
    }
  }
};

// Returns 1 for first occurrences of keys, to be summed up. Stores the first position, because slots get numbers later.
// May be called more than once.
template <memory_space Space>
struct mark_first {
  bounded_size<Space> count;
  array_view<Space, std::int64_t const> before;
  local_id const* slots;
  array_view<Space, std::uint32_t const> links;
  array_view<Space, local_id> firsts;
  GLT_HOST_DEVICE local_id operator()(std::int64_t e) const {
    if (e >= count()) {
      return 0;
    }
    auto const position = slots[links[e]];
    firsts[e] = position;
    return position == before[0] + e ? 1 : 0;
  }
};

// Assigns the numbers; ranks[e] counts the first occurrences before e.
template <memory_space Space, class Occurrences>
struct set_numbers {
  Occurrences of;
  bounded_size<Space> count;
  array_view<Space, std::int64_t const> before;
  array_view<Space, std::int64_t> after;
  local_id* slots;
  array_view<Space, std::uint32_t const> links;
  array_view<Space, local_id const> firsts;
  array_view<Space, local_id const> ranks;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const known = before[0];
    if (e == 0) {
      after[0] = known + ranks[count.bound];
    }
    if (e >= count()) {
      return;
    }
    std::int64_t const position = firsts[e];
    bool const first = position == known + e;
    auto const number = static_cast<local_id>(position < known ? position : known + ranks[position - known]);
    if (first) {
      slots[links[e]] = number;
    }
    of.set(e, number);
    if (first) {
      of.add(e, number);
    }
  }
};

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
    policy_.executor().for_each(num_slots_, fill_elements<space, local_id>{slots_.view(), position_table::empty});
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
