#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: tests/run.sh [--no-cache] [--budget MINUTES] [all | core | dev | clang | asan | tsan | mpich | cuda]...
#
# Installs what is missing, builds and runs tests:
#   dev    everything that needs no GPU, with Open MPI and LibTorch; tests of ranks run on those of MPI
#   clang  the same as asan and more by clang 19: samplers, graphs, messages of the compiler, parsers under libFuzzer
#   asan   files, features, communicators and fuzzed samplers under the address and undefined-behaviour sanitizers of g++
#   tsan   thread ranks and samplers in several threads under the thread sanitizer
#   mpich  the tests of communicators with MPICH
#   cuda   programs for GPUs, where nvcc is at hand: all are compiled and linked, and run where a GPU is (see tests/gpu.sh)
#   core   what a C++20 compiler alone can build
#   all    dev, clang, tsan, mpich and cuda, one after the other; dev then compiles every public header alone as well.
#          Where the distribution has no clang 19, asan instead of clang
# Without arguments dev. The last line is "<n> passed, <n> failed".
#   --no-cache         compiles everything; else ccache, which is installed, keeps what was compiled in any clone
#   --budget MINUTES   prints the table of tests/time.sh; that all of it took longer counts as a failed test
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh

nvcc=$(PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin command -v nvcc || true)
if [ -n "$nvcc" ]; then # by one name, however it was found: the compiler cache goes by names, and a link or a script is another one
  toolkit=$(realpath "$("$nvcc" -dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')" 2> /dev/null || true)
  if [ -x "$toolkit/bin/nvcc" ] && [ -e "$toolkit/include/cuda_runtime.h" ]; then
    PATH=$toolkit/bin:$PATH
  fi
fi
presets=()
headers=OFF
budget=
usage() {
  printf 'usage: tests/run.sh [--no-cache] [--budget MINUTES] [all|core|dev|clang|asan|tsan|mpich|cuda]...\n' >&2
  exit 2
}
while [[ ${1:-} == --* ]]; do
  case $1 in
    --no-cache) export CCACHE_DISABLE=1 ;;
    --budget)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage
      budget=$2
      shift
      ;;
    *) usage ;;
  esac
  shift
done
for preset in "${@:-dev}"; do
  case $preset in
    core | dev | clang | asan | tsan | mpich | cuda) presets+=("$preset") ;;
    all)
      headers=ON
      presets+=(dev)
      if command -v clang++-19 > /dev/null || has_package clang-19; then
        presets+=(clang)
      else
        printf 'without the preset clang (no clang-19); asan instead, by g++\n'
        presets+=(asan)
      fi
      presets+=(tsan mpich)
      if [ -n "$nvcc" ]; then
        presets+=(cuda)
      else
        printf 'without the preset cuda (no nvcc)\n'
      fi
      ;;
    *) usage ;;
  esac
done

packages=(g++ cmake ninja-build ccache lld doctest-dev zlib1g-dev libzip-dev libxxhash-dev nlohmann-json3-dev libmetis-dev libcli11-dev libdlpack-dev)
if [ -z "$nvcc" ]; then
  packages+=(libthrust-dev) # a CUDA toolkit brings its own
fi
for preset in "${presets[@]}"; do
  case $preset in
    dev) packages+=(libopenmpi-dev openmpi-bin libptscotch-dev libtorch-dev libopenblas0-pthread libbenchmark-dev wordnet-base) ;;
    clang)
      packages+=(clang-19 libclang-rt-19-dev libopenmpi-dev openmpi-bin)
      # OpenMP's library for one version of clang is removed by that for another one: a person's stays.
      if ! dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'libomp-*-dev' 2> /dev/null | grep -v libomp-19-dev | grep -q '^installed'; then
        packages+=(libomp-19-dev)
      else
        printf 'preset clang without OpenMP (another version of libomp-dev is installed)\n'
      fi
      ;;
    mpich) packages+=(mpich libmpich-dev) ;;
  esac
