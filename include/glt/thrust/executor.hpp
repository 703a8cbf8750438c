// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/thrust/detail/systems.hpp>

#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

namespace glt::detail {

// One range per call.
template <class F>
struct on_ranges {
  F f;
  std::int64_t n;
  std::int64_t size;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = i * size;
    f(first, n - first < size ? n : first + size);
  }
};

// The values to scan, and a zero behind them for the total.
template <class F, class Out>
struct value_or_zero {
  F values;
  std::int64_t size;
  GLT_HOST_DEVICE Out operator()(std::int64_t i) const { return i < size ? static_cast<Out>(values(i)) : Out{}; }
};

struct ascending {
  template <class Key>
  constexpr bool operator()(Key a, Key b) const noexcept {
    return a < b;
  }
};

} // namespace glt::detail

namespace glt::exec {

/// Executor of bulk work by Thrust, on the system that is its argument: threads of the host, or a GPU.
///
/// Functors for a GPU are trivially copyable, and callable on the device.
///
/// Concurrent calls: const members may run concurrently, on different data.
///
/// @where  memory that the system reaches; on a GPU everything but `reduce` and `select_if` is enqueued only
/// @source Bell & Hoberock, "Thrust: a productivity-oriented library for CUDA", GPU Computing Gems, 2011
template <detail::thrust_system System>
class thrust_executor {
public:
  using system_type = System;

  thrust_executor() = default;
  explicit thrust_executor(System system) noexcept : system_(std::move(system)) {}

  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return System::reaches(space); }
  [[nodiscard]] System const& system() const noexcept { return system_; }

  template <class F>
  void for_each(std::int64_t n, F f) const {
    check<F>();
    if constexpr (System::on_gpu) {
      system_.for_each(n, f);
    } else if (n > 0) {
      system_.run([&](auto const& policy) {
        ::thrust::for_each_n(policy, ::thrust::counting_iterator<std::int64_t>(0), n, f);
      });
    }
  }

  /// Runs f as `detail::for_teams` and `detail::for_teams_by_size`.
  template <class F>
    requires(System::on_gpu)
  void for_teams(std::int64_t n, F f) const {
    check<F>();
    system_.for_teams(n, f);
  }
  template <class F>
    requires(System::on_gpu)
  void for_teams_by_size(std::int64_t n, F f) const {
    check<F>();
    system_.for_teams_by_size(n, f);
  }

  /// Calls f for ranges of `smallest`; on a GPU one index each, for which there are enough threads.
  template <class F>
  void for_ranges(std::int64_t n, std::int64_t smallest, F f) const {
    auto const size = on_host ? std::max<std::int64_t>(smallest, 1) : 1;
    for_each(n / size + (n % size != 0 ? 1 : 0), detail::on_ranges<F>{f, n, size});
  }

  template <class T, class F, class Op>
  [[nodiscard]] T reduce(std::int64_t n, T initial, F f, Op op) const {
    check<F>();
    check<Op>();
    if (n <= 0) {
      return initial;
    }
    auto const values = ::thrust::make_transform_iterator(::thrust::counting_iterator<std::int64_t>(0), f);
    T result = initial;
    system_.run([&](auto const& policy) { result = ::thrust::reduce(policy, values, values + n, initial, op); });
    return result;
  }

  /// @throws precondition_error  if out is neither as long as in nor one longer
  template <memory_space Space, class In, class Out>
  void exclusive_scan(array_view<Space, In> in, array_view<Space, Out> out) const {
    exclusive_scan(in.size(), detail::element_at<Space, std::remove_const_t<In>>{in}, out);
  }
  template <class F, memory_space Space, class Out>
  void exclusive_scan(std::int64_t n, F f, array_view<Space, Out> out) const {
    check<F>();
    glt::detail::check_scan(n, out.size());
    if (out.empty()) {
      return;
    }
    auto const values = ::thrust::make_transform_iterator(::thrust::counting_iterator<std::int64_t>(0),
                                                          detail::value_or_zero<F, Out>{f, n});
    system_.run(
        [&](auto const& policy) { ::thrust::exclusive_scan(policy, values, values + out.size(), out.data(), Out{}); });
  }

  /// @throws precondition_error  if the lengths differ
  template <memory_space Space, std::integral Key, class Value>
  void sort_by_key(array_view<Space, Key> keys, array_view<Space, Value> values) const {
    glt::detail::check_sort(keys.size(), values.size());
    system_.run([&](auto const& policy) {
      if constexpr (System::on_gpu) {
        ::thrust::stable_sort_by_key(policy, keys.data(), keys.data() + keys.size(), values.data());
      } else { // the radix sort of CCCL 3.0 for hosts puts negative 32-bit keys last; a user-defined order is merged
        ::thrust::stable_sort_by_key(policy, keys.data(), keys.data() + keys.size(), values.data(),
                                     detail::ascending{});
      }
    });
  }

  template <class Predicate, memory_space Space, class Index>
  std::int64_t select_if(std::int64_t n, Predicate predicate, array_view<Space, Index> out) const {
    check<Predicate>();
    auto const first = ::thrust::counting_iterator<std::int64_t>(0);
    std::int64_t count = 0;
    if (n > 0) {
      system_.run([&](auto const& policy) {
        count = ::thrust::copy_if(policy, first, first + n, out.data(), predicate) - out.data();
      });
    }
    return count;
  }

private:
  static constexpr bool on_host = System::reaches(memory_space::host);

  template <class F>
  static constexpr void check() {
    static_assert(on_host || std::is_trivially_copyable_v<F>,
                  "a functor goes to the device as bytes: make it trivially copyable, with views instead of owners");
  }

  [[no_unique_address]] System system_;
};

static_assert(executor<thrust_executor<glt::detail::thrust_cpp>>);

} // namespace glt::exec
