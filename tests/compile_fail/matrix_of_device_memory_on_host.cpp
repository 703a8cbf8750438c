// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: views_of_different_memories_do_not_convert|conversion function from 'matrix_view<glt::memory_space::device.* to 'matrix_view<.*host.* invokes a deleted
#include <glt/core/view.hpp>

void use(glt::matrix_view<glt::memory_space::device, float> on_device) {
  (void)on_device;
#ifdef GLT_FAIL
  glt::host_matrix<float> on_host = on_device;
  (void)on_host;
#endif
}
