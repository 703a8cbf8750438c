#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: tests/gpu.sh [--json FILE] [--build FOLDER]
#
# Builds the programs for GPUs and runs the tests of the label gpu, and the same programs under compute-sanitizer (memcheck
# and racecheck) where it is installed. Needs nvcc, CMake 3.25 and a C++20 compiler, and nothing of a network; without
# doctest a part of it in tests/support is taken. Prints a table and writes FILE (build/gpu/tests.json). The last line is
# "<n> passed, <n> failed, <n> skipped"; the status is 1 if a test failed, and 77 if none ran because there is no GPU.
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/gpu.sh
read_gpu_arguments tests/gpu.sh "$here" "$@"
build=${build:-$PWD/build/gpu}
json=${json:-$build/tests.json}
find_cuda
if [ -z "$gpu" ]; then
  printf 'no GPU (nvidia-smi finds none): everything is built, and all tests are skipped\n'
else
  printf '%s, driver %s\n' "$gpu" "$driver"
fi

mkdir -p "$build"
printf 'building the tests for %s\n' "$architectures"
build_with_cuda "$build" "$build/build.log" -DGLT_NCCL=AUTO -DGLT_BUILD_TESTS=ON -DGLT_BUILD_BENCHMARKS=OFF \
  -DGLT_TEST_FOLDERS='policies;cuda;nccl' -DGLT_TEST_STRUCTURE=OFF -DGLT_TEST_PLAIN_DOCTEST=ON

passed=0 failed=0 skipped=0
rows=()
# result <name> <Passed|Failed|Skipped> <seconds>
result() {
  printf '%-48s %-8s %8s s\n' "$1" "$2" "$3"
  rows+=("{\"name\": $(json_text "$1"), \"result\": \"$2\", \"seconds\": $3}")
  case $2 in
    Passed) passed=$((passed + 1)) ;;
    Skipped) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
}

printf '\n== tests (output in %s)\n' "$build/ctest.log"
(cd "$build" && ctest -L gpu --output-on-failure) > "$build/ctest.log" 2>&1 || true
# " 3/27 Test #3: gpu.cuda.memory ....   Passed    1.02 sec"; what went wrong stands in many words where Passed stands.
while read -r name outcome seconds; do
  result "$name" "$outcome" "$seconds"
done < <(awk '/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: / {
  sub(/^.*#[0-9]+: /, "")
  print $1, / Passed /? "Passed" : /\*\*\*Skipped/ ? "Skipped" : "Failed", $(NF - 1)
}' "$build/ctest.log")
if [ $((passed + failed + skipped)) -eq 0 ]; then
  tail -n 30 "$build/ctest.log"
  printf 'error: no test ran\n' >&2
  failed=1
elif [ "$failed" -gt 0 ]; then
  sed -n '/^The following tests FAILED/,$p' "$build/ctest.log"
  grep -E 'ERROR|is false|threw' "$build/ctest.log" | head -n 50 || true
fi

if [ -z "$gpu" ]; then
  :
elif [ -z "$sanitizer" ]; then
  printf '\nwithout compute-sanitizer (not installed)\n'
else
  printf '\n== compute-sanitizer\n'
  for tool in memcheck racecheck; do
    for program in "$build"/tests/cuda/test_*; do
      if ! [ -x "$program" ] || ! [ -f "$program" ] || [ "$(basename "$program")" = test_no_gpu ]; then
        continue
      fi
      name=$tool.$(basename "$program")
      started=$SECONDS
      # Refused allocations and launches are what some tests are about.
      outcome=Passed
      timeout 3600 "$sanitizer" --tool "$tool" --report-api-errors no --error-exitcode 99 "$program" \
        > "$build/$name.log" 2>&1 || outcome=Failed
      result "$name" "$outcome" $((SECONDS - started))
      if [ "$outcome" = Failed ]; then
        grep -E '=========|ERROR|is false' "$build/$name.log" | head -n 30 || true
      fi
    done
  done
fi

{
  printf '{\n  "machine": %s,\n  "commit": %s,\n  "passed": %d, "failed": %d, "skipped": %d,\n  "tests": [\n' "$(machine_json)" \
    "$(json_text "$(git rev-parse HEAD 2> /dev/null || true)")" "$passed" "$failed" "$skipped"
  for i in "${!rows[@]}"; do
    printf '    %s%s\n' "${rows[i]}" "$([ "$i" -lt $((${#rows[@]} - 1)) ] && printf ,)"
  done
  printf '  ]\n}\n'
} > "$json"
printf '\nwritten to %s\n%d passed, %d failed, %d skipped\n' "$json" "$passed" "$failed" "$skipped"
if [ "$failed" -gt 0 ]; then
  exit 1
elif [ "$passed" -eq 0 ]; then
  exit 77
fi
