#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: servers.sh DATA_SERVER DATA_CLIENT LAUNCHER...
#
# The commands of docs/guides/servers.md: servers and clients of one mpirun, and two jobs of clients that attach to running
# servers one after the other. All clients must learn, and the accuracy must not depend on the way they were started. The
# jobs are left out where Open MPI has no name server, or MPI is another one.
set -euo pipefail

server=$1 client=$2
shift 2
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$scratch"' EXIT

"$@" -n 2 "$server" : -n 2 "$client" | tee "$scratch/one"
awk '$1 == "test" && $3 >= 0.8 { ++learnt } END { exit learnt != 1 }' "$scratch/one" || {
  printf 'the clients have learnt too little\n'
  exit 1
}
[[ $("$1" --version 2>&1) == *"Open MPI"* || $("$1" --version 2>&1) == *OpenRTE* ]] && command -v ompi-server > /dev/null || {
  printf 'without jobs that attach\n'
  exit 0
}
ompi-server --no-daemonize -r "$scratch/uri" > "$scratch/names" 2>&1 &
for ((i = 0; i < 100; i++)); do
  [ -s "$scratch/uri" ] && break
  sleep 0.1
done
launcher=("$@" --ompi-server "file:$scratch/uri")
timeout 90 "${launcher[@]}" -n 2 "$server" "$scratch/port" 2 &
servers=$!
for job in first second; do
  timeout 60 "${launcher[@]}" -n 2 "$client" "$scratch/port" | tee "$scratch/$job"
  diff "$scratch/one" "$scratch/$job"
done
wait "$servers"
