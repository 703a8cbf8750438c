#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/disk.sh [--gib N] [--folder FOLDER] [--rounds N] [--dgl CACHE] [--build FOLDER]
#
# Measures rows of features read from a disk by a process with memory for a tenth of them: a file of N GiB (4) of rows of
# 512 bytes in FOLDER (build/disk), which goes away at the end. Each of N rounds (3) runs the benchmarks of bench/io/disk in
# a control group of that memory: first those that read past the page cache, between two runs of fio with random reads of
# the same size, 64 at a time; then those of a mapped file.
# Control groups, of version 2 or 1, need root. Without them, as the first line then says, choose a file larger than the
# memory of the machine, for skewed rows of a mapped file may fill its page cache. With --dgl, GraphBolt's features on disk
# are measured as well; CACHE is that of bench/peers.sh. With --build, the program of that folder runs. Writes a table of
# medians and ranges.
set -euo pipefail
usage() {
  sed -n '4s/^# //p' "$0" >&2
  exit 2
}
gib=4 folder='' rounds=3 dgl='' built=''
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --gib) gib=$2 ;;
    --folder) folder=$(realpath -m "$2") ;;
    --rounds) rounds=$2 ;;
    --dgl) dgl=$(realpath -m "$2") ;;
    --build) built=$(realpath -m "$2") ;;
    *) usage ;;
  esac
  shift 2
done
[[ $gib =~ ^[1-9][0-9]{0,3}$ && $rounds =~ ^[1-9][0-9]?$ ]] || usage

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh
. bench/programs.sh
require_packages fio python3
build=${built:-build/bench}
[ -n "$built" ] || build_benchmarks . "$build"
folder=${folder:-$PWD/build/disk}
mkdir -p "$folder"
work=$(mktemp -d "$folder/XXXXXX")
bytes=$((gib << 30)) limit=$(((gib << 30) / 10)) group=''
remove() {
  [ -z "$group" ] || rmdir "$group" 2> /dev/null || true
  rm -rf "$work"
}
trap remove EXIT
trap 'exit 130' INT TERM

# The control group of a memory limit; none where the system has none for this user.
groups=/sys/fs/cgroup
if grep -qsw memory $groups/cgroup.controllers && mkdir "$groups/glt-disk-$$" 2> /dev/null; then
  group=$groups/glt-disk-$$
  echo +memory > $groups/cgroup.subtree_control
  echo "$limit" > "$group/memory.max"
  echo 0 > "$group/memory.swap.max" 2> /dev/null || true # a machine without swap has no such file
elif [ -f $groups/memory/memory.limit_in_bytes ] && mkdir "$groups/memory/glt-disk-$$" 2> /dev/null; then
  group=$groups/memory/glt-disk-$$
  echo "$limit" > "$group/memory.limit_in_bytes"
fi
limited() { # <command>...
  if [ -n "$group" ]; then
    sh -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$@"
  else
    "$@"
  fi
}
if [ -n "$group" ]; then
  printf '%s GiB of rows, memory limited to %s MiB by %s\n' "$gib" $((limit >> 20)) "$group"
else
  printf '%s GiB of rows, memory not limited: control groups need root, and the kernel to have them\n' "$gib"
fi

run_fio() { # <file for the results>
  fio --name=rows --filename="$work/rows" --readonly --rw=randread --bs=512 --iodepth=64 --ioengine=io_uring --direct=1 \
    --norandommap --runtime=5 --time_based --output-format=json --output="$1"
}

run_glt() { # <benchmarks>
  GLT_BENCH_FILE=$work/rows limited "$build/bench/bench_io" --benchmark_filter="^$1/" --benchmark_min_time=2 \
    --benchmark_out_format=json --benchmark_out="$work/glt.$round.$1.json" > "$work/log" 2>&1 || {
    tail -n 5 "$work/log" >&2
    exit 1
  }
}

head -c "$bytes" /dev/urandom > "$work/rows"
sync "$work/rows"
for ((round = 1; round <= rounds; ++round)); do
  printf '%d:%02d round %d of %d\n' $((SECONDS / 60)) $((SECONDS % 60)) "$round" "$rounds"
  run_fio "$work/fio.$round.before.json"
  run_glt from_disk
  run_fio "$work/fio.$round.after.json"
  run_glt mapped
  [ -z "$dgl" ] || limited "$dgl/dgl/bin/python" bench/peers/disk_with_dgl.py "$work/rows" > "$work/dgl.$round.json"
done
python3 -B - "$work" << 'EOF'
import json, pathlib, statistics, sys

rates = {}
hits = {}
def add(name, rate):
    rates.setdefault(name, []).append(rate)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    read = json.loads(path.read_text())
    if path.name.startswith("fio"):
        add("fio, reads", read["jobs"][0]["read"]["iops"])
    elif path.name.startswith("dgl"):
        for name, rate in read.items():
            add(name, rate)
    else:
        for run in read["benchmarks"]:
            name = run["name"].removesuffix("/real_time").split("/iterations")[0]
            add(name, run["rows/s"])
            if run.get("hit_ratio"):
                hits.setdefault(name, []).append(run["hit_ratio"])
disk = statistics.median(rates["fio, reads"])
print("| | rows/s | range | of fio's | hit ratio |\n|---|---|---|---|---|")
for name, found in rates.items():
    median = statistics.median(found)
    ratio = f"{statistics.median(hits[name]):.2f}" if name in hits else ""
    print(f"| {name} | {median:,.0f} | {min(found):,.0f} to {max(found):,.0f} | {median / disk:.2f} | {ratio} |")
EOF
