#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cora.sh DATASET_FOLDER PARTITION_PROGRAM TRAIN_PROGRAM LAUNCHER...
#
# Trains on Cora with two ranks and the official split; at least 0.78 of the test vertices must come out right
# (Kipf & Welling 2017 report 0.815 for a full-batch GCN). The network that was saved has the same accuracy when it is
# loaded, and does not fit another one. Skipped (exit status 77) where the data set is not.
set -euo pipefail

data=$1 partition=$2 train=$3
shift 3
launcher=("$@")
if ! [ -r "$data/edge_index.npy" ]; then
  printf 'skipped: there is no data set in %s\n' "$data"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$partition" "$data" --parts 2 --normalize --out "$scratch/parts"
options=(--lr 0.01 --dropout 0.7 --input-dropout 0.7 --weight-decay 0.001)
"${launcher[@]}" "$train" "$scratch/parts" --epochs 40 "${options[@]}" --save "$scratch/net.pt" --log "$scratch/epochs" |
  tee "$scratch/log"
accuracy=$(tail -n 1 "$scratch/log" | sed -n 's/^test accuracy \([0-9.]*\) (features only [0-9.]*)$/\1/p')
awk -v reached="${accuracy:-0}" 'BEGIN { exit !(reached >= 0.78) }' || {
  printf 'the last line is not a test accuracy of 0.78 or more\n'
  exit 1
}

fail() {
  printf '%s\n' "$1"
  exit 1
}
# A head, and below it 40 lines of the same width, 100 characters at most; one line for the network without edges.
table=$(awk '/^epoch /, /^features only/' "$scratch/log")
[ "$(wc -l <<< "$table")" = 42 ] || fail 'expected a head, 40 epochs, and a line of the network without edges'
head -n 41 <<< "$table" | awk '{ width[length] } length > 100 { exit 1 } END { for (w in width) ++n; exit n != 1 }' ||
  fail 'the lines of the table are not of one width of 100 characters at most'
tail -n 1 <<< "$table" | grep -qE '^features only: 40 epochs in [0-9.]+ s, loss [0-9.]+, best validation accuracy 0\.[0-9]{4}$' ||
  fail 'the line of the network without edges is another'
for key in run epoch ranks loss valid_accuracy seconds waiting_seconds sampling_seconds feature_seconds training_seconds \
  communication_seconds batches seeds sampled_edges feature_rows bytes messages; do
  [ "$(grep -c "^{.*\"$key\":.*}$" "$scratch/epochs")" = 80 ] || fail "the log does not tell $key of all epochs"
done

[ "$("${launcher[@]}" "$train" "$scratch/parts" --epochs 0 --load "$scratch/net.pt")" = "test accuracy $accuracy" ] ||
  fail 'the network that was saved has another accuracy'

# refuses <pattern> <option>...: fails, and says why once.
refuses() {
  local pattern=$1 said
  shift
  if said=$("${launcher[@]}" "$train" "$scratch/parts" "$@" 2>&1); then
    fail "train $* does not fail"
  fi
  [ "$(grep -c "train: .*$pattern" <<< "$said")" = 1 ] || fail "train $* says: $said"
}
refuses 'layer0.self.weight is Float \[256, 1433\] in .*net.pt and Float \[64, 1433\] in the module' \
  --hidden 64 --load "$scratch/net.pt"
refuses 'epochs: 0 without --load' --epochs 0
refuses 'nowhere/epochs.*nowhere is no folder' --epochs 99999 --log "$scratch/nowhere/epochs"
