#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: typed_parts.sh PARTITION_PROGRAM TYPED_PARTS_PROGRAM LAUNCHER...
#
# The commands of docs/guides/typed.md: makes a typed data set, divides it, and trains on the parts on one and two ranks.
set -euo pipefail

partition=$1 program=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" --make "$scratch/papers"
"$partition" "$scratch/papers" --parts 2 --add-reverse --out "$scratch/parts"
for ranks in 1 2; do
  "$@" -n "$ranks" "$program" "$scratch/parts" paper | tee "$scratch/log"
  awk '$1 == "test" && $3 >= 0.85 && $5 == 1000 { ++learnt } END { exit learnt != 1 }' "$scratch/log" || {
    printf 'too little was learnt\n'
    exit 1
  }
done
if "$@" -n 2 "$program" "$scratch/parts" venue > "$scratch/log" 2>&1 || ! grep -q "there are 'paper', 'author'" "$scratch/log"; then
  cat "$scratch/log"
  printf 'the error of a wrong type lists no types\n'
  exit 1
fi
