// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>

#include <cstdlib>

int main() {
  auto stream = glt::random_stream(glt::random_key(1), 2);
  return stream.below(3) < 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
