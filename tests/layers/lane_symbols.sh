#!/bin/sh
# lane_symbols.sh OBJECT...
# The lane kernels are compiled for several instruction sets. A function that is inline and visible in such an object (a weak
# symbol) may be merged with the one of the same name elsewhere, and a machine without the wide instructions would then meet
# them in code that was meant for everyone. So there must be none. (Data may be merged: it has no instructions.)
set -eu
for object in "$@"; do
  nm --defined-only -C "$object" | awk -v object="${object##*CMakeFiles/}" '$2 ~ /^[Ww]$/ { print object ": " $0; found = 1 } END { exit found }'
done
echo "no weak functions"
