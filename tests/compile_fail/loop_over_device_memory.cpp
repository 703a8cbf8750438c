// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: host_accessible\(Space\)|invalid range expression|host_accessible\(\(glt::memory_space
#include <glt/core/view.hpp>

int sum(glt::array_view<glt::memory_space::pinned, int> on_host,
        glt::array_view<glt::memory_space::device, int> on_device) {
  int total = 0;
  for (int const value : on_host) {
    total += value;
  }
  (void)on_device;
#ifdef GLT_FAIL
  for (int const value : on_device) {
    total += value;
  }
#endif
  return total;
}
