#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/network.sh [--machines N] [--rates LIST] [--delays LIST] [--parts LIST] [--edges FILE] [--filter REGEX]
#                         [--dgl CACHE] [--build FOLDER] [--json FOLDER]
#
# Measures loading between machines: N network namespaces of this one (2), each with a rank, a host name and a /dev/shm of
# its own, joined by links that carry at most so much each way (--rates '1gbit 10gbit') after so many milliseconds
# (--delays '0 0.05 0.5'; 0 is what the machine takes, some 50 µs). The ranks reach each other over TCP alone. Runs the
# benchmarks of bench_dist whose names match (load_batches, load_ahead, load_in_bulk, load_replicated), once for every link
# and every way to divide the graph (--parts 'random ldg multilevel'): R-MAT, or with --edges the graph of an .npy file of
# int64 [2, E]. With --dgl, two machines and random parts, DistDGL runs after each; CACHE is that of bench/peers.sh, which
# puts DGL and the graph there. With --json, results go to FOLDER/<rate>.<delay>.<parts>.json. With --build, the programs of
# that build folder run.
# Needs root, for the namespaces, which are removed at the end. If there are more machines than cores, MPI leaves its core
# while it waits. Delays come from bench/support/network_switch.cpp, which takes a part of a core and carries some 4 Gbit/s;
# without a delay, links are the kernel's.
set -euo pipefail
usage() {
  sed -n '4,5s/^# //p' "$0" >&2
  exit 2
}
machines=2 rates='1gbit 10gbit' delays=0 all_parts=random edges='' dgl='' built='' json=''
filter='^(load_batches|load_ahead|load_in_bulk|load_replicated)'
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --machines) machines=$2 ;;
    --rates) rates=$2 ;;
    --delays) delays=$2 ;;
    --parts) all_parts=$2 ;;
    --edges) edges=$(realpath "$2") ;;
    --filter) filter=$2 ;;
    --dgl) dgl=$(realpath -m "$2") ;;
    --build) built=$(realpath -m "$2") ;;
    --json) json=$(realpath -ms "$2") ;;
    *) usage ;;
  esac
  shift 2
done
[[ $machines =~ ^[2-8]$ && $rates =~ ^([1-9][0-9]*[mg]bit\ ?)+$ && $delays =~ ^[0-9.\ ]+$ && $all_parts =~ ^[a-z\ ]+$ ]] || usage
[ -z "$dgl" ] || [ "$machines" -eq 2 ] || usage
if [ "$(id -u)" -ne 0 ]; then
  printf 'error: network namespaces need root; run it by sudo\n' >&2
  exit 3
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/apt.sh
. bench/programs.sh
require_packages iproute2 openmpi-bin
build=${built:-build/bench}
[ -n "$built" ] || build_benchmarks . "$build"
program=$(realpath "$build/bench/bench_dist")

work=$(mktemp -d)
name=glt$$ switch=''
# Takes the links away.
part() {
  local i
  if [ -n "$switch" ]; then
    kill "$switch" 2> /dev/null || true
    wait "$switch" 2> /dev/null || true
    switch=''
  fi
  ip link del "$name" 2> /dev/null || true
  for ((i = 1; i <= machines; ++i)); do
    ip -n "$name-$i" link del eth0 2> /dev/null || true
  done
}
remove() {
  local i
  part
  for ((i = 1; i <= machines; ++i)); do
    ip netns del "$name-$i" 2> /dev/null || true
  done
  rm -rf "$work"
}
trap remove EXIT
trap 'exit 130' INT TERM
for ((i = 1; i <= machines; ++i)); do
  ip netns add "$name-$i"
  ip -n "$name-$i" link set lo up
done

# join RATE MILLISECONDS: machine i gets a device eth0 with the address 10.213.77.i.
join() {
  local rate=$1 delay=$2 bits i
  if [[ $delay =~ ^[0.]+$ ]]; then # at a bridge
    ip link add "$name" type bridge
    ip link set "$name" up
    for ((i = 1; i <= machines; ++i)); do
      ip link add "$name.$i" type veth peer name eth0 netns "$name-$i"
      ip link set "$name.$i" master "$name" up
      tc -n "$name-$i" qdisc replace dev eth0 root tbf rate "$rate" burst 256kb latency 100ms
      tc qdisc replace dev "$name.$i" root tbf rate "$rate" burst 256kb latency 100ms
    done
  else
    bits=${rate%bit}
    bits=${bits/m/e6}
    rm -f "$work/switch" # of the link before
    "$build/bench/network_switch" "$name" "$machines" "${bits/g/e9}" "${delay}e-3" > "$work/switch" &
    switch=$!
    for ((i = 0; i < 100; ++i)); do [ ! -s "$work/switch" ] || break; sleep 0.1; done
    [ -s "$work/switch" ] # otherwise it has said why not
    for ((i = 1; i <= machines; ++i)); do
      ip -n "$name-$i" link set eth0 mtu 65000 # so that packets are few
    done
  fi
  for ((i = 1; i <= machines; ++i)); do
    ip -n "$name-$i" addr add "10.213.77.$i/24" dev eth0
    ip -n "$name-$i" link set eth0 up
  done
}

# Starts a command on a machine, as ssh does: `agent <address> <command>...`.
cat > "$work/agent" << EOF
#!/bin/sh
machine=\${1##*.}
shift
exec ip netns exec $name-\$machine unshare --mount --uts --ipc sh -c \
  'hostname machine'\$machine'; mount -t tmpfs shm /dev/shm; exec sh -c "\$0"' "\$*"
EOF
chmod +x "$work/agent"
for ((i = 1; i <= machines; ++i)); do
  printf '10.213.77.%d slots=1\n' "$i"
done > "$work/hosts"

[ -z "$json" ] || mkdir -p "$json"
measure() {
  local rate=$1 delay=$2 parts=$3
  printf '== %s machines, %s each way, delay %s ms, %s parts\n' "$machines" "$rate" "$delay" "$parts"
  "$work/agent" 10.213.77.1 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 GLT_BENCH_SCALE=${GLT_BENCH_SCALE:-20} \
    GLT_BENCH_PARTS=$parts ${edges:+GLT_BENCH_EDGES='$edges'} \
    mpiexec.openmpi --hostfile $work/hosts --map-by node --bind-to none -n $machines \
    --mca plm_rsh_agent $work/agent --mca oob_tcp_if_include 10.213.77.0/24 --mca btl_tcp_if_include 10.213.77.0/24 \
    --mca pml ob1 --mca btl self,tcp --mca mpi_yield_when_idle $((machines > $(nproc))) \
    -x GLT_BENCH_SCALE -x GLT_BENCH_PARTS ${edges:+-x GLT_BENCH_EDGES} \
    $program --benchmark_color=false --benchmark_filter='$filter' ${json:+--benchmark_out=$work/report}"
  [ -z "$json" ] || mv -T "$work/report" "$json/$rate.$delay.$parts.json" # a link is replaced
  if [ -n "$dgl" ] && [ "$parts" = random ]; then
    GLT_NAMESPACES=$name "$dgl/dgl/bin/python" bench/peers/with_dgl.py load "$dgl/w1-scale${GLT_BENCH_SCALE:-20}" | grep '^figure '
  fi
}
for rate in $rates; do
  for delay in $delays; do
    join "$rate" "$delay"
    for parts in $all_parts; do
      measure "$rate" "$delay" "$parts"
    done
    part
  done
done
