// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>

namespace glt::detail {

/// Ranks that hold each part, or the fault of a rank.
struct part_holders {
  std::vector<std::vector<int>> of_part; ///< ranks, ascending
  int faulty_rank = 0;
  std::string fault; ///< of that rank; empty if there is none
};

/// @shape  parts_of_rank [R] lists → of_part [P] lists
[[nodiscard]] inline part_holders holders_of_parts(int num_parts, std::vector<std::vector<int>> const& parts_of_rank) {
  part_holders holders;
  if (num_parts < 1) {
    holders.fault = message("routes to ", num_parts, " parts; pass the number of parts");
    return holders;
  }
  holders.of_part.resize(static_cast<std::size_t>(num_parts));
  for (std::size_t i = 0; i < parts_of_rank.size(); ++i) {
    auto const rank = static_cast<int>(i);
    for (int const part : parts_of_rank[i]) {
      bool const known = part >= 0 && part < num_parts;
      if (!known || (!holders.of_part[static_cast<std::size_t>(part)].empty() &&
                     holders.of_part[static_cast<std::size_t>(part)].back() == rank)) {
        holders.faulty_rank = rank;
        holders.fault = known ? message("holds part ", part, " twice; name every part that it holds once")
                              : message("holds part ", part, "; parts are 0 to ", num_parts - 1);
        return holders;
      }
      holders.of_part[static_cast<std::size_t>(part)].push_back(rank);
    }
  }
  for (std::size_t part = 0; part < holders.of_part.size() && holders.fault.empty(); ++part) {
    if (holders.of_part[part].empty()) {
      holders.fault = message("finds no rank that holds part ", part, "; load every part on at least one rank");
    }
  }
  return holders;
}

/// Returns the number of parts, the first element of each list. Ranks that do not know it send 0; returns 0 if no rank
/// knows it.
///
/// @throws collective_error  if ranks differ
template <communicator Comm>
[[nodiscard]] int agreed_number_of_parts(Comm const& comm, std::vector<std::vector<int>> const& lists) {
  int number_of_others = 0;
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    auto const number = lists[rank].front();
    if (number != 0 && number_of_others != 0 && number != number_of_others) {
      throw agreed(comm, static_cast<int>(rank),
                   message("has ", number, " parts, but a rank before it has ", number_of_others,
                           "; load parts of one partition on all ranks"));
    }
    number_of_others = number_of_others == 0 ? number : number_of_others;
  }
  return number_of_others;
}

} // namespace glt::detail
