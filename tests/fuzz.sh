#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: tests/fuzz.sh [--minutes N] [parser]...
#
# Runs the readers of files (tests/fuzz) under libFuzzer with the address and undefined-behaviour sanitizers, N minutes each
# (30), as many at once as there are cores. What it learns stays in build/clang/tests/corpus and serves the next run, as
# well as that of tests/run.sh; an input that ends a reader is kept as build/clang/tests/<parser>-crash-* and is run again by
# build/clang/tests/libfuzz_<parser> FILE. The last line is "<n> readers passed, <n> failed".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh

minutes=30
if [ "${1:-}" = --minutes ]; then
  minutes=${2:?--minutes needs a number}
  shift 2
fi
parsers=("$@")
if [ ${#parsers[@]} -eq 0 ]; then
  for source in tests/fuzz/*.cpp; do
    source=$(basename "$source" .cpp)
    [ "$source" = samplers ] || parsers+=("$source")
  done
fi
for parser in "${parsers[@]}"; do
  if ! [ -e "tests/fuzz/$parser.cpp" ] || [ "$parser" = samplers ]; then
    printf 'usage: tests/fuzz.sh [--minutes N] [parser]...; there is no parser %s in tests/fuzz\n' "$parser" >&2
    exit 2
  fi
done

require_packages g++ clang-19 libclang-rt-19-dev cmake ninja-build doctest-dev zlib1g-dev libzip-dev libxxhash-dev nlohmann-json3-dev
require_tools
if ! cmake --preset clang -D GLT_MPI=OFF > /dev/null; then
  printf 'error: the preset clang cannot be configured\n' >&2
  exit 1
fi
programs=()
for parser in "${parsers[@]}"; do
  programs+=("fuzz_$parser" "libfuzz_$parser")
done
cmake --build --preset clang -j "$(nproc)" --target "${programs[@]}"

tests=$PWD/build/clang/tests
if [ -w /dev/shm ]; then
  export TMPDIR=/dev/shm # readers read files
fi
run_one() {
  local parser=$1
  mkdir -p "$tests/corpus/$parser"
  "$tests/fuzz_$parser" 0 0 "$tests/corpus/$parser"
  if "$tests/libfuzz_$parser" -max_total_time=$((minutes * 60)) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$tests/$parser-" "$tests/corpus/$parser" > "$tests/$parser.log" 2>&1; then
    printf '%s: passed, %s inputs\n' "$parser" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$tests/$parser.log")"
  else
    tail -n 30 "$tests/$parser.log"
    printf '%s: failed (the whole log is %s)\n' "$parser" "$tests/$parser.log"
  fi
}
export -f run_one
export tests minutes
outcome=$(mktemp)
printf '%s\n' "${parsers[@]}" | xargs -P "$(nproc)" -I '{}' bash -c 'run_one {}' | tee "$outcome"
failed=$(grep -c ': failed (' "$outcome" || true)
rm -f "$outcome"
printf '%d readers passed, %d failed\n' $((${#parsers[@]} - failed)) "$failed"
[ "$failed" -eq 0 ]
