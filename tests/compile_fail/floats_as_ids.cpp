// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: ids_are_integers|invokes a deleted|call to deleted constructor
#include <glt/comm/serial.hpp>
#include <glt/dist/builder/make_data_set.hpp>

#include <vector>

glt::dist::data_set<glt::device::cpu> use(glt::serial_comm comm, std::vector<int> const& ids,
                                          std::vector<double> const& read) {
#ifdef GLT_FAIL
  return glt::dist::make_data_set(comm, {.edges = {.sources = read, .destinations = ids}});
#else
  return glt::dist::make_data_set(comm, {.edges = {.sources = ids, .destinations = ids}, .rows = {ids, {{"x", read}}}});
#endif
}
