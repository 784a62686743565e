; llc-19 -mtriple=riscv64-linux-gnu -mattr=+m shifts right by 56 in place of 24, and the byte that goes round is lost: 0x12345678 becomes
; 0x34567800 (docs/found.md).
define <1 x i32> @rotated(<1 x i32> %x) {
  %result = call <1 x i32> @llvm.fshl.v1i32(<1 x i32> %x, <1 x i32> %x, <1 x i32> <i32 8>)
  ret <1 x i32> %result
}
