#!/bin/sh
# The HTML trace in headless Chromium: keys, clicks and the address, on pages opened from the file system.
set -eu
lockstep=$1
source=$2
browser=
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then
    browser=$name
    break
  fi
done
if [ -z "$browser" ]; then
  echo "skipped: there is no chromium"
  exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/hostile.mus" <<'END'
a = 9223372036854775807 // </script><script>document.title="no"</script><!--
b = a + 1
c = 9007199254740993
d = shfl(tid, tid - 1)
st 9223372036854775807 = 5
bz tid == 0, L
st 100 = d
L: sync
st 0 = tid
stop
END
printf 'a = 1\nsync\nstop\n' >"$dir/stuck.mus"
printf 'a = 1\na = 2\nb = a / 0\nstop\n' >"$dir/undefined.mus"
{
  echo '.threads 1024'
  echo 'a = 3 * tid'
  awk 'BEGIN { for (i = 0; i < 300; ++i) print "x" i " = tid" }'
  echo 'a = a'
  echo 'st tid = a'
  echo 'stop'
} >"$dir/wide.mus"
printf '.shared 0 : 0 0 0 0\ni = 0\nLoop: a = ld tid\na = a + i\nst tid = a\ni = i + 1\nbz i >= 200000, Loop\nsync\nstop\n' >"$dir/long.mus"
cp "$source/examples/musimd/fig6.mus" "$dir/fig6.mus"

failed=0
# page NAME OPTION…: the page of NAME.mus, checked by the function NAME of html_trace.js
page() {
  name=$1
  shift
  "$lockstep" run "$dir/$name.mus" --quiet --trace=html --trace-out "$dir/$name.html" "$@" 2>"$dir/$name.err" || true
  # Nothing is loaded from anywhere: no attribute that could, no address.
  if grep -E '(src|href|action|data)="|url\(|@import|https?://' "$dir/$name.html" >"$dir/loads"; then
    echo "FAIL: $name.html refers to something outside:"
    head -c 500 "$dir/loads"
    failed=1
  fi
  { cat "$dir/$name.html"; echo '<script>'; cat "$source/tests/scripts/html_trace.js"; echo "checkPage('$name');</script>"; } >"$dir/$name.test.html"
  HOME=$dir timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$dir/profile" \
    --virtual-time-budget=10000 --dump-dom "file://$dir/$name.test.html" >"$dir/$name.dom" 2>"$dir/$name.log" || true
  if ! grep -o "RESULT $name: [0-9]* checks passed" "$dir/$name.dom" | tail -n 1 | grep .; then
    echo "FAIL: $name"
    sed -n 's/.*\(FAILURE.*\)/\1/p' "$dir/$name.dom" | grep -v 'FAILURE \$' || tail -n 5 "$dir/$name.log"
    failed=1
  fi
}

page fig6
page hostile --order 3,2,1,0 --races off
page stuck
page undefined
page wide
page long
if ! grep -q 'the HTML trace stops after 100000 steps' "$dir/long.err"; then
  echo "FAIL: standard error does not say that the page is not complete"
  failed=1
fi
exit $failed
