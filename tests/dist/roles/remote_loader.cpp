// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/roles/server.hpp>

#include "support/counted_batches.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

constexpr int num_parts = 6; // of which servers and ranks of a loader have equally many
using recipe_type = glt::dist::neighbor_batches<cpu, glt::global_id>;

// A graph whose vertices are numbered as those of `num_parts` parts, on any number of ranks that divides it.
struct numbered_graph {
  numbered_graph() : parts(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], num_parts) {}

  template <class Comm>
  glt::graph_part<cpu> part(Comm const& comm) const {
    return glt_test::merged_part(parts, comm.rank(), comm.size());
  }
  divided_graph parts;
};

std::vector<glt::global_id> seeds_of(int consumer) {
  std::vector<glt::global_id> seeds;
  for (std::int64_t i = 0; i < 20 + 10 * consumer; ++i) {
    seeds.push_back((i * 11 + consumer * 5) % 257);
  }
  return seeds;
}

} // namespace
