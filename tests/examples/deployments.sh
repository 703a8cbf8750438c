#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: deployments.sh DATASET_FOLDER PARTITION_PROGRAM TRAIN_PROGRAM PIPELINED_PROGRAM LAUNCHER...
#
# Trains on Cora or WordNet with two ranks, wherever their batches are made: losses and accuracies must be the same to the
# last digit. Skipped (exit status 77) where the data set is not.
set -euo pipefail

data=$1 partition=$2 train=$3 pipelined=$4
shift 4
if [ -r "$data/edge_index.npy" ]; then
  input=(--normalize)
  options=(--batch 32 --lr 0.01)
  shared=4
elif [ -r "$data/data.noun" ]; then
  input=(--format wordnet --method ldg)
  options=(--fanout 5,5 --hidden 32)
  shared=32 # MB, of a few batches
else
  printf 'skipped: there is no data set in %s\n' "$data"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$partition" "$data" --parts 2 "${input[@]}" --out "$scratch/parts" > "$scratch/log"
"$@" -n 2 "$pipelined" "$scratch/parts" > "$scratch/log"
[ "$(grep -cE '^rank [01]: [1-9][0-9]* batches, [1-9][0-9]* edges$' "$scratch/log")" = 2 ]

# train_on <ranks> <file> <option>...: keeps what must not depend on the deployment.
train_on() {
  local ranks=$1 to=$2
  shift 2
  "${launcher[@]}" -n "$ranks" "$train" "$scratch/parts" --epochs 2 "${options[@]}" --log "$scratch/epochs" "$@" \
    > "$scratch/log" < /dev/null
  sed 's/,"seconds".*//' "$scratch/epochs" > "$to"
  [ "$(grep -c '"loss":[0-9.]*,"valid_accuracy":0[0-9.]*$' "$to")" = 4 ] # two epochs with the graph, two without
  tail -n 1 "$scratch/log" | grep '^test accuracy' >> "$to"
}

launcher=("$@")
train_on 2 "$scratch/expected" --deployment collocated
train_on 2 "$scratch/made" # as the machine allows
diff "$scratch/expected" "$scratch/made"
grep -qE '^batches are made (in advance|when they are needed), since ' "$scratch/log"
launcher=(taskset -c 0 "$@" --bind-to none)
train_on 2 "$scratch/made"
diff "$scratch/expected" "$scratch/made"
grep -q '^batches are made when they are needed, since not all ranks have a free core$' "$scratch/log"
launcher=("$@")
while read -r ranks deployment; do
  # shellcheck disable=SC2086 # words
  train_on "$ranks" "$scratch/made" $deployment
  diff "$scratch/expected" "$scratch/made" || {
    printf 'other batches with %s on %s ranks\n' "$deployment" "$ranks"
    exit 1
  }
done << END
2 --deployment pipelined --prefetch 3
4 --deployment workers --workers 1 --shared-megabytes $shared
3 --deployment servers --servers 1 --prefetch 1
4 --deployment servers --servers 2
5 --deployment servers --servers 3
END
