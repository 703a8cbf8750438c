// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/scratch.hpp"

#include "child.hpp"
#include "settings.hpp"
#include "tally.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace glt_fault {

/// A job into which faults are injected.
struct target {
  std::string name;
  int ranks;
  std::vector<std::string> program;
  std::string arm = "mark";     ///< GLT_FAULT_ARM
  std::filesystem::path made{}; ///< a folder that it makes, part of its result
  bool says_ranks = true;       ///< every rank prints its error, as `run_job` lets it, not one for all
};

/// The environment of a fault, but for the rank and the number.
using fault_kind = std::vector<std::pair<std::string, std::string>>;

/// The lines of a text that a pattern matches.
inline std::vector<std::string> lines_like(std::string const& text, char const* pattern) {
  std::vector<std::string> found;
  std::regex const wanted(pattern);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (std::regex_search(line, wanted)) {
      found.push_back(line);
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Whether a rank ended the job, and said so in the library's last line; what MPI says of an abort is not always printed.
inline bool said_last_line(std::string const& text) {
  return !lines_like(text, "^glt: rank [0-9]+ of [0-9]+ cannot go on, and all ranks end: .").empty();
}

/// Whether a process ended the job because MPI_Init took too long for it.
inline bool said_late_start(std::string const& text) {
  return !lines_like(text, "^glt: process [0-9]+ has waited [0-9]+ s in MPI_Init, and all ranks end: .").empty();
}

/// Whether a rank said which one does not answer, or that a process did not start MPI.
inline bool named_stopped(std::string const& text, long rank) {
  auto const number = std::to_string(rank);
  auto const pattern =
      "^glt: rank " + number + " does not answer|; no answer of rank ([0-9]+, )*" + number + "($|[^0-9])";
  return !lines_like(text, pattern.c_str()).empty() || said_late_start(text);
}

/// What the ranks of a job have printed as their results, and the files that it has made.
inline std::map<std::string, std::string> results_of(target const& job, std::string const& text) {
  std::map<std::string, std::string> made;
  if (!job.made.empty() && std::filesystem::exists(job.made)) {
    made = glt_test::files_of(job.made);
  }
  for (auto const& line : lines_like(text, "^rank [0-9]+ result ")) {
    made[line] = "";
  }
  return made;
}

/// Verdict on a job that is not over within its limit.
inline verdict verdict_when_late(child const& running, target const& job) {
  return has_only_launcher(running, job.program[0]) ? verdict::launcher : verdict::hang;
}

/// Runs a target with one fault after the other, and judges how it ended.
class sweep {
public:
  sweep(settings chosen, std::string preload, tally& counts)
      : chosen_(std::move(chosen)), preload_(std::move(preload)), counts_(counts) {}

  /// Up to `cases` faults of a kind, the ranks in turn.
  void run(target const& job, std::string const& what, fault_kind const& kind, long cases) {
    auto const title = job.name + ", " + what;
    if (title.find(chosen_.only) == std::string::npos) {
      return;
    }
    if (chosen_.cases > 0) {
      cases = chosen_.cases;
    }
    if (!learn(job, kind)) {
      return;
    }
    std::printf("%s: %ld to %ld events a rank\n", title.c_str(), *std::ranges::min_element(events_),
                *std::ranges::max_element(events_));
    std::fflush(stdout);
    long turn = 0;
    for (long const place : spread(*std::ranges::max_element(events_) * job.ranks, cases, chosen_.seed)) {
      long const rank = turn++ % job.ranks;
      long const number = std::min((place - 1) / job.ranks + 1, events_[static_cast<std::size_t>(rank)]);
      one(job, title, kind, rank, number);
    }
  }

  /// The first `cases` faults of a kind on every rank.
  void run_first(target const& job, std::string const& what, fault_kind const& kind, long cases) {
    auto const title = job.name + ", " + what;
    if (title.find(chosen_.only) == std::string::npos || !learn(job, kind)) {
      return;
    }
    std::printf("%s: the first %ld events of each rank\n", title.c_str(), cases);
    std::fflush(stdout);
    for (long rank = 0; rank < job.ranks; ++rank) {
      for (long number = 1; number <= std::min(cases, events_[static_cast<std::size_t>(rank)]); ++number) {
        one(job, title, kind, rank, number);
      }
    }
  }

private:
  void prepare(target const& job) {
    for (auto const& entry : std::filesystem::directory_iterator(scratch_.path())) {
      if (entry.path().filename().string().starts_with("report.")) {
        std::filesystem::remove(entry.path());
      }
    }
    if (!job.made.empty()) {
      std::filesystem::remove_all(job.made);
    }
  }

  [[nodiscard]] command command_of(target const& job, fault_kind kind, long rank, long number) const {
    auto environment = launch_environment();
    kind.insert(kind.end(), {{"GLT_FAULT_ARM", job.arm},
                             {"GLT_FAULT_REPORT", (scratch_ / "report").string()},
                             {"GLT_FAULT_RANK", std::to_string(rank)},
                             {"GLT_FAULT_NUMBER", std::to_string(number)}});
    environment.insert(environment.end(), kind.begin(), kind.end());
    return {launch(job.ranks, preload_, job.program), environment};
  }

  // One run without faults: the result, and the number of events on every rank.
  bool learn(target const& job, fault_kind const& kind) {
    prepare(job);
    child running(command_of(job, kind, 0, 0), scratch_ / "output");
    if (!running.wait(60) || running.status() != 0) {
      counts_.add(verdict::crash, job.name + " without a fault", running.text());
      return false;
    }
    results_ = results_of(job, running.text());
    events_.assign(static_cast<std::size_t>(job.ranks), 0);
    for (int rank = 0; rank < job.ranks; ++rank) {
      std::istringstream in(report_of(rank));
      for (std::string word; in >> word;) {
        if (word == "count") {
          in >> events_[static_cast<std::size_t>(rank)];
        }
      }
    }
    if (*std::ranges::min_element(events_) == 0) {
      counts_.add(verdict::crash, job.name + " counted no events; is the library preloaded?", running.text());
      return false;
    }
    return true;
  }

  // A busy machine makes a case slow: one that is not over in time has another chance.
  void one(target const& job, std::string const& title, fault_kind const& kind, long rank, long number) {
    if (!tried(job, title, kind, rank, number, chosen_.limit, false)) {
      tried(job, title, kind, rank, number, 4 * chosen_.limit, true);
    }
  }

  // False if it was not over within the limit, and the verdict is left to another run.
  bool tried(target const& job, std::string const& title, fault_kind const& kind, long rank, long number, double limit,
             bool is_last) {
    prepare(job);
    auto const what = title + ", rank " + std::to_string(rank) + ", event " + std::to_string(number);
    child running(command_of(job, kind, rank, number), scratch_ / "output");
    bool const over = running.wait(limit);
    if (!over && !is_last) {
      return false;
    }
    std::string stacks;
    auto const late = over ? verdict::right : verdict_when_late(running, job);
    if (!over) {
      stacks = chosen_.stacks ? stacks_of(running, job.program[0]) : "";
      running.end();
    }
    auto const report = report_of(static_cast<int>(rank));
    if (!report.starts_with("hit")) {
      counts_.add(over ? verdict::not_reached : late, what);
      return true;
    }
    auto judged = over ? judge(job, running) : late;
    bool const stops = std::ranges::find(kind, "GLT_FAULT_STOP", &fault_kind::value_type::first) != kind.end();
    if (stops && judged == verdict::aborted && !named_stopped(running.text(), rank)) {
      judged = verdict::crash; // nobody is told which rank it was
    }
    bool const bad = judged == verdict::hang || judged == verdict::wrong || judged == verdict::crash;
    counts_.add(judged, what, bad ? tail_of(running.text()) + places_of(report) + stacks : "");
    return true;
  }

  verdict judge(target const& job, child const& job_over) const {
    auto const text = job_over.text();
    bool const died =
        !lines_like(text, "terminate called|[Ss]ignal:|signal (4|6|7|8|11)([^0-9]|$)|Segmentation fault").empty();
    if (job_over.status() == 0) {
      return results_of(job, text) == results_ ? verdict::right : verdict::wrong;
    }
    if (!job.made.empty() && std::filesystem::exists(job.made) && results_of(job, text) != results_) {
      return verdict::wrong;
    }
    auto const errors = lines_like(text, "^rank [0-9]+ error: .");
    bool const all_failed =
        job.says_ranks ? std::ssize(errors) == job.ranks : !lines_like(text, "^(glt-partition|job): .").empty();
    if (all_failed && !died) {
      return verdict::same_error;
    }
    // What comes after the last line is MPI_Abort's: that of MPICH still takes in messages, for buffers that are gone.
    return said_last_line(text) ? verdict::aborted : verdict::crash;
  }

  [[nodiscard]] std::string report_of(int rank) const { return text_of(scratch_ / ("report." + std::to_string(rank))); }

  static std::string tail_of(std::string const& text) {
    auto const from = text.size() > 600 ? text.find('\n', text.size() - 600) : std::string::npos;
    return text.empty() ? "" : from == std::string::npos ? text : text.substr(from + 1);
  }

  // The calls of glt that led to the failed event, innermost first.
  static std::string places_of(std::string const& report) {
    std::string made;
    std::istringstream in(report);
    int shown = 0;
    for (std::string line; std::getline(in, line) && shown < 6;) {
      auto const parts = words_of(line);
      if (parts.size() != 2 || parts[0] == "count") {
        continue;
      }
      auto const shell = "addr2line -Cfse '" + parts[0] + "' " + parts[1] + " 2> /dev/null";
      std::FILE* const pipe = popen(shell.c_str(), "r");
      char function[4000] = {};
      char place[500] = {};
      if (pipe != nullptr && std::fgets(function, sizeof function, pipe) != nullptr &&
          std::fgets(place, sizeof place, pipe) != nullptr &&
          std::string(function).find("glt::") != std::string::npos) {
        std::string name(function);
        made += "  at " + name.substr(0, std::min<std::size_t>(name.find('('), 110)) + "  " + place;
        ++shown;
      }
      if (pipe != nullptr) {
        pclose(pipe);
      }
    }
    return made;
  }

  settings chosen_;
  std::string preload_;
  tally& counts_;
  glt_test::scratch_folder scratch_;
  std::map<std::string, std::string> results_;
  std::vector<long> events_;
};

} // namespace glt_fault
