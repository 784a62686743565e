#!/bin/sh
# check_includes_test.sh SOURCE_DIR: plants one violation at a time in a small tree and asks check_includes.sh to find it.
set -eu
check=$1/tests/layers/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
passed=0
failed=0

# A tree without a violation.
plant_clean_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/semantics/base" "$tree/semantics/musimd" "$tree/semantics/prove" "$tree/tests/bigstep" "$tree/tests/layers"
  cat >"$tree/tests/layers/layers.txt" <<'LAYERS'
semantics/base:
semantics/musimd: semantics/base   # a comment
semantics/prove: semantics/musimd
tests/bigstep:
tests: *
only boost/: semantics/musimd
only semantics/base/grammar.hpp: semantics/musimd
only z3: semantics/prove
LAYERS
  echo '#include <vector>' >"$tree/semantics/base/a.hpp"
  echo '#include <boost/spirit/home/x3.hpp>' >"$tree/semantics/base/grammar.hpp"
  echo '#include "semantics/base/a.hpp"' >"$tree/semantics/musimd/b.hpp"
  printf '#include "semantics/base/grammar.hpp"\n#include "semantics/musimd/b.hpp"\n#include <boost/spirit/home/x3.hpp>\n' >"$tree/semantics/musimd/b.cpp"
  printf '#include "semantics/musimd/b.hpp"\n#include <z3++.h>\n' >"$tree/semantics/prove/c.cpp"
  echo '#include <map>' >"$tree/tests/bigstep/d.hpp"
  printf '#include "tests/bigstep/d.hpp"\n#include "semantics/musimd/b.hpp"\n' >"$tree/tests/e.cpp"
}

# expect NAME TEXT: the check fails and says TEXT, a fixed string; with the TEXT "" it passes.
expect() {
  status=0
  output=$(sh "$check" "$tree" 2>&1) || status=$?
  if [ -z "$2" ] && [ $status -eq 0 ]; then
    passed=$((passed + 1))
  elif [ -n "$2" ] && [ $status -eq 1 ] && printf '%s\n' "$output" | grep -qF -e "$2"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s: status %s, expected "%s" in:\n%s\n' "$1" $status "$2" "$output"
  fi
  plant_clean_tree
}

plant_clean_tree
expect "a clean tree" ""
echo '#include "b.h"' >"$tree/semantics/base/a.h"
: >"$tree/semantics/base/b.h"
expect "a .h file names its neighbour" ""
echo '#include "a.hpp"' >"$tree/semantics/base/f.hpp"
expect "another file does so" 'semantics/base/f.hpp:1: "a.hpp" is no file below the root'
echo '  #  include "semantics/musimd/b.hpp"' >>"$tree/semantics/base/a.hpp"
expect "a lower folder includes a higher one" "semantics/base/a.hpp:2: semantics/base may not include semantics/musimd"
: >"$tree/semantics/musimd/b.hpp"
sed -i '/grammar.hpp/d' "$tree/semantics/musimd/b.cpp"
expect "an allowed folder is not used" "layers.txt: semantics/musimd may include semantics/base, but does not"
echo '#include <boost/spirit/home/x3.hpp>' >>"$tree/semantics/musimd/b.hpp"
expect "Spirit in a header" "semantics/musimd/b.hpp:2: <boost/spirit/home/x3.hpp> may stand only in .cpp files"
echo '#include "semantics/base/grammar.hpp"' >>"$tree/semantics/musimd/b.hpp"
expect "a header of ours that brings Spirit along" 'semantics/musimd/b.hpp:2: "semantics/base/grammar.hpp" may stand only in .cpp files'
echo '#include <boost/variant.hpp>' >"$tree/semantics/prove/d.cpp"
expect "Boost in another folder" "semantics/prove/d.cpp:1: <boost/variant.hpp> may stand only in .cpp files"
echo '#include <z3.h>' >"$tree/tests/f.cpp"
expect "Z3 in a test" "tests/f.cpp:1: <z3.h> may stand only in .cpp files"
echo '#include "semantics/base/a.hpp"' >"$tree/tests/bigstep/d.cpp"
expect "the independent evaluator includes ours" "tests/bigstep/d.cpp:1: tests/bigstep may not include semantics/base"
echo '#include "b.hpp"' >"$tree/semantics/musimd/g.cpp"
expect "an include that does not start at the root" 'semantics/musimd/g.cpp:1: "b.hpp" is no file below the root'
sed -i 's|^semantics/base:|& semantics/musimd|' "$tree/tests/layers/layers.txt"
echo '#include "semantics/musimd/b.hpp"' >>"$tree/semantics/base/a.hpp"
expect "two folders that include each other" "layers.txt: there is a cycle in: semantics/"
mkdir -p "$tree/semantics/new"
echo 'int x;' >"$tree/semantics/new/h.cpp"
expect "a folder that is not listed" "semantics/new/h.cpp: lies in no folder that layers.txt lists"

echo "counts: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
