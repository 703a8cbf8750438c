// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/thrust/executor.hpp>

#include <thrust/system/omp/execution_policy.h>

namespace glt::detail {

/// Thrust in the threads of OpenMP; needs a compiler that has it switched on.
struct thrust_omp {
  static constexpr bool on_gpu = false;
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return host_accessible(space); }
  template <class Action>
  void run(Action action) const {
    action(::thrust::omp::par);
  }
  [[nodiscard]] static host_scratch scratch(std::int64_t bytes) { return host_scratch(bytes); }
};

static_assert(thrust_system<thrust_omp>);

} // namespace glt::detail
