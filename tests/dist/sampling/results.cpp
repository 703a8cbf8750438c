// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/serial.hpp>
#include <glt/dist/link/link_sampler.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/sampling/induced_subgraph.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/walk/metapath_walk.hpp>
#include <glt/dist/walk/node2vec_walk.hpp>
#include <glt/dist/walk/random_walk.hpp>
#include <glt/memory/policy.hpp>

#include <concepts>

using glt::serial_comm;
using glt::device::cpu;

namespace dist = glt::dist;

namespace {

template <class Walker>
concept writes_walks = requires(Walker& walker, glt::host_view<glt::global_id const> starts,
                                glt::walks<cpu, glt::global_id>& out) { walker.walk(starts, {.seed = 1}, out); };

} // namespace

TEST_CASE("what samplers and walkers across ranks write has global ids without being told") {
  CHECK(std::same_as<glt::sampled_subgraph<cpu, glt::global_id>,
                     dist::neighbor_sampler<serial_comm, cpu>::subgraph_type>);
  CHECK(std::same_as<glt::hetero_subgraph<cpu, glt::global_id>,
                     dist::hetero_neighbor_sampler<serial_comm, cpu>::subgraph_type>);
  CHECK(writes_walks<dist::random_walker<serial_comm, cpu>>);
  CHECK(writes_walks<dist::node2vec_walker<serial_comm, cpu>>);
  CHECK(writes_walks<dist::metapath_walker<serial_comm, cpu>>);
}
