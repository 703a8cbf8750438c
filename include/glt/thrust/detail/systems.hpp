// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#if !__has_include(<thrust/version.h>)
#include <missing for glt::thrust: Thrust: install libthrust-dev or a CUDA toolkit and link glt::thrust> // an error that ends the compilation
#endif
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

/// Thrust in the calling thread.
struct thrust_cpp {
  static constexpr bool on_gpu = false;
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return host_accessible(space); }
  template <class Action>
  void run(Action action) const {
    action(::thrust::cpp::par);
  }
};

/// System that stands for a GPU: it runs where `System` runs, and reaches the memory that a GPU reaches.
template <thrust_system System = thrust_cpp>
struct emulated_gpu : System {
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return device_accessible(space); }
};

static_assert(thrust_system<thrust_cpp>);
static_assert(thrust_system<emulated_gpu<>>);

} // namespace glt::detail
