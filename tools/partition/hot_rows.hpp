// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "options.hpp"
#include "whole_graph.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/io/parts_writer.hpp>
#include <glt/sample/hotness.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace glt_partition {

/// For every part the remote vertices that its training vertices reach most, as many as --cache-ratio says.
inline glt::io::hot_vertices find_hot(options const& chosen, whole_graph const& graph,
                                      glt::host_view<glt::local_id const> part_of) {
  if (!graph.is_simple()) {
    throw glt::precondition_error("--cache-ratio of a graph with types; leave it out");
  }
  glt::io::hot_vertices hot;
  auto const num_vertices = graph.view().num_rows();
  auto const wanted = static_cast<std::size_t>(chosen.cache_ratio * static_cast<double>(num_vertices));
  for (int part = 0; part < chosen.parts; ++part) {
    std::vector<glt::global_id> seeds;
    std::ranges::copy_if(graph.seeds(), std::back_inserter(seeds), [&](auto seed) { return part_of[seed] == part; });
    auto const hotness = glt::estimate_hotness(graph.view(), glt::host_view<glt::global_id const>(seeds),
                                               hotness_of(chosen), cpu(chosen.threads));
    std::vector<glt::global_id> remote;
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      if (part_of[v] != part && hotness[v] > 0) {
        remote.push_back(v);
      }
    }
    auto const kept = std::min(wanted, remote.size());
    std::ranges::partial_sort(remote, remote.begin() + static_cast<std::ptrdiff_t>(kept), [&](auto a, auto b) {
      return hotness[a] != hotness[b] ? hotness[a] > hotness[b] : a < b;
    });
    remote.resize(kept);
    hot.by_part.push_back(std::move(remote));
  }
  return hot;
}

} // namespace glt_partition
