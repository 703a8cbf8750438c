#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: main_job.sh RUN_SH OUT
#
# The main job as a person starts it, with more ranks than most machines of the tests have cores and few epochs: the last
# line must be the accuracies, and the graph must be worth something.
set -euo pipefail

run=$1 out=$2
rm -rf "$out"
mkdir -p "$out"
"$run" --ranks 3 --epochs 2 --out "$out" | tee "$out/log"
last=$(tail -n 1 "$out/log")
[ "$(grep -c '^test accuracy' "$out/log")" -eq 1 ] || {
  printf 'there is not exactly one line of accuracies\n'
  exit 1
}
grep -qE '^full-graph test accuracy 0\.[0-9]{3}$' "$out/log" || {
  printf 'there is no line of the accuracy on the whole graph\n'
  exit 1
}
pattern='^test accuracy (0\.[0-9]{3}) \(features only (0\.[0-9]{3})\)$'
[[ $last =~ $pattern ]] || {
  printf 'the last line is: %s\n' "$last"
  exit 1
}
awk -v graph="${BASH_REMATCH[1]}" -v alone="${BASH_REMATCH[2]}" 'BEGIN { exit !(graph >= 0.6 && alone < graph - 0.1) }' || {
  printf 'two epochs must reach 0.6 with the graph, and clearly less without it\n'
  exit 1
}
for word in loss valid seconds wait sample fetch train MPI 'M edges/s' 'M rows/s' MB messages; do
  grep '^epoch .* wait' "$out/log" | grep -q " $word" || {
    printf 'the head of the epochs does not tell: %s\n' "$word"
    exit 1
  }
done
awk '/^epoch/, /accuracy/ { if (length > 100) exit 1 }' "$out/log" || {
  printf 'the table is wider than 100 characters\n'
  exit 1
}
