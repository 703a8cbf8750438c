// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>

namespace glt::detail {

// Call sites of the two halves of a batch norm.
inline constexpr call_site batch_norm_forward{.what = operation::normalize, .step = 0};
inline constexpr call_site batch_norm_backward{.what = operation::normalize, .step = 1};

[[nodiscard]] inline std::string other_columns(std::int64_t own, std::int64_t first) {
  return message("batch norm of ", own, " columns while rank 0 has ", first,
                 "; give rows of the same matrix on all ranks");
}

/// @throws collective_error  if all ranks together have fewer than two rows
template <communicator Comm>
void check_batch_rows(Comm const& comm, std::int64_t rows) {
  if (rows < 2) {
    throw agreed(comm, 0, message("batch norm over ", rows, " rows of all ranks together; give two or more"));
  }
}

/// Returns the values of every rank, by rank: two for a column and perhaps one more.
///
/// @comm   collective; one header exchange and one variable exchange; none on one rank
/// @throws collective_error  on every rank, if `failure` is not empty on one, or a rank has another number of
///                           columns than rank 0
template <communicator Comm>
[[nodiscard]] std::vector<std::vector<double>>
gather_batch_values(Comm& comm, call_site site, std::string const& failure, std::vector<double> const& own) {
  auto const lists = gather_lists(comm, site, failure, own);
  for (std::size_t rank = 1; rank < lists.size(); ++rank) {
    if (lists[rank].size() != lists[0].size()) {
      throw agreed(comm, static_cast<int>(rank), other_columns(std::ssize(lists[rank]) / 2, std::ssize(lists[0]) / 2));
    }
  }
  return lists;
}

} // namespace glt::detail
