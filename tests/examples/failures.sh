#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: failures.sh PARTITION_PROGRAM TRAIN_PROGRAM FULL_BATCH_PROGRAM LAUNCHER...
#
# A network that is larger than the limit of file sizes, a feature of a part that is not a number, a label far beyond the
# number of vertices, a label of -1 and a set without features fail a training. The error names the file or value, and is
# told once.
set -euo pipefail

partition=$1 train=$2 full_batch=$3
shift 3
launcher=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# npy <file> <type> <shape> <bytes of an element>...
npy() {
  local file=$1 element
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" > "$file"
  shift 3
  for element in "$@"; do
    # shellcheck disable=SC2059 # bytes
    printf "$element" >> "$file"
  done
}

# int64 <file> <shape> <number below 128>...
int64() {
  local file=$1 shape=$2 number
  shift 2
  npy "$file" '<i8' "$shape"
  for number in "$@"; do
    # shellcheck disable=SC2059 # bytes
    printf "\\x$(printf %02x "$number")\0\0\0\0\0\0\0" >> "$file"
  done
}

# A ring of 8 vertices, with a column of ones and two classes.
data=$scratch/data
mkdir "$data"
int64 "$data/edge_index.npy" '2, 8' 0 1 2 3 4 5 6 7 1 2 3 4 5 6 7 0
int64 "$data/node_label.npy" '8,' 0 1 0 1 0 1 0 1
int64 "$data/train_idx.npy" '4,' 0 1 2 3
int64 "$data/valid_idx.npy" '2,' 4 5
int64 "$data/test_idx.npy" '2,' 6 7
one='\0\0\x80\x3f'
npy "$data/node_feat.npy" '<f4' '8, 1' "$one" "$one" "$one" "$one" "$one" "$one" "$one" "$one"

# divide <parts>
divide() { "$partition" "$data" --parts 2 --add-reverse --out "$1" > "$scratch/log"; }

# Trains on the parts; status and words are those of the program.
run_train() { "${launcher[@]}" "$train" "$@" --epochs 2 --fanout 2,2 2>&1; }
run_full_batch() { "${launcher[@]}" "$full_batch" "$@" --epochs 2 2>&1; }

# refuses <train or full_batch> <pattern> <argument>...
refuses() {
  local program=$1 pattern=$2 said
  shift 2
  if said=$("run_$program" "$@") || [ "$(grep -c "^$program: .*$pattern" <<< "$said")" != 1 ]; then
    printf '%s %s is not refused, or not told once:\n%s\n' "$program" "$*" "$said"
    exit 1
  fi
}

divide "$scratch/parts"
for program in train full_batch; do
  said=$("run_$program" "$scratch/parts" --hidden 8) || {
    printf '%s fails on good values:\n%s\n' "$program" "$said"
    exit 1
  }
done

# Results that are lost are an error. Under a launcher it is the launcher that writes.
"$partition" "$data" --parts 1 --add-reverse --out "$scratch/alone" > "$scratch/log"
for program in train full_batch; do
  if "${!program}" "$scratch/alone" --epochs 2 > /dev/full 2> "$scratch/log" < /dev/null; then
    printf '%s ends well where nothing can be written\n' "$program"
    exit 1
  fi
done

# The limit is above what MPI's own files need, and below the 16 MB of the network.
unlimited=("${launcher[@]}")
# shellcheck disable=SC2016 # the shell of the ranks expands it
launcher+=(bash -c 'ulimit -f 10240 && exec "$0" "$@"')
refuses full_batch 'net.pt.* cannot be written: File too large' "$scratch/parts" --hidden 1000000 --save "$scratch/net.pt"
launcher=("${unlimited[@]}")
[ ! -e "$scratch/net.pt" ] || {
  printf 'an incomplete network was left\n'
  exit 1
}

features=$scratch/parts/part-1/node/node_feat.npy
printf '\0\0\xc0\x7f' | dd of="$features" bs=1 seek=$(($(wc -c < "$features") - 4)) conv=notrunc status=none
refuses train 'the gradient of .* is not finite' "$scratch/parts" --hidden 8
refuses full_batch 'the gradient of .* is not finite' "$scratch/parts" --hidden 8

printf '\0\0\0\0\0\1\0\0' | dd of="$data/node_label.npy" bs=1 seek=128 conv=notrunc status=none
divide "$scratch/large"
refuses train 'a label is 1099511627776, but there are only 8 vertices' "$scratch/large"
refuses full_batch 'a label is 1099511627776, but there are only 8 vertices' "$scratch/large"

printf '\377\377\377\377\377\377\377\377' | dd of="$data/node_label.npy" bs=1 seek=128 conv=notrunc status=none
divide "$scratch/unlabelled"
refuses train 'vertex 0 of the split train has the label -1' "$scratch/unlabelled"
refuses full_batch 'vertex 0 of the split train has the label -1' "$scratch/unlabelled"
refuses train 'vertex 0 of the split train has the label -1' "$scratch/unlabelled" --deployment servers --servers 1

rm "$data/node_feat.npy"
divide "$scratch/featureless"
refuses train 'has no features to learn from' "$scratch/featureless"
refuses full_batch 'has no features to learn from' "$scratch/featureless"
