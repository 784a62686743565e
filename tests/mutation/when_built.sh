#!/bin/sh
# when_built.sh PROGRAM COMMAND...: the command, if that program has been built.
set -eu
if [ ! -x "$1" ]; then
  echo "skipped: ${1##*/} is not built; scripts/build.sh release mutants does"
  exit 77
fi
shift
exec "$@"
