// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include "support/partition_tool.hpp"
#include "support/places.hpp"
#include "support/scratch.hpp"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace fs = std::filesystem;
using namespace glt_test;

namespace {

// Starts glt-partition on a folder "set" with an output "work/out"; `limit` is the most bytes of a file.
pid_t start(scratch_folder const& scratch, bool on_disk, rlim_t limit = RLIM_INFINITY) {
  auto const set = (scratch / "set").string();
  auto const out = (scratch / "work" / "out").string();
  std::fflush(stdout);
  auto const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    rlimit const none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    rlimit const files{limit, limit};
    setrlimit(RLIMIT_FSIZE, &files);
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    static_cast<void>(std::freopen((scratch / "errors").c_str(), "w", stderr));
    execl(glt_test::places::partition_program, "glt-partition", set.c_str(), "--parts", "3", "--out", out.c_str(),
          on_disk ? "--memory" : nullptr, "100MB", nullptr);
    _exit(127);
  }
  return child;
}

// Whether a folder beside the output holds more than its mark: such a one comes and goes when --out is tried.
bool holds_files(fs::path const& work) {
  for (auto const& made : fs::directory_iterator(work)) {
    std::error_code gone;
    for (fs::directory_iterator inside(made.path(), gone); !gone && inside != fs::directory_iterator{};
         inside.increment(gone)) {
      if (inside->path().filename() != glt::io::detail::partial_mark) {
        return true;
      }
    }
  }
  return false;
}

// Waits until the run writes, and at most ten seconds.
bool is_under_way(fs::path const& work) {
  for (int i = 0; i < 10000; ++i) {
    if (holds_files(work)) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

} // namespace

TEST_CASE("a run that is asked to end leaves nothing, and one that is killed is cleared away by the next") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 20000, 400000, 8);
  for (int const signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGXCPU, SIGKILL}) {
    for (bool const on_disk : {false, true}) {
      CAPTURE(signal);
      CAPTURE(on_disk);
      fs::remove_all(scratch / "work");
      fs::create_directory(scratch / "work");
      auto const child = start(scratch, on_disk);
      REQUIRE(is_under_way(scratch / "work"));
      kill(child, signal);
      int status = 0;
      waitpid(child, &status, 0);
      CHECK((fs::exists(scratch / "work" / "out") || (WIFSIGNALED(status) && WTERMSIG(status) == signal)));
      if (fs::exists(scratch / "work" / "out")) { // it was faster
        CHECK(std::distance(fs::directory_iterator(scratch / "work"), {}) == 1);
        continue;
      }
      CHECK(fs::is_empty(scratch / "work") == (signal != SIGKILL));
      auto const again =
          run_tool(scratch, (scratch / "set").string() + " --parts 3 --out " + (scratch / "work" / "out").string());
      CHECK(again.status == 0);
      CHECK(has(again.out, "which a run left that was killed") == (signal == SIGKILL));
      CHECK(std::distance(fs::directory_iterator(scratch / "work"), {}) == 1);
    }
  }
}

TEST_CASE("a file beyond the limit of its length is an error that names it") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 2000, 40000, 8);
  fs::create_directory(scratch / "work");
  auto const child = start(scratch, false, 50000);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(has(read_bytes(scratch / "errors"), "cannot be written: File too large"));
  CHECK(fs::is_empty(scratch / "work"));
}

TEST_CASE("a signal that a run was started to ignore does not end it") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 20000, 400000, 8);
  fs::create_directory(scratch / "work");
  auto const before = std::signal(SIGHUP, SIG_IGN); // as nohup does
  auto const child = start(scratch, false);
  std::signal(SIGHUP, before);
  REQUIRE(is_under_way(scratch / "work"));
  kill(child, SIGHUP);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(fs::exists(scratch / "work" / "out"));
  CHECK(std::distance(fs::directory_iterator(scratch / "work"), {}) == 1);
}
