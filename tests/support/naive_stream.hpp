// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/balance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt_test {

/// What one limit allows and how much of it the parts have, group by group.
struct naive_limit {
  glt::balance_limit limit;
  std::vector<double> capacities;           ///< by group
  std::vector<std::vector<double>> loads{}; ///< by part, by group

  naive_limit(glt::balance_limit of, std::int64_t num_vertices, int num_parts) : limit(std::move(of)) {
    std::vector<double> heaviest(static_cast<std::size_t>(limit.num_groups), 0);
    capacities.resize(heaviest.size(), 0);
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      auto const [group, weight] = limit.share(v);
      capacities[static_cast<std::size_t>(group)] += static_cast<double>(weight);
      heaviest[static_cast<std::size_t>(group)] =
          std::max(heaviest[static_cast<std::size_t>(group)], static_cast<double>(weight));
    }
    for (std::size_t group = 0; group < heaviest.size(); ++group) {
      auto const wished = std::ceil((1 + limit.slack) * capacities[group] / num_parts);
      capacities[group] = std::min(capacities[group], std::max(wished, heaviest[group]));
    }
    loads.assign(static_cast<std::size_t>(num_parts), std::vector<double>(heaviest.size(), 0));
  }

  [[nodiscard]] double fullness(std::int64_t v, std::size_t part) const {
    auto const [group, weight] = limit.share(v);
    auto const after = loads[part][static_cast<std::size_t>(group)] + static_cast<double>(weight);
    return weight == 0 ? 0 : after / capacities[static_cast<std::size_t>(group)];
  }
  void add(std::int64_t v, std::size_t part) {
    auto const [group, weight] = limit.share(v);
    loads[part][static_cast<std::size_t>(group)] += static_cast<double>(weight);
  }
};

/// A streaming partitioner with nothing but loops over all parts; score(neighbors, size) is the rule.
template <class Score>
std::vector<glt::local_id> naive_stream(glt::csr_view<glt::memory_space::host> graph,
                                        std::vector<std::int64_t> const& order, int passes, int num_parts,
                                        double capacity, glt::balance_constraints const& balance, Score score) {
  auto const n = graph.num_rows();
  auto const parts = static_cast<std::size_t>(num_parts);
  std::vector<glt::local_id> part_of(static_cast<std::size_t>(n), -1);
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<double> sizes(parts, 0);
    std::vector<naive_limit> limits;
    for (auto const& limit : balance) {
      limits.emplace_back(limit, n, num_parts);
    }
    for (auto const v : order) {
      auto const fullness = [&](std::size_t part) {
        double fullest = (sizes[part] + 1) / capacity;
        for (auto const& limit : limits) {
          fullest = std::max(fullest, limit.fullness(v, part));
        }
        return fullest;
      };
      auto const neighbors = [&](std::size_t part) {
        double count = 0;
        for (auto const u : graph.row(v)) {
          count += u != v && part_of[static_cast<std::size_t>(u)] == static_cast<glt::local_id>(part) ? 1 : 0;
        }
        return count;
      };
      std::size_t best = 0;
      for (std::size_t p = 1; p < parts; ++p) {
        bool const room = fullness(p) <= 1;
        bool const best_room = fullness(best) <= 1;
        auto const gain = room && best_room   ? score(neighbors(p), sizes[p]) - score(neighbors(best), sizes[best])
                          : room || best_room ? (room ? 1 : -1)
                                              : fullness(best) - fullness(p);
        if (gain > 0 || (gain == 0 && sizes[p] < sizes[best])) {
          best = p;
        }
      }
      part_of[static_cast<std::size_t>(v)] = static_cast<glt::local_id>(best);
      ++sizes[best];
      for (auto& limit : limits) {
        limit.add(v, best);
      }
    }
  }
  return part_of;
}

} // namespace glt_test
