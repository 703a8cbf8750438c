#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run_sh.sh <examples/run.sh>: wrong arguments are refused with a clear line before anything is installed or built.
set -euo pipefail
run=$1
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
failures=0

# What the script must not get to: programs that say that they were called.
mkdir bin
for tool in apt-get cmake mpirun mpirun.openmpi sudo; do
  printf '#!/bin/sh\necho "%s" >> "%s/called"\nexit 9\n' "$tool" "$PWD" > "bin/$tool"
  chmod +x "bin/$tool"
done

# refuses <pattern> <argument>...: status 2, a matching first line on stderr, nothing on stdout, nothing called.
refuses() {
  local pattern=$1 status=0
  shift
  PATH="$PWD/bin:$PATH" "$run" "$@" > output 2> errors < /dev/null || status=$?
  if [ "$status" -ne 2 ] || ! head -n 1 errors | grep -q -- "$pattern" || [ -s output ] || [ -e called ]; then
    printf 'FAILED: run.sh %s (status %d, expected "%s")\n' "$*" "$status" "$pattern"
    cat output errors called 2> /dev/null || true
    rm -f called
    failures=$((failures + 1))
  fi
}

for number in 0 -1 abc 1.5 2x 010 99999999999 ' ' '2 2'; do
  refuses "--ranks is '$number'; give a number" --ranks "$number"
  refuses "--epochs is '$number'; give a number" --epochs "$number"
done
for option in --ranks --epochs --data --out; do
  refuses "$option needs a value" "$option"
  refuses "$option needs a value" "$option" ''
done
refuses "unknown argument '--rank'" --rank 2
refuses "unknown argument 'wordnet'" wordnet
refuses "unknown argument '3'" --ranks 2 3
refuses 'there is no readable file .*nowhere/data.noun' --data nowhere
mkdir half
touch half/data.noun half/data.verb half/data.adj
refuses 'there is no readable file .*half/data.adv' --data half
touch file
refuses 'the folder .*file/out cannot be written' --out file/out

status=0
"$run" --help > output 2> errors || status=$?
if [ "$status" -ne 0 ] || ! grep -q '^usage: examples/run.sh' output || [ -s errors ]; then
  printf 'FAILED: run.sh --help\n'
  failures=$((failures + 1))
fi

# Without root and without sudo it says what is missing and stops.
printf '#!/bin/sh\nexit 1\n' > bin/dpkg-query
printf '#!/bin/sh\necho 1000\n' > bin/id
printf '#!/bin/sh\nexit 1\n' > bin/sudo
chmod +x bin/dpkg-query bin/id bin/sudo
status=0
PATH="$PWD/bin:$PATH" "$run" --out "$PWD/out" > output 2> errors < /dev/null || status=$?
if [ "$status" -eq 0 ] || ! grep -q 'libopenmpi-dev.*libtorch-dev.*wordnet-base' errors || [ -e called ]; then
  printf 'FAILED: run.sh without its packages (status %d)\n' "$status"
  cat output errors
  failures=$((failures + 1))
fi

printf '%d failures\n' "$failures"
[ "$failures" -eq 0 ]
