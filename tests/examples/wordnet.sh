#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# wordnet.sh <prepare_wordnet> <partition>: both programs on a database of six synsets that it writes itself, whole and
# damaged.
set -euo pipefail
prepare=$1
partition=$2
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
failures=0

# check <what> <command>...: the command succeeds.
check() {
  local what=$1
  shift
  if ! "$@"; then
    printf 'FAILED: %s\n' "$what"
    failures=$((failures + 1))
  fi
}

# refuses <what> <pattern> <command>...: the command fails with one line on stderr that matches, and leaves no folder.
refuses() {
  local what=$1 pattern=$2 status=0
  shift 2
  "$@" > output 2> errors || status=$?
  if [ "$status" -ne 1 ] || [ "$(wc -l < errors)" -ne 1 ] || ! grep -q -- "$pattern" errors || [ -e out ] || compgen -G '*.partial*' > /dev/null; then
    printf 'FAILED: %s (status %d, expected "%s")\n' "$what" "$status" "$pattern"
    cat errors
    ls
    rm -rf out ./*.partial*
    failures=$((failures + 1))
  fi
}

# size <file>: its length in bytes; dump <file>: its last bytes as 64-bit numbers on one line.
size() { wc -c < "$1"; }
dump() { tail -c +129 "$1" | od -A n -v -t d8 -w8 | tr -s ' \n' ' '; }

# Every file begins with a line of licence, so that synsets stand at byte 16, and after each other.
licence='  1 a licence  '
good() {
  rm -rf db
  mkdir db
  local entity='00000016 03 n 01 entity 0 001 ~ 00000076 n 0000 | that is  '
  local dog='00000076 05 n 02 dog 0 Canis_familiaris 0 003 @ 00000016 n 0000 + 00000016 v 0101 ~ 00000076 n 0000 | a pet; "a dog"  '
  printf '%s\n' "$licence" "$entity" "$dog" > db/data.noun
  printf '%s\n' "$licence" '00000016 38 v 01 dog 0 001 + 00000076 n 0101 01 + 08 00 | go after  ' > db/data.verb
  printf '%s\n' "$licence" '00000016 00 a 01 doggy(p) 0 001 & 00000081 a 0000 | like a dog  ' \
    '00000081 00 s 01 puppyish a 002 & 00000016 s 0000 \ 00000016 r 0000 |   ' > db/data.adj
  printf '%s\n' "$licence" '00000016 02 r 01 doggedly 0 000 | so  ' > db/data.adv
}

good
for file in noun adj; do # the database of this test must be right itself
  while IFS=: read -r offset line; do
    check "offset $offset of data.$file" [ "${line%% *}" = "  1" -o "${line%% *}" = '' -o "${line%% *}" = "$(printf '%08d' "$offset")" ]
  done < <(grep -b '' "db/data.$file")
done

check 'a good database' "$prepare" db out > output
check 'the counts' grep -qx '6 synsets, 8 pointers, 8 edges, 256 columns, 45 classes' output
# entity 0, dog 1, to dog 2, doggy 3, puppyish 4, doggedly 5; the pointer from dog to itself goes.
check 'edges' [ "$(dump out/edge_index.npy)" = ' 0 1 1 2 3 4 4 5 1 0 2 1 4 3 5 4 ' ]
check 'labels' [ "$(dump out/node_label.npy)" = ' 3 5 38 0 0 2 ' ]
check 'features' [ "$(size out/node_feat.npy)" = $((128 + 6 * 256 * 4)) ]
check 'the split' [ "$(cat <(dump out/train_idx.npy) <(dump out/valid_idx.npy) <(dump out/test_idx.npy) | tr ' ' '\n' | sort -n | xargs)" = '0 1 2 3 4 5' ]
check 'the size of the split' [ "$(dump out/train_idx.npy | wc -w) $(dump out/valid_idx.npy | wc -w) $(dump out/test_idx.npy | wc -w)" = '3 1 2' ]
cp -r out again
rm -r out
"$prepare" db out > output
check 'the same again' diff -r out again
mv out good

for method in ldg random contiguous; do
  check "partition by $method" "$partition" good 2 out --method "$method" > output
  check "its line" grep -q "^2 parts by $method: .* % of 8 edges cut; vertices by part:" output
  check 'its files' [ "$(find out -name '*.npy' | wc -l)" = 19 ]
  rm -r out
done
check 'more parts than vertices' "$partition" good 9 out --normalize > output
rm -r out

for file in noun verb adj adv; do
  good
  rm "db/data.$file"
  refuses "no data.$file" "db/data.$file (at byte 0): there is no such file" "$prepare" db out
  good
  head -c -5 "db/data.$file" > part
  mv part "db/data.$file"
  refuses "data.$file cut in a line" "db/data.$file (at byte $(size "db/data.$file")): the file ends in the middle" "$prepare" db out
  : > "db/data.$file"
  refuses "data.$file empty" "db/data.$file (at byte 0): the file holds no synset" "$prepare" db out
done

# damaged <what> <pattern> <file> <sed script>: one edit of the good database.
damaged() {
  good
  sed -i "$4" "db/data.$3"
  refuses "$1" "$2" "$prepare" db out
}
good
head -n 2 db/data.noun > part
mv part db/data.noun
refuses 'data.noun cut between lines' 'data.noun (at byte 46): points to a synset at byte 76 of .*data.noun' "$prepare" db out
damaged 'bad offset' 'data.noun (at byte 16): the synset says that it stands at byte 17' noun 's/^00000016/00000017/'
damaged 'moved lines' 'data.noun (at byte 17): the synset says that it stands at byte 16' noun '1s/$/ /'
damaged 'missing synset' 'data.verb (at byte 43): points to a synset at byte 77 of .*data.noun' verb 's/00000076/00000077/'
damaged 'unknown class' 'data.noun (at byte 25): lexicographer file 45' noun '2s/ 03 / 45 /'
damaged 'wrong type' 'data.verb (at byte 28): synset type n does not belong' verb 's/38 v/38 n/'
damaged 'wrong target type' 'data.noun .*part of speech x' noun '2s/ n 0000/ x 0000/'
damaged 'too many words' 'data.verb .*not a number' verb 's/ v 01 / v 02 /'
damaged 'too few pointers' 'data.verb .*number of frames' verb 's/ 001 + 0/ 000 + 0/'
damaged 'no gloss' 'data.adv .*has no gloss' adv 's/|/-/'
damaged 'no number' 'data.adv .*number of pointers' adv 's/000 |/0x0 |/'

good
refuses 'no such input' 'nowhere/data.noun (at byte 0)' "$prepare" nowhere out
refuses 'output in a folder that is not there' 'no/out (at byte 0): cannot be created' "$prepare" db no/out
: > file
refuses 'output below a file' 'file/out (at byte 0): cannot be created' "$prepare" db file/out
refuses 'output that is a file' 'file (at byte 0): is there already' "$prepare" db file
refuses 'output that holds something' 'db (at byte 0): is there already' "$prepare" good db
# The files of the output do not fit the disk.
full_disk() (
  trap '' XFSZ
  ulimit -f 1
  "$@"
)
refuses 'a full disk' 'cannot be written' full_disk "$prepare" db out
refuses 'a full disk, partition' 'cannot be written' full_disk "$partition" good 1 out

refuses 'no dataset' 'nowhere/node_feat.npy' "$partition" nowhere 2 out
refuses 'no parts' '0 parts; ask for 1 or more' "$partition" good 0 out
refuses 'parts that are no number' 'two parts' "$partition" good two out
refuses 'unknown method' 'no method metis' "$partition" good 2 out --method metis
refuses 'method without name' 'missing value at --method' "$partition" good 2 out --method
refuses 'too few arguments' '1 arguments instead of 3' "$partition" good
cp good/node_feat.npy kept
cp good/edge_index.npy good/node_feat.npy
refuses 'features that are none' "node_feat.npy .*'<i8', not '<f4'" "$partition" good 2 out
mv kept good/node_feat.npy
cp good/node_label.npy good/edge_index.npy
refuses 'edges that are none' 'edge_index.npy .*2 dimensions' "$partition" good 2 out
status=0
"$prepare" > output 2> errors || status=$?
check 'usage' [ "$status" = 2 ]

printf '%d failures\n' "$failures"
[ "$failures" -eq 0 ]
