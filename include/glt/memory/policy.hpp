// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/detail/thread_pool.hpp>
#include <glt/exec/executor.hpp>
#include <glt/exec/threaded.hpp>
#include <glt/memory/resource.hpp>

namespace glt {

/// Memory space, memory resource and executor that belong together; a template parameter of owners.
///
/// - `P::space`: memory space of its buffers
/// - `p.resource()`: source of their memory
/// - `p.executor()`: executor of work on them; reaches `P::space`
template <class P>
concept device_policy = std::copyable<P> && std::default_initializable<P> && requires(P const& p) {
  { P::space } -> std::convertible_to<memory_space>;
  { p.resource() } -> memory_resource;
  { p.executor() } -> reaches<P::space>;
};

/// A policy whose executor is a `host_executor`: its owners may be read and written by plain loops.
template <class P>
concept host_policy = device_policy<P> && detail::host_accessible(P::space) && requires(P const& p) {
  { p.executor() } -> detail::host_executor;
};

namespace device {

/// Ordinary memory; the calling thread or a pool of threads works on it.
///
/// Concurrent calls: const members may run concurrently; work on one pool runs one piece after the other.
class cpu {
public:
  static constexpr memory_space space = memory_space::host;

  /// Uses the calling thread alone.
  cpu() = default;

  /// Makes a pool of `threads` threads, the calling one included; copies of the policy share it.
  ///
  /// @throws precondition_error  if threads < 1
  explicit cpu(int threads) : pool_(std::make_shared<detail::thread_pool>(threads)) {}

  [[nodiscard]] host_resource resource() const noexcept { return {}; }
  /// Borrows the pool, so the policy must outlive the executor.
  [[nodiscard]] exec::threaded executor() const noexcept { return pool_ ? exec::threaded(*pool_) : exec::threaded(); }

private:
  std::shared_ptr<detail::thread_pool> pool_;
};

} // namespace device
} // namespace glt
