#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: misuse.sh TRAIN_PROGRAM LAUNCHER...
#
# A wrong argument fails the job and is told once, whatever the number of ranks; help is told once and no failure.
set -euo pipefail

train=$1
shift
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

help=$("${launcher[@]}" "$train" --help)
for option in PARTS --epochs --fanout --deployment --log; do
  [ "$(grep -c "^ *$option " <<< "$help")" = 1 ] || {
    printf 'help does not tell %s once:\n%s\n' "$option" "$help"
    exit 1
  }
done
