#!/bin/sh
# scripts/build.sh [--minimal] [PRESET [TARGET...]]
# Configures and builds in build/PRESET (release if not given; see CMakePresets.json). Says nothing but progress and errors.
#   --minimal  what `setup.sh --minimal` installs is enough: a folder that is not configured yet is so without tests and benchmarks, another
#              one is taken as it is
set -eu
cd "$(dirname "$0")/.."
minimal=""
if [ "${1:-}" = --minimal ]; then
  minimal=yes
  shift
fi
preset=${1:-release}
[ $# -eq 0 ] || shift
if [ -z "$minimal" ]; then
  cmake --preset "$preset" >/dev/null
elif [ ! -e "build/$preset/build.ninja" ]; then
  cmake --preset "$preset" -D LOCKSTEP_BUILD_TESTS=OFF -D LOCKSTEP_BUILD_BENCH=OFF >/dev/null
fi
exec cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
