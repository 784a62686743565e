#!/bin/sh
# package_test.sh BUILD_DIR SOURCE_DIR CMAKE COMPILER
# Installs the build into an empty place, builds the consumer against that place alone and runs it.
set -eu
build=$1
source=$2
cmake=$3
compiler=$4
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$cmake" --install "$build" --prefix "$place/prefix" >"$place/install.log" || {
  cat "$place/install.log"
  exit 1
}
for file in bin/lockstep include/lockstep/semantics/musimd/parse.hpp share/doc/Lockstep/LICENSE share/lockstep/examples; do
  if [ ! -e "$place/prefix/$file" ]; then
    echo "not installed: $file"
    exit 1
  fi
done
"$place/prefix/bin/lockstep" --version

cp -r "$source/tests/package/consumer" "$place/consumer"
"$cmake" -S "$place/consumer" -B "$place/consumer/build" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$place/consumer/build"
"$place/consumer/build/consumer"
if grep -rlF "$source" "$place/prefix/lib" --include='*.cmake'; then
  echo "the installed package names the source folder"
  exit 1
fi
