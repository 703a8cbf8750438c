// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: rows_are_taken_over_so_move_them
#include <glt/comm/serial.hpp>
#include <glt/dist/feature_store.hpp>

#include <utility>

using glt::device::cpu;

void use(glt::serial_comm comm, glt::partition_book const& book, glt::feature_store<cpu, float> rows) {
#ifdef GLT_FAIL
  glt::dist::feature_store bad(comm, book, rows);
#endif
  glt::dist::feature_store good(comm, book, std::move(rows));
}
