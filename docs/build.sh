#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: docs/build.sh [--out DIR]
#
# Makes README.md, the pages of docs/ and the reference of all public names into a site (default build/site) that a
# browser reads from the file system: open build/site/index.html. Installs Doxygen and its style if they are missing. Fails
# if a public name has no entry, an internal one has, or Doxygen finds something wrong.
set -euo pipefail
usage='usage: docs/build.sh [--out DIR]'
out=build/site
while [ $# -gt 0 ]; do
  case $1 in
    --out)
      [ $# -ge 2 ] || { printf '%s\n' "$usage" >&2; exit 2; }
      out=$2
      shift 2
      ;;
    -h | --help)
      printf '%s\n' "$usage"
      exit 0
      ;;
    *)
      printf '%s\n' "$usage" >&2
      exit 2
      ;;
  esac
done
out=$(realpath -m "$out")
if [ -e "$out" ] && [ ! -f "$out/doxygen.css" ] && [ -n "$(ls -A "$out")" ]; then
  printf 'error: %s is there already and is no site; give another folder as --out\n' "$out" >&2
  exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=cmake/apt.sh
. cmake/apt.sh
require_packages doxygen doxygen-awesome-css
style=/usr/share/doxygen-awesome-css
names=tests/structure/public_names.txt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The page of all public names, by folder; Doxygen complains of each that it has no entry for.
public_names_page() {
  printf '# Public names {#public_names}\n\n[TOC]\n'
  sed -E 's/^(.*) (glt\/(.*)\/[^/]*)$/\3 \1 \2/; t; s/^(.*) (.*)$/glt \1 \2/' "$names" | sort -s -k 1,1 | awk '
  $1 != folder {
    folder = id = $1
    gsub(/\//, "-", id)
    printf "\n## %s/ {#public_names-%s}\n\n| name | header |\n|---|---|\n", folder, id
  }
  { printf "| @ref %s \"%s\" | [%s](@ref %s) |\n", $2, $2, $3, $3 }'
}

# The navigation: the guides in the order of docs/README.md, then the reference.
navigation() {
  printf '  <navindex>\n    <tab type="mainpage" visible="yes" title="glt"/>\n'
  awk '
  function close_group() {
    if (open) print "    </tab>"
    open = 0
  }
  BEGIN { title = "Start" }
  /^## / {
    close_group()
    title = substr($0, 4)
  }
  {
    while (match($0, /\[[^]]*\]\([^)#:]*[.]md\)/)) {
      split(substr($0, RSTART + 1, RLENGTH - 2), entry, /\]\(/)
      $0 = substr($0, RSTART + RLENGTH)
      if (entry[2] ~ /^[.][.]/) continue
      if (!open) {
        printf "    <tab type=\"usergroup\" visible=\"yes\" title=\"%s\">\n", title
        if (title == "Start") print "      <tab type=\"user\" url=\"@ref guides\" title=\"All guides\"/>"
        open = 1
      }
      sub(/[.]md$/, "", entry[2])
      gsub(/[^a-zA-Z0-9]/, "_", entry[2])
      printf "      <tab type=\"user\" url=\"@ref %s\" title=\"%s\"/>\n", entry[2], entry[1]
    }
  }
  END { close_group() }' docs/README.md
  cat << 'END'
    <tab type="usergroup" visible="yes" title="Reference">
      <tab type="user" url="@ref public_names" title="Public names"/>
      <tab type="namespacelist" visible="yes" title="Namespaces"/>
      <tab type="classlist" visible="yes" title="Classes"/>
      <tab type="filelist" visible="yes" title="Headers"/>
    </tab>
  </navindex>
END
}

public_names_page > "$work/public_names.markdown"
doxygen -l "$work/default.xml"
{
  sed '/<navindex>/,$d' "$work/default.xml"
  navigation
  sed '1,/<\/navindex>/d' "$work/default.xml"
} > "$work/layout.xml"

# The frame of every page: a switch between light and dark, and a button that copies code.
doxygen -w html "$work/header.html" "$work/footer.html" "$work/unused.css"
# shellcheck disable=SC2016
scripts='<script type="text/javascript" src="$relpath^doxygen-awesome-darkmode-toggle.js"></script>
<script type="text/javascript" src="$relpath^doxygen-awesome-fragment-copy-button.js"></script>
<script type="text/javascript" src="$relpath^doxygen-awesome-paragraph-link.js"></script>
<script type="text/javascript">
DoxygenAwesomeDarkModeToggle.init();
DoxygenAwesomeFragmentCopyButton.init();
DoxygenAwesomeParagraphLink.init();
</script>'
awk -v scripts="$scripts" '/<\/head>/ { print scripts } { print }' "$work/header.html" > "$work/frame.html"

rm -rf "$out"
mkdir -p "$(dirname "$out")"
{
  cat docs/Doxyfile
  cat << END
OUTPUT_DIRECTORY = $work
HTML_OUTPUT = site
INPUT += $work/public_names.markdown
FILE_PATTERNS += *.markdown
LAYOUT_FILE = $work/layout.xml
HTML_HEADER = $work/frame.html
HTML_EXTRA_STYLESHEET = $style/doxygen-awesome.css docs/site.css
HTML_EXTRA_FILES = $style/doxygen-awesome-darkmode-toggle.js $style/doxygen-awesome-fragment-copy-button.js $style/doxygen-awesome-paragraph-link.js
GENERATE_TAGFILE = $work/tags.xml
WARN_LOGFILE = $work/warnings.txt
END
} | doxygen -

# Files that pages link, beside them; of folders the list of what is in them.
{ grep -rhoE 'href="files/[^"#]*[.]txt"' "$work/site" --include='*.html' || true; } | sort -u |
  sed -E 's/^href="files\/(.*)[.]txt"$/\1/' | while read -r path; do
  mkdir -p "$(dirname "$work/site/files/$path")"
  if [ -d "$path" ]; then
    ls "$path" > "$work/site/files/$path.txt"
  else
    cp "$path" "$work/site/files/$path.txt"
  fi
done

faults=0
fault() {
  printf 'error: %s\n' "$*" >&2
  faults=$((faults + 1))
}
if [ -s "$work/warnings.txt" ]; then
  cat "$work/warnings.txt" >&2
  fault "Doxygen found something wrong, see above"
fi
inner=$(grep -E '<name>([^<]*::)?detail(::[^<]*)?</name>|<path>[^<]*/detail/' "$work/tags.xml" || true)
if [ -n "$inner" ]; then
  fault "internal names are in the reference: $inner"
fi
mv "$work/site" "$out"
pages=$(find "$out" -name '*.html' | wc -l)
printf '%s: %s pages, %s public names\n' "$out/index.html" "$pages" "$(cut -d' ' -f1 "$names" | sort -u | wc -l)"
[ "$faults" -eq 0 ]
