// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>

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

/// Router that knows which ranks hold a part and picks the next rank to ask.
///
/// Concurrent calls: none on one object; const members may run concurrently.
class part_router {
public:
  /// Makes a router from the parts that each rank holds; several ranks may hold the same part.
  ///
  /// @shape  parts_of_rank [R] lists of parts in [0, P)
  /// @param  first  where the round of every part begins; pass this rank's number, so that ranks begin with different
  ///                holders
  /// @throws precondition_error  if no rank holds a part, or a rank names a part twice or a part that does not exist
  part_router(int num_parts, std::vector<std::vector<int>> const& parts_of_rank, int first = 0)
      : part_router(checked(num_parts, parts_of_rank), first) {}

  [[nodiscard]] int num_parts() const noexcept { return static_cast<int>(holders_.size()); }

  /// Returns the ranks that hold a part, ascending.
  ///
  /// @throws precondition_error  if the part does not exist
  [[nodiscard]] std::span<int const> ranks_of(int part) const { return holders_[place_of(part)]; }

  /// Picks the next holder of a part, in rounds over all its holders.
  ///
  /// @throws precondition_error  if the part does not exist
  [[nodiscard]] int pick(int part) {
    auto const p = place_of(part);
    auto const rank = holders_[p][next_[p]];
    next_[p] = (next_[p] + 1) % holders_[p].size();
    return rank;
  }

private:
  template <communicator Comm>
  friend part_router make_part_router(Comm& comm, int num_parts, std::vector<int> const& held);

  part_router(part_holders&& holders, int first) : holders_(std::move(holders.of_part)) {
    for (auto const& ranks : holders_) {
      next_.push_back(static_cast<std::size_t>(first) % ranks.size());
    }
  }

  [[nodiscard]] static part_holders checked(int num_parts, std::vector<std::vector<int>> const& parts) {
    auto holders = holders_of_parts(num_parts, parts);
    if (!holders.fault.empty()) {
      throw precondition_error(message("part_router: rank ", holders.faulty_rank, ' ', holders.fault));
    }
    return holders;
  }

  [[nodiscard]] std::size_t place_of(int part) const {
    if (part < 0 || part >= num_parts()) {
      throw precondition_error(message("part_router: no part ", part, "; parts are 0 to ", num_parts() - 1));
    }
    return static_cast<std::size_t>(part);
  }

  std::vector<std::vector<int>> holders_; // by part
  std::vector<std::size_t> next_;         // by part
};

/// Makes a router over the ranks of `comm`; each rank passes the parts it holds. The rounds begin with another holder
/// on every rank.
///
/// @param  num_parts  the same on all ranks, or 0 on ranks that do not know it
/// @comm   collective; one header exchange and one variable exchange
/// @throws collective_error  on every rank, if no rank holds a part, or a rank holds a part that does not exist
template <communicator Comm>
[[nodiscard]] part_router make_part_router(Comm& comm, int num_parts, std::vector<int> const& held) {
  std::vector<int> own{num_parts};
  own.insert(own.end(), held.begin(), held.end());
  auto lists = gather_lists(host_comm(comm), {.what = operation::join_roles, .hop = 1}, {}, own);
  auto const agreed = agreed_number_of_parts(comm, lists);
  for (auto& list : lists) {
    list.erase(list.begin());
  }
  auto holders = holders_of_parts(agreed, lists);
  if (!holders.fault.empty()) {
    throw detail::agreed(comm, holders.faulty_rank, holders.fault);
  }
  return part_router(std::move(holders), comm.rank());
}

} // namespace glt::detail
