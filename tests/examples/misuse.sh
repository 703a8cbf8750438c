#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: misuse.sh TRAIN_PROGRAM LAUNCHER...
#
# A wrong argument fails the job and is told once, whatever the number of ranks.
set -euo pipefail

train=$1
shift
if said=$("$@" "$train" --epoch 3 2>&1); then
  printf 'a wrong argument is taken\n'
  exit 1
fi
printf '%s\n' "$said"
[ "$(grep -c 'unknown option --epoch;' <<<"$said")" = 1 ] || {
  printf 'the wrong argument is not told once\n'
  exit 1
}
