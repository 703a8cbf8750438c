// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_part_is_taken_over_so_move_it
#include <glt/comm/serial.hpp>
#include <glt/dist/graph.hpp>

#include <utility>

using glt::device::cpu;

void use(glt::serial_comm comm, glt::graph_part<cpu> part) {
#ifdef GLT_FAIL
  glt::dist::graph bad(comm, part);
#endif
  glt::dist::graph good(comm, std::move(part));
}
