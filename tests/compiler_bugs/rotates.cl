// Rotates by numbers that are known, of values that a branch chooses and that a loop carries: LLVM 19 loses half of some on riscv64 where
// they are vectors of one element (docs/found.md).
kernel void rotates(global const uint *x, global uint *o, global const ushort *y, global ushort *p, global const ulong *z, global ulong *q,
                    uint n) {
  const size_t i = get_global_id();
  uint v = x[i];
  if (v & 1) {
    v = (v << 8) | (v >> 24);
  } else {
    v = v * 3;
    v = (v >> 5) | (v << 27);
  }
  for (int k = 0; k < (int)(v & 7); ++k) {
    v = (v << 9) | (v >> 23);
    v += n;
  }
  o[i] = v;
  p[i] = (ushort)((y[i] << 3) | (y[i] >> 13));
  q[i] = (z[i] << 40) | (z[i] >> 24);
}
