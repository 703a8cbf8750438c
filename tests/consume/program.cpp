// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>

#include <cstdlib>

int main() {
  auto stream = glt::random_stream(glt::random_key(1), 2);
  // The version that CMake or pkg-config found is that of the headers.
  return stream.below(3) < 3 && glt::version() == EXPECTED_VERSION ? EXIT_SUCCESS : EXIT_FAILURE;
}
