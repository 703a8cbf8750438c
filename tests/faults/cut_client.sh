#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cut_client.sh LAUNCHER JOB
#
# Servers and a client of another job in network namespaces of their own, and the link between them is cut while the client
# takes batches: the servers must drop it, and accept the next job. LAUNCHER is that of Open MPI, JOB attached_job. Skipped
# (status 77) where network namespaces cannot be made, or Open MPI has no name server.
set -euo pipefail
launcher=$1 job=$2
command -v ompi-server > /dev/null || {
  printf 'skipped: there is no ompi-server\n'
  exit 77
}
. "$(dirname "${BASH_SOURCE[0]}")/support/linked_namespaces.sh"
ln -s "$(realpath "$job")" "$scratch/job"
# run_in NAMESPACE RANKS WAY ROUNDS: a job of its own.
run_in() { ip netns exec "$1" timeout 90 "$launcher" --ompi-server "file:$scratch/uri" "${over_link[@]}" -n "$2" "$scratch/job" "$3" "$scratch/port" "$4"; }
ip netns exec "$here" ompi-server --no-daemonize --mca oob_tcp_if_include 10.213.0.0/24 -r "$scratch/uri" > "$scratch/names" 2>&1 &
for ((tries = 0; tries < 100; ++tries)); do [ ! -s "$scratch/uri" ] || break; sleep 0.1; done
run_in "$here" 2 accept 2 > "$scratch/servers" 2>&1 &
run_in "$there" 1 stay 1 > "$scratch/client" 2>&1 &
for ((tries = 0; tries < 200; ++tries)); do ! grep -q '^process' "$scratch/client" || break; sleep 0.1; done
sleep 1
ip -n "$there" link set gltb down
dropped=0
if run_in "$here" 1 connect 1 | tee "$scratch/next"; then # waits for the port of the next round
  dropped=1
fi
for ((tries = 0; tries < 100 && $(grep -c '^accept: done' "$scratch/servers") < 2; ++tries)); do sleep 0.1; done
right=0
if grep -q 'client 0 of 1 with 2 servers: 1330' "$scratch/next" && [ "$(grep -c '^accept: done' "$scratch/servers")" -eq 2 ]; then
  right=1
fi
[ "$right" = 1 ] || cat "$scratch/servers" "$scratch/client"
printf 'cut client: injected 1, same error 0, aborted 0, unnoticed but right %d, hang %d, silent wrong 0, crash without message %d\n' \
  $right $((1 - dropped)) $((dropped - right))
[ "$right" = 1 ]
