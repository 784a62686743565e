// g++ 12.2 -O1 -march=x86-64-v4 prints ffffffff, or what else lies in memory; right is ff (docs/found.md).
#include <immintrin.h>

#include <cstdio>
__attribute__((noinline)) unsigned widened(__m512i a, __m512i b) {
  const unsigned m = _mm512_cmpgt_epi64_mask(a, b);
  __asm__ volatile("" : : "r"(m));
  __asm__ volatile(""
                   :
                   :
                   : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "k0", "k1", "k2", "k3",
                     "k4", "k5", "k6", "k7");  // m has to go to memory
  return m;
}
__attribute__((noinline)) void dirty() {
  volatile unsigned char all[4096];
  for (unsigned i = 0; i < sizeof all; ++i) {
    all[i] = 0xff;
  }
}
int main() {
  dirty();
  std::printf("%x\n", widened(_mm512_set1_epi64(2), _mm512_set1_epi64(1)));
}
