// Times a kernel of examples/natural/cholesky.cl's form, and holds what it leaves against the same loops for one system after the other.
// usage: PROGRAM ITEMS_OF_A_GROUP SYSTEMS

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" void cholesky(const double* matrices, const double* rights, double* solutions, std::size_t num_groups);

namespace {

constexpr int n = 6;

// The kernel language fuses a - b * c.
void solve(const double* matrix, const double* right, double* solution) {
  double a[n][n];
  double b[n];
  for (int i = 0; i < n; ++i) {
    b[i] = right[i];
    for (int j = 0; j < n; ++j) {
      a[i][j] = matrix[i * n + j];
    }
  }
  for (int k = 0; k < n; ++k) {
    a[k][k] = std::sqrt(a[k][k]);
    for (int i = k + 1; i < n; ++i) {
      a[i][k] /= a[k][k];
    }
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        a[i][j] = std::fma(-a[i][k], a[j][k], a[i][j]);
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      b[i] = std::fma(-a[i][j], b[j], b[i]);
    }
    b[i] /= a[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) {
      b[i] = std::fma(-a[j][i], b[j], b[i]);
    }
    b[i] /= a[i][i];
  }
  std::copy(b, b + n, solution);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    return 2;
  }
  const auto items = static_cast<std::size_t>(std::atoi(words[1]));
  const std::size_t groups = static_cast<std::size_t>(std::atoi(words[2])) / items;
  const std::size_t systems = items * groups;
  std::vector<double> matrices(systems * n * n);
  std::vector<double> rights(systems * n);
  std::vector<double> solutions(systems * n);
  std::vector<double> wanted(systems * n);
  unsigned state = 1;
  const auto random = [&] { return ((state = state * 1664525 + 1013904223) >> 8) / 16777216.0 - 0.5; };
  for (std::size_t s = 0; s < systems; ++s) {
    double g[n][n];
    for (auto& row : g) {
      for (double& number : row) {
        number = random();
      }
    }
    for (int i = 0; i < n; ++i) {
      rights[s * n + static_cast<std::size_t>(i)] = random();
      for (int j = 0; j < n; ++j) {
        double sum = i == j ? 1 : 0;
        for (int k = 0; k < n; ++k) {
          sum += g[i][k] * g[j][k];
        }
        matrices[s * n * n + static_cast<std::size_t>(i * n + j)] = sum;
      }
    }
    solve(&matrices[s * n * n], &rights[s * n], &wanted[s * n]);
  }
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    cholesky(matrices.data(), rights.data(), solutions.data(), groups);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    wrong += solutions[k] == wanted[k] ? 0 : 1;
  }
  std::printf("%.2f ns a system, %zu wrong\n", best / static_cast<double>(systems) * 1e9, wrong);
  return wrong == 0 ? 0 : 1;
}
