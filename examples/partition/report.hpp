// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "console.hpp"
#include "options.hpp"
#include "quality_report.hpp"

#include <glt/core/detail/atomic_file.hpp>
#include <glt/core/error.hpp>
#include <glt/io/parts/detail/parts_quality.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/quality/quality.hpp>

#include <nlohmann/json.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

namespace glt_partition {

inline std::string bytes_text(std::int64_t bytes) {
  return short_number(static_cast<double>(bytes)) + "B";
}

/// What a picture of parts is called: the data set, how many parts, and by which method.
inline std::string title_of(std::string const& name, int parts, std::string const& method) {
  return glt::detail::message(name.empty() ? "graph" : name, ": ", parts, parts == 1 ? " part" : " parts", " by ",
                              method);
}
inline std::string title_of(glt::io::manifest const& parts) {
  return title_of(parts.name, parts.num_parts(), parts.partitioner.name);
}

/// Draws a picture by plot.py, which is installed with the program. Where Python cannot, the numbers stay beside the
/// picture's place, under a name that was free, and a note says what is missing.
inline void draw(std::filesystem::path const& picture, glt::partition_quality const& quality, std::string const& title,
                 console& out) {
  auto numbers = picture.string() + ".json";
  for (int i = 1; std::filesystem::exists(std::filesystem::symlink_status(numbers)); ++i) {
    numbers = picture.string() + "." + std::to_string(i) + ".json";
  }
  glt::detail::write_file(numbers, quality_json(quality));
  std::error_code no_proc; // plot.py is not found then
  auto const program = std::filesystem::read_symlink("/proc/self/exe", no_proc);
  auto script = (program.parent_path() / GLT_PARTITION_SHARED / "plot.py").lexically_normal().string();
  std::string python = "python3", target = picture.string(), option = "--title=" + title;
  std::array<char*, 6> const words{python.data(), script.data(), option.data(), target.data(), numbers.data(), nullptr};
  pid_t child = -1;
  int status = -1;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ) == 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (status == 0) {
    std::filesystem::remove(numbers);
  } else {
    out.say(glt::detail::message(
        "note: ", target, " is not drawn, which needs python3 with matplotlib (apt-get install ",
        "python3-matplotlib, or pip install matplotlib); then: python3 ", script, " ", target, " ", numbers));
  }
}

/// Writes the reports that are asked for, and tells the quality.
inline void report(options const& chosen, glt::partition_quality const& quality, std::string const& title,
                   console& out) {
  for (auto const& path : chosen.reports) {
    auto const kind = path.extension();
    if (kind == ".svg") {
      draw(path, quality, title, out);
    } else {
      glt::detail::write_file(path, kind == ".json" ? quality_json(quality) : quality_table(quality));
    }
  }
  out.result({{"event", "quality"}, {"quality", quality_object(quality)}}, quality_table(quality));
}

/// Measures parts that are on disk, one after the other.
inline glt::partition_quality measure_folder(glt::io::parts_folder const& folder, int threads) {
  glt::device::cpu const policy(threads);
  return glt::io::detail::measure_parts(folder, policy.executor());
}

inline void say_done(options const& chosen, console& out) {
  glt::io::parts_folder const folder(chosen.out);
  auto const bytes = folder.info().num_bytes();
  out.result(
      {{"event", "done"}, {"out", chosen.out.string()}, {"parts", folder.num_parts()}, {"bytes", bytes}},
      glt::detail::message(folder.num_parts(), " parts, ", bytes_text(bytes), ", in ", chosen.out.string(), "\n"));
}

} // namespace glt_partition
