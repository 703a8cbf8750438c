// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "workloads.hpp"

#include <glt/core/detail/atomic_file.hpp>
#include <glt/core/error.hpp>
#include <glt/memory/policy.hpp>

#if defined(GLT_BENCH_EMULATED)
#include <glt/thrust/emulated.hpp>
#else
#include <glt/cuda/policy.hpp>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace glt_bench {

// A program of bench/cuda runs on a GPU, or, to see without one that it works, over memory that stands for a GPU's.
#if defined(GLT_BENCH_EMULATED)
inline constexpr bool emulated = true;
using gpu = glt::device::emulated<>;
using gpu_pinned = glt::device::emulated<glt::detail::thrust_cpp, glt::memory_space::pinned>;
#else
inline constexpr bool emulated = false;
using gpu = glt::device::cuda;
using gpu_pinned = glt::device::zero_copy;
#endif

/// The exit status that CTest and bench/gpu.sh take for "skipped".
inline constexpr int skipped = 77;

/// Waits for everything that was enqueued.
template <class Policy>
void wait(Policy const& policy) {
  if constexpr (requires { policy.synchronize(); }) {
    policy.synchronize();
  }
}

/// The same GPU with a stream of its own.
inline gpu beside(gpu const& policy) {
#if defined(GLT_BENCH_EMULATED)
  return policy;
#else
  return gpu(policy.device());
#endif
}

/// Seconds that a call takes when many are enqueued one after the other, on the GPU's side.
template <class Call>
double seconds_per_call(gpu const& policy, Call call) {
  char const* const asked = std::getenv("GLT_BENCH_SECONDS");
  auto const enough = asked != nullptr ? std::stod(asked) : emulated ? 0.001 : 0.5;
  call(); // takes its memory
  for (int calls = 1;; calls *= 2) {
    wait(policy);
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    wait(policy);
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds >= enough) {
      return seconds / calls;
    }
  }
}

/// Ends the program: a figure of something that computes wrongly is none.
inline void require(bool correct, std::string const& what) {
  if (!correct) {
    throw std::runtime_error("wrong: " + what + " differs from the CPU's");
  }
}

/// Figures, printed and, if a file is named, written as they come: lines of JSON, the machine in the first one.
class report {
public:
  explicit report(std::string const& machine, std::string const& path = "") : path_(path) {
    write("{\"machine\": " + machine + "}");
  }

  /// A figure in units a second, and what it is measured against, if anything, in the same units.
  void add(std::string const& name, double value, std::string const& unit, double bound = 0,
           std::string const& of = "") {
    std::printf("%-52s %14.4g %s", name.c_str(), value, unit.c_str());
    std::ostringstream line;
    line << "{\"name\": \"" << name << "\", \"" << unit << "\": " << value;
    if (bound > 0) {
      std::printf("   %.3f of %s", value / bound, of.c_str());
      line << ", \"share\": " << value / bound << ", \"of\": \"" << of << '"';
    }
    std::printf("\n");
    std::fflush(stdout);
    line << '}';
    write(line.str());
  }

private:
  void write(std::string const& line) {
    lines_ += line + '\n';
    if (!path_.empty()) {
      glt::detail::write_file(path_, lines_);
    }
  }

  std::string path_;
  std::string lines_; // all of the file
};

/// The machine in JSON; throws a glt::error if there is no GPU.
inline std::string describe_machine() {
  auto const cores = std::to_string(std::thread::hardware_concurrency());
#if defined(GLT_BENCH_EMULATED)
  return R"({"gpu": "emulated", "num_cpus": )" + cores + "}";
#else
  gpu const policy;
  policy.synchronize();
  cudaDeviceProp properties{};
  int runtime = 0;
  int driver = 0;
  glt::detail::check_cuda(cudaGetDeviceProperties(&properties, policy.device()), "cudaGetDeviceProperties");
  glt::detail::check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  glt::detail::check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return std::string(R"({"gpu": ")") + properties.name + R"(", "gpu_memory": )" +
         std::to_string(properties.totalGlobalMem) + R"(, "compute_capability": ")" + std::to_string(properties.major) +
         "." + std::to_string(properties.minor) + R"(", "cuda_runtime": )" + std::to_string(runtime) +
         R"(, "cuda_driver": )" + std::to_string(driver) + R"(, "num_cpus": )" + cores + "}";
#endif
}

/// The main of a program of benchmarks: `bench_cuda_<name> [--json=FILE]`. GLT_BENCH_SCALE=10 tries it out; with
/// GLT_BENCH_SECONDS=0 everything is called a few times only, for a profiler.
inline int run(int argc, char** argv, std::function<void(report&)> const& measure) {
  std::string json;
  if (argc == 2 && std::string(argv[1]).starts_with("--json=")) {
    json = std::string(argv[1]).substr(7);
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: %s [--json=FILE]\n", argv[0]);
    return 2;
  }
  std::string machine;
  try {
    machine = describe_machine();
  } catch (glt::error const& error) {
    std::printf("skipped: %s\n", error.what());
    return skipped;
  }
  try {
    std::printf("%s\n", machine.c_str());
    report figures(machine, json);
    measure(figures);
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

} // namespace glt_bench
