// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "parts.hpp"

#include "support/hetero_parts.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

/// What the programs share that throw before, inside and after collectives, on one of the ranks; after each case all ranks
/// go on with the next.
namespace glt_fault {

using comm_type = glt::mpi_comm;
using glt::global_id;
using id_list = std::vector<global_id>;

/// The call of a site; with a wrong argument if `wrong`.
using call_type = std::function<void(bool wrong)>;

/// A collective: what must be there before it, and the call.
struct site {
  char const* name;
  bool has_wrong; ///< there is a wrong argument, or a callback that throws
  std::function<call_type(comm_type&)> prepare;
  bool in_group = false; ///< of a group, which has a guard of its own: there `inside` is before the call
};

/// A divided graph with all that belongs to it; a shared pointer keeps it for the call.
struct world {
  glt::dist::graph<cpu, global_id> graph;
  glt::dist::feature_store<cpu, float> features;
  id_list own;
  id_list wrong{-1};

  explicit world(comm_type& comm)
      : graph(comm, make_part(comm, true)), features(comm, graph.book(), make_rows(graph.local().num_rows())),
        own(own_vertices(graph)) {}

  [[nodiscard]] id_list const& vertices(bool use_wrong) const { return use_wrong ? wrong : own; }
  [[nodiscard]] std::vector<glt::edge_id> edge_ids() const {
    return {graph.local().edge_ids().begin(), graph.local().edge_ids().end()};
  }
};

inline std::shared_ptr<world> make_world(comm_type& comm) {
  return std::make_shared<world>(comm);
}

/// A graph of several types, divided.
inline glt_test::divided_hetero_graph const& divided_types(int ranks) {
  static glt_test::divided_hetero_graph const divided(glt_test::academic_graph(60), ranks);
  return divided;
}

enum class phase { before, inside, after };

inline void run_case(comm_type& comm, int number, site const& at, phase when, int thrower) {
  int const rank = comm.rank();
  constexpr std::array names{"before", "inside", "after"};
  if (rank == 0) {
    say("case %d: %s, %s, on rank %d", number, at.name, names[static_cast<std::size_t>(when)], thrower);
  }
  bool const is_thrower = rank == thrower;
  try {
    glt::run_collectively(comm, [&] {
      auto const call = at.prepare(comm);
      if (is_thrower && when == phase::before) {
        throw std::runtime_error("thrown before");
      }
      call(is_thrower && when == phase::inside);
      if (is_thrower && when == phase::after) {
        throw std::runtime_error("thrown after");
      }
    });
    say("case %d rank %d result", number, rank);
  } catch (glt::collective_error const& error) {
    say("case %d rank %d error: %s", number, rank, error.what());
  } catch (std::exception const& error) {
    say("case %d rank %d other error: %s", number, rank, error.what());
  }
}

/// A `main`. Arguments: the number of the first case. Every rank prints "case N rank R error: TEXT" or "case N rank R
/// result" for every case, after rank 0 has printed "case N: NAME".
inline int run_sites(int argc, char** argv, std::vector<site> const& sites,
                     glt::mpi_threads threads = glt::mpi_threads::funneled) {
  glt::mpi_environment const mpi(threads);
  auto comm = glt::mpi_comm::world();
  int const first = argc > 1 ? std::atoi(argv[1]) : 0;
  int number = 0;
  for (auto const& at : sites) {
    for (auto const when : {phase::before, phase::inside, phase::after}) {
      if ((when == phase::inside && !at.has_wrong) || (when == phase::before && at.in_group)) {
        continue;
      }
      for (int thrower = 0; thrower < comm.size(); ++thrower) {
        if (number >= first) {
          run_case(comm, number, at, when, thrower);
        }
        ++number;
      }
    }
  }
  say("rank %d over after %d cases", comm.rank(), number);
  return 0;
}

} // namespace glt_fault
