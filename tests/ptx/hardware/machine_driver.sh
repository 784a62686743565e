#!/bin/sh
# machine_driver.sh PTX_HARDWARE DRIVER SOURCE_DIR
# ptx_hardware with a driver whose device is the PTX machine: all cases agree, and one with another number, and one that is no PTX, are told.
# DRIVER is the library.
set -u
program=$1 driver=$2 cases=$3/tests/files/ptx
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$driver" "$folder/libcuda.so.1"
LD_LIBRARY_PATH=$folder
export LD_LIBRARY_PATH
"$program" "$cases"/*.ptx >"$folder/out" || {
  cat "$folder/out"
  exit 1
}
wanted="$(find "$cases" -maxdepth 1 -name '*.ptx' | wc -l) agree, 0 differ, 0 are close, 0 are refused by the driver"
[ "$(tail -n 1 "$folder/out")" = "$wanted" ] || {
  grep -v ' agrees ' "$folder/out"
  exit 1
}
sed 's/expect d == 1 2 3/expect d == 1 2 4/' "$cases/add.sat.i.ptx" >"$folder/wrong.ptx"
sed 's/add\.sat/add.saturated/' "$cases/add.sat.i.ptx" >"$folder/none.ptx"
sed 's/expect d == -\{0,1\}[^ ]* /expect d == 0.25 /' "$cases/sin.approx.f32.ptx" >"$folder/near.ptx"
"$program" "$folder/wrong.ptx" "$folder/none.ptx" "$folder/near.ptx" >"$folder/out" && exit 1
for line in 'DIFFERS  d\[2\] is 3 (0x3), and not 4' 'refused  CUDA_ERROR_INVALID_PTX' 'close    up to [0-9]* units in the last place away; allowed: absolute error' \
  '0 agree, 1 differ, 1 are close, 1 are refused by the driver'; do
  grep -q "$line" "$folder/out" || {
    cat "$folder/out"
    echo "no line: $line"
    exit 1
  }
done
