# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced: two network namespaces, `$here` with 10.213.0.1 and `$there` with 10.213.0.2, a link between them, and an empty
# folder `$scratch`. At the end of the script all of them go, with the processes whose commands name it. Ends
# the script with status 77 where namespaces cannot be made.
here=glt-$$-a there=glt-$$-b
if ! command -v ip > /dev/null || ! ip netns add "$here" 2> /dev/null; then
  printf 'skipped: no network namespace can be made (it takes root and iproute2)\n'
  exit 77
fi
scratch=$(mktemp -d)
clean() {
  pkill -9 -f "$scratch" 2> /dev/null || true
  kill -9 $(jobs -p) 2> /dev/null || true
  ip netns del "$here" 2> /dev/null || true
  ip netns del "$there" 2> /dev/null || true
  rm -rf "$scratch"
}
trap clean EXIT
ip netns add "$there"
ip link add glta netns "$here" type veth peer name gltb netns "$there"
ip -n "$here" addr add 10.213.0.1/24 dev glta
ip -n "$there" addr add 10.213.0.2/24 dev gltb
for at in "$here:glta" "$there:gltb"; do
  ip -n "${at%%:*}" link set lo up
  ip -n "${at%%:*}" link set "${at##*:}" up
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Options of Open MPI's launcher by which ranks use that link alone.
over_link=(--mca btl tcp,self --mca btl_tcp_if_include 10.213.0.0/24 --mca oob_tcp_if_include 10.213.0.0/24
  --mca pml ob1 --mca mpi_yield_when_idle 1)
