#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: resume.sh OWN_TRAINER_PROGRAM LAUNCHER...
#
# A training that was killed goes on where it was saved, and every loss and accuracy is the same as if it had not been
# killed; losses are floats, told with the nine digits that make them exact.
set -euo pipefail

trainer=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
epochs=40

fail() {
  printf '%s\n' "$1"
  exit 1
}

for odd in --help 99999999999999999999 -3; do
  if said=$("$trainer" "$odd" 2>&1) || [ "$(grep -c '^usage: own_trainer' <<< "$said")" != 1 ]; then
    fail "own_trainer $odd: $said"
  fi
done

"$@" -n 2 "$trainer" $epochs > "$scratch/expected"
[ "$(tail -n 1 "$scratch/expected" | grep -c '^test accuracy 0.9')" = 1 ] || fail 'the training has no accuracy at its end'

# A rank is killed in the middle of an epoch.
# shellcheck disable=SC2016 # $$ is of the rank
"$@" -n 2 bash -c 'echo $$ >> "$0"; exec "$@"' "$scratch/ranks" "$trainer" $epochs "$scratch/state" \
  > "$scratch/killed" 2> "$scratch/errors" < /dev/null &
job=$!
for ((i = 0; i < 1000; ++i)); do
  if grep -q '^epoch 2: ' "$scratch/killed"; then
    break
  fi
  sleep 0.02
done
kill -KILL "$(head -n 1 "$scratch/ranks")"
if wait "$job"; then
  fail 'a job with a rank that was killed ends as if nothing had been'
fi
grep -q '^epoch 2: ' "$scratch/killed" || fail 'the training does not come to its third epoch'
if grep -q '^test accuracy' "$scratch/killed"; then
  fail 'the training was at its end when it was killed'
fi

"$@" -n 2 "$trainer" $epochs "$scratch/state" > "$scratch/resumed"
left=$(wc -l < "$scratch/resumed")
[ "$left" -lt "$(wc -l < "$scratch/expected")" ] || fail 'the training does not go on, but begins anew'
tail -n "$left" "$scratch/expected" | diff - "$scratch/resumed" > "$scratch/differences" ||
  { head -n 20 "$scratch/differences"; fail 'the training goes on differently'; }

if said=$("$@" -n 1 "$trainer" $epochs "$scratch/state" 2>&1); then
  fail 'a state of 2 ranks is taken by 1'
fi
grep -q 'is of 2 ranks, .*, not of 1 ranks' <<< "$said" || fail "a state of 2 ranks on 1: $said"