done
if [ $headers = ON ]; then
  packages+=(doxygen doxygen-awesome-css pkg-config dpkg-dev python3-matplotlib) # the tests of docs/build.sh, packages, plot.py
  packages+=(python3-numpy python3-pandas python3-scipy python3-torch) # the test of examples/convert.py
  if has_package clang-format-19; then
    packages+=(clang-format-19)
  fi
fi
require_packages "${packages[@]}"
require_tools

export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G} # holds all presets

started=$SECONDS
say() { printf '[%3d min %02d s] %s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)) "$*"; }
jobs=$(nproc)
passed=0
failed=0

# Programs under the thread sanitizer start only where addresses are not too random.
plainly=()
if setarch "$(uname -m)" -R true 2> /dev/null; then
  plainly=(setarch "$(uname -m)" -R)
fi

# Tests write small files and have them put on the disk again and again: a third of the time of some. They lie in memory
# where there is room; the test of rows that are read past the memory of the system stays on the disk.
scratch=()
if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -k /dev/shm 2> /dev/null | tail -n 1)" -gt 4000000 ] 2> /dev/null; then
  scratch=(env "TMPDIR=$(mktemp -d /dev/shm/glt-tests-XXXXXX)")
  trap 'rm -rf "${scratch[1]#TMPDIR=}"' EXIT
fi

# timed <stage> <command>...: runs it and notes processor and clock seconds of the preset, for tests/time.sh.
timed() {
  local stage=$1 status=0 TIMEFORMAT="$1 %U %S %R"
  shift
  { time "$@" 2>&3; } 3>&2 2>> "build/$preset.seconds" || status=$?
  return $status
}

# One preset: configure, build, test. A build that fails counts as one failed test; what was built is tested.
run_preset() {
  local preset=$1 log=build/$1.log options=() summary total bad
  if [ "$preset" = clang ]; then
    options=(-D MPI_CXX_COMPILER=mpicxx.openmpi -D MPIEXEC_EXECUTABLE=mpiexec.openmpi)
  elif [ "$preset" = dev ]; then
    options=(-D MPI_CXX_COMPILER=mpicxx.openmpi -D MPIEXEC_EXECUTABLE=mpiexec.openmpi -D GLT_TEST_HEADERS=$headers -D GLT_TEST_FAULTS=$headers)
  fi
  mkdir -p build
  rm -f "build/$preset.seconds" "build/$preset.cached"
  export CCACHE_STATSLOG=$PWD/build/$preset.cached
  say "$preset: configure"
  if ! timed configure cmake --preset "$preset" "${options[@]}" > "$log" 2>&1; then
    tail -n 30 "$log"
    say "$preset: cannot be configured"
    failed=$((failed + 1))
    return
  fi
  say "$preset: build with $jobs jobs"
  if ! timed build cmake --build --preset "$preset" -j "$jobs" -- -k 0 >> "$log" 2>&1; then
    grep -E -A 12 'error|FAILED' "$log" | head -n 100 || true
    say "$preset: does not build (the whole log is $log)"
    failed=$((failed + 1))
  fi
  say "$preset: test" # one more than there are processors: many tests wait
  timed test "${scratch[@]}" "${plainly[@]}" ctest --preset "$preset" -j $((jobs + 1)) 2>&1 | tee "$log.tests" || true
  summary=$(grep -E '^[0-9]+% tests passed, ' "$log.tests" | tail -n 1 || true)
  if [[ ! $summary =~ ,\ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]] || [ "${BASH_REMATCH[2]}" -eq 0 ]; then
    say "$preset: no test was run"
    failed=$((failed + 1))
    return
  fi
  bad=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
  passed=$((passed + total - bad))
  failed=$((failed + bad))
  say "$preset: $((total - bad)) of $total tests passed"
}

for preset in "${presets[@]}"; do
  run_preset "$preset"
done
say "done"
if [ -n "$budget" ]; then
  bash tests/time.sh --speed "${presets[@]}" || true # a preset may have come to nothing
  if [ $((SECONDS - started)) -gt $((budget * 60)) ]; then
    say "failed: this took longer than the $budget minutes that it may take"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
