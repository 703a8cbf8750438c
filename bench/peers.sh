#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/peers.sh [--cache FOLDER] [--build FOLDER] [--rounds N] [--only REGEX] [--out FOLDER]
#
# Measures glt beside graphlearn-torch 0.2.4 (torch 2.5.1, PyG 2.6.1) and DGL 2.1.0 (torch 2.2.1) in turns on the same graph
# (workload W1), 3 rounds: sampling, looking up feature rows, loading by two processes, sums over the whole graph, layers
# over it with the memory they take, steps of training with their parts, and inference (DGL; glt's where LibTorch is found).
# Writes the medians with versions and machine to peers.json and peers.md in FOLDER (build/peers). --only 'sample|epoch'
# chooses tasks.
#
# The libraries come from pip and stay in --cache (${XDG_CACHE_HOME:-~/.cache}/glt-peers), 6 GB each, for their torch brings
# CUDA along; PIP_EXTRA_INDEX_URL with an index of torch for CPUs makes that 1 GB. They have wheels for Python 3.11, which PYTHON
# names where it is not python3.11. A library that cannot be installed or does not run is left out and named; the others
# count. With --build, the benchmarks of that build folder run; otherwise they are built.
set -euo pipefail
usage() {
  printf 'usage: bench/peers.sh [--cache FOLDER] [--build FOLDER] [--rounds N] [--only REGEX] [--out FOLDER]\n' >&2
  exit 2
}
here=$PWD
cache=${XDG_CACHE_HOME:-$HOME/.cache}/glt-peers built='' rounds=3 only='' out=''
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --cache) cache=$(realpath -m "$2") ;;
    --build) built=$(realpath -m "$2") ;;
    --rounds) rounds=$2 ;;
    --only) only=$2 ;;
    --out) out=$(cd "$here" && realpath -m "$2") ;;
    *) usage ;;
  esac
  shift 2
done
[[ $rounds =~ ^[1-9][0-9]?$ ]] || usage

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh
. bench/programs.sh
out=${out:-$PWD/build/peers}
require_packages python3 python3-venv util-linux openmpi-bin
build=${built:-build/bench}
[ -n "$built" ] || build_benchmarks . "$build"
mkdir -p "$cache" "$out"
rm -f "$out/left_out" "$out"/*.log # links are not followed
: > "$out/left_out"
left_out() {
  printf '%s: %s\n' "$1" "$2" | tee -a "$out/left_out" >&2
}

# environment <name> <requirement>...: a virtual environment with them, or a line that says why not.
environment() {
  local name=$1 folder=$cache/$1 python=${PYTHON:-python3.11}
  shift
  if [ "$(cat "$folder/requirements" 2> /dev/null)" = "$*" ]; then
    return 0
  fi
  printf 'installing %s in %s\n' "$*" "$folder"
  rm -rf "$folder"
  if ! command -v "$python" > /dev/null; then
    left_out "$name" "no $python, for which it has wheels; name one by PYTHON=<path>"
  elif ! { "$python" -m venv "$folder" && "$folder/bin/pip" install --no-cache-dir "$@"; } > "$out/$name.log" 2>&1; then
    left_out "$name" "$(grep -E '^ERROR|Errno|resolution' "$out/$name.log" | tail -n 1) (no network, or no such wheel; the whole log is $out/$name.log)"
    rm -rf "$folder"
  else
    printf '%s' "$*" > "$folder/requirements"
    return 0
  fi
  return 1
}

tasks=() # which are chosen
for task in sample features load spmm layers epoch infer; do
  [[ $task =~ $only ]] && tasks+=("$task")
done
[ ${#tasks[@]} -gt 0 ] || usage

with=()
if [[ " ${tasks[*]} " =~ ' '(sample|features|load|spmm)' ' ]] && environment graphlearn graphlearn-torch==0.2.4 torch==2.5.1 torch_geometric==2.6.1 'numpy<2'; then
  # Imported, and not declared: torch_sparse, for edges in no order, of which there are none here. Its loaders do not
  # import without a GPU.
  packages=$("$cache/graphlearn/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  [ -d "$packages/torch_sparse" ] || : > "$packages/torch_sparse.py"
  sed -i "s/torch\.device(0)/torch.device('cpu')/" "$packages"/graphlearn_torch/loader/*.py
  with+=(graphlearn)
fi
if environment dgl dgl==2.1.0 torch==2.2.1 torchdata==0.7.1 'pandas<3' pydantic pyyaml 'numpy<2'; then
  with+=(dgl)
fi

work=$cache/w1-scale${GLT_BENCH_SCALE:-20}
if ! [ -f "$work/typed_7_indices.npy" ]; then
  mkdir -p "$work"
  "$build/bench/bench_peers" "$work"
fi

# The benchmarks of glt, by task: program, ranks and names.
glt_benchmarks() {
  case $1 in
    sample) echo 'sample 0 ^(sample/uniform/|sample_bulk/2_threads/)' ;;
    features) echo 'feature 0 ^gather/' ;;
    load) echo 'dist 2 ^(load_batches/|sample_batches/by_messages)' ;;
    spmm) echo 'dist 1 ^aggregate_sum/threads:[12]/columns:(32|128)/' ;;
    layers) echo 'torch 0 ^(sage|gat)_conv/' ;;
    epoch) echo 'torch 0 ^train_step/.*/kept:1/' ;;
    infer) echo 'torch 0 ^infer_sage/' ;;
  esac
}

rm -rf "$out/runs"
mkdir -p "$out/runs"
for ((round = 1; round <= rounds; ++round)); do
  for task in "${tasks[@]}"; do
    for library in glt "${with[@]}"; do
      [[ ! $task.$library =~ ^(layers|epoch|infer)\.graphlearn ]] || continue
      printf '%d:%02d round %d of %d: %s with %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$round" "$rounds" "$task" "$library"
      log=$out/$library.$task.log
      if [ "$library" = glt ]; then
        read -r folder ranks names <<< "$(glt_benchmarks "$task")"
        start_benchmark "$build" "$folder" "$ranks" --benchmark_filter="$names" --benchmark_out_format=json \
          --benchmark_out="$out/runs/$task.$round.json" > "$log" 2>&1 || left_out "glt, $task" "$(tail -n 1 "$log")"
      elif ! ${GLT_BENCH_UNDER:-} timeout 600 "$cache/$library/bin/python" "bench/peers/with_$library.py" "$task" "$work" > "$log" 2>&1; then
        left_out "$library, $task" "$(tail -n 1 "$log") (the whole log is $log)"
      fi
      [ "$library" = glt ] || grep '^figure ' "$log" >> "$out/runs/figures" || true
    done
  done
done
for library in "${with[@]}"; do
  "$cache/$library/bin/pip" list --format=json > "$out/runs/$library.versions"
done
rm -f "$out/peers.json" "$out/peers.md"
python3 bench/peers/table.py "$out"
