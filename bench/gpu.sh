#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/gpu.sh [--build-only | --no-build] [--build DIR] [--out DIR] [--only REGEX] [--time-limit SECONDS] [--kernels]
#
# Builds the benchmarks for GPUs, bench/cuda/*.cu, into a kit and runs them one after the other; as tests/gpu.sh, which says
# what a kit is. Google Benchmark is not used. What a program measures is written to DIR/<name>.jsonl as it comes, so a time
# limit costs only what comes after it; DIR/benches.jsonl says which ran. With --kernels every program runs under Nsight Compute
# (ncu), which writes the times of its kernels to DIR/<name>.kernels.csv: figures of such a run count for nothing else.
# GLT_BENCH_SCALE=16 tries it out on small graphs. The status is 1 if one failed, and 77 if there is no GPU.
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/gpu.sh
read_gpu_arguments bench/gpu.sh "$here" "$@"
if [ -n "$does_build" ]; then
  build_kit gpu_benches.txt
fi
if [ -n "$does_run" ]; then
  before=(env)
  if [ -n "$kernels" ]; then
    tool=$(PATH=$PATH:/usr/local/cuda/bin command -v ncu || true)
    if [ -z "$tool" ]; then
      printf 'error: no ncu; install Nsight Compute, which comes with the CUDA toolkit\n' >&2
      exit 3
    fi
    export GLT_BENCH_SECONDS=0
    before=("$tool" --clock-control none --metrics gpu__time_duration.sum --csv --log-file "$out/{}.kernels.csv")
  fi
  run_kit gpu_benches.txt "$out/benches.jsonl" 600 "${before[@]}"
  for figures in "$out"/bench.*.jsonl; do
    sed -n 's/^{"name": "\([^"]*\)", "\([^"]*\)": \([-+.0-9e]*\),* *\(.*\)}$/\1 \3 \2 \4/p' "$figures"
  done
fi
