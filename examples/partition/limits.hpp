// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "console.hpp"
#include "options.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/partition/balance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace glt_partition {

/// What a note says of parts of which one has more than `slack` allows; empty if none has.
///
/// A limit counts as missed also where one vertex alone weighs more than `slack` allows, so that no partition can keep
/// it. The limit that partitioners keep is wider there: it allows the heaviest vertex, see `glt::balance_limit`.
///
/// @shape  counts [P], what every part has
inline std::string limit_missed(std::string const& what, std::span<std::int64_t const> counts, double slack) {
  auto const fullest = std::ranges::max_element(counts);
  auto const total = std::reduce(counts.begin(), counts.end());
  auto const share = static_cast<double>(total) / static_cast<double>(counts.size());
  auto const most = glt::detail::part_capacity(total, 0, slack, static_cast<int>(counts.size()));
  if (*fullest <= most) {
    return {};
  }
  return glt::detail::message("part ", fullest - counts.begin(), " has ", *fullest, " of ", total, " ", what, ", ",
                              fixed(static_cast<double>(*fullest) / share, 3), " times its share; --slack ", slack,
                              " allows ", most);
}

/// What a note says of parts without vertices; empty if there are none.
///
/// @shape  counts [P], vertices of every part
inline std::string empty_parts(std::span<std::int64_t const> counts) {
  constexpr std::int64_t most_named = 8;
  std::string named;
  std::int64_t number = 0;
  for (std::size_t part = 0; part < counts.size(); ++part) {
    if (counts[part] == 0 && number++ < most_named) {
      named += (named.empty() ? "" : ", ") + std::to_string(part);
    }
  }
  return number == 0 ? std::string()
                     : glt::detail::message(number, " of ", counts.size(), " parts have no vertices: ", named,
                                            number > most_named ? ", …" : "", "; ask for fewer --parts");
}

/// Names empty parts, and tells which limits of --balance the parts exceed; methods that keep none promise nothing.
///
/// @shape  part_of [V of all types]; edges_into [P], edges into the vertices of every part
/// @throws precondition_error  if there is one, and --strict
inline void check_limits(options const& chosen, glt::io::detail::all_types const& graph,
                         glt::host_view<glt::local_id const> part_of, std::span<std::int64_t const> edges_into,
                         console& out) {
  auto const by_part = [&](auto const& vertices) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(chosen.parts), 0);
    for (auto const vertex : vertices) {
      ++counts[static_cast<std::size_t>(part_of[vertex])];
    }
    return counts;
  };
  auto const sizes = by_part(std::views::iota(std::int64_t{0}, graph.num_vertices()));
  if (auto const text = empty_parts(sizes); !text.empty()) {
    out.say("note: " + text);
  }
  if (!keeps_balance(chosen.method)) {
    return;
  }
  int missed = 0;
  auto const check = [&](std::string const& what, std::span<std::int64_t const> counts) {
    if (auto const text = limit_missed(what, counts, chosen.slack); !text.empty()) {
      ++missed;
      out.say("note: " + text);
    }
  };
  if (asks_balance(chosen, "vertices")) {
    check("vertices", sizes);
  }
  if (asks_balance(chosen, "edges")) {
    check("edges", edges_into);
  }
  if (asks_balance(chosen, "seeds")) {
    check("training vertices", by_part(graph.train()));
  }
  if (asks_balance(chosen, "types")) {
    for (int type = 0; type < graph.schema().num_node_types(); ++type) {
      check("vertices of type " + graph.schema().node_types()[static_cast<std::size_t>(type)].name,
            by_part(std::views::iota(graph.first_vertex(type), graph.first_vertex(type + 1))));
    }
  }
  if (missed > 0 && chosen.strict) {
    throw glt::precondition_error(glt::detail::message(
        "--strict: the parts exceed ", missed, " limit(s); allow more by --slack, ask --balance for less, or take ",
        "another --method (what was written to ", chosen.out.string(), " is complete)"));
  }
}

} // namespace glt_partition
