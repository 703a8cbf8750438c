// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/thrust/systems.hpp>

#include <thrust/system/omp/execution_policy.h>

namespace glt::exec {

/// Thrust in the threads of OpenMP; needs a compiler that has it switched on.
struct thrust_omp {
  static constexpr bool on_gpu = false;
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept {
    return glt::detail::host_accessible(space);
  }
  template <class Action>
  void run(Action action) const {
    action(::thrust::omp::par);
  }
};

static_assert(detail::thrust_system<thrust_omp>);

} // namespace glt::exec
