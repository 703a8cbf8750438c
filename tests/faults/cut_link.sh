#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cut_link.sh LAUNCHER JOB
#
# Two ranks in network namespaces of their own, and the link between them is cut while they work: both must end within
# their time limit, and the one that can still be heard must say why. LAUNCHER is that of Open MPI, JOB fault_job_sample.
# Skipped (status 77) where network namespaces cannot be made.
set -euo pipefail
launcher=$1 job=$2
. "$(dirname "${BASH_SOURCE[0]}")/support/linked_namespaces.sh"

# What the launcher takes for ssh: the command runs in the other namespace.
cat > "$scratch/agent" << END
#!/bin/sh
shift
exec ip netns exec $there setsid sh -c "\$*"
END
chmod +x "$scratch/agent"
ln -s "$(realpath "$job")" "$scratch/job"
limit=2
export GLT_FAULT_TIMEOUT=$limit
ip netns exec "$here" "$launcher" --host 10.213.0.1:1,10.213.0.2:1 -n 2 -x GLT_FAULT_TIMEOUT \
  --mca plm_rsh_agent "$scratch/agent" "${over_link[@]}" "$scratch/job" 1000000 > "$scratch/output" 2>&1 &
ranks() { pgrep -c -f "^$scratch/job" || true; }
for ((tries = 0; tries < 100 && $(ranks) < 2; ++tries)); do sleep 0.1; done
sleep 2
if [ "$(ranks)" -ne 2 ]; then
  cat "$scratch/output"
  printf 'the job did not start, or was over before the link was cut\n'
  exit 1
fi
ip -n "$here" link set glta down
for ((tries = 0; tries < 150 && $(ranks) > 0; ++tries)); do sleep 0.1; done
hang=$(($(ranks) > 0)) said=0
grep -q "^glt: rank 0 of 2 cannot go on, and all ranks end: ." "$scratch/output" && said=1
[ "$hang$said" = 01 ] || cat "$scratch/output"
printf 'cut link: injected 1, same error 0, aborted %d, unnoticed but right 0, hang %d, silent wrong 0, crash without message %d\n' \
  $((1 - hang)) $hang $((1 - said))
[ "$hang$said" = 01 ]
