#!/bin/sh
# package_test.sh BUILD_DIR SOURCE_DIR CMAKE COMPILER LLVM_VERSION
# Installs the build into an empty place, builds the consumer and the installed example against that place alone and runs them. LLVM_VERSION
# is what the build was compiled with: consumers have to find the same, with a newer one in the way.
set -eu
build=$1
source=$2
cmake=$3
compiler=$4
llvm=$5
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$cmake" --install "$build" --prefix "$place/prefix" >"$place/install.log" || {
  cat "$place/install.log"
  exit 1
}
for file in bin/lockstep include/lockstep/semantics/musimd/parse.hpp include/lockstep/codegen/compile/compile.hpp share/doc/Lockstep/LICENSE share/lockstep/examples; do
  if [ ! -e "$place/prefix/$file" ]; then
    echo "not installed: $file"
    exit 1
  fi
done
"$place/prefix/bin/lockstep" --version

. "$source/tests/package/newer_llvm.sh"
newer_llvm "$place/newer"

# build_against_prefix FOLDER: in FOLDER/build.
build_against_prefix() {
  "$cmake" -S "$1" -B "$1/build" -G Ninja -DCMAKE_PREFIX_PATH="$place/newer;$place/prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
  takes_llvm "$llvm" "$1/build" || exit 1
  "$cmake" --build "$1/build"
}
XDG_CACHE_HOME=$place/cache
export XDG_CACHE_HOME

cp -r "$source/tests/package/consumer" "$place/consumer"
build_against_prefix "$place/consumer"
"$place/consumer/build/consumer"
printed=$("$place/consumer/build/library")
[ "$printed" = "0.25 0.5 0.75 1 1 0.5 0.2 0.1 " ] || { echo "library printed: $printed"; exit 1; }

printed=$("$place/consumer/build/proved")
[ "$printed" = "InfReg-IR proved at WG_SIZE 2 to 4" ] || { echo "proved printed: $printed"; exit 1; }

printed=$("$place/consumer/build/compared" | tr '\n' ' ')
wanted="infreg equal llvm equal avx512 equal "
has_clang=false
if command -v clang-19 >/dev/null || command -v clang >/dev/null; then has_clang=true; fi
if $has_clang; then wanted="${wanted}cuda equal "; fi
if command -v nvcc >/dev/null; then wanted="${wanted}cuda-nvcc equal "; fi
wanted="${wanted}cuda-host equal "
if $has_clang; then wanted="${wanted}ve equal "; fi
wanted="${wanted}ve-host equal "
[ "$printed" = "$wanted" ] || { echo "compared printed: $printed"; exit 1; }

cp -r "$place/prefix/share/lockstep/examples/library" "$place/example"
build_against_prefix "$place/example"
"$place/example/build/batched_solve"
"$place/example/build/batched_solve" | grep cached || { echo "the second run did not find the kernel on disk"; exit 1; }

if grep -rlF "$source" "$place/prefix/lib" --include='*.cmake'; then
  echo "the installed package names the source folder"
  exit 1
fi
