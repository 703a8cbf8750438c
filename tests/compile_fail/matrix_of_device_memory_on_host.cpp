// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: conversion from .*matrix_view<glt::memory_space::device.* to non-scalar type|no viable conversion from .*memory_space::device
#include <glt/core/view.hpp>

void use(glt::matrix_view<glt::memory_space::device, float> on_device) {
  (void)on_device;
#ifdef GLT_FAIL
  glt::host_matrix<float> on_host = on_device;
  (void)on_host;
#endif
}
