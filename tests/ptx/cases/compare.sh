#!/bin/sh
# compare.sh SOURCE_DIR [PTX_CASE_TEXTS]
# The cases in tests/files/ptx are those that PTX_CASE_TEXTS writes, and where ptxas is found ($PTXAS, or on the PATH) it takes each of them.
set -eu
source=$1
if [ $# -lt 2 ]; then
  echo "skipped: MPFR (Debian: libmpfr-dev) is not installed, by which the cases of PTX are computed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" "$folder"
if ! diff -r "$folder" "$source/tests/files/ptx" >"$folder.diff"; then
  head -n 20 "$folder.diff"
  rm -f "$folder.diff"
  echo "tests/files/ptx is not what ptx_case_texts writes: ptx_case_texts tests/files/ptx changes it"
  exit 1
fi
rm -f "$folder.diff"
ptxas=${PTXAS:-$(command -v ptxas || true)}
[ -n "$ptxas" ] || exit 0
for file in "$folder"/*.ptx; do
  grep -q '^\.target sm_80' "$file" || continue # today's ptxas knows no older ones
  "$ptxas" -arch=sm_80 "$file" -o "$folder/object" || {
    echo "ptxas does not take $(basename "$file")"
    exit 1
  }
done
