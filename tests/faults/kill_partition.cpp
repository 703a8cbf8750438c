// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kills glt-partition at random times: its folder is complete or absent, and the next run is not in the way of what is
// left. SIGTERM must leave nothing; of SIGKILL the next run must remove what is left.
#include "support/partition_run.hpp"
#include "support/places.hpp"

#include <glt/core/random.hpp>

#include <csignal>
#include <thread>

using namespace glt_fault;

int main(int argc, char** argv) {
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("kills");
  write_partition_input(scratch / "input", 3000, 30000);
  std::filesystem::create_directory(scratch / "work");
  auto const out = scratch / "work" / "parts";
  glt::random_stream draws(glt::random_key(chosen.seed), 0);
  int left_by_term = 0;
  int left_at_last = 0;
  for (auto const& call : partition_calls()) {
    auto const whole = run_reference(call, scratch / "input", out, scratch / "output");
    auto const cases = chosen.cases > 0 ? chosen.cases : (call.ranks > 0 ? 4 : 8) * (chosen.full ? 12 : 1);
    for (int i = 0; i < cases; ++i) {
      int const signal = i % 2 == 0 ? SIGKILL : SIGTERM;
      auto const after = whole.seconds * 1.05 * static_cast<double>(draws.below(1000)) / 1000;
      auto const what = call.name + ", signal " + std::to_string(signal) + " after " + std::to_string(after) + " s";
      std::filesystem::remove_all(scratch / "work");
      std::filesystem::create_directory(scratch / "work");
      child running(partition_command(call, scratch / "input", out), scratch / "output");
      while (call.ranks > 0 && std::ssize(ranks_of(running, glt_test::places::partition_program)) < call.ranks &&
             !running.wait(0.002)) {
        // The launcher starts them; that of MPICH may lose a signal until it has.
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(after));
      if (call.ranks > 0 && signal == SIGKILL) { // of one rank
        auto const ranks = ranks_of(running, glt_test::places::partition_program);
        if (!ranks.empty()) {
          kill(ranks.back(), SIGKILL);
        }
      } else {
        running.send(signal);
      }
      bool const over = running.wait(chosen.limit);
      if (!over && (call.ranks == 0 || !has_only_launcher(running, glt_test::places::partition_program))) {
        counts.add(verdict::hang, what, stacks_of(running, glt_test::places::partition_program));
        continue;
      }
      running.end();
      bool const there = std::filesystem::exists(out);
      counts.add(there && glt_test::files_of(out) != whole.files ? verdict::wrong
                 : !over                                         ? verdict::launcher
                 : there                                         ? verdict::right
                                                                 : verdict::aborted,
                 what);
      for (auto const& name : signal == SIGTERM ? names_in(scratch / "work", {"parts"}) : std::set<std::string>()) {
        std::printf("left: %s, %s\n%s", what.c_str(), name.c_str(), running.text().c_str());
        left_by_term += 1;
      }
      std::filesystem::remove_all(out);
      child again(partition_command(call, scratch / "input", out), scratch / "output");
      if (!again.wait(60) || again.status() != 0 || glt_test::files_of(out) != whole.files) {
        counts.add(verdict::wrong, what + ", and the next run", again.text());
      }
      left_at_last += names_in(scratch / "work", {"parts"}).empty() ? 0 : 1;
    }
  }
  std::printf("kills: SIGTERM left %d files or folders, after the next run there were some %d times\n", left_by_term,
              left_at_last);
  return counts.finish() + (left_by_term + left_at_last > 0 ? 1 : 0);
}
