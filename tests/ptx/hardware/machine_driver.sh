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
# Two pointers into one buffer that is no parameter itself.
cat >"$folder/pointers.ptx" <<'END'
//@ form pointers
//@ memory m u32 1 2 3
//@ pointer a m 4
//@ pointer b m 0
//@ scalar n b64 0x5
//@ expect m == 7 2 ?
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n)
{
  .reg .b64 %a, %b, %n;
  .reg .b32 %x, %y;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %n, [n];
  ld.global.u32 %x, [%a];
  cvt.u32.u64 %y, %n;
  add.u32 %x, %x, %y;
  st.global.u32 [%b], %x;
  ret;
}
END
"$program" "$folder/pointers.ptx" >"$folder/out"
grep -q '^pointers  *agrees' "$folder/out" || {
  cat "$folder/out"
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
