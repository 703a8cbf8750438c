// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "console.hpp"
#include "options.hpp"

#include <glt/core/detail/message.hpp>
#include <glt/io/detail/atomic_file.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_quality.hpp>
#include <glt/io/report/quality_json.hpp>
#include <glt/io/report/quality_svg.hpp>
#include <glt/io/report/quality_table.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/quality/quality.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace glt_partition {

inline std::string bytes_text(std::int64_t bytes) {
  return short_number(static_cast<double>(bytes)) + "B";
}

inline void write_text(std::filesystem::path const& path, std::string const& text) {
  glt::io::detail::atomic_file file(path);
  file.write(text.data(), static_cast<std::int64_t>(text.size()));
  file.commit();
}

/// What a picture of parts is called: the data set, how many parts, and by which method.
inline std::string title_of(std::string const& name, int parts, std::string const& method) {
  return glt::detail::message(name.empty() ? "graph" : name, ": ", parts, parts == 1 ? " part" : " parts", " by ",
                              method);
}
inline std::string title_of(glt::io::manifest const& parts) {
  return title_of(parts.name, parts.num_parts(), parts.partitioner.name);
}

/// Writes the reports that are asked for, and tells the quality.
inline void report(options const& chosen, glt::partition_quality const& quality, std::string const& title,
                   console& out) {
  for (auto const& path : chosen.reports) {
    auto const kind = path.extension();
    write_text(path, kind == ".svg"    ? glt::io::quality_svg(quality, {.title = title})
                     : kind == ".json" ? glt::io::quality_json(quality)
                                       : glt::io::quality_table(quality));
  }
  auto object = glt::io::detail::quality_object(quality);
  out.result({{"event", "quality"}, {"quality", std::move(object)}}, glt::io::quality_table(quality));
}

/// Measures parts that are on disk, one after the other.
inline glt::partition_quality measure_folder(glt::io::parts_folder const& folder, int threads) {
  glt::device::cpu const policy(threads);
  return glt::io::measure_parts(folder, policy.executor());
}

inline void say_done(options const& chosen, console& out) {
  glt::io::parts_folder const folder(chosen.out);
  auto const bytes = folder.info().num_bytes();
  out.result(
      {{"event", "done"}, {"out", chosen.out.string()}, {"parts", folder.num_parts()}, {"bytes", bytes}},
      glt::detail::message(folder.num_parts(), " parts, ", bytes_text(bytes), ", in ", chosen.out.string(), "\n"));
}

} // namespace glt_partition
