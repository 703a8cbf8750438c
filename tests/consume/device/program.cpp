// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorts.hpp"

#include <glt/thrust/emulated.hpp>

int main() {
  return sorts<glt::device::emulated<>>() ? 0 : 1;
}
