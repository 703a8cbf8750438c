#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: misuse.sh TRAIN_PROGRAM FULL_BATCH_PROGRAM LAUNCHER...
#
# A wrong argument fails the job and is told once, whatever the number of ranks; help is told once and no failure.
set -euo pipefail

train=$1 full_batch=$2
shift 2
launcher=("$@")

# refuses <pattern> <argument>...
refuses() {
  local pattern=$1 said
  shift
  if said=$("${launcher[@]}" "$train" "$@" 2>&1) || [ "$(grep -c "^train: .*$pattern" <<< "$said")" != 1 ]; then
    printf 'train %s is not refused, or not told once:\n%s\n' "$*" "$said"
    exit 1
  fi
}
refuses 'not expected: 3 --epoch' parts --epoch 3
refuses 'PARTS is required' --epochs 3
refuses '--batch.*1.5' parts --batch 1.5
refuses '--fanout: .*2 numbers' --fanout 5,5,5 parts
refuses '--fanout.*99999999999999999999' --fanout 99999999999999999999,5 parts
refuses '--timeout.*-1' --timeout -1 parts
refuses '--workers.*4294967297' --deployment workers --workers 4294967297 parts
refuses '--servers.*4294967297' --deployment servers --servers 4294967297 parts
refuses '--save.*the name is empty' --save '' parts
refuses '--deployment: gpu not in {auto,collocated,pipelined,workers,servers}' parts --deployment gpu

# helps <name> <program> <option>...: --help tells the usage and the options, each once, and wants no PARTS.
helps() {
  local name=$1 program=$2 option said
  shift 2
  said=$("${launcher[@]}" "$program" --help) || {
    printf '%s --help fails:\n%s\n' "$name" "$said"
    exit 1
  }
  for option in "Usage: $name" PARTS --epochs --fanout --timeout --log "$@"; do
    [ "$(grep -c "^ *$option " <<< "$said")" = 1 ] || {
      printf 'help of %s does not tell %s once:\n%s\n' "$name" "$option" "$said"
      exit 1
    }
  done
}
helps train "$train" --deployment
helps full_batch "$full_batch" --model --mode --checkpoint
