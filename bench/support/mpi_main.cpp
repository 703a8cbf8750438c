// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.hpp"

#include <glt/mpi/environment.hpp>

#include <benchmark/benchmark.h>

#include <optional>
#include <string_view>
#include <vector>

namespace {

std::optional<glt::mpi_comm> world;

// Only rank 0 reports; the others measure along.
class silent_reporter final : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

} // namespace

glt::mpi_comm glt_bench::ranks() {
  return *world;
}

int main(int argc, char** argv) {
  glt::mpi_environment const mpi(glt::mpi_threads::multiple); // for loaders that prepare batches in a thread
  world = glt::mpi_comm::world();
  std::vector<char*> arguments(argv, argv + argc);
  if (world->rank() != 0) {
    // A report file belongs to rank 0 alone.
    std::erase_if(arguments,
                  [](char const* argument) { return std::string_view(argument).starts_with("--benchmark_out"); });
  }
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  silent_reporter silent;
  if (world->rank() == 0) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    benchmark::RunSpecifiedBenchmarks(&silent);
  }
  world.reset();
}
