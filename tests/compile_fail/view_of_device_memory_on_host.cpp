// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: views_of_different_memories_do_not_convert|conversion function from 'array_view<glt::memory_space::device.* to 'array_view<.*host.* invokes a deleted
#include <glt/core/view.hpp>

using device_view = glt::array_view<glt::memory_space::device, int>;

int first_of(glt::host_view<int> values) {
  return values[0];
}

int use(device_view on_device, glt::host_view<int> on_host) {
  (void)on_device;
#ifdef GLT_FAIL
  return first_of(on_device);
#endif
  return first_of(on_host);
}
