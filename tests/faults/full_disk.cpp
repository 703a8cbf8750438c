// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets glt-partition write to file systems that are too small (mounted by root only), and under limits of the length of
// files: an error that names the file, and nothing left.
#include "support/partition_run.hpp"

#include <sys/mount.h>

using namespace glt_fault;

namespace {

// One run; what it must leave is complete or nothing.
void judge(tally& counts, std::string const& what, command const& run, std::filesystem::path const& out,
           reference const& whole, settings const& chosen, std::filesystem::path const& output, int& left) {
  child running(run, output);
  if (!running.wait(chosen.limit)) {
    counts.add(verdict::hang, what);
    return;
  }
  bool const there = std::filesystem::exists(out);
  auto const text = running.text();
  if (there || running.status() == 0) {
    counts.add(there && running.status() == 0 && glt_test::files_of(out) == whole.files ? verdict::right
                                                                                        : verdict::wrong,
               what, text);
  } else {
    counts.add(says_error(running) ? verdict::same_error : verdict::crash, what,
               text + "  status " + std::to_string(running.status()) + ", signal " + std::to_string(running.signal()));
  }
  if (!names_in(out.parent_path(), {"parts"}).empty()) {
    ++left;
  }
}

} // namespace

int main(int argc, char** argv) {
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("full disks");
  write_partition_input(scratch / "input", 3000, 30000);
  auto const disk = scratch / "disk";
  auto const out = disk / "parts";
  int left = 0;
  std::filesystem::create_directory(disk);
  for (auto const& call : partition_calls()) {
    auto const whole = run_reference(call, scratch / "input", out, scratch / "output");
    std::uint64_t bytes = 0;
    std::uint64_t longest = 0;
    for (auto const& [name, content] : whole.files) {
      bytes += content.size();
      longest = std::max<std::uint64_t>(longest, content.size());
    }
    long const cases = chosen.cases > 0 ? chosen.cases : chosen.full ? 60 : 6;
    for (long const kib : spread(static_cast<long>(bytes * 3 / 1024), cases, chosen.seed)) {
      auto const what = call.name + ", a disk of " + std::to_string(kib) + " KiB";
      auto const size = "size=" + std::to_string(kib) + "k";
      if (mount("tmpfs", disk.c_str(), "tmpfs", 0, size.c_str()) != 0) {
        std::printf("without small file systems, which root alone can mount\n");
        break;
      }
      judge(counts, what, partition_command(call, scratch / "input", out), out, whole, chosen, scratch / "output",
            left);
      umount2(disk.c_str(), MNT_DETACH);
    }
    if (call.ranks > 0) {
      continue; // the limit would be that of MPI's own files as well
    }
    for (long const kib : spread(static_cast<long>(longest / 1024), cases / 2, chosen.seed)) {
      std::filesystem::remove_all(disk);
      std::filesystem::create_directory(disk);
      auto run = partition_command(call, scratch / "input", out);
      run.before = [kib] {
        rlimit const small{static_cast<rlim_t>(kib) * 1024, static_cast<rlim_t>(kib) * 1024};
        setrlimit(RLIMIT_FSIZE, &small);
      };
      judge(counts, call.name + ", files of " + std::to_string(kib) + " KiB", run, out, whole, chosen,
            scratch / "output", left);
    }
  }
  std::printf("full disks: files were left %d times\n", left);
  return counts.finish() + (left > 0 ? 1 : 0);
}
