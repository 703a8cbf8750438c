// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "console.hpp"
#include "first_checks.hpp"
#include "hot_rows.hpp"
#include "large.hpp"
#include "limits.hpp"
#include "options.hpp"
#include "report.hpp"
#include "split_checks.hpp"
#include "staging.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/parts.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace glt_partition {

/// Makes large blocks go back to the system as soon as they are free: a heap that keeps them would exceed the limit.
inline void return_free_memory() {
#if defined(__GLIBC__)
  constexpr int large = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, large); // fixed: by default it grows with what is freed
  mallopt(M_TRIM_THRESHOLD, large);
#endif
}

/// The whole job on several ranks, or within a limit of memory.
template <glt::communicator Comm>
void partition_on_disk(Comm comm, options const& chosen, std::string const& format, console& out) {
  if (chosen.method == "metis") {
    throw glt::precondition_error("--method metis needs the whole graph in one process: start one without --memory, or "
                                  "use multilevel, ldg or fennel");
  }
  return_free_memory();
  shared_scratch const scratch(comm, chosen.out);
  auto const input = stage_input(comm, chosen, format, scratch.path(), out);
  auto const data = input.view();
  glt::io::detail::all_types const graph(data);
  glt::run_together(comm, [&] {
    check_cache_ratio(chosen, graph); // in the order of partition_in_memory
    if (comm.rank() == 0) {
      check_splits(chosen, graph, out);
    }
    check_size(chosen, graph.num_vertices(), graph.num_edges(), 0, out);
  });
  auto const limit = chosen.memory > 0 ? chosen.memory : std::int64_t{4} << 30;
  auto const plan = glt::io::detail::plan_memory(graph.num_vertices(), limit, more_bytes(chosen));
  out.say(glt::detail::message(data.name, ": ", graph.num_vertices(), " vertices, ", graph.num_edges(), " edges on ",
                               comm.size(), " rank(s); each takes up to ", bytes_text(limit), " of memory, and about ",
                               bytes_text(48 * graph.num_edges() / comm.size()), " of disk for edges that wait"));
  auto const part_of = assign_large(comm, chosen, graph, plan, scratch.of_rank(comm), out);
  std::vector<glt::relabelling> labels;
  for (int type = 0; type < graph.schema().num_node_types(); ++type) {
    auto const of_type = part_of.view().subview(graph.first_vertex(type), graph.schema().num_vertices(type));
    labels.push_back(glt::make_relabelling(of_type, chosen.parts));
  }
  // Before the parts appear: the input is not read any more then.
  auto const between = count_edges_between(comm, graph, part_of.view(), chosen.parts);
  glt::io::detail::write_parts_collective(comm, chosen.out, data, labels,
                                          {.partitioner = note_of(chosen),
                                           .hot = find_hot(comm, chosen, graph, part_of.view(), plan, out.progress()),
                                           .halo = chosen.halo,
                                           .plan = plan,
                                           .on_progress = out.progress()});
  auto const parts = static_cast<std::size_t>(chosen.parts);
  std::vector<std::int64_t> edges_into(parts, 0);
  auto cut = graph.num_edges();
  for (std::size_t i = 0; i < between.size(); ++i) {
    edges_into[i % parts] += between[i];
    cut -= i / parts == i % parts ? between[i] : 0;
  }
  out.result({{"event", "quality"},
              {"quality", {{"num_edges", graph.num_edges()}, {"num_cut_edges", cut}, {"edges_between", between}}}},
             glt::detail::message(cut, " of ", graph.num_edges(), " edges cut\n"));
  // Until all ranks are here, some may still read what is in the scratch folder.
  glt::run_together(comm, [&] {
    if (!chosen.reports.empty() && comm.rank() == 0) {
      report(chosen, measure_folder(glt::io::parts_folder(chosen.out), chosen.threads),
             title_of(data.name, chosen.parts, chosen.method), out);
    }
    say_done(chosen, out);
    check_limits(chosen, graph, part_of.view(), edges_into, out);
  });
}

} // namespace glt_partition
