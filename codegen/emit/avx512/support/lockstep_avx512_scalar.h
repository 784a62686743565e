// Small things that kernels need besides vectors. C++17.
#ifndef LOCKSTEP_AVX512_SCALAR_H
#define LOCKSTEP_AVX512_SCALAR_H

#include <cstdio>
#include <cstdlib>

namespace lockstep_avx512 {

/// Whether bytes p_first to p_end - 1 behind p and q_first to q_end - 1 behind q have none in common.
LOCKSTEP_AVX512_FN bool apart(const void* p, std::uint64_t p_first, std::uint64_t p_end, const void* q, std::uint64_t q_first,
                              std::uint64_t q_end) {
  const std::uint64_t a = reinterpret_cast<std::uintptr_t>(p);
  const std::uint64_t b = reinterpret_cast<std::uintptr_t>(q);
  return a + p_end <= b + q_first || b + q_end <= a + p_first;
}

/// `count` numbers, zeros at first, for what is too big for the stack. Ends the program if there is no memory.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t count) : begin_(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64))) {
    if (begin_ == nullptr) {
      std::perror("a kernel's memory");
      std::abort();
    }
    std::memset(begin_, 0, count * sizeof(T));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { std::free(begin_); }
  T* begin() const { return begin_; }

 private:
  T* begin_;
};

/// A whole vector; past the caches if Stream says so, and then p is a multiple of 64 bytes.
template <bool Stream, class T, int W>
LOCKSTEP_AVX512_FN void store(T* p, Vec<T, W> v) {
  if constexpr (Stream) {
    stream(p, v);
  } else {
    store(p, v);
  }
}

/// v, in a register: the compiler must not take it from memory again for each use.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> in_register(Vec<T, W> v) {
#if LOCKSTEP_AVX512_NATIVE
  if constexpr (is_pair<Vec<T, W>>) {
    __asm__("" : "+v"(v.lo), "+v"(v.hi));
  } else {
    __asm__("" : "+v"(v.r));
  }
#endif
  return v;
}

// ---- Columns
// ----------------------------------------------------------------------------------------------------------------------------------

/// The columns of a square of lanes.
template <class V>
struct Columns {
  V column[width<V>];
};
/// From its rows: lane i of column j is lane j of row i.
template <class V, class... Row>
LOCKSTEP_AVX512_FN Columns<V> columns(Row... row) {
  Columns<V> square = {{row...}};
  transpose(square.column);
  return square;
}

// ---- Loops and votes
// --------------------------------------------------------------------------------------------------------------------------

/// Where part `number` of `parts` begins, of `count` things.
LOCKSTEP_AVX512_FN std::int64_t part(std::int64_t count, std::int64_t number, std::int64_t parts) {
  return count / parts * number + (count % parts < number ? count % parts : number);
}

}  // namespace lockstep_avx512

#endif  // LOCKSTEP_AVX512_SCALAR_H
