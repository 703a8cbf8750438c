#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: resume.sh OWN_TRAINER_PROGRAM LAUNCHER...
#
# A training that was killed goes on where it was saved, and every loss and accuracy is the same as if it had not been
# killed; losses are floats, told with the nine digits that make them exact. On another number of ranks it goes on in the
# same epoch.
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

# kill_a_rank RANKS STATE: starts a training on some ranks, and kills one in the middle of an epoch.
kill_a_rank() {
  local ranks=$1 state=$2
  shift 2
  : > "$scratch/ranks"
  : > "$scratch/killed" # before the job opens it
  # shellcheck disable=SC2016 # $$ is of the rank
  "$@" -n "$ranks" bash -c 'echo $$ >> "$0"; exec "$@"' "$scratch/ranks" "$trainer" $epochs "$state" \
    > "$scratch/killed" 2> "$scratch/errors" < /dev/null &
  local job=$!
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
}

kill_a_rank 2 "$scratch/state" "$@"
"$@" -n 2 "$trainer" $epochs "$scratch/state" > "$scratch/resumed"
left=$(wc -l < "$scratch/resumed")
[ "$left" -lt "$(wc -l < "$scratch/expected")" ] || fail 'the training does not go on, but begins anew'
tail -n "$left" "$scratch/expected" | diff - "$scratch/resumed" > "$scratch/differences" ||
  { head -n 20 "$scratch/differences"; fail 'the training goes on differently'; }

# A training on three ranks goes on on two, at the same step of the same epoch.
kill_a_rank 3 "$scratch/of_three" "$@"
cp "$scratch/of_three" "$scratch/copy"
"$@" -n 2 "$trainer" $epochs "$scratch/of_three" > "$scratch/on_two"
head -n 1 "$scratch/on_two" | grep -q '^epoch [1-9][0-9]* step 4: ' || fail "on two ranks: $(head -n 1 "$scratch/on_two")"
tail -n 1 "$scratch/on_two" | grep -q '^test accuracy 0.9' || fail 'on two ranks the training has no accuracy at its end'
"$@" -n 2 "$trainer" $epochs "$scratch/copy" | diff - "$scratch/on_two" > "$scratch/differences" ||
  { head -n 20 "$scratch/differences"; fail 'the training goes on differently each time'; }
