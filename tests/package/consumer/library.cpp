// The program of docs/library.md.
#include <cstdio>
#include <vector>

#include "codegen/compile/compile.hpp"

int main() {
  // Group g has row g of a matrix, item i its element i: every row is divided by its greatest element.
  const lockstep::SourceFile source("scale.cl", R"(
    __kernel void scale(__global double *m) {
      double x = m[get_global_id()];
      double most = 0;
      for (int s = 0; s < get_local_size(); s += 1)
        most = max(most, shuffle(x, s));
      m[get_global_id()] = x / most;
    }
  )");
  const auto scale = lockstep::compile(source, {.wg_size = 4});
  if (!scale) {
    std::fputs(lockstep::render(source, scale.error()).c_str(), stderr);
    return 1;
  }

  std::vector<double> m = {1, 2, 3, 4, 10, 5, 2, 1};
  if (const auto outcome = (*scale)(2, m); !outcome) {
    std::puts(outcome.error().c_str());
    return 1;
  }
  for (const double x : m) {
    std::printf("%g ", x);
  }
  std::puts("");
}
