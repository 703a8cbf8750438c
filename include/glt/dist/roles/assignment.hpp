// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <map>

namespace glt::dist {

/// Role of a rank in a deployment.
enum class role : std::uint8_t {
  trainer, ///< owns a part and trains; samples itself (a worker in other libraries), or has workers that do
  worker,  ///< an extra rank that samples for a trainer on its machine
  server,  ///< owns parts, and samples for clients
  client,  ///< trains on batches of servers, and owns no part
};

} // namespace glt::dist

namespace glt::detail {

/// Ranks with the same role and group name.
struct role_group {
  dist::role role;
  std::string name;
  std::vector<int> ranks; ///< of the world, ascending
};

inline constexpr std::array<std::string_view, 4> role_names{"trainer", "worker", "server", "client"};

} // namespace glt::detail

namespace glt::dist {

/// Returns the name of a role, as in "server".
[[nodiscard]] constexpr std::string_view to_string(role what) noexcept {
  auto const i = static_cast<std::size_t>(what);
  return i < detail::role_names.size() ? detail::role_names[i] : "unknown role";
}

/// Gives every trainer `workers_per_trainer` worker ranks on the same machine. On each machine, in ascending order, the
/// first rank is a trainer, the next ones are its workers, and so on. Returns the trainer of every rank: a trainer's is
/// its rank.
///
/// @shape  machines [R], any numbers, equal for ranks on one machine → [R]
/// @throws precondition_error  if workers_per_trainer < 0, or the number of ranks of a machine is not a multiple of
///                             workers_per_trainer + 1
/// @cost   O(R log R) work
[[nodiscard]] inline std::vector<int> assign_workers(std::span<std::int64_t const> machines, int workers_per_trainer) {
  if (workers_per_trainer < 0) {
    throw precondition_error(
        detail::message("assign_workers: ", workers_per_trainer, " workers per trainer; pass 0 or more"));
  }
  auto const team = std::size_t{1} + static_cast<std::size_t>(workers_per_trainer);
  std::map<std::int64_t, std::vector<int>> ranks_of_machine;
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    ranks_of_machine[machines[rank]].push_back(static_cast<int>(rank));
  }
  std::vector<int> trainers(machines.size());
  for (auto const& [machine, ranks] : ranks_of_machine) {
    if (ranks.size() % team != 0) {
      throw precondition_error(detail::message(
          "assign_workers: ", ranks.size(), " ranks on the machine of rank ", ranks.front(), ", but a trainer and ",
          workers_per_trainer, " workers are ", team, "; start ", team, " ranks on every machine, or a multiple"));
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      trainers[static_cast<std::size_t>(ranks[i])] = ranks[i - i % team];
    }
  }
  return trainers;
}

} // namespace glt::dist

namespace glt::detail {

/// Returns the role of a rank if the first `num_servers` ranks are servers and the others clients.
///
/// @throws precondition_error  if there would be no server or no client, or the rank does not exist
[[nodiscard]] inline dist::role server_or_client(int rank, int num_ranks, int num_servers) {
  if (num_servers < 1 || num_servers >= num_ranks) {
    throw precondition_error(message(num_servers, " servers of ", num_ranks,
                                     " ranks; have 1 server or more, and start more ranks than servers"));
  }
  if (rank < 0 || rank >= num_ranks) {
    throw precondition_error(message("no rank ", rank, "; ranks are 0 to ", num_ranks - 1));
  }
  return rank < num_servers ? dist::role::server : dist::role::client;
}

/// Returns the servers that sample for a client, as evenly as possible and at least one; both are numbered from 0.
///
/// With C clients and S ≥ C servers, every server has one client and every client ⌊S/C⌋ or ⌈S/C⌉ servers. With S < C,
/// every client has one server and every server ⌊C/S⌋ or ⌈C/S⌉ clients.
///
/// @throws precondition_error  if there is no server, or the client does not exist
[[nodiscard]] inline std::vector<int> servers_of(int client, int num_clients, int num_servers) {
  if (num_servers < 1 || client < 0 || client >= num_clients) {
    throw precondition_error(message("servers_of: client ", client, " of ", num_clients, " and ", num_servers,
                                     " servers; have 1 server or more, and number clients from 0"));
  }
  auto const before = [&](std::int64_t clients) { return static_cast<int>(clients * num_servers / num_clients); };
  auto const first = before(client);
  std::vector<int> servers(static_cast<std::size_t>(std::max(1, before(client + std::int64_t{1}) - first)));
  std::iota(servers.begin(), servers.end(), first);
  return servers;
}

} // namespace glt::detail
