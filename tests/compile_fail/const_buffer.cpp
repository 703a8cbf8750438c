// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: views_do_not_drop_const|conversion function from 'array_view<.*const float>' to 'array_view<.*float>' invokes a deleted
#include <glt/memory/buffer.hpp>

using glt::device::cpu;

void fill(glt::host_view<float> values);

void use(glt::buffer<cpu, float>& own, glt::buffer<cpu, float> const& borrowed) {
  fill(own.view());
  static_cast<void>(borrowed);
#ifdef GLT_FAIL
  fill(borrowed.view());
#endif
}
