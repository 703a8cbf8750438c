#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/run.sh [--full] [--filter REGEX] [--json FILE] [--build FOLDER]
#
# Builds the benchmarks optimised and runs all of them, or those whose names match: single-process ones on an R-MAT graph of
# scale 20 (workload W1), exchanges on 2 ranks, and distributed loading on 1 and 2 ranks, which is a quarter of an hour on 2
# cores. --full measures those of graphs, files, partitioners and samplers on scale 22 (W2) as well, and every benchmark for
# as long as it asks for. With --json, writes all results to one file in the format of Google Benchmark; names there begin with
# the folder, and end with the number of ranks or the scale where there are several. GLT_BENCH_SCALE=16 tries it out on small
# graphs, GLT_BENCH_SECONDS=0.01 in less time a benchmark. With --build, nothing is built: the programs of that build folder
# run.
set -euo pipefail
usage() {
  printf 'usage: bench/run.sh [--full] [--filter REGEX] [--json FILE] [--build FOLDER]\n' >&2
  exit 2
}
json='' built='' filter='' full=''
while [ $# -gt 0 ]; do
  case $1 in
    --full) full=1 && shift && continue ;;
    --json | --build | --filter) [ $# -ge 2 ] || usage ;;
    *) usage ;;
  esac
  case $1 in
    --json) json=$(realpath -ms "$2") ;;
    --build) built=$(realpath -m "$2") ;;
    --filter) filter=$2 ;;
  esac
  shift 2
done
if [ -n "$json" ] && ! [ -d "$(dirname "$json")" ]; then
  printf 'error: the folder of %s does not exist\n' "$json" >&2
  exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh
. bench/programs.sh
build=${built:-build/bench}
[ -n "$built" ] || build_benchmarks . "$build"

scale=${GLT_BENCH_SCALE:-20}
runs=()
while read -r folder ranks; do
  runs+=("$folder $ranks $scale")
  case $folder in
    graph | io | partition | sample) [ -z "$full" ] || runs+=("$folder $ranks $((scale + 2))") ;;
  esac
done < <(list_programs "$build")

rm -rf "$build/results"
mkdir -p "$build/results"
number=0
for run in "${runs[@]}"; do
  read -r folder ranks GLT_BENCH_SCALE <<< "$run"
  export GLT_BENCH_SCALE
  number=$((number + 1))
  names=$(list_benchmarks "$build" "$folder" "$ranks" "$filter")
  [ -n "$names" ] || continue
  where=scale$GLT_BENCH_SCALE
  [ "$ranks" -eq 0 ] || where=$ranks
  [ "$ranks" -gt 0 ] || [ -n "$full" ] || where=
  printf '\n== %d of %d, %d:%02d: %s at scale %d%s, %d benchmarks\n' "$number" "${#runs[@]}" $((SECONDS / 60)) $((SECONDS % 60)) \
    "$folder" "$GLT_BENCH_SCALE" "$([ "$ranks" -eq 0 ] || printf ' on %d rank(s)' "$ranks")" "$(wc -l <<< "$names")"
  start_benchmark "$build" "$folder" "$ranks" --benchmark_counters_tabular=true --benchmark_filter="$(only_these <<< "$names")" \
    ${GLT_BENCH_SECONDS:+--benchmark_min_time="$GLT_BENCH_SECONDS"} \
    --benchmark_out="$build/results/$folder${where:+.$where}.json" --benchmark_out_format=json
done
printf '\n== %d of %d in %d:%02d\n' "$number" "${#runs[@]}" $((SECONDS / 60)) $((SECONDS % 60))

if [ -n "$json" ]; then
  cmake -D RESULTS="$build/results" -D OUTPUT="$json" -P bench/merge.cmake
  printf 'wrote %s\n' "$json"
fi
