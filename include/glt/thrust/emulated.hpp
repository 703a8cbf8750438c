// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/thrust/executor.hpp>

namespace glt::device {

/// Ordinary memory with the type of GPU memory, for a host system of Thrust. Code for GPUs compiles and runs on
/// machines without one, and touches "device" memory only where GPU code may.
///
/// Concurrent calls: const members may run concurrently.
///
/// @where  `Space` is memory_space::device, or memory_space::pinned to emulate zero copy
template <detail::thrust_system System = glt::detail::thrust_cpp, memory_space Space = memory_space::device>
  requires(System::reaches(memory_space::host) && detail::device_accessible(Space))
class emulated {
public:
  static constexpr memory_space space = Space;

  [[nodiscard]] host_resource resource() const noexcept { return {}; }
  [[nodiscard]] exec::thrust_executor<detail::emulated_gpu<System>> executor() const noexcept { return {}; }
};

static_assert(device_policy<emulated<>> && !host_policy<emulated<>>);

} // namespace glt::device
