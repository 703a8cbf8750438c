#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Trains GraphSAGE on WordNet over MPI ranks: installs what is missing, builds, partitions the database and trains, on the
# whole graph at once and then with batches. The whole graph ends with the line "full-graph test accuracy 0.xxx"; the last
# line is "test accuracy 0.xxx (features only 0.yyy)".
set -euo pipefail

usage='usage: examples/run.sh [--ranks N] [--epochs N] [--data DIR] [--out DIR] [--workers N | --servers N | --prefetch N]
  --ranks N    MPI ranks that train, one part of the graph each (default 2)
  --epochs N   training epochs with batches (default 10); five times as many on the whole graph
  --data DIR   folder of the WordNet database: data.noun, data.verb, data.adj, data.adv
               (default /usr/share/wordnet, installed from the package wordnet-base)
  --out DIR    folder for programs and prepared data (default build/run)
where batches are made, which are the same: by the ranks that train, or
  --prefetch N by threads of theirs, N batches in advance
  --workers N  by N ranks more for each rank that trains
  --servers N  by N ranks more that own the parts, at most as many as there are parts'

# fail <text>: a wrong argument.
fail() {
  printf 'run.sh: %s\n%s\n' "$1" "$usage" >&2
  exit 2
}

system_data=/usr/share/wordnet
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ranks=2
epochs=10
workers=0
servers=0
prefetch=0
data=$system_data
out=$PWD/build/run

# absolute <path>: the path seen from where the script was started.
absolute() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$here/$1" ;;
  esac
}

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      printf '%s\n' "$usage"
      exit 0
      ;;
    --ranks | --epochs | --data | --out | --workers | --servers | --prefetch) ;;
    *) fail "unknown argument '$1'" ;;
  esac
  if [ $# -lt 2 ] || [ -z "$2" ]; then
    fail "$1 needs a value"
  fi
  case $1 in
    --ranks | --epochs | --workers | --servers | --prefetch)
      [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || fail "$1 is '$2'; give a number from 1 to 9999"
      declare "${1#--}=$2"
      ;;
    --data) data=$(absolute "$2") ;;
    --out) out=$(absolute "$2") ;;
  esac
  shift 2
done

total=$ranks
parts_count=$ranks
deployment=()
case $((workers > 0))$((servers > 0))$((prefetch > 0)) in
  000) ;;
  001) deployment=(--deployment pipelined --prefetch "$prefetch") ;;
  010)
    [ "$servers" -le "$ranks" ] || fail "--servers is '$servers'; there are $ranks parts, give at most as many"
    total=$((ranks + servers))
    deployment=(--deployment servers --servers "$servers")
    ;;
  100)
    total=$((ranks * (1 + workers)))
    parts_count=$((ranks * workers))
    deployment=(--deployment workers --workers "$workers")
    ;;
  *) fail 'give one of --workers, --servers and --prefetch' ;;
esac

files=(data.noun data.verb data.adj data.adv)
if [ "$data" != "$system_data" ]; then
  for file in "${files[@]}"; do
    [ -r "$data/$file" ] || fail "--data: there is no readable file $data/$file"
  done
fi
if ! mkdir -p "$out" 2> /dev/null || [ ! -w "$out" ]; then
  fail "--out: the folder $out cannot be written"
fi

# shellcheck source=cmake/apt.sh
. cmake/apt.sh
packages=(g++ cmake ninja-build zlib1g-dev libzip-dev libxxhash-dev nlohmann-json3-dev libmetis-dev libcli11-dev libopenmpi-dev openmpi-bin libtorch-dev libopenblas0-pthread)
if [ "$data" = "$system_data" ]; then
  packages+=(wordnet-base)
fi
require_packages "${packages[@]}"
require_tools

started=$SECONDS
say() { printf '[%d min %02d s] %s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)) "$*"; }

say 'build'
build=$out/programs
if ! { cmake --preset release -B "$build" -DGLT_IO=ON -DGLT_MPI=ON -DGLT_TORCH=ON -DGLT_BUILD_BENCHMARKS=OFF -DGLT_INSTALL=OFF \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=OFF -DMPI_CXX_COMPILER=mpicxx.openmpi -DMPIEXEC_EXECUTABLE=mpiexec.openmpi &&
  cmake --build "$build" --target train full_batch glt-partition; } > "$out/build.log" 2>&1; then
  tail -n 40 "$out/build.log" >&2
  printf 'run.sh: the programs could not be built; the whole log is %s\n' "$out/build.log" >&2
  exit 1
fi

# fresh <folder> <key>: true if the folder was made from inputs with this key; removes it if it is not, and holds parts.
fresh() {
  if [ -d "$1" ] && [ "$(cat "$1.key" 2> /dev/null)" = "$2" ]; then
    return 0
  fi
  if [ -f "$1/manifest.json" ]; then
    rm -rf "$1"
  fi
  rm -f "$1.key"
  return 1
}

# key_of <file>...: changes with the content of the files.
key_of() { sha256sum "$@" | cut -d ' ' -f 1 | sha256sum | cut -d ' ' -f 1; }

partition=$build/examples/partition/glt-partition
parts=$out/parts-$parts_count
parts_key=$(cd "$data" && key_of "$partition" "${files[@]}")
if fresh "$parts" "$parts_key"; then
  say "partition into $parts_count parts: done before"
else
  say "partition WordNet into $parts_count parts"
  "$partition" "$data" --format wordnet --parts "$parts_count" --method ldg --out "$parts"
  printf '%s\n' "$parts_key" > "$parts.key"
fi

launch=(mpirun.openmpi --mca btl 'self,vader' --mca btl_base_warn_component_unused 0
  --mca btl_vader_single_copy_mechanism none --mca opal_warn_on_missing_libcuda 0 --mca mpi_yield_when_idle 1
  -x OPENBLAS_NUM_THREADS=1 -x OMP_NUM_THREADS=1)
if [ "$(id -u)" -eq 0 ]; then
  launch+=(--allow-run-as-root)
fi
if [ "$total" -gt "$(nproc)" ]; then
  launch+=(--oversubscribe)
fi

say "train on the whole graph on $ranks ranks"
"${launch[@]}" -n "$ranks" "$build/examples/full_batch" "$parts" --model sage \
  --epochs $((5 * epochs))

say "train with batches on $ranks of $total ranks"
if [ "$prefetch" -gt 0 ]; then
  launch+=(--bind-to none) # the threads that prepare batches need cores, too
fi
exec "${launch[@]}" -n "$total" "$build/examples/train" "$parts" --epochs "$epochs" --fanout 15,10 --batch 1024 "${deployment[@]}"
