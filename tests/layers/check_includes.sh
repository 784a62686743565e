#!/bin/sh
# check_includes.sh SOURCE_DIR
# Compares the #includes of all sources with SOURCE_DIR/tests/layers/layers.txt and reports every difference. Exit status 0: none.
# A .h file is one that is also used outside of this tree, so it may name its neighbours alone.
set -eu
cd "$1"
folders=""
for folder in semantics interpreter codegen targets differential tools tests bench; do
  if [ -d "$folder" ]; then
    folders="$folders $folder"
  fi
done
# shellcheck disable=SC2046,SC2086  # the names of folders and sources have no blanks
exec awk '
  function complain(text) { print text; errors++ }

  # A restricted header is included by .cpp files of the folders that may use it, and by restricted headers.
  function check_restricted(header, shown,    prefix, own) {
    for (prefix in restricted) {
      if (index(header, prefix) == 1 && !(((prefix, folder) in may_use) && FILENAME ~ /\.cpp$/)) {
        for (own in restricted) if (index(FILENAME, own) == 1) return
        complain(FILENAME ":" FNR ": " shown " may stand only in .cpp files of the folders that layers.txt names")
      }
    }
  }

  # The longest listed folder that `path` lies below, or "".
  function folder_of(path) {
    while (sub(/\/[^\/]*$/, "", path)) {
      if (path in listed) return path
    }
    return ""
  }

  # Takes away folders that include none of those left, until there are none: what is left has a cycle.
  function check_cycles(    edge, ends, folder, needs, changed, names) {
    for (folder in listed) if (!((folder, "*") in allowed)) left[folder] = 1
    do {
      changed = 0
      for (folder in left) {
        needs = 0
        for (edge in allowed) {
          split(edge, ends, SUBSEP)
          if (ends[1] == folder && ends[2] != folder && ends[2] in left) needs = 1
        }
        if (!needs) { delete left[folder]; changed = 1 }
      }
    } while (changed)
    for (folder in left) names = names " " folder
    if (names != "") complain("layers.txt: there is a cycle in:" names)
  }

  # First pass: layers.txt.
  NR == FNR {
    sub(/#.*/, "")
    if ($0 !~ /[^ \t]/) next
    if ($0 !~ /:/) { complain("layers.txt:" FNR ": expected FOLDER: FOLDER..."); next }
    name = $0
    sub(/[ \t]*:.*/, "", name)
    sub(/^[^:]*:/, "")
    count = split($0, words, /[ \t]+/)
    if (name ~ /^only /) {
      sub(/^only[ \t]+/, "", name)
      restricted[name] = 1
      for (i = 1; i <= count; i++) if (words[i] != "") may_use[name, words[i]] = 1
    } else {
      listed[name] = 1
      for (i = 1; i <= count; i++) if (words[i] != "") allowed[name, words[i]] = 1
    }
    next
  }

  FNR == 1 {
    if (!known_filled) {
      for (i = 2; i < ARGC; i++) known[ARGV[i]] = 1
      known_filled = 1
    }
    folder = folder_of(FILENAME)
    present[folder] = 1
    if (folder == "") complain(FILENAME ": lies in no folder that layers.txt lists")
  }

  /^[ \t]*#[ \t]*include[ \t]*"/ {
    header = $0
    sub(/^[^"]*"/, "", header)
    sub(/".*/, "", header)
    beside = FILENAME
    sub(/[^\/]*$/, "", beside)
    if (FILENAME ~ /\.h$/ && ((beside header) in known)) header = beside header
    if (!(header in known)) {
      complain(FILENAME ":" FNR ": \"" header "\" is no file below the root of the source tree")
      next
    }
    check_restricted(header, "\"" header "\"")
    other = folder_of(header)
    used[folder, other] = 1
    if (other != folder && !((folder, other) in allowed) && !((folder, "*") in allowed)) {
      complain(FILENAME ":" FNR ": " folder " may not include " other " (" header ")")
    }
  }

  /^[ \t]*#[ \t]*include[ \t]*</ {
    header = $0
    sub(/^[^<]*</, "", header)
    sub(/>.*/, "", header)
    check_restricted(header, "<" header ">")
  }

  END {
    check_cycles()
    for (edge in allowed) {
      split(edge, ends, SUBSEP)
      if (ends[2] != "*" && (ends[1] in present) && !(edge in used)) {
        complain("layers.txt: " ends[1] " may include " ends[2] ", but does not")
      }
    }
    if (!errors) print "includes agree with layers.txt"
    exit errors > 0
  }' tests/layers/layers.txt $(find $folders -name '*.[ch]pp' -o -name '*.h' -o -name '*.def' | sort)
