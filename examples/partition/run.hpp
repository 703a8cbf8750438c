// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "console.hpp"
#include "first_checks.hpp"
#include "in_memory.hpp"
#include "input.hpp"
#include "on_disk.hpp"
#include "options.hpp"
#include "report.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include <nlohmann/json.hpp>

namespace glt_partition {

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
    out.result(
        {{"event", "info"}, {"manifest", nlohmann::ordered_json::parse(glt::io::detail::to_json(folder.info()))}},
        folder.info().describe());
    if (!chosen.reports.empty() && comm.rank() == 0) {
      check_reports(chosen);
      report(chosen, measure_folder(folder, chosen.threads), title_of(folder.info()), out);
    }
    return;
  }
  glt::run_together(comm, [&] {
    if (comm.rank() == 0) {
      prepare_outputs(chosen, out);
      check_reports(chosen);
    }
  });
  auto format = chosen.format;
  glt::run_together(comm, [&] { format = format_of(chosen); });
  if (comm.size() > 1 || chosen.memory > 0) {
    partition_on_disk(comm, chosen, format, out);
  } else {
    partition_in_memory(chosen, format, out);
  }
}

} // namespace glt_partition
