#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: out_of_core.sh PARTITION_PROGRAM OUT_OF_CORE_PROGRAM LAUNCHER...
#
# The commands of docs/guides/out_of_core.md: makes a data set, divides it on disk, and uses the parts on one and two ranks.
set -euo pipefail

partition=$1 program=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" --make "$scratch/planted"
"$@" -n 2 "$partition" "$scratch/planted" --parts 2 --memory 1GB --cache-ratio 0.1 --out "$scratch/parts"
"$@" -n 1 "$program" "$scratch/parts"
"$@" -n 2 "$program" "$scratch/parts" | tee "$scratch/log"
grep -q '(hit ratio 0\.' "$scratch/log" || {
  printf 'no row was found among the hot ones\n'
  exit 1
}
