// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes the input of glt-partition while it works on disk: it says so, or makes what one of the two inputs gives.
#include "support/partition_run.hpp"

#include <glt/core/random.hpp>

#include <array>
#include <fstream>
#include <thread>

using namespace glt_fault;

namespace {

enum class change { append, truncate, rewrite, replace };
constexpr std::array names{"append to", "truncate", "rewrite", "replace"};

// Bytes of the ids of another graph of the same size, or of ids out of range.
void apply(change how, std::filesystem::path const& file, std::filesystem::path const& other) {
  if (how == change::append) {
    std::ofstream(file, std::ios::binary | std::ios::app) << std::string(4096, '\1');
  } else if (how == change::truncate) {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 3);
  } else if (how == change::rewrite) { // in place: a mapped file changes under its reader
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out << text_of(other);
  } else {
    std::filesystem::rename(other, file);
  }
}

} // namespace

int main(int argc, char** argv) {
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("changing inputs");
  write_partition_input(scratch / "first", 3000, 60000);
  write_partition_input(scratch / "wild", 200000, 60000); // ids that the first one does not have
  write_partition_input(scratch / "second", 3000, 60000);
  {
    auto bytes = text_of(scratch / "second" / "edge_index.npy");
    std::reverse(bytes.end() - 480000, bytes.end() - 480000 + 240000); // never equal to the first
    for (std::size_t i = bytes.size() - 960000; i + 8 <= bytes.size(); i += 8) {
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(i) + 2, bytes.begin() + static_cast<std::ptrdiff_t>(i) + 8,
                '\0');
      bytes[i + 1] = static_cast<char>(bytes[i + 1] & 7);
    }
    std::ofstream(scratch / "second" / "edge_index.npy", std::ios::binary) << bytes;
  }
  std::filesystem::create_directory(scratch / "work");
  auto const out = scratch / "work" / "parts";
  auto const input = scratch / "input";
  glt::random_stream draws(glt::random_key(chosen.seed), 0);
  for (partition_call const& call :
       {partition_call{"--memory", 0, {"--memory", "64MB"}}, partition_call{"2 ranks", 2, {}}}) {
    auto const reference_of = [&](char const* folder) { // of the same name: the manifest says it
      std::filesystem::remove_all(input);
      std::filesystem::copy(scratch / folder, input);
      return run_reference(call, input, out, scratch / "output");
    };
    auto const first = reference_of("first");
    auto const second = reference_of("second");
    auto const cases = chosen.cases > 0 ? chosen.cases : (call.ranks > 0 ? 6 : 12) * (chosen.full ? 16 : 1);
    for (int i = 0; i < cases; ++i) {
      auto const how = static_cast<change>(i % 4);
      bool const wild = i % 8 >= 4;
      auto const file = std::string(i % 3 == 2 ? "node_feat.npy" : "edge_index.npy");
      auto const after = first.seconds * static_cast<double>(draws.below(1000)) / 1000;
      auto const what = call.name + ", " + names[static_cast<std::size_t>(how)] + " " + file +
                        (wild ? " (ids out of range)" : "") + " after " + std::to_string(after) + " s";
      std::filesystem::remove_all(input);
      std::filesystem::copy(scratch / "first", input);
      std::filesystem::remove_all(scratch / "work");
      std::filesystem::create_directory(scratch / "work");
      std::filesystem::copy_file(scratch / (wild ? "wild" : "second") / file, scratch / "other",
                                 std::filesystem::copy_options::overwrite_existing);
      child running(partition_command(call, input, out), scratch / "output");
      std::this_thread::sleep_for(std::chrono::duration<double>(after));
      apply(how, input / file, scratch / "other");
      if (!running.wait(chosen.limit)) {
        counts.add(verdict::hang, what);
      } else if (std::filesystem::exists(out)) {
        auto const files = glt_test::files_of(out);
        bool const right = running.status() == 0 && (files == first.files || files == second.files);
        counts.add(right ? verdict::right : verdict::wrong, what, running.text());
      } else {
        counts.add(says_error(running) ? verdict::same_error : verdict::crash, what,
                   running.text() + "  status " + std::to_string(running.status()) + ", signal " +
                       std::to_string(running.signal()));
      }
    }
  }
  return counts.finish();
}
