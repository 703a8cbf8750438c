// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/roles/assignment.hpp>

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
      throw refused(message("joins as ", to_string(role), " of a group without a name; name the group"));
    }
    auto group = std::ranges::find(groups, name, &role_group::name);
    if (group == groups.end()) {
      group = groups.insert(group, {role, std::string(name), {}});
    } else if (group->role != role) {
      throw refused(message("joins group \"", name, "\" as ", to_string(role), ", but rank ", group->ranks.front(),
                            " as ", to_string(group->role), "; give groups of different roles different names"));
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

namespace glt::dist {

/// Roles and groups of all ranks of the world, as each rank has declared them.
///
/// Ranks may get their roles in any way: one program whose first ranks are servers or that uses `assign_workers`, or one
/// program per role in one MPI job.
///
/// Errors of the group name the failed rank by its rank in the world. Their cause begins with the group and the rank
/// there, as `name_of` writes them.
///
/// A guard of the world (`run_collectively`) reports a rank's failure to ranks that wait in a call of the world. Ranks
/// that wait in a call of a group are reached only by a guard of `group()`. A guard of the world around it passes its
/// error on to the other groups. Do not make calls of the world, such as constructing servers and clients, inside a
/// guard of a group. A failed rank would wait in the group, and the others in the world.
///
/// Concurrent calls: none on one object and its copies; const members may run concurrently.
template <communicator Comm>
class role_context {
public:
  /// Joins the other ranks; ranks with the same group name form one group, in the order of the world.
  ///
  /// @comm   collective over world; one header exchange, one variable exchange and one split
  /// @throws collective_error  on every rank, if a rank gives no name, or a name that a rank of another role gives
  role_context(Comm world, dist::role role, std::string_view group)
      : world_(std::move(world)), groups_(detail::join_groups(detail::host_comm(world_), role, group)),
        own_(place_of_group(world_.rank())), group_(world_.split(static_cast<int>(own_), 0)) {
    if constexpr (requires { detail::host_comm(group_).set_name(std::string(group)); }) {
      detail::host_comm(group_).set_name(std::string(group));
    }
  }

  /// Makes the first `num_servers` ranks servers, the group "servers", and the others clients, the group "clients".
  ///
  /// @comm   as above
  /// @throws precondition_error  on every rank, if there would be no server or no client
  role_context(Comm world, int num_servers)
      : role_context(world, detail::server_or_client(world.rank(), world.size(), num_servers),
                     world.rank() < num_servers ? "servers" : "clients") {}

  using group_type = detail::role_group; ///< `.role`, `.name` and `.ranks` of a group

  [[nodiscard]] dist::role role() const noexcept { return groups_[own_].role; }
  [[nodiscard]] std::string const& group_name() const noexcept { return groups_[own_].name; }
  [[nodiscard]] int group_rank() const noexcept { return group_.rank(); }
  [[nodiscard]] int group_size() const noexcept { return group_.size(); }
  [[nodiscard]] int world_rank() const noexcept { return world_.rank(); }
  [[nodiscard]] int world_size() const noexcept { return world_.size(); }

  /// Returns the communicator of the world, or of this rank's group.
  [[nodiscard]] Comm& world() noexcept { return world_; }
  [[nodiscard]] Comm& group() noexcept { return group_; }

  /// Returns all groups, ordered by their lowest ranks; the same on all ranks.
  [[nodiscard]] std::vector<group_type> const& groups() const noexcept { return groups_; }

  /// Returns the group of a rank of the world.
  ///
  /// @throws precondition_error  if the rank does not exist
  [[nodiscard]] group_type const& group_of(int world_rank) const {
    if (world_rank < 0 || world_rank >= world_size()) {
      throw precondition_error(
          detail::message("group_of: no rank ", world_rank, "; ranks of the world are 0 to ", world_size() - 1));
    }
    return groups_[place_of_group(world_rank)];
  }

  /// Returns a readable name of a rank of the world: its group and its rank there, as in "servers-1".
  ///
  /// @throws precondition_error  if the rank does not exist
  [[nodiscard]] std::string name_of(int world_rank) const {
    auto const& [role, name, ranks] = group_of(world_rank);
    return detail::message(name, '-', std::ranges::lower_bound(ranks, world_rank) - ranks.begin());
  }

  /// Returns the ranks of the world with a role, ascending; none if no rank has it.
  [[nodiscard]] std::vector<int> ranks_of(dist::role role) const {
    std::vector<int> ranks;
    for (auto const& group : groups_) {
      if (group.role == role) {
        ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
      }
    }
    std::ranges::sort(ranks);
    return ranks;
  }

  /// Returns the ranks of the world in a group, ascending.
  ///
  /// @throws precondition_error  if no group has this name
  [[nodiscard]] std::span<int const> ranks_of(std::string_view group) const {
    auto const found = std::ranges::find(groups_, group, &detail::role_group::name);
    if (found == groups_.end()) {
      throw precondition_error(detail::message("ranks_of: no group \"", group, "\"; groups are ",
                                               detail::name_list(groups_, &detail::role_group::name)));
    }
    return found->ranks;
  }

private:
  [[nodiscard]] std::size_t place_of_group(int world_rank) const {
    auto const has = [&](detail::role_group const& group) {
      return std::ranges::binary_search(group.ranks, world_rank);
    };
    return static_cast<std::size_t>(std::ranges::find_if(groups_, has) - groups_.begin());
  }

  Comm world_;
  std::vector<detail::role_group> groups_;
  std::size_t own_; // group
  Comm group_;
};

} // namespace glt::dist
