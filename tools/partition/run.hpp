// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "console.hpp"
#include "hot_rows.hpp"
#include "input.hpp"
#include "large.hpp"
#include "options.hpp"
#include "whole_graph.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/manifest.hpp>
#include <glt/io/memory_plan.hpp>
#include <glt/io/parallel_parts.hpp>
#include <glt/io/parts.hpp>
#include <glt/io/parts_describe.hpp>
#include <glt/io/parts_folder.hpp>
#include <glt/io/parts_quality.hpp>
#include <glt/io/parts_writer.hpp>
#include <glt/io/quality_json.hpp>
#include <glt/io/quality_svg.hpp>
#include <glt/io/quality_table.hpp>
#include <glt/io/staging.hpp>
#include <glt/partition/relabel.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

inline std::string bytes_text(std::int64_t bytes) {
  return short_number(static_cast<double>(bytes)) + "B";
}

/// Bytes that a data set, its graph and a part of it take at the same time.
inline std::int64_t estimate_bytes(glt::io::data_set const& data) {
  std::int64_t bytes = 0;
  for (auto const& nodes : data.nodes) {
    bytes += 40 * nodes.num_nodes; // offsets, parts, relabelling
    for (auto const& feature : nodes.features) {
      bytes += 2 * feature.values.bytes().size();
    }
  }
  for (auto const& edges : data.edges) {
    auto const count = static_cast<std::int64_t>(edges.sources.size());
    bytes += count * (16 + 8 + 24); // the list, its rows, and what sorts them
  }
  return bytes;
}

inline void write_text(std::filesystem::path const& path, std::string const& text) {
  glt::io::staged_file file(path);
  file.write(text.data(), static_cast<std::int64_t>(text.size()));
  file.commit();
}

inline void report(options const& chosen, glt::partition_quality const& quality, console& out) {
  for (auto const& path : chosen.reports) {
    auto const kind = path.extension();
    write_text(path, kind == ".svg"    ? glt::io::quality_svg(quality)
                     : kind == ".json" ? glt::io::quality_json(quality)
                                       : glt::io::quality_table(quality));
  }
  auto object = glt::io::quality_object(quality);
  out.result({{"event", "quality"}, {"quality", std::move(object)}}, glt::io::quality_table(quality));
}

inline void say_done(options const& chosen, console& out) {
  glt::io::parts_folder const folder(chosen.out);
  auto const bytes = folder.info().num_bytes();
  out.result(
      {{"event", "done"}, {"out", chosen.out.string()}, {"parts", folder.num_parts()}, {"bytes", bytes}},
      glt::detail::message(folder.num_parts(), " parts, ", bytes_text(bytes), ", in ", chosen.out.string(), "\n"));
}

/// Measures parts that are on disk, one after the other.
inline glt::partition_quality measure_folder(glt::io::parts_folder const& folder, int threads) {
  cpu const policy(threads);
  return glt::io::measure_parts(folder, policy.executor());
}

/// The whole job in the memory of one process.
inline void partition_in_memory(options const& chosen, std::string const& format, console& out) {
  auto input = read_input(chosen, format, out);
  auto& data = input.data;
  prepare(data, chosen, out);
  std::int64_t num_edges = 0;
  std::int64_t num_nodes = 0;
  for (auto const& nodes : data.nodes) {
    num_nodes += nodes.num_nodes;
  }
  for (auto const& edges : data.edges) {
    num_edges += static_cast<std::int64_t>(edges.sources.size());
  }
  auto const needed = estimate_bytes(data);
  out.say(glt::detail::message(data.name, ": ", num_nodes, " vertices, ", num_edges, " edges; needs about ",
                               bytes_text(needed), " of memory"));
  if (chosen.memory > 0 && needed > chosen.memory) {
    throw glt::precondition_error(glt::detail::message(
        "about ", needed, " bytes are needed and --memory allows ", chosen.memory,
        "; formats other than npy are read into memory: save the edges as edge_index.npy, or allow more"));
  }
  whole_graph const graph(data);
  assignment part_of;
  if (chosen.method == "keep") {
    if (input.num_parts != chosen.parts) {
      throw glt::precondition_error(
          input.num_parts == 0 ? "--method keep of a format without parts; use it for graphlearn and pyg folders"
                               : glt::detail::message("--method keep of ", input.num_parts, " parts; ask for --parts ",
                                                      input.num_parts));
    }
    part_of.resize(graph.view().num_rows());
    std::int64_t next = 0;
    for (auto const& of_type : input.assignment) {
      for (auto const part : of_type) {
        part_of[next++] = part;
      }
    }
  } else {
    out.say("partitioning by " + chosen.method);
    part_of = assign(chosen, graph);
  }
  std::vector<glt::relabelling> labels;
  for (std::size_t t = 0; t < data.nodes.size(); ++t) {
    labels.push_back(glt::make_relabelling(graph.of_type(std::as_const(part_of).view(), t), chosen.parts));
  }
  glt::io::write_options writing{
      .partitioner = note_of(chosen), .hot = {}, .halo = chosen.halo, .on_progress = out.progress()};
  if (chosen.cache_ratio > 0) {
    writing.hot.push_back(find_hot(chosen, graph, std::as_const(part_of).view()));
  }
  report(chosen, graph.measure(std::as_const(part_of).view(), chosen.parts, chosen.threads), out);
  glt::io::write_parts(chosen.out, data, labels, writing);
  say_done(chosen, out);
}

