// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

#if !__has_include(<thrust/version.h>)
#include <missing for glt::thrust: Thrust: install libthrust-dev or a CUDA toolkit and link glt::thrust> // an error that ends the compilation
#endif

#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cpp/execution_policy.h>

namespace glt::detail {

struct archetype_launch {
  template <class Policy>
  void operator()(Policy const&) const;
};

/// Backend of a `thrust_executor`: a small value that names an execution policy of Thrust and the memory that it
/// reaches.
///
/// - `S::reaches(space)`: constexpr, true if its work may touch memory of that space
/// - `S::on_gpu`: constexpr, true if functors run on a GPU
/// - `s.scratch(bytes)`: memory for enqueued work, by `data()`, which goes when that work is done
/// - `s.run(action)`: calls action(policy) with the policy for Thrust's algorithms; their errors become errors of glt
///
/// - `s.for_each(n, f)`, `s.for_teams(n, f)`, `s.for_teams_by_size(n, f)`, if on a GPU: launches without Thrust
///
/// A system that reaches ordinary memory runs in the calling process and is done when a call returns.
template <class S>
concept thrust_system = std::copyable<S> && requires(S const& system, archetype_launch action) {
  { S::reaches(memory_space::host) } -> std::same_as<bool>;
  { S::on_gpu } -> std::convertible_to<bool>;
  system.run(action);
};

/// Memory of the host for the work of one call.
class host_scratch {
public:
  explicit host_scratch(std::int64_t bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {}
  [[nodiscard]] void* data() const noexcept { return bytes_.get(); }

private:
  std::unique_ptr<std::byte[]> bytes_;
};

/// Thrust in the calling thread.
struct thrust_cpp {
  static constexpr bool on_gpu = false;
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return host_accessible(space); }
  template <class Action>
  void run(Action action) const {
    action(::thrust::cpp::par);
  }
  [[nodiscard]] static host_scratch scratch(std::int64_t bytes) { return host_scratch(bytes); }
};

/// System that stands for a GPU: it runs where `System` runs, and reaches the memory that a GPU reaches.
template <thrust_system System = thrust_cpp>
struct emulated_gpu : System {
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return device_accessible(space); }
};

static_assert(thrust_system<thrust_cpp>);
static_assert(thrust_system<emulated_gpu<>>);

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

  /// Returns memory for enqueued work, which goes when that work is done.
  [[nodiscard]] auto scratch(std::int64_t bytes) const { return system_.scratch(bytes); }

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

  System system_;
};

static_assert(executor<thrust_executor<glt::detail::thrust_cpp>>);

} // namespace glt::exec
