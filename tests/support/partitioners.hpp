// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "archetypes.hpp"

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace glt_test {

/// Everything in the last part: all others are empty.
struct last_part_partitioner {
  template <class Vertex>
  glt::buffer<glt::device::cpu, glt::local_id> operator()(glt::csr_view<glt::memory_space::host, Vertex> graph,
                                                          int num_parts) const {
    glt::buffer<glt::device::cpu, glt::local_id> part_of(graph.num_rows());
    for (auto& part : part_of) {
      part = num_parts - 1;
    }
    return part_of;
  }
};
static_assert(glt::partitioner<last_part_partitioner>);

/// A partitioner of 32-bit graphs under a name, for loops over all of them.
struct named_partitioner {
  std::string name;
  std::function<glt::buffer<glt::device::cpu, glt::local_id>(glt::csr_view<glt::memory_space::host>, int)> run;
};

/// The library's partitioners, round robin, and one that leaves parts empty.
inline std::vector<named_partitioner> all_partitioners() {
  return {{"contiguous", glt::contiguous_partitioner{}},
          {"random", glt::random_partitioner{.seed = 3}},
          {"ldg", glt::ldg_partitioner{.seed = 3}},
          {"round robin", minimal_partitioner{}},
          {"all in the last part", last_part_partitioner{}}};
}

} // namespace glt_test
