// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>

#include <cstdlib>

#ifndef EXPECTED_VERSION // what find_package found
#define EXPECTED_VERSION glt::version()
#endif

int main() {
  auto stream = glt::random_stream(glt::random_key(1), 2);
  return stream.below(3) < 3 && glt::version() == EXPECTED_VERSION ? EXIT_SUCCESS : EXIT_FAILURE;
}
