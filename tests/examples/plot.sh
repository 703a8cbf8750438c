#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: plot.sh PLOT_PY
#
# Pictures of all kinds are XML that has the names of what is drawn, and other files are refused with their line. Skipped
# (exit status 77) where no Python has matplotlib.
set -euo pipefail

plot=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export MPLCONFIGDIR=$scratch
for python in python3 /usr/bin/python3 ''; do
  [ -n "$python" ] || { printf 'skipped: no python3 has matplotlib\n' && exit 77; }
  ! "$python" -c 'import matplotlib' 2> /dev/null || break
done

# draws <text>... -- <argument>...: the picture has the texts.
draws() {
  local texts=()
  while [ "$1" != -- ]; do
    texts+=("$1") && shift
  done
  shift
  "$python" "$plot" picture.svg "$@"
  "$python" - "${texts[@]}" << 'END'
import sys
import xml.etree.ElementTree as tree
found = [(element.text or "").strip() for element in tree.parse("picture.svg").iter("{http://www.w3.org/2000/svg}text")]
missing = [text for text in sys.argv[1:] if text not in found]
sys.exit(f"the picture lacks {missing}: {found}" if missing else 0)
END
}

# refuses <pattern> <file>: there is no picture, and one line says why.
refuses() {
  rm -f picture.svg
  if "$python" "$plot" picture.svg "$2" 2> errors || [ -e picture.svg ] || ! grep -q "^plot.py: .*$1" errors; then
    printf '%s is not refused:\n' "$2" && cat errors
    exit 1
  fi
}

printf '{"event":"begin"}\n\n{"epoch":1,"loss":2.5,"valid_acc":null,"rank":1}\n{"epoch":2,"loss":1.5,"valid_acc":0.5}\n' > run.jsonl
printf '{"epoch":1,"loss":3,"seconds":0.5}\n' > other.jsonl
draws 'Cora <&> friends' Loss Accuracy loss valid_acc epoch -- --title 'Cora <&> friends' run.jsonl
draws 'run loss' 'other loss' 'other seconds' Seconds -- run.jsonl other.jsonl
printf '{"run":"%s","epoch":1,"loss":3,"seconds":0.5,"waiting_seconds":0.1}\n' graph alone > two.jsonl # a curve each
draws 'graph loss' 'alone loss' 'graph seconds' 'alone seconds' -- two.jsonl
draws 'two graph loss' 'two alone loss' 'run loss' -- two.jsonl run.jsonl

gather() { printf '{"name":"gather<8>","real_time":%s,"time_unit":"%s"%s}' "$@"; }
printf '{"benchmarks":[%s,%s,%s]}' "$(gather 1 ms '')" "$(gather 9 ms '')" "$(gather 2 ms '')" > before.json
printf '{"benchmarks":[%s,%s]}' "$(gather 1000 us '')" "$(gather 7 s ',"run_type":"aggregate"')" > after.json
draws before after 'gather<8>' '2 ms' '1 ms (0.50 times)' -- before.json after.json # the median of repetitions
printf '{"old":"a","new":"b","benchmarks":[{"name":"walk","ratio":1.5,"quartiles":[1.25,2],"beyond_noise":true}]}' > ratios.json
draws walk 'b is so many times as fast as a' -- ratios.json

counts='"num_vertices":4,"num_edges":6,"num_cut_edges":2,"num_boundary_vertices":1,"halo_size":1,"communication_volume":1'
counts="{$counts,\"num_train\":3,\"num_valid\":0,\"num_test\":0}"
table="\"total\":$counts,\"parts\":[$counts,$counts],\"cut_fraction\":0.5,\"replication_factor\":1.25"
printf '{%s,"edges_between":[[2,1],[1,2]],"node_types":[{"name":"_a $1$ \\u0001","parts":[%s,%s],"total":%s}],%s}' "$table" "$counts" "$counts" \
  "$counts" '"edge_types":[{"source":"p","name":"<r>","destination":"q","num_edges":6,"num_cut_edges":3}]' > quality.json
draws 'at the boundary' 'from other parts (cut)' halo 'communication volume' train '_a $1$ �' '(p, <r>, q)' \
  '2 parts, 4 vertices, 6 edges: 50.0 % cut, replication factor 1.25' -- quality.json

printf '{"epoch":1}\nloss 3\n' > no.jsonl
refuses 'no.jsonl: line 2 is no JSON object' no.jsonl
printf '{"loss":1}\n' > none.jsonl
refuses 'none.jsonl has neither epochs' none.jsonl
printf '{"benchmarks":[{"name":3}]}' > form.json
refuses 'form.json has another form' form.json
refuses 'No such file.*nothing' nothing

ln -s "$scratch/victim" link.svg
for taken in link.svg /dev/full "$scratch"; do
  if "$python" "$plot" "$taken" run.jsonl 2> errors || ! grep -q '^plot.py: .*cannot be written' errors; then
    printf '%s is taken for a picture:\n' "$taken" && cat errors
    exit 1
  fi
done
! test -e victim
