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
for ranks in 1 2; do
  "$@" -n "$ranks" "$program" "$scratch/parts" | tee "$scratch/log"
  sum=$(sed -n 's/^all ranks: .* features sum up to //p' "$scratch/log")
  if [ -z "$sum" ] || [ "${last:-$sum}" != "$sum" ]; then
    printf 'on %s ranks the features sum up to "%s", before to "%s"\n' "$ranks" "$sum" "${last:-}"
    exit 1
  fi
  last=$sum
done
