// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_host_does_not_loop_over_memory_of_gpus|call to deleted member function 'begin'
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
