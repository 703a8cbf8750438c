// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

namespace detail {

// Function objects with which the concept is stated; a model must accept these and everything like them.
struct archetype_action {
  void operator()(std::int64_t) const;
};
struct archetype_range_action {
  void operator()(std::int64_t, std::int64_t) const;
};
struct archetype_value {
  std::int64_t operator()(std::int64_t) const;
};
struct archetype_sum {
  std::int64_t operator()(std::int64_t, std::int64_t) const;
};
struct archetype_predicate {
  bool operator()(std::int64_t) const;
};

} // namespace detail

/// A small value that runs bulk work over memory it can reach.
///
/// Models: `exec::sequential`, `exec::threaded`, `exec::thrust_executor` over any system. Results never depend on how
/// the work is divided.
///
/// - `ex.for_each(n, f)`: f(i) for i in [0, n), in any order
/// - `ex.for_ranges(n, smallest, f)`: f(first, last) for ranges that cover [0, n) without overlap, at the same time if
///   the executor has threads; `smallest` is the least amount of work worth a thread
/// - `ex.reduce(n, initial, f, op)`: op over initial and f(0) … f(n − 1); op is associative and commutative
/// - `ex.exclusive_scan(in, out)`: out[i] = in[0] + … + in[i − 1]; out has the size of in, or one more for
///   the total
/// - `ex.exclusive_scan(n, f, out)`: the same over f(0) … f(n − 1); f may be called more than once with one i
/// - `ex.sort_by_key(keys, values)`: stable, ascending, keys are integers
/// - `ex.select_if(n, predicate, out)`: writes the i in [0, n) with predicate(i), ascending, and returns
///   their number
/// - `E::reaches(space)`: constexpr, true if it may touch memory of that space
///
/// `for_each`, `for_ranges`, `exclusive_scan` and `sort_by_key` may only enqueue; `reduce` and `select_if`
/// return a host value and therefore synchronise. An exception of f leaves the call on executors that run on
/// the host.
template <class E>
concept executor =
    std::copyable<E> &&
    requires(E const& ex, std::int64_t n, array_view<memory_space::host, std::int64_t> values,
             detail::archetype_action action, detail::archetype_range_action range_action,
             detail::archetype_value value, detail::archetype_sum sum, detail::archetype_predicate predicate) {
      { E::reaches(memory_space::host) } -> std::same_as<bool>;
      ex.for_each(n, action);
      ex.for_ranges(n, n, range_action);
      { ex.reduce(n, std::int64_t{0}, value, sum) } -> std::same_as<std::int64_t>;
      ex.exclusive_scan(values, values);
      ex.exclusive_scan(n, value, values);
      ex.sort_by_key(values, values);
      { ex.select_if(n, predicate, values) } -> std::same_as<std::int64_t>;
    };

/// The executor may touch memory of this space: the constraint of every algorithm that runs over views.
template <class E, memory_space Space>
concept reaches = executor<E> && E::reaches(Space);

namespace detail {

/// Executor whose work is done when a call returns, over memory that the caller may touch as well. Algorithms may mix
/// its calls with loops. On other executors (GPUs, and the executors that stand for them in tests), algorithms consist
/// of the executor's calls only.
template <class E>
concept host_executor = reaches<E, memory_space::host>;

} // namespace detail

} // namespace glt
