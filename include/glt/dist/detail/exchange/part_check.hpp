// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

namespace glt::detail {

/// Refuses a part of another rank, or of a partition with another number of parts than there are ranks.
///
/// @param  `what`, `use`  texts around the part in an error: "part" 3 of 4 "sampled by" rank 0 of 2
/// @throws precondition_error  naming part and rank
template <communicator Comm>
void check_own_part(Comm const& comm, int part, int num_parts, std::string_view what, std::string_view use) {
  if (num_parts != comm.size() || part != comm.rank()) {
    throw precondition_error(message(what, ' ', part, " of ", num_parts, ' ', use, ' ', own_rank_text(comm),
                                     "; use the communicator that the graph was made with"));
  }
}

} // namespace glt::detail
