#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# plot.sh PLOT: curves and comparisons are drawn, and what is neither is refused.
set -euo pipefail
plot=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '{"epoch":1,"loss":2.5,"accuracy":0.25}\n{"epoch":2,"loss":1.5,"accuracy":0.5}\n' >"$work/run.jsonl"
printf '{"benchmarks":[{"name":"gather","real_time":2,"time_unit":"ms"}]}\n' >"$work/before.json"
"$plot" "$work/curve.svg" "$work/run.jsonl"
grep -q 'Accuracy' "$work/curve.svg"
"$plot" "$work/bench.svg" "$work/before.json" "$work/before.json"
grep -q '2 ms (1.00 times)' "$work/bench.svg"
echo 'no log' >"$work/other"
if "$plot" "$work/other.svg" "$work/other" 2>"$work/errors"; then
  exit 1
fi
grep -q 'line 1 is no JSON object' "$work/errors" && ! test -e "$work/other.svg"
