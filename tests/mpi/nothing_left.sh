#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: nothing_left.sh SHARING_JOB LAUNCHER...
#
# Ranks that share memory leave nothing in /dev/shm, whether they come to their end or are killed: it has no name there while
# they run. Files of MPI itself do not count.
set -euo pipefail

job=$1
shift
scratch=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2> /dev/null || true; rm -rf "$scratch"' EXIT

names() { find /dev/shm -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vE '^(vader_|mpich_|ucx_|osc_|psm)' | sort; }

# left <when>: fails if there are names that were not there before.
left() {
  names > "$scratch/after" || true
  if comm -13 "$scratch/before" "$scratch/after" | grep .; then
    printf 'left in /dev/shm by a job that %s\n' "$1"
    exit 1
  fi
}

names > "$scratch/before" || true
timeout 60 "$@" -n 2 "$job" > /dev/null
left 'came to its end'

"$@" -n 2 "$job" stay > "$scratch/log" &
launcher=$!
for ((i = 0; i < 300; i++)); do
  [ "$(grep -c '^process ' "$scratch/log")" -eq 2 ] && break
  sleep 0.1
done
mapfile -t ranks < <(sed -n 's/^process //p' "$scratch/log")
[ "${#ranks[@]}" -eq 2 ]
for rank in "${ranks[@]}"; do # its own block and that of the other one
  [ "$(grep -c 'rw-s.*memfd:glt (deleted)' "/proc/$rank/maps")" -eq 2 ]
done
left 'runs'
kill -9 "$launcher" "${ranks[@]}"
wait "$launcher" 2> /dev/null || true
while kill -0 "${ranks[@]}" 2> /dev/null; do
  sleep 0.1
done
left 'was killed'
