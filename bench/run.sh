#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/run.sh [--json FILE] [--build DIR]
#
# Builds the benchmarks optimised and runs all of them: single-process ones on an R-MAT graph of scale 20 (workload W1),
# those of graphs, files, partitioners and samplers also on one of scale 22 (W2), exchanges on 2 ranks, and distributed
# loading on 1 and 2 ranks. With --json, writes all results to one file in the format of Google Benchmark; names there
# begin with the folder, and end with the number of ranks or the scale where there are several. GLT_BENCH_SCALE=16 tries
# it out on small graphs, GLT_BENCH_SECONDS=0.01 in less time a benchmark. With --build, nothing is built: the programs
# of that build folder run.
set -euo pipefail
usage() {
  printf 'usage: bench/run.sh [--json FILE] [--build DIR]\n' >&2
  exit 2
}
json=
built=
while [ $# -gt 0 ]; do
  case $1 in
    --json)
      [ $# -ge 2 ] || usage
      json=$(realpath -m "$2")
      shift 2
      ;;
    --build)
      [ $# -ge 2 ] || usage
      built=$(realpath -m "$2")
      shift 2
      ;;
    *) usage ;;
  esac
done
if [ -n "$json" ] && ! [ -d "$(dirname "$json")" ]; then
  printf 'error: the folder of %s does not exist\n' "$json" >&2
  exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh
require_packages g++ cmake ninja-build zlib1g-dev libzip-dev libxxhash-dev nlohmann-json3-dev libmetis-dev libopenmpi-dev openmpi-bin libbenchmark-dev
require_tools

build=${built:-build/bench}
if [ -z "$built" ]; then
  printf 'building the benchmarks\n'
  mkdir -p "$build"
  if ! { cmake --preset release -B "$build" -DGLT_MPI=ON -DMPI_CXX_COMPILER=mpicxx.openmpi -DGLT_TORCH=OFF -DGLT_BUILD_EXAMPLES=OFF \
    -DGLT_BUILD_BENCHMARKS=ON && cmake --build "$build"; } > "$build/build.log" 2>&1; then
    grep -E -A 12 'error|Error|FAILED' "$build/build.log" >&2 || tail -n 20 "$build/build.log" >&2
    printf 'error: the benchmarks do not build (the whole log is %s)\n' "$build/build.log" >&2
    exit 1
  fi
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Unbound: bound to a core each, ranks would leave none for the threads that prepare batches.
mpi=(mpiexec.openmpi --oversubscribe --bind-to none --mca btl ^openib --mca btl_base_warn_component_unused 0)
scale=${GLT_BENCH_SCALE:-20}
rm -rf "$build/results"
mkdir -p "$build/results"

# measure <folder> <ranks, or 0 without MPI> [scale]; skips the benchmarks whose names match `without`
measure() {
  local folder=$1 ranks=$2 name=$1 start=()
  local -x GLT_BENCH_SCALE=${3:-$scale}
  if [ "$ranks" -gt 0 ]; then
    name=$folder.$ranks
    start=("${mpi[@]}" -n "$ranks")
    printf '\n== %s on %d rank(s)\n' "$folder" "$ranks"
  elif [ $# -gt 2 ]; then
    name=$folder.scale$3
    printf '\n== %s at scale %d\n' "$folder" "$3"
  else
    printf '\n== %s\n' "$folder"
  fi
  "${start[@]}" "$build/bench/bench_$folder" --benchmark_counters_tabular=true ${without:+--benchmark_filter="-$without"} \
    ${GLT_BENCH_SECONDS:+--benchmark_min_time="$GLT_BENCH_SECONDS"} \
    --benchmark_out="$build/results/$name.json" --benchmark_out_format=json
}

for program in "$build"/bench/bench_*; do
  folder=${program##*/bench_}
  case $folder in
    cuda_* | emulated_*) ;; # see bench/gpu.sh
    comm) measure comm 2 ;;
    graph | io | partition | sample) for graph in "$scale" $((scale + 2)); do measure "$folder" 0 "$graph"; done ;;
    dist) # one rank has nobody to serve it, and two have no core for a thread
      without='^(hand_over|serve_batches)/' measure dist 1
      without='^load_ahead/' measure dist 2
      ;;
    *) measure "$folder" 0 ;;
  esac
done

if [ -n "$json" ]; then
  cmake -D RESULTS="$build/results" -D OUTPUT="$json" -P bench/merge.cmake
  printf '\nwrote %s\n' "$json"
fi
