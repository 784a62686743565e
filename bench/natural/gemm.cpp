// Times a kernel of examples/natural/gemm.cl's form, and holds what it leaves against three loops.
// usage: PROGRAM ITEMS_OF_A_GROUP N

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef NUMBER
#define NUMBER std::int32_t
#endif

extern "C" void gemm(const float* a, const float* b, float* c, NUMBER tiles_x, NUMBER n, NUMBER depth, std::size_t num_groups);

int main(int count, char** words) {
  if (count != 3) {
    return 2;
  }
  const auto items = static_cast<std::size_t>(std::atoi(words[1]));
  const auto n = static_cast<std::size_t>(std::atoi(words[2]));
  std::vector<float> a(n * n);
  std::vector<float> b(n * n);
  std::vector<float> c(n * n);
  std::vector<float> wanted(n * n);
  unsigned state = 1;
  const auto random = [&] { return static_cast<float>((state = state * 1664525 + 1013904223) >> 8) / 16777216.0F; };
  std::generate(a.begin(), a.end(), random);
  std::generate(b.begin(), b.end(), random);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        wanted[i * n + j] = std::fma(a[i * n + k], b[k * n + j], wanted[i * n + j]);
      }
    }
  }
  double best = 1e9;
  for (int round = 0; round < 30; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    gemm(a.data(), b.data(), c.data(), static_cast<NUMBER>(n / items), static_cast<NUMBER>(n), static_cast<NUMBER>(n), n / items * (n / 8));
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    wrong += c[k] == wanted[k] ? 0 : 1;
  }
  std::printf("%.1f Gflop/s, %zu wrong\n", 2e-9 * static_cast<double>(n * n * n) / best, wrong);
  return wrong == 0 ? 0 : 1;
}
