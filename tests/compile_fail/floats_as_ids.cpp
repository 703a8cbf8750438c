// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: ids_are_integers|invokes a deleted|call to deleted constructor
#include <glt/dist/builder/local_data.hpp>

#include <vector>

void use(std::vector<int> const& ids, std::vector<double> const& read) {
#ifdef GLT_FAIL
  glt::dist::local_data const bad{.edges = {.sources = read, .destinations = ids}};
#else
  glt::dist::local_data const good{.edges = {.sources = ids, .destinations = ids}, .rows = {ids, {{"x", read}}}};
#endif
}
