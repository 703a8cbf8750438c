#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: docs/page_filter.sh PAGE
#
# What Doxygen reads in place of a markdown page: headings with the anchors that GitHub gives them, links to pages and
# headings as references, links to other files as copies in files/, and names of programs above their code.
exec awk '
# label(path): the name of a page, such as guides_gpu of docs/guides/gpu.md.
function label(path) {
  if (path == "README.md") return "mainpage"
  if (path == "docs/README.md") return "guides"
  sub(/^docs\//, "", path)
  sub(/[.]md$/, "", path)
  gsub(/[^a-zA-Z0-9]/, "_", path)
  return path
}
# resolved(folder, path): a relative path, from the folder of the project.
function resolved(folder, path,    n, i, parts, out, top) {
  n = split(folder "/" path, parts, "/")
  top = 0
  for (i = 1; i <= n; i++) {
    if (parts[i] == "" || parts[i] == ".") continue
    if (parts[i] == "..") { top--; continue }
    out[++top] = parts[i]
  }
  path = out[1]
  for (i = 2; i <= top; i++) path = path "/" out[i]
  return path
}
# anchor(heading): as tests/structure/links.cmake.
function anchor(heading,    at) {
  while (match(heading, /\[[^]]*\]\([^)]*\)/)) {
    at = substr(heading, RSTART + 1, RLENGTH - 1)
    sub(/\].*/, "", at)
    heading = substr(heading, 1, RSTART - 1) at substr(heading, RSTART + RLENGTH)
  }
  heading = tolower(heading)
  gsub(/[][!"#$%&\047()*+,.\/:;<=>?@\\^`{|}~]|–|—|…|→|·|’/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}
function link(target,    path, at, hash) {
  hash = index(target, "#")
  at = hash ? substr(target, hash + 1) : ""
  path = hash ? substr(target, 1, hash - 1) : target
  path = path == "" ? page : resolved(folder, path)
  if (path ~ /[.]svg$|[.]png$/) { sub(/.*\//, "", path); return path }
  if (path ~ /^(README|docs\/.*)[.]md$/) {
    if (path == "README.md" && at == "") return "index.html"
    return "@ref " label(path) (at == "" ? "" : "-" at)
  }
  return "files/" path ".txt"
}
FNR == 1 {
  page = FILENAME
  if (index(page, root "/") == 1) page = substr(page, length(root) + 2)
  sub(/^[.]\//, "", page)
  folder = page
  if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
}
/^ *```/ {
  if (!in_code && match($0, /^ *```[a-z+]+ +[^ ]+$/) && $2 != "run") {
    print "`" $2 "`\n"
  }
  in_code = !in_code
  if (match($0, /```[^ ]+ /)) $0 = substr($0, 1, RSTART + RLENGTH - 2)
  sub(/```(text|sh|bash|console|cmake|make)$/, "```{.unparsed}")
  print
  next
}
in_code { print; next }
/^#+ / {
  heading = $0
  level = $1
  sub(/^#+ +/, "", heading)
  name = anchor(heading)
  gsub(/`/, "", heading) # Doxygen shows no code in headings
  if (level == "#") id = label(page)
  else {
    id = label(page) "-" name
    if (seen[id]++) id = id "-" (seen[id] - 1)
  }
  if (page == "README.md" && level != "#") { # the navigation lists sections of other pages, and pages
    print "\n@anchor " id "\n<h2>" heading "</h2>\n"
    next
  }
  print level " " heading " {#" id "}"
  if (level == "#" && page != "README.md") print "\n[TOC]\n"
  next
}
{
  # Doxygen ends code at a single quote, unless it stands between two backticks.
  rest = $0
  out = ""
  while (!/``/ && match(rest, /`[^`]+`/)) {
    code = substr(rest, RSTART, RLENGTH)
    if (code ~ /\047/) code = "`" code "`"
    out = out substr(rest, 1, RSTART - 1) code
    rest = substr(rest, RSTART + RLENGTH)
  }
  rest = out rest
  out = ""
  while (match(rest, /\]\([^):]*\)/)) {
    out = out substr(rest, 1, RSTART) "(" link(substr(rest, RSTART + 2, RLENGTH - 3)) ")"
    rest = substr(rest, RSTART + RLENGTH)
  }
  print out rest
}
' root="$PWD" "$1"
