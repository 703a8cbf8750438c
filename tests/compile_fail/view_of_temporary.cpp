// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: views_do_not_outlive_temporaries|conversion function from 'std::vector<int>' to .* invokes a deleted
#include <glt/core/view.hpp>

#include <vector>

std::vector<int> make();

void use(std::vector<int>& kept) {
#ifdef GLT_FAIL
  glt::host_view<int> dangling = make();
  (void)dangling;
#else
  glt::host_view<int> good = kept;
  (void)good;
#endif
}
