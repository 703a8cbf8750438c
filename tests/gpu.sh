#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: tests/gpu.sh [--build-only | --no-build] [--build DIR] [--out DIR] [--only REGEX] [--time-limit SECONDS]
#                     [--sanitizer none|memcheck|racecheck|synccheck]
#
# Builds the programs of the tests for GPUs into a kit (DIR/kit; build/gpu/kit) and runs them. Building needs nvcc, CMake 3.25
# and a C++20 compiler, and nothing of a network; where no GPU is at hand it is for compute capability 9.0. Running needs a
# driver alone: carry the kit and call its tests/gpu.sh, or build and run on two days with --build-only and --no-build. Tests
# are chosen by name (--only '^gpu[.](cuda|nccl)[.]'); those for which the time limit leaves no time are not run. With a
# sanitizer they run under that tool of compute-sanitizer; with racecheck, which looks at shared memory, some take a hundred
# times as long. A line of JSON is written to DIR/tests.jsonl (--out; <kit>/results) after every test, and its output to
# DIR/<name>.log. The last line is "<n> passed, <n> failed, <n> skipped, <n> not run"; the status is 1 if a test failed, and
# 77 if all were skipped because there is no GPU.
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/gpu.sh
read_gpu_arguments tests/gpu.sh "$here" "$@"
if [ -n "$does_build" ]; then
  build_kit gpu_tests.txt "-DGLT_TEST_GPU_ONLY=$only"
fi
if [ -n "$does_run" ]; then
  before=(env) seconds=300
  if [ "$sanitizer" != none ]; then
    tool=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer || true)
    if [ -z "$tool" ]; then
      printf 'error: no compute-sanitizer; it comes with the CUDA toolkit\n' >&2
      exit 3
    fi
    before=("$tool" --tool "$sanitizer" --error-exitcode 99) seconds=1800
    # Refused allocations and launches are what some tests are about.
    [ "$sanitizer" != memcheck ] || before+=(--report-api-errors no)
  fi
  run_kit gpu_tests.txt "$out/tests.jsonl" "$seconds" "${before[@]}"
fi
