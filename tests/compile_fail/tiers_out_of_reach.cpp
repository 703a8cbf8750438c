// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tiered_store: the executor of the first policy reads both memories
#include <glt/feature/tier/tiered_store.hpp>

// Runs on the host, and reaches what a GPU reaches.
struct distant_executor : glt::exec::sequential {
  static constexpr bool reaches(glt::memory_space space) { return glt::detail::device_accessible(space); }
};

template <glt::memory_space Space>
struct distant {
  static constexpr glt::memory_space space = Space;
  glt::host_resource resource() const { return {}; }
  distant_executor executor() const { return {}; }
};

using hot = distant<glt::memory_space::device>;
using cold = distant<glt::memory_space::pinned>;

template class glt::tiered_store<hot, cold, float>;
#ifdef GLT_FAIL
template class glt::tiered_store<hot, glt::device::cpu, float>;
#endif
