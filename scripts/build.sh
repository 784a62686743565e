#!/bin/sh
# scripts/build.sh [PRESET [TARGET...]]
# Configures and builds in build/PRESET (release if not given; see CMakePresets.json). Says nothing but progress and errors.
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -eq 0 ] || shift
cmake --preset "$preset" >/dev/null
exec cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
