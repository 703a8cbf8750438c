// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: views_do_not_drop_const|conversion function from 'host_view<const int>' to 'host_view<int>' invokes a deleted
#include <glt/core/view.hpp>

void use(glt::host_view<int> writable, glt::host_view<int const> readable) {
  glt::host_view<int const> good = writable;
  (void)good;
  (void)readable;
#ifdef GLT_FAIL
  glt::host_view<int> bad = readable;
  (void)bad;
#endif
}
