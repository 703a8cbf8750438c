// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loses one rank of a job at a random time, from the start of MPI to its end. Killed (SIGKILL), the launcher ends the others;
// stopped (SIGSTOP), the others do, by their time limit, with a line that says why.
#include "support/places.hpp"
#include "support/sweep.hpp"
#include "support/targets.hpp"

#include <glt/core/random.hpp>

#include <chrono>
#include <csignal>
#include <thread>

using namespace glt_fault;

namespace {

command command_of(target const& job, bool stops) {
  auto words = job.program;
  auto environment = launch_environment();
  if (stops) {
    environment.emplace_back("GLT_FAULT_TIMEOUT", "1");
    if (!job.made.empty()) {
      words.insert(words.end(), {"--timeout", "1"});
    }
  }
  return {launch(job.ranks, "", words), environment};
}

// Waits until the launcher has started all ranks.
void wait_for_ranks(child& running, target const& job) {
  while (std::ssize(ranks_of(running, job.program[0])) < job.ranks && !running.wait(0.002)) {
  }
}

// Verdict on a job that is over.
verdict judge(target const& job, std::map<std::string, std::string> const& right, child const& over, bool stops) {
  auto const text = over.text();
  if (over.status() == 0) {
    return results_of(job, text) == right ? verdict::right : verdict::wrong;
  }
  if (!job.made.empty() && std::filesystem::exists(job.made) && results_of(job, text) != right) {
    return verdict::wrong;
  }
  bool const says_why = said_last_line(text) || said_late_start(text);
  return stops && !says_why ? verdict::crash : verdict::aborted;
}

} // namespace

int main(int argc, char** argv) {
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("lost ranks");
  glt::random_stream draws(glt::random_key(chosen.seed), 0);
  auto const output = scratch / "output";
  for (auto const& job : make_targets(scratch)) {
    if (job.ranks < 2 || job.name.find(chosen.only) == std::string::npos) {
      continue;
    }
    std::map<std::string, std::string> right;
    double seconds = 0;
    for (int turn = 0; turn < 2; ++turn) { // the first one warms up
      std::filesystem::remove_all(job.made);
      child running(command_of(job, false), output);
      wait_for_ranks(running, job);
      auto const start = std::chrono::steady_clock::now();
      if (!running.wait(60) || running.status() != 0) {
        counts.add(verdict::crash, job.name + " without a fault", running.text());
        continue;
      }
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      right = results_of(job, running.text());
    }
    auto const cases = chosen.cases > 0 ? chosen.cases : chosen.full ? 48 : 2;
    for (int i = 0; i < cases; ++i) {
      bool const stops = i % 4 == 3;
      auto const lost = draws.below(static_cast<std::uint64_t>(job.ranks));
      auto const after = seconds * 1.05 * static_cast<double>(draws.below(1000)) / 1000;
      auto const what = job.name + ", rank " + std::to_string(lost) + (stops ? " stopped" : " killed") + " after " +
                        std::to_string(after) + " s";
      std::filesystem::remove_all(job.made);
      child running(command_of(job, stops), output);
      wait_for_ranks(running, job);
      std::this_thread::sleep_for(std::chrono::duration<double>(after));
      auto const ranks = ranks_of(running, job.program[0]);
      if (ranks.size() <= lost) {
        counts.add(verdict::not_reached, what);
        continue;
      }
      auto const lost_rank = ranks[lost];
      kill(lost_rank, stops ? SIGSTOP : SIGKILL);
      bool over = running.wait(chosen.limit);
      if (!over && stops && ranks_of(running, job.program[0]) == std::vector{lost_rank}) {
        kill(lost_rank, SIGCONT); // the others had all that they need of it, and have ended
        over = running.wait(chosen.limit);
      }
      auto const judged = over ? judge(job, right, running, stops) : verdict_when_late(running, job);
      bool const hangs = judged == verdict::hang;
      counts.add(judged, what, running.text() + (hangs ? stacks_of(running, job.program[0]) : ""));
    }
  }
  return counts.finish();
}
