#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: attach.sh ATTACHED_JOB LAUNCHER...
#
# Servers that run, and five jobs of clients that attach to them one after the other. A client of the second is killed, and
# one of the third is stopped, which the servers survive; the other three leave again. Later clients give up on the ports of
# servers that are gone. With an MPI that has no ports, the servers must say so. Skipped (exit status 77) where Open MPI has
# no name server.
set -euo pipefail

job=$1
shift
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$scratch"' EXIT

launcher=("$@")
if [[ $("$1" --version 2>&1) != *"Open MPI"* && $("$1" --version 2>&1) != *OpenRTE* ]]; then
  if timeout 30 "${launcher[@]}" -n 2 "$job" accept "$scratch/port" 1 > "$scratch/log" 2>&1; then
    printf 'this MPI has ports: the jobs are to be tried with it, too\n'
    exit 1
  fi
  cat "$scratch/log"
  grep -q 'this MPI cannot let other jobs in' "$scratch/log"
  exit 0
fi
command -v ompi-server > /dev/null || {
  printf 'skipped: there is no ompi-server\n'
  exit 77
}
# await <file>: until there is something in it, and at most 10 s.
await() {
  local i
  for ((i = 0; i < 100; i++)); do
    [ ! -s "$1" ] || break
    sleep 0.1
  done
}

# Without a name server the clients are told of it.
timeout 30 "${launcher[@]}" -n 1 "$job" accept "$scratch/port" 1 > "$scratch/servers" 2>&1 &
servers=$!
await "$scratch/port"
timeout 30 "${launcher[@]}" -n 1 "$job" connect "$scratch/port" 1 > "$scratch/clients" 2>&1 && exit 1
grep -q 'MPI_Comm_connect failed with .*; start both jobs with --ompi-server' "$scratch/clients"
kill "$servers"
wait "$servers" && exit 1
rm -f "$scratch/port"

ompi-server --no-daemonize -r "$scratch/uri" > "$scratch/names" 2>&1 &
await "$scratch/uri"
launcher+=(--ompi-server "file:$scratch/uri")
timeout 90 "${launcher[@]}" -n 2 "$job" accept "$scratch/port" 5 > "$scratch/servers" 2>&1 &
servers=$!
await "$scratch/port"
cp "$scratch/port" "$scratch/ended"
timeout 30 "${launcher[@]}" -n 1 "$job" connect "$scratch/port" 1 | tee "$scratch/first"
if timeout 30 "${launcher[@]}" -n 2 "$job" die "$scratch/port" 1 > "$scratch/dead" 2>&1; then
  cat "$scratch/dead"
  printf 'the job of the client that was killed came to its end\n'
  exit 1
fi
: > "$scratch/stopped"
timeout 90 "${launcher[@]}" -n 2 "$job" stop "$scratch/port" 1 > "$scratch/stopped" 2>&1 &
stopped=$!
for ((i = 0; i < 300; i++)); do
  process=$(sed -n 's/^process \([0-9]*\): stop$/\1/p' "$scratch/stopped")
  [ -z "$process" ] || break
  sleep 0.1
done
timeout 60 "${launcher[@]}" -n 2 "$job" connect "$scratch/port" 1 | tee "$scratch/second" # after that one is dropped
kill -CONT "$process"
if wait "$stopped"; then
  printf 'the job of the client that was dropped came to its end\n'
  exit 1
fi
cat "$scratch/stopped"
grep -q 'client 0 of 2 with 2 servers: 1330' "$scratch/stopped"
grep -q 'clients-1 has sent nothing for 8 s' "$scratch/stopped"
timeout 30 "${launcher[@]}" -n 1 "$job" connect "$scratch/port" 1
wait "$servers"
cat "$scratch/servers"
grep -q 'client 0 of 1 with 2 servers: 1330' "$scratch/first"
grep -q 'client 1 of 2 with 2 servers: 21330' "$scratch/second"
[ "$(grep -c 'accept: done' "$scratch/servers")" -eq 2 ]
for server in 0 1; do # one client died, one was stopped, the others left
  [ "$(grep -c "^server $server lost" "$scratch/servers")" -eq 2 ]
  [ "$(grep -c "^server $server lost clients-1$" "$scratch/servers")" -eq 2 ]
done
[ ! -e "$scratch/port" ]
# A job without a time limit is refused by one with: both say so.
timeout 30 "${launcher[@]}" -n 1 "$job" accept "$scratch/port" 1 > "$scratch/servers" 2>&1 &
servers=$!
timeout 30 "${launcher[@]}" -n 1 "$job" unlimited "$scratch/port" 1 > "$scratch/clients" 2>&1 && exit 1
wait "$servers" && exit 1
cat "$scratch/servers"
grep -q 'one job has a time limit and the other has none' "$scratch/servers"
grep -q 'one job has a time limit and the other has none' "$scratch/clients"
# The ports of servers that came to their end, and of servers that were killed: a client with a patience of 1 s ends its job
# after 5 s more, and names the file.
timeout 30 "${launcher[@]}" -n 2 "$job" accept "$scratch/killed" 1 > "$scratch/servers" 2>&1 &
servers=$!
await "$scratch/killed"
kill "$servers"
wait "$servers" && exit 1
clients=()
for port in ended killed; do
  timeout 30 "${launcher[@]}" -n 1 "$job" connect "$scratch/$port" 1 1 > "$scratch/client of $port" 2>&1 &
  clients+=($!)
done
for client in "${clients[@]}"; do
  wait "$client" && exit 1
done
cat "$scratch/client of "*
for port in ended killed; do
  said="has waited 6 s in MPI_Comm_connect at port file $scratch/$port; has the job that wrote it ended?"
  grep -q "$said" "$scratch/client of $port"
done
