// g++ 12.2 -O1 -march=x86-64-v4: ends with a segmentation fault, though the only active lane lies in memory (docs/found.md).
#include <immintrin.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) void store(void* to, __mmask8 m, __m512i v) { _mm256_mask_storeu_epi32(to, m, _mm512_extracti32x8_epi32(v, 1)); }
int main() {
  const auto page = static_cast<unsigned long>(sysconf(_SC_PAGESIZE));
  char* const all = static_cast<char*>(mmap(nullptr, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(all, page, PROT_READ | PROT_WRITE);
  store(all + page - 4, 1, _mm512_set1_epi32(1));
}
