; llc-19 -mtriple=aarch64-linux-gnu converts by way of double: 2^62 + 2^38 + 1 becomes 2^62, the nearest float is 2^62 + 2^39
; (docs/found.md).
define <2 x float> @converted(<2 x i64> %x) {
  %result = sitofp <2 x i64> %x to <2 x float>
  ret <2 x float> %result
}
