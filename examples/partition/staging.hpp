// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "console.hpp"
#include "input.hpp"
#include "options.hpp"
#include "prepared_folder.hpp"
#include "read_estimate.hpp"
#include "whole_graph.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/io/datasets/detail/ogb_files.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/text/detail/edge_lines.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/outofcore/staging/detail/stage_folder.hpp>
#include <glt/outofcore/staging/detail/stage_text.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

/// Where a data set of this name can be written, so that its folder says the name.
inline std::filesystem::path folder_for(std::filesystem::path const& scratch, std::string const& name) {
  bool const plain = !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
  return glt::io::detail::make_folders(scratch, "staged") / (plain ? name : "graph");
}

/// The folder of arrays that is the input, or what can be mapped instead of it.
inline std::filesystem::path stage_arrays(options const& chosen, std::filesystem::path const& scratch, console& out) {
  try {
    static_cast<void>(glt::io::detail::mapped_raw_data(chosen.input));
    note_arrays(chosen.input, out);
    return chosen.input;
  } catch (glt::io_error const&) {
    auto folder = folder_for(scratch, glt::io::detail::npy_folder_files(chosen.input).name());
    check_fits(estimate_archives(chosen.input), chosen, "reading the .npz files of " + chosen.input.string(),
               "save them as dense .npy files");
    glt::io::detail::stage_npy_folder(chosen.input, folder);
    note_arrays(chosen.input, out);
    try {
      glt::io::detail::check_pairs(glt::io::detail::mapped_raw_data(folder).view());
    } catch (glt::io_error const& fault) { // name the file that the user knows
      std::string text = fault.what();
      if (auto const place = text.find(folder.string()); place != std::string::npos) {
        text.replace(place, folder.string().size(), chosen.input.string());
      }
      throw glt::precondition_error(text);
    }
    return folder;
  }
}

/// Writes a set of the Open Graph Benchmark as a folder of arrays, piece by piece; returns the folder.
inline std::filesystem::path stage_tables(options const& chosen, std::filesystem::path const& scratch, console& out) {
  auto const reading = reading_of_ogb(chosen, out);
  auto folder = folder_for(scratch, glt::io::detail::ogb_files(chosen.input, reading).name());
  glt::io::detail::stage_ogb(chosen.input, folder, reading);
  return folder;
}

/// Reads a data set in memory, if it fits, and writes it as a folder of arrays; returns the folder.
inline std::filesystem::path stage_in_memory(options const& chosen, std::string const& format,
                                             std::filesystem::path const& scratch, console& out) {
  check_fits(estimate_reading(chosen.input, format), chosen, "reading " + chosen.input.string() + " as " + format,
             "save it as .npy files, edge_index.npy [2, E] of int64 and so on");
  auto const data = read_input(chosen, format, out);
  auto folder = folder_for(scratch, data.name);
  glt::io::write_npy_folder(folder, data);
  return folder;
}

/// Every input as a folder of .npy files that all ranks map, ready to be partitioned: folders whose files can stay as
/// they are are mapped in place, all others are written below `scratch`.
///
/// Text is read piece by piece: lists of edges, matrices and METIS graphs by all ranks together where a file is not
/// packed, packed ones and sets of the Open Graph Benchmark by rank 0, which also writes arrays anew that cannot stay
/// in their files. Rank 0 reads the rest, in memory if the estimate of what that takes is within --memory. The data
/// set is that of `read_input` and `prepare`.
///
/// @shape  scratch: a folder that is there, the same for all ranks
/// @comm   collective
/// @throws collective_error  on every rank, as the readers, or if what must be in memory does not fit
template <glt::communicator Comm>
glt::io::detail::mapped_raw_data stage_input(Comm comm, options const& chosen, std::string const& format,
                                             std::filesystem::path const& scratch, console& out) {
  namespace io = glt::io;
  io::read_options const reading{.threads = chosen.threads, .on_progress = out.progress()};
  std::string folder;
  if (format == "snap" || format == "mtx" || format == "metis") {
    bool packed = false;
    glt::run_together(comm, [&] {
      packed = io::detail::text_source(chosen.input).packed();
      folder = folder_for(scratch, io::detail::graph_of(chosen.input).name).string();
    });
    if (packed && comm.size() > 1) {
      out.say("note: a packed file cannot be cut; rank 0 reads " + chosen.input.string() + " alone");
    }
    if (format == "snap") {
      io::detail::stage_edge_list(comm, chosen.input, folder, chosen.lines, reading);
    } else if (format == "mtx") {
      io::detail::stage_matrix_market(comm, chosen.input, folder, reading);
    } else {
      io::detail::stage_metis_graph(comm, chosen.input, folder, reading);
    }
  }
  std::optional<io::detail::mapped_raw_data> checked; // what was found right is what is mapped in the end
  glt::run_together(comm, [&] {
    if (comm.rank() == 0) {
      if (folder.empty()) {
        auto const made = format == "npy"   ? stage_arrays(chosen, scratch, out)
                          : format == "ogb" ? stage_tables(chosen, scratch, out)
                                            : stage_in_memory(chosen, format, scratch, out);
        folder = made.string();
      }
      checked.emplace(folder);
      auto const data = checked->view();
      io::detail::with_inputs(data.inputs,
                              [&] { folder = prepare_folder(folder, data, chosen, scratch, out).string(); });
    }
  });
  glt::detail::broadcast_text(comm, folder);
  std::optional<io::detail::mapped_raw_data> mapped;
  glt::run_together(comm, [&] { mapped.emplace(folder); });
  glt::run_together(comm, [&] {
    if (checked) {
      io::detail::check_inputs(checked->view().inputs);
    }
  });
  return std::move(*mapped);
}

} // namespace glt_partition
