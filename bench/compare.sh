#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/compare.sh [--filter REGEX] [--rounds N] [--cpu] [--json FILE] [--markdown FILE] OLD NEW
#
# Runs the benchmarks of two builds in turns (old new, new old, …), 5 rounds of 0.1 s a benchmark, and prints how many times as
# fast NEW is: median and quartiles of the ratios of the rounds, and the ratio of the best rounds, which other work on the
# machine moves least. A ratio is starred that differs from 1 by 3 % and whose quartiles lie on one side of 1.
#
# OLD and NEW are build folders, folders of the project, or commits; the benchmarks of folders of the project and of commits are
# built, those of commits in build/compare. Names are those of bench/run.sh --json: --filter '^sample/|load_batches.*ranks:2'
# chooses some, as one does while one works. --cpu compares CPU times of the main thread, which are what a machine with other
# work can tell of benchmarks with one thread. GLT_BENCH_SCALE=16 makes the graphs smaller, GLT_BENCH_SECONDS=1 a benchmark
# longer.
set -euo pipefail
usage() {
  printf 'usage: bench/compare.sh [--filter REGEX] [--rounds N] [--cpu] [--json FILE] [--markdown FILE] OLD NEW\n' >&2
  exit 2
}
filter='' rounds=5 builds=() outputs=()
while [ $# -gt 0 ]; do
  case $1 in
    --filter | --rounds | --json | --markdown) [ $# -ge 2 ] || usage ;;
    --cpu) outputs+=(--cpu) && shift && continue ;;
    -*) usage ;;
    *) builds+=("$1") && shift && continue ;;
  esac
  case $1 in
    --filter) filter=$2 ;;
    --rounds) rounds=$2 ;;
    *) outputs+=("$1" "$(realpath -ms "$2")") ;;
  esac
  shift 2
done
if [ ${#builds[@]} -ne 2 ] || ! [[ $rounds =~ ^[1-9][0-9]?$ ]]; then
  usage
fi
for i in 0 1; do
  [ ! -d "${builds[i]}" ] || builds[i]=$(realpath "${builds[i]}")
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh
. bench/programs.sh
require_packages python3
for i in 0 1; do
  source=${builds[i]}
  if [ ! -d "$source" ]; then
    if ! commit=$(git rev-parse --verify --quiet "$source^{commit}"); then
      printf 'error: %s is neither a folder nor a commit\n' "$source" >&2
      exit 2
    fi
    source=build/compare/$commit
    builds[i]=$source/build
    if [ ! -d "$source" ]; then
      mkdir -p "$source.part"
      git archive "$commit" | tar -x -C "$source.part"
      mv "$source.part" "$source"
    fi
  elif [ -f "$source/CMakeLists.txt" ]; then
    builds[i]=$source/build/bench
  fi
  [ ! -f "$source/CMakeLists.txt" ] || build_benchmarks "$source" "${builds[i]}"
done

results=$(mktemp -d)
# compare_rounds: whatever ends it, the finished rounds are compared.
compare_rounds() {
  local status=$?
  python3 bench/compare.py "${outputs[@]}" "$results" "${builds[@]}" || status=1
  rm -rf "$results"
  exit "$status"
}
trap compare_rounds EXIT
trap 'exit 130' INT TERM
programs=$(comm -12 <(list_programs "${builds[0]}" | sort) <(list_programs "${builds[1]}" | sort))
while read -r folder ranks <&3; do
  names=$(comm -12 <(list_benchmarks "${builds[0]}" "$folder" "$ranks" "$filter" | sort) \
    <(list_benchmarks "${builds[1]}" "$folder" "$ranks" "$filter" | sort))
  [ -n "$names" ] || continue
  for ((round = 1; round <= rounds; ++round)); do
    for turn in $((round % 2 ? 0 : 1)) $((round % 2)); do
      printf '%d:%02d %s%s, %d benchmarks, round %d of %d: %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$folder" \
        "$([ "$ranks" -eq 0 ] || printf ' on %d rank(s)' "$ranks")" \
        "$(wc -l <<< "$names")" "$round" "$rounds" "${builds[turn]}" >&2
      # A benchmark that fails is missing in the report; the others count.
      start_benchmark "${builds[turn]}" "$folder" "$ranks" --benchmark_filter="$(only_these <<< "$names")" \
        --benchmark_min_time="${GLT_BENCH_SECONDS:-0.1}" --benchmark_out_format=json \
        --benchmark_out="$results/$folder.$ranks.$round.$turn.json" > "$results/log" 2>&1 < /dev/null || tail -n 5 "$results/log" >&2
    done
  done
done 3<<< "$programs"
