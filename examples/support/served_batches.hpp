// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "train_options.hpp"
#include "train_part.hpp"
#include "trainer.hpp"

#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/mpi/node.hpp>

#include <torch/utils.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace example {

using roles_type = glt::dist::role_context<comm_type>;

/// Who trains, and which ranks make the batches of this one.
struct placement {
  glt::dist::role role = glt::dist::role::client;
  std::vector<int> servers; ///< ranks of the world; none: those that are assigned
};

inline placement place_rank(comm_type& world, glt::mpi_node const& node, train_options const& options) {
  std::vector<std::int64_t> const own(static_cast<std::size_t>(world.size()), node.neighbors().front());
  std::vector<std::int64_t> machines(own.size());
  world.all_to_all(reinterpret_cast<std::byte const*>(own.data()), reinterpret_cast<std::byte*>(machines.data()),
                   sizeof(std::int64_t));
  auto const trainers = glt::dist::assign_workers(machines, static_cast<int>(options.workers));
  placement made{glt::dist::role::worker, {}};
  for (int rank = 0; rank < world.size(); ++rank) {
    if (trainers[static_cast<std::size_t>(rank)] != world.rank()) {
      continue;
    }
    if (rank == world.rank()) {
      made.role = glt::dist::role::trainer;
    } else {
      made.servers.push_back(rank);
    }
  }
  return made;
}

/// Makes batches of the part of this rank until those who train on them are gone.
inline void serve_batches(roles_type& roles, glt::mpi_node const& node, train_options const& options) {
  auto& comm = roles.group();
  std::optional<glt::dist::graph<cpu>> edgeless;
  std::optional<glt::dist::data_set<cpu>> opened;
  std::vector<std::int64_t> part_offsets;
  auto const what = glt::run_collectively(comm, [&] {
    part_offsets = glt::io::parts_folder(options.parts).info().nodes[0].offsets;
    opened.emplace(glt::io::open_data_set(comm, options.parts, loading_of(options)));
    edgeless.emplace(comm, without_edges(opened->graph()));
    return problem_of(*opened, options.parts);
  });
  auto const& data = *opened;

  std::optional<glt::dist::server<comm_type>> server;
  if (options.deployment == deployment::workers) {
    server.emplace(roles, node, options.shared_megabytes << 20);
  } else {
    server.emplace(roles);
  }
  server->offer(name_of(learns_from::graph), recipe_type(data, {}));
  server->offer(name_of(learns_from::features_only), recipe_type(*edgeless, data.features(), {}));
  server->register_service("problem", [&](std::int64_t) { return std::vector{what.num_columns, what.num_classes}; });
  server->register_service("parts", [&](std::int64_t) { return part_offsets; });
  server->register_service("split", [&](std::string const& name) { return data.split(name); });
  server->run();
}

/// The seeds that a rank would have if it were one of `num_ranks` that own the parts.
inline std::vector<glt::global_id> seeds_of_rank(glt::dist::client<comm_type>& client, std::string const& split,
                                                 std::vector<std::int64_t> const& part_offsets, int rank,
                                                 int num_ranks) {
  auto const parts = static_cast<std::int64_t>(part_offsets.size()) - 1;
  auto const begin = part_offsets[static_cast<std::size_t>(parts * rank / num_ranks)];
  auto const end = part_offsets[static_cast<std::size_t>(parts * (rank + 1) / num_ranks)];
  std::vector<glt::global_id> own;
  for (int const server : client.servers()) {
    for (auto const seed : client.request<std::vector<glt::global_id>>(server, "split", split)) {
      if (seed >= begin && seed < end) {
        own.push_back(seed);
      }
    }
  }
  return own;
}

/// Trains on batches that servers make.
inline accuracies train_on_remote_batches(roles_type& roles, glt::mpi_node const& node, placement const& where,
                                          train_options const& options) {
  std::optional<glt::dist::client<comm_type>> client;
  if (options.deployment == deployment::workers) {
    client.emplace(roles, node);
  } else {
    client.emplace(roles);
  }
  return glt::run_collectively(roles.group(), [&] {
    auto const shape = client->request<std::vector<std::int64_t>>(client->servers()[0], "problem", std::int64_t{0});
    auto const offsets = client->request<std::vector<std::int64_t>>(client->servers()[0], "parts", std::int64_t{0});
    auto& comm = roles.group();
    auto const seeds_of = [&](char const* split) {
      return seeds_of_rank(*client, split, offsets, comm.rank(), comm.size());
    };
    splits const seeds{seeds_of("train"), seeds_of("valid"), seeds_of("test")};

    return train_both(comm, options, [&](learns_from input, epoch_log& log) {
      using loader_type = glt::dist::remote_loader<comm_type, recipe_type>;
      auto const make_loader = [&](std::vector<glt::global_id> const& of, bool shuffle) {
        return std::make_unique<loader_type>(
            *client, name_of(input), of, glt::neighbor_options{.fanouts = options.fanout},
            glt::dist::loader_options{
                .batch_size = options.batch, .shuffle = shuffle, .seed = options.seed, .prefetch = options.prefetch},
            loader_type::remote_options{.servers = where.servers});
      };
      torch::manual_seed(options.seed);
      return trainer<glt::mpi_comm, loader_type>(comm, seeds, make_loader, {shape[0], shape[1]}, options, input, log)
          .run();
    });
  });
}

/// Trains on some ranks, for which the others make the batches; accuracies on those that train.
inline std::optional<accuracies> train_with_servers(glt::mpi_comm comm, train_options const& options) {
  if (options.hot_rows) {
    throw glt::precondition_error("--hot-rows is for ranks that own their part; leave it out with servers or workers");
  }
  glt::mpi_node const node(comm);
  comm_type world(comm);
  bool const has_workers = options.deployment == deployment::workers;
  auto const where = has_workers ? place_rank(world, node, options) : placement();
  auto roles = has_workers ? roles_type(world, where.role, to_string(where.role))
                           : roles_type(world, static_cast<int>(options.servers));
  if (roles.role() == glt::dist::role::server || roles.role() == glt::dist::role::worker) {
    serve_batches(roles, node, options);
    return std::nullopt;
  }
  return train_on_remote_batches(roles, node, where, options);
}

} // namespace example
