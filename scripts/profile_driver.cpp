// Runs an emitted kernel over and over on data that stay in the caches. scripts/profile.sh compiles it with
//   KERNEL_HEADER  the kernel's header, "gemm.avx512.h"
//   KERNEL         its function
//   PROBLEMS       how many it solves, and GROUPS in how many groups
//   ELEMENTS       numbers of a problem in each array, with commas between them
// usage: driver SECONDS; prints ns for a problem, and how many cycles of the processor that is.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <tuple>
#include <type_traits>
#include <vector>

#include KERNEL_HEADER

namespace {

constexpr std::size_t elements[] = {ELEMENTS};
constexpr std::size_t problems = PROBLEMS;

/// Numbers from 0.5 to 1.5, and where a square matrix has its diagonal larger ones, so that elimination does not grow.
template <class T>
T number(std::size_t k, std::size_t each) {
  std::size_t n = 1;
  while (n * n < each) {
    ++n;
  }
  const bool is_diagonal = n > 1 && n * n == each && k % each % (n + 1) == 0;
  const double small = 0.5 + static_cast<double>(k * 7919 % 1024) / 1024;
  return std::is_integral_v<T> ? static_cast<T>(k * 7 % 10) : static_cast<T>(is_diagonal ? 2.0 * static_cast<double>(n) : small);
}

/// An argument of the kernel, in memory that lives as long as this does. Arrays that it may change can be put back.
template <class P>
class Argument {
 public:
  explicit Argument(std::size_t& array) {
    if constexpr (std::is_pointer_v<P>) {
      const std::size_t each = elements[array++];
      const std::size_t bytes = (each * problems * sizeof(Element) + 127) / 64 * 64;
      value_ = static_cast<Element*>(std::aligned_alloc(64, bytes));
      for (std::size_t k = 0; k < each * problems; ++k) {
        original_.push_back(number<Element>(k, each));
      }
      std::memcpy(value_, original_.data(), original_.size() * sizeof(Element));
    } else {
      value_ = std::is_same_v<P, std::size_t> ? P{GROUPS} : P{PROBLEMS};  // the last one is the number of groups; else the batch's
    }
  }
  P value() const { return value_; }
  void restore() {
    if constexpr (std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>>) {
      std::memcpy(value_, original_.data(), original_.size() * sizeof(Element));
    }
  }

 private:
  using Element = std::remove_const_t<std::remove_pointer_t<P>>;
  std::conditional_t<std::is_pointer_v<P>, Element*, P> value_{};
  std::vector<Element> original_;
};

/// Seconds of this process, whatever else runs.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// By additions that wait for each other: one a cycle.
double cycles_a_second() {
  constexpr std::uint64_t additions = 100'000'000;
  std::uint64_t x = 0;
  const double start = now();
  for (std::uint64_t k = 0; k < additions; k += 10) {
    asm volatile(
        "add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n"
        : "+r"(x));
  }
  return static_cast<double>(additions) / (now() - start);
}

/// Seconds that so many rounds take.
template <class Work>
double seconds_of(std::size_t rounds, const Work& work) {
  const double start = now();
  for (std::size_t k = 0; k < rounds; ++k) {
    work();
  }
  return now() - start;
}

template <class... P>
void run(void (*kernel)(P...), double seconds) {
  std::size_t array = 0;
  std::tuple<Argument<P>...> arguments{Argument<P>(array)...};  // in braces from left to right
  const auto restore = [&] { std::apply([](auto&... each) { (each.restore(), ...); }, arguments); };
  const auto restore_and_solve = [&] {
    restore();
    std::apply([&](auto&... each) { kernel(each.value()...); }, arguments);
  };
  std::size_t rounds = 1;
  while (seconds_of(rounds, restore_and_solve) < seconds / 8) {
    rounds *= 2;
  }
  rounds *= 4;
  const double each = (seconds_of(rounds, restore_and_solve) - seconds_of(rounds, restore)) / static_cast<double>(rounds * problems);
  const double rate = cycles_a_second();
  std::printf("%.2f ns a problem, %.1f cycles at %.2f GHz (%zu problems)\n", 1e9 * each, each * rate, 1e-9 * rate, problems);
}

}  // namespace

int main(int count, char** words) { run(&KERNEL, count > 1 ? std::atof(words[1]) : 1); }
