// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws training curves of the logs of `train --log FILE`, or compares reports of Google Benchmark:
//   plot curve.svg run.jsonl [another.jsonl ...]        plot compare.svg before.json after.json
#include <glt/core/error.hpp>
#include <glt/io/report/benchmark_svg.hpp>
#include <glt/io/report/training_svg.hpp>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

// A report is one object; a log has one on every line.
bool is_report(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  return text.find("\"benchmarks\"") != std::string::npos;
}

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> const files(argv + (argc > 2 ? 2 : argc), argv + argc);
  if (files.empty()) {
    std::cerr << "plot OUT.svg FILE...: logs of train --log, or reports of Google Benchmark\n";
    return 2;
  }
  try {
    auto const picture = is_report(files[0]) ? glt::io::benchmark_svg(files) : glt::io::training_svg(files);
    std::ofstream out(argv[1]);
    if (!(out << picture).flush()) {
      throw glt::io_error(argv[1], 0, "cannot be written; choose another place");
    }
  } catch (std::exception const& failure) {
    std::cerr << "plot: " << failure.what() << '\n';
    return 1;
  }
  return 0;
}
