// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: conversion from .*vector<int>.* to non-scalar type .*array_view|no viable conversion from .*vector<int
#include <glt/core/view.hpp>

#include <vector>

std::vector<int> make();

void use(std::vector<int>& kept) {
  glt::host_view<int> good = kept;
  (void)good;
#ifdef GLT_FAIL
  glt::host_view<int> dangling = make();
  (void)dangling;
#endif
}
