// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/dist/detail/exchange/gather_lists.hpp>
#include <glt/dist/roles/role.hpp>

namespace glt::detail {

/// Builds the groups from the introductions of all ranks: a character for the role, then the name of the group.
///
/// @shape  introductions [R] → groups, ordered by their lowest ranks
/// @throws collective_error  if a rank has no role, or no name, or one that a rank of another role has, too
template <communicator Comm>
[[nodiscard]] std::vector<role_group> groups_of(Comm const& comm, std::vector<std::string> const& introductions) {
  std::vector<role_group> groups;
  for (std::size_t i = 0; i < introductions.size(); ++i) {
    auto const rank = static_cast<int>(i);
    auto const refused = [&](std::string const& why) { return agreed(comm, rank, why); };
    auto const role = static_cast<dist::role>(introductions[i].front());
    auto const name = std::string_view(introductions[i]).substr(1);
    if (static_cast<std::size_t>(role) >= role_names.size()) {
      throw refused("joins in an unknown role; pass trainer, worker, server or client");
    }
    if (name.empty()) {
      throw refused(message("joins as ", name_of(role), " of a group without a name; name the group"));
    }
    auto group = std::ranges::find(groups, name, &role_group::name);
    if (group == groups.end()) {
      group = groups.insert(group, {role, std::string(name), {}});
    } else if (group->role != role) {
      throw refused(message("joins group \"", name, "\" as ", name_of(role), ", but rank ", group->ranks.front(),
                            " as ", name_of(group->role), "; give groups of different roles different names"));
    }
    group->ranks.push_back(rank);
  }
  return groups;
}

/// Sends the role and the group of this rank to all ranks, and receives theirs.
///
/// @comm   collective; one header exchange and one variable exchange
/// @throws collective_error  on every rank; see `groups_of`
template <communicator Comm>
[[nodiscard]] std::vector<role_group> join_groups(Comm& comm, dist::role role, std::string_view group) {
  std::string introduction(1, static_cast<char>(role));
  introduction += group;
  auto const introductions = gather_lists(comm, {.what = operation::join_roles}, {}, introduction);
  return committed(comm, [&] { return groups_of(comm, introductions); }); // the others wait for the split
}

} // namespace glt::detail
