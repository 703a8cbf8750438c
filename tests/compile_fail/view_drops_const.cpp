// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: conversion from .*array_view<.*const int>.* to non-scalar type|no viable conversion from .*const int
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
