#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: tests/time.sh [--speed] [--top N] [preset]...
#
# Prints where the time of tests/run.sh went, for every preset that was built, or those named:
#   compiling, running   processor seconds (user + sys) of the build and of the tests
#   by the clock         seconds from the start to the end of both
#   cache                compilations that ccache answered, of all that it was asked for
# and below each preset its N (default 12) programs that compiled longest and N tests that ran longest. Their seconds are by
# the clock, from ninja's log and CTest's: two that run side by side on one core each count their own.
#   --speed   prints how long this machine takes to compile one file that includes torch/torch.h, to compare machines by
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

top=12
speed=0
presets=()
while [ $# -gt 0 ]; do
  case $1 in
    --speed) speed=1 ;;
    --top)
      top=${2:?tests/time.sh: --top needs a number}
      shift
      ;;
    -*)
      printf 'usage: tests/time.sh [--speed] [--top N] [preset]...\n' >&2
      exit 2
      ;;
    *) presets+=("$1") ;;
  esac
  shift
done
if [ ${#presets[@]} -eq 0 ]; then
  for file in build/*.seconds; do
    [ -e "$file" ] && presets+=("$(basename "$file" .seconds)")
  done
fi
if [ ${#presets[@]} -eq 0 ]; then
  printf 'tests/time.sh: nothing was timed; call tests/run.sh first\n' >&2
  exit 2
fi

# longest <title>: the longest of lines "<seconds> <name>", which are added up by name.
longest() {
  awk '{ sum[$2] += $1; ++count[$2] } END { for (name in sum) printf "%.1f %s %d\n", sum[name], name, count[name] }' |
    sort -rn | awk -v top="$top" -v title="$1" 'NR <= top { printf "    %-9s %8.1f  %s (%d)\n", title, $1, $2, $3 }'
}

printf '%-10s %10s %10s %13s  %s\n' preset compiling running 'by the clock' cache
total=$(mktemp)
trap 'rm -f "$total"' EXIT
for preset in "${presets[@]}"; do
  cache=$(awk '/^(direct|preprocessed)_cache_hit$/ { ++hits } /^cache_miss$/ { ++misses }
               END { if (hits + misses) printf "%d of %d", hits, hits + misses; else print "-" }' \
    "build/$preset.cached" 2> /dev/null || printf -- '-')
  [ -e "build/$preset.seconds" ] || continue
  awk -v preset="$preset" -v cache="$cache" -v total="$total" '
    { processor[$1] = $2 + $3; clock += $4 }
    END { printf "%-10s %10.0f %10.0f %13.0f  %s\n", preset, processor["build"], processor["test"], clock, cache
          printf "%f %f %f\n", processor["build"], processor["test"], clock >> total }' "build/$preset.seconds"
  # Columns of ninja: start and end in milliseconds, time of change, output, hash. The last line of an output counts, if it
  # is one still: older lines are of builds before.
  { ninja -C "build/$preset" -t targets all 2> /dev/null | sed 's/: [^ ]*$/\t/'
    cat "build/$preset/.ninja_log"; } 2> /dev/null | awk -F '\t' '
      NF == 2 { output[$1] = 1 }
      NF == 5 && $4 in output { took[$4] = ($2 - $1) / 1000 }
      END { for (name in took) {
              seconds = took[name]
              if (match(name, /[^\/]+[.]dir\//)) name = substr(name, RSTART, RLENGTH - 5)
              else sub(/.*\//, "", name)
              if (name !~ /[.](cpp|cu|ninja|json)$/) print seconds, name } }' | longest compiling || true
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*$/\2 \1/p' "build/$preset.log.tests" 2> /dev/null |
    sed -E 's/[.][0-9]+_ranks$//; s/ (compile_fail|plain_doctest|gpu)[.].*/ \1/' | longest running || true
done
awk '{ compiling += $1; running += $2; clock += $3 }
     END { printf "%-10s %10.0f %10.0f %13.0f\n", "all", compiling, running, clock }' "$total"

if [ $speed -eq 1 ] && [ -e /usr/include/torch/csrc/api/include/torch/torch.h ]; then
  TIMEFORMAT='one file with torch/torch.h compiles in %U + %S processor seconds here'
  time printf '#include <torch/torch.h>\n' |
    CCACHE_DISABLE=1 "${CXX:-c++}" -std=c++20 -w -I/usr/include/torch/csrc/api/include -x c++ -c -o /dev/null -
fi
