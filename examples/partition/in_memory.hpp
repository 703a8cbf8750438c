// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "console.hpp"
#include "first_checks.hpp"
#include "hot_rows.hpp"
#include "input.hpp"
#include "limits.hpp"
#include "options.hpp"
#include "read_estimate.hpp"
#include "report.hpp"
#include "split_checks.hpp"
#include "whole_graph.hpp"

#include <glt/core/error.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

/// Bytes that are needed beside a data set that is in memory: for its graph, and a part of it.
inline double estimate_bytes(glt::io::raw_data const& data) {
  double bytes = 0;
  for (auto const& nodes : data.nodes) {
    bytes += 40.0 * static_cast<double>(nodes.num_nodes); // offsets, parts, relabelling
    for (auto const& feature : nodes.features) {
      bytes += static_cast<double>(feature.values.bytes().size());
    }
  }
  for (auto const& edges : data.edges) {
    bytes += (8.0 + 24.0) * static_cast<double>(edges.sources.size()); // rows, and what sorts them
  }
  return bytes;
}

/// The whole job in the memory of one process.
inline void partition_in_memory(options const& chosen, std::string const& format, console& out) {
  check_readable(chosen, format);
  auto data = read_input(chosen, format, out);
  prepare(data, chosen, out);
  glt::io::detail::all_types const all(data.view());
  check_cache_ratio(chosen, all);
  check_splits(chosen, all, out);
  auto const bytes = estimate_bytes(data);
  check_size(chosen, all.num_vertices(), all.num_edges(), bytes, out);
  out.say(glt::detail::message(data.name, ": ", all.num_vertices(), " vertices, ", all.num_edges(),
                               " edges; needs about ", short_number(bytes), "B more of memory"));
  whole_graph const graph(data);
  out.say("partitioning by " + chosen.method);
  auto const part_of = assign(chosen, graph);
  std::vector<glt::relabelling> labels;
  for (std::size_t t = 0; t < data.nodes.size(); ++t) {
    labels.push_back(glt::make_relabelling(graph.of_type(part_of.cview(), t), chosen.parts));
  }
  glt::io::write_options const writing{.partitioner = note_of(chosen),
                                       .hot = find_hot(chosen, data, part_of.cview()),
                                       .halo = chosen.halo,
                                       .on_progress = out.progress()};
  auto const quality = graph.measure(part_of.cview(), chosen.parts, chosen.threads);
  glt::io::write_parts(chosen.out, data, labels, writing);
  report(chosen, quality, title_of(data.name, chosen.parts, chosen.method), out); // a fault of it costs no parts
  say_done(chosen, out);
  std::vector<std::int64_t> edges_into;
  for (auto const& part : quality.parts) {
    edges_into.push_back(part.num_edges);
  }
  check_limits(chosen, all, part_of.cview(), edges_into, out);
}

} // namespace glt_partition
