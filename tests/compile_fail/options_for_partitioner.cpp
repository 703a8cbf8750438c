// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_partitioner_or_given_parts_come_third_and_the_options_fourth
#include <glt/comm/serial.hpp>
#include <glt/dist/builder/make_data_set.hpp>

glt::dist::data_set<glt::device::cpu> use(glt::serial_comm comm, glt::dist::local_data const& data) {
#ifdef GLT_FAIL
  return glt::dist::make_data_set(comm, data, {.symmetric = true});
#else
  return glt::dist::make_data_set(comm, data, {}, {.symmetric = true});
#endif
}
