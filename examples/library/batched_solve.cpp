// 10,000 small systems A x = b, solved by one kernel on all processors. The systems are given in three ways: one behind the other, at equal
// distances in a bigger array, and each wherever it happens to lie. Every result is compared with a plain loop, bit for bit.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/compile.hpp"

namespace {

constexpr std::size_t n = 8;
constexpr std::size_t systems = 10'000;

// One work group has one system, work item i has row i of A and element i of b. Gauss-Jordan without pivoting: in step s every other row
// loses its share of row s, which all items get by shuffle.
constexpr const char* text = R"(
__kernel void solve(__global const double *a, __global double *b) {
  const size_t item = get_global_id();
  double row[get_local_size()];
  double pivot[get_local_size()];
  double x = b[item];
  for (int j = 0; j < get_local_size(); j += 1)
    row[j] = a[item * get_local_size() + j];

  for (int s = 0; s < get_local_size(); s += 1) {
    for (int j = s; j < get_local_size(); j += 1)
      pivot[j] = shuffle(row[j], s);
    const double solved = shuffle(x, s);
    const double factor = row[s] / pivot[s];
    if (get_local_id() != s) {
      for (int j = s; j < get_local_size(); j += 1)
        row[j] = row[j] - factor * pivot[j];
      x = x - factor * solved;
    }
  }
  b[item] = x / row[get_local_id()];
}
)";

// The same for one system, in plain C++. The kernel language makes one operation, fma, of a difference and a product.
void solve(std::span<const double> a, std::span<double> b) {
  std::vector<double> m(a.begin(), a.end());
  for (std::size_t s = 0; s < n; ++s) {
    const std::vector<double> pivot(m.begin() + static_cast<std::ptrdiff_t>(s * n), m.begin() + static_cast<std::ptrdiff_t>((s + 1) * n));
    const double solved = b[s];
    for (std::size_t i = 0; i < n; ++i) {
      if (i == s) {
        continue;
      }
      const double factor = m[i * n + s] / pivot[s];
      for (std::size_t j = s; j < n; ++j) {
        m[i * n + j] = std::fma(-factor, pivot[j], m[i * n + j]);
      }
      b[i] = std::fma(-factor, solved, b[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    b[i] = b[i] / m[i * n + i];
  }
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

bool report(const char* form, const std::expected<void, std::string>& outcome, double milliseconds, bool is_equal) {
  if (!outcome) {
    std::printf("%s: %s\n", form, outcome.error().c_str());
    return false;
  }
  std::printf("%-9s %zu systems of %zu equations in %.2f ms: %s\n", form, systems, n, milliseconds, is_equal ? "equal" : "DIFFERENT");
  return is_equal;
}

}  // namespace

int main() {
  // The kernel: from the text the first time, from the cache on disk from then on.
  const lockstep::SourceFile source("solve.cl", text);
  auto start = std::chrono::steady_clock::now();
  const auto kernel = lockstep::compile(source, {.wg_size = n});
  if (!kernel) {
    std::fputs(lockstep::render(source, kernel.error()).c_str(), stderr);
    return 1;
  }
  std::printf("%s: ready after %.2f ms%s\n", kernel->name().c_str(), milliseconds_since(start), kernel->is_from_cache() ? " (cached)" : "");

  // Systems with a heavy diagonal, which need no pivoting.
  std::vector<double> a(systems * n * n);
  std::vector<double> b(systems * n);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<double>(k * 37 % 101) / 101 + (k % (n * n) % (n + 1) == 0 ? 2.0 * n : 0.0);
  }
  for (std::size_t k = 0; k < b.size(); ++k) {
    b[k] = static_cast<double>(k * 53 % 97) - 48;
  }
  std::vector<double> expected = b;
  for (std::size_t g = 0; g < systems; ++g) {
    solve(std::span(a).subspan(g * n * n, n * n), std::span(expected).subspan(g * n, n));
  }

  // Packed: vectors and spans bring their size along, which is checked.
  std::vector<double> x = b;
  start = std::chrono::steady_clock::now();
  auto outcome = (*kernel)(systems, a, x);
  bool is_equal = report("packed", outcome, milliseconds_since(start), x == expected);

  // Strided: system g's matrix and right-hand side lie side by side, in a record of n * n + n numbers.
  constexpr std::size_t record = n * n + n;
  std::vector<double> records(systems * record);
  for (std::size_t g = 0; g < systems; ++g) {
    std::copy_n(&a[g * n * n], n * n, &records[g * record]);
    std::copy_n(&b[g * n], n, &records[g * record + n * n]);
  }
  const std::span<double> all = records;
  start = std::chrono::steady_clock::now();
  outcome = (*kernel)(systems, lockstep::strided(all, record), lockstep::strided(all.subspan(n * n), record));
  const double strided_time = milliseconds_since(start);
  for (std::size_t g = 0; g < systems; ++g) {
    std::copy_n(&records[g * record + n * n], n, &x[g * n]);
  }
  is_equal = report("strided", outcome, strided_time, x == expected) && is_equal;

  // Pointers: each right-hand side has memory of its own. The forms may be mixed: the matrices are packed.
  std::vector<std::unique_ptr<double[]>> memory;
  std::vector<double*> pointers;
  for (std::size_t g = 0; g < systems; ++g) {
    memory.push_back(std::make_unique<double[]>(n));
    std::copy_n(&b[g * n], n, memory.back().get());
    pointers.push_back(memory.back().get());
  }
  start = std::chrono::steady_clock::now();
  outcome = (*kernel)(systems, a, lockstep::each(pointers));
  const double pointers_time = milliseconds_since(start);
  for (std::size_t g = 0; g < systems; ++g) {
    std::copy_n(pointers[g], n, &x[g * n]);
  }
  is_equal = report("pointers", outcome, pointers_time, x == expected) && is_equal;
  return is_equal ? 0 : 1;
}
