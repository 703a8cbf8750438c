// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the partitioner that all ranks run together; see throw.hpp.
#include "throw.hpp"

#include <glt/ptscotch/partitioner.hpp>

#include <array>
#include <cstdint>
#include <vector>

using namespace glt_fault;

int main(int argc, char** argv) {
  std::vector<site> const sites{
      {"ptscotch_partitioner::operator()", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           glt::ptscotch_partitioner const method{.capacity_slack = wrong ? -1 : 0.03};
           std::array<std::int64_t, 2> const first_rows{0, here->graph.local().num_rows()};
           static_cast<void>(method(comm, here->graph.book(), here->graph.local(), first_rows));
         };
       }},
  };
  return run_sites(argc, argv, sites);
}
