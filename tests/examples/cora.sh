#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cora.sh DATASET_FOLDER PARTITION_PROGRAM TRAIN_PROGRAM LAUNCHER...
#
# Trains on Cora with two ranks and the official split; at least 0.78 of the test vertices must come out right
# (Kipf & Welling 2017 report 0.815 for a full-batch GCN). Skipped (exit status 77) where the data set is not.
set -euo pipefail

data=$1 partition=$2 train=$3
shift 3
if ! [ -r "$data/edge_index.npy" ]; then
  printf 'skipped: there is no data set in %s\n' "$data"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$partition" "$data" --parts 2 --normalize --out "$scratch/parts"
"$@" "$train" "$scratch/parts" --epochs 40 --lr 0.01 --dropout 0.7 --input-dropout 0.7 --weight-decay 0.001 |
  tee "$scratch/log"
accuracy=$(tail -n 1 "$scratch/log" | sed -n 's/^test accuracy \([0-9.]*\) (features only [0-9.]*)$/\1/p')
awk -v reached="${accuracy:-0}" 'BEGIN { exit !(reached >= 0.78) }' || {
  printf 'the last line is not a test accuracy of 0.78 or more\n'
  exit 1
}