/// The whole job on several ranks, or within a limit of memory.
template <glt::communicator Comm>
void partition_on_disk(Comm comm, options const& chosen, std::string const& format, console& out) {
  if (format != "npy") {
    throw glt::precondition_error("format " + format +
                                  " on several ranks or with --memory; only folders of .npy files stay "
                                  "on disk while they are divided: save the edges as edge_index.npy [2, E]");
  }
  if (chosen.symmetrize || chosen.normalize || chosen.cache_ratio > 0) {
    throw glt::precondition_error("--symmetrize, --normalize and --cache-ratio need the whole graph in one process; "
                                  "leave them out, or start one process without --memory");
  }
  auto const input = map_input(chosen.input);
  auto const limit = chosen.memory > 0 ? chosen.memory : std::int64_t{4} << 30;
  auto const plan = glt::io::plan_memory(input.nodes.num_nodes, limit);
  auto const num_edges = input.columns().sources.size();
  out.say(glt::detail::message(input.name, ": ", input.nodes.num_nodes, " vertices, ", num_edges, " edges on ",
                               comm.size(), " rank(s); each takes up to ", bytes_text(limit), " of memory, and about ",
                               bytes_text(48 * num_edges / comm.size()), " of disk for edges that wait"));
  auto const part_of = assign_large(comm, chosen, input, plan, out);
  glt::io::write_parts_together(comm, chosen.out, input.nodes, input.columns(), part_of.view(), chosen.parts,
                                {.name = input.name,
                                 .partitioner = note_of(chosen),
                                 .halo = chosen.halo,
                                 .plan = plan,
                                 .on_progress = out.progress()});
  auto const between = count_edges_between(comm, input, part_of.view(), chosen.parts);
  std::int64_t cut = num_edges;
  for (int part = 0; part < chosen.parts; ++part) {
    cut -= between[static_cast<std::size_t>(part) * static_cast<std::size_t>(chosen.parts + 1)];
  }
  out.result({{"event", "quality"},
              {"quality", {{"num_edges", num_edges}, {"num_cut_edges", cut}, {"edges_between", between}}}},
             glt::detail::message(cut, " of ", num_edges, " edges cut\n"));
  if (!chosen.reports.empty() && comm.rank() == 0) {
    report(chosen, measure_folder(glt::io::parts_folder(chosen.out), chosen.threads), out);
  }
  say_done(chosen, out);
}

/// Does what the options ask for.
template <glt::communicator Comm>
void run(Comm comm, options const& chosen) {
  console out(chosen.json, comm.rank() != 0);
  if (!chosen.verify.empty()) {
    glt::io::parts_folder const folder(chosen.verify);
    folder.verify(out.progress());
    out.result({{"event", "verified"}, {"folder", chosen.verify.string()}, {"files", folder.info().files.size()}},
               glt::detail::message(folder.info().files.size(), " files of ", folder.num_parts(),
                                    " parts are as they were written\n"));
    return;
  }
  if (!chosen.info.empty()) {
    glt::io::parts_folder const folder(chosen.info);
    out.result({{"event", "info"}, {"manifest", nlohmann::ordered_json::parse(glt::io::to_json(folder.info()))}},
               glt::io::describe(folder.info()));
    if (!chosen.reports.empty() && comm.rank() == 0) {
      report(chosen, measure_folder(folder, chosen.threads), out);
    }
    return;
  }
  auto const format = chosen.format == "auto" ? guess_format(chosen.input) : chosen.format;
  if (comm.size() > 1 || chosen.memory > 0) {
    partition_on_disk(comm, chosen, format, out);
  } else {
    partition_in_memory(chosen, format, out);
  }
}

} // namespace glt_partition
