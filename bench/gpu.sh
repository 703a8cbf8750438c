#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/gpu.sh [--json FILE] [--build FOLDER]
#
# Builds the benchmarks for GPUs, bench/cuda/*.cu, and runs them one after the other. Needs nvcc, CMake 3.25 and a C++20
# compiler, and nothing of a network; Google Benchmark is not used. Prints their tables and writes all figures, with the
# machine, to FILE (build/gpu-bench/results.json). GLT_BENCH_SCALE=16 tries it out on small graphs. The status is 1 if one
# of them failed, and 77 if there is no GPU.
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/gpu.sh
read_gpu_arguments bench/gpu.sh "$here" "$@"
build=${build:-$PWD/build/gpu-bench}
json=${json:-$build/results.json}
if ! [ -d "$(dirname "$json")" ] && [ "$(dirname "$json")" != "$build" ]; then
  printf 'error: the folder of %s does not exist\n' "$json" >&2
  exit 2
fi
find_cuda

mkdir -p "$build"
printf 'building the benchmarks for %s\n' "$architectures"
build_with_cuda "$build" "$build/build.log" -DGLT_NCCL=OFF -DGLT_BUILD_TESTS=OFF -DGLT_BUILD_BENCHMARKS=ON
if [ -z "$gpu" ]; then
  printf 'skipped: no GPU (nvidia-smi finds none); the programs are built\n'
  exit 77
fi
printf '%s, driver %s\n' "$gpu" "$driver"

rm -rf "$build/results"
mkdir -p "$build/results"
failed=0 written=()
for source in bench/cuda/*.cu; do
  name=$(basename "$source" .cu)
  printf '\n== %s\n' "$name"
  if "$build/bench/bench_cuda_$name" --json "$build/results/$name.json"; then
    written+=("$name")
  else
    printf 'error: bench_cuda_%s ended with status %d\n' "$name" "$?" >&2
    failed=$((failed + 1))
  fi
done

{
  printf '{\n"machine": %s,\n"commit": %s,\n"programs": {' "$(machine_json)" \
    "$(json_text "$(git rev-parse HEAD 2> /dev/null || true)")"
  separator=
  for name in "${written[@]}"; do
    printf '%s\n"%s": ' "$separator" "$name"
    cat "$build/results/$name.json"
    separator=,
  done
  printf '\n}\n}\n'
} > "$json"
printf '\nwritten to %s\n%d programs ran, %d failed\n' "$json" "${#written[@]}" "$failed"
[ "$failed" -eq 0 ]
