#pragma once
// In place of a GPU and the CUDA runtime: with this header in front of it, emitted CUDA C++ is plain C++ for the compiler of a host.
//
// Each thread of a block is a fiber. One of those that can go on runs up to its next collective (a meeting of lanes, a vote, a shuffle, a
// match), and all lanes that are named there go on when each of them has come to it. Which one runs is random, and the same every time:
// what has to wait for others and does not leaves other numbers. Blocks run one after the other. Operations on numbers are written down as
// the PTX ISA describes the instructions that lockstep_cuda.h has for GPUs; compilers must not contract them (-ffp-contract=off).

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__CUDACC__) || defined(__CUDA__)
#error "this header is for compilers of hosts"
#endif
#define LOCKSTEP_CUDA_HOST

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

// ---- fibers ---------------------------------------------------------------------------------------------------------------------------

namespace lockstep_cuda_host {

struct Index {
  unsigned x = 0;
};

enum class Collective { Meeting, Vote, Shuffle, Match };

inline const char* name_of(Collective collective) {
  static const char* const names[] = {"__syncwarp", "__ballot_sync", "__shfl_sync", "__match_any_sync"};
  return names[static_cast<int>(collective)];
}

struct Thread {
  ucontext_t context = {};
  bool has_ended = false;
  // Where it waits, for whom, and with what.
  bool waits = false;
  Collective at = Collective::Meeting;
  unsigned mask = 0;
  uint64_t says = 0;
  unsigned from = 0;  // the lane that a shuffle takes from
  uint64_t gets = 0;
};

constexpr unsigned lanes_of_warp = 32;
constexpr unsigned most_threads = 1024;  // of a block
constexpr size_t stack_bytes = size_t{1} << 20;

/// The block that runs, and where.
struct Block {
  Index thread;
  Index block;
  Index grid;
  Thread threads[most_threads];
  unsigned ready[most_threads] = {};  // threads that can go on, in any order
  unsigned count = 0;                 // of those
  ucontext_t scheduler = {};
  void (*kernel)(const void*) = nullptr;
  const void* arguments = nullptr;
  uint64_t random = 1;
};
inline Block running;

[[noreturn]] inline void fail(unsigned thread, const char* why) {
  const Thread& one = running.threads[thread];
  fprintf(stderr, "lockstep_cuda_host: block %u, thread %u, %s of the lanes %#x: %s\n", running.block.x, thread, name_of(one.at), one.mask,
          why);
  _Exit(1);
}

inline bool names(unsigned mask, unsigned lane) { return (mask >> lane & 1) != 0; }

/// What a lane gets when all have come.
inline uint64_t answer(const Thread* warp, unsigned lane) {
  const Thread& one = warp[lane];
  unsigned lanes = 0;
  switch (one.at) {
    case Collective::Meeting:
      return 0;
    case Collective::Shuffle:
      return warp[one.from].says;
    case Collective::Vote:
    case Collective::Match:
      for (unsigned k = 0; k < lanes_of_warp; ++k) {
        const bool is_in = names(one.mask, k) && (one.at == Collective::Vote ? warp[k].says != 0 : warp[k].says == one.says);
        lanes |= unsigned(is_in) << k;
      }
      return lanes;
  }
  return 0;
}

/// Lets those go on for whom the thread was the last to come. One that waits elsewhere for others may come yet; if it waits for this one, both
/// wait for ever.
inline void arrive(unsigned number) {
  const unsigned first = number / lanes_of_warp * lanes_of_warp;
  Thread* warp = &running.threads[first];
  const unsigned mask = running.threads[number].mask;
  for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
    if (!names(mask, lane)) {
      continue;
    }
    const Thread& other = warp[lane];
    if (other.has_ended) {
      fail(number, "one of them has ended");
    }
    if (!other.waits) {
      return;
    }
    if (other.at != running.threads[number].at || other.mask != mask) {
      if (names(other.mask, number - first)) {
        fail(number, "one of them has come to another collective");
      }
      return;
    }
  }
  for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
    if (names(mask, lane)) {
      warp[lane].gets = answer(warp, lane);
    }
  }
  for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
    if (!names(mask, lane)) {
      continue;
    }
    warp[lane].waits = false;
    running.ready[running.count++] = first + lane;
  }
}

/// Called by a fiber.
inline uint64_t wait(Collective at, unsigned mask, uint64_t says, unsigned from) {
  const unsigned number = running.thread.x;
  Thread& self = running.threads[number];
  self.at = at;
  self.mask = mask;
  self.says = says;
  self.from = from;
  self.waits = true;
  if (!names(mask, number % lanes_of_warp)) {
    fail(number, "it is not one of them itself");
  }
  if (at == Collective::Shuffle && !names(mask, from)) {
    fail(number, "it takes from none of them");
  }
  swapcontext(&self.context, &running.scheduler);
  return self.gets;
}

inline void run_thread() {
  running.kernel(running.arguments);
  running.threads[running.thread.x].has_ended = true;
}

/// One of those that can go on, by an xorshift.
inline unsigned next_thread() {
  uint64_t& state = running.random;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  unsigned& chosen = running.ready[state % running.count];
  const unsigned thread = chosen;
  chosen = running.ready[--running.count];
  return thread;
}

inline void run_block(unsigned threads, char* stacks) {
  for (unsigned number = 0; number < threads; ++number) {
    running.threads[number] = Thread();
    ucontext_t& context = running.threads[number].context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + stack_bytes * number;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = &running.scheduler;
    makecontext(&context, run_thread, 0);
    running.ready[running.count++] = number;
  }
  while (running.count > 0) {
    const unsigned number = next_thread();
    running.thread.x = number;
    swapcontext(&running.scheduler, &running.threads[number].context);
    if (running.threads[number].waits) {
      arrive(number);
    }
  }
  for (unsigned number = 0; number < threads; ++number) {
    if (!running.threads[number].has_ended) {
      fail(number, "one of them never comes");
    }
  }
}

/// Blocks of so many threads, a multiple of a warp's, each of which calls the kernel.
template <class Kernel>
void run_grid(unsigned blocks, unsigned threads, const Kernel& kernel) {
  const size_t bytes = stack_bytes * threads;
  void* stacks = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) {
    fprintf(stderr, "lockstep_cuda_host: no memory for the stacks of %u threads\n", threads);
    _Exit(1);
  }
  running.kernel = [](const void* called) { (*static_cast<const Kernel*>(called))(); };
  running.arguments = &kernel;
  running.random = 1;
  running.grid.x = blocks;
  for (running.block.x = 0; running.block.x < blocks; ++running.block.x) {
    run_block(threads, static_cast<char*>(stacks));
  }
  munmap(stacks, bytes);
}

}  // namespace lockstep_cuda_host

inline const lockstep_cuda_host::Index& threadIdx = lockstep_cuda_host::running.thread;
inline const lockstep_cuda_host::Index& blockIdx = lockstep_cuda_host::running.block;
inline const lockstep_cuda_host::Index& gridDim = lockstep_cuda_host::running.grid;

inline void __syncwarp(unsigned mask) { lockstep_cuda_host::wait(lockstep_cuda_host::Collective::Meeting, mask, 0, 0); }
inline unsigned __ballot_sync(unsigned mask, bool says) {
  return unsigned(lockstep_cuda_host::wait(lockstep_cuda_host::Collective::Vote, mask, says, 0));
}
/// The source is a lane of the warp, modulo its width.
inline uint32_t __shfl_sync(unsigned mask, uint32_t word, int lane) {
  return uint32_t(lockstep_cuda_host::wait(lockstep_cuda_host::Collective::Shuffle, mask, word, unsigned(lane) % 32));
}
inline unsigned __match_any_sync(unsigned mask, unsigned long long number) {
  return unsigned(lockstep_cuda_host::wait(lockstep_cuda_host::Collective::Match, mask, number, 0));
}

// ---- numbers --------------------------------------------------------------------------------------------------------------------------

namespace lockstep_cuda {

/// cvt.rzi: towards zero, then to the nearest number that there is. A NaN becomes 0, or where one of the types has 64 bits, a number with
/// the highest bit alone.
template <class To, class T>
void truncate_to(T from, To& to) {
  constexpr int bits = 8 * int(sizeof(To));
  constexpr bool has_sign = To(-1) < To(0);
  const T end = T(__builtin_ldexp(1.0, has_sign ? bits - 1 : bits));  // the first number that is too large
  const To most = has_sign ? To(~(uint64_t(1) << (bits - 1))) : To(~uint64_t(0));
  const To least = has_sign ? To(uint64_t(1) << (bits - 1)) : To(0);
  if (from != from) {
    to = sizeof(To) == 8 || sizeof(T) == 8 ? To(uint64_t(1) << (bits - 1)) : To(0);
  } else {
    to = from >= end ? most : from <= (has_sign ? -end : T(0)) ? least : To(from);
  }
}

#define LOCKSTEP_HOST_FLOATS(T, suffix, Word, highest)                      \
  inline T add(T a, T b) { return a + b; }                                  \
  inline T sub(T a, T b) { return a - b; }                                  \
  inline T mul(T a, T b) { return a * b; }                                  \
  inline T div(T a, T b) { return a / b; }                                  \
  inline T fma(T a, T b, T c) { return __builtin_fma##suffix(a, b, c); }    \
  inline T sqrt(T a) { return __builtin_sqrt##suffix(a); }                  \
  inline T rcp(T a) { return 1 / a; }                                       \
  inline T neg(T a) { return -a; }                                          \
  inline T abs(T a) { return __builtin_fabs##suffix(a); }                   \
  inline bool lt(T a, T b) { return a < b; }                                \
  inline bool le(T a, T b) { return a <= b; }                               \
  inline bool gt(T a, T b) { return a > b; }                                \
  inline bool ge(T a, T b) { return a >= b; }                               \
  inline bool eq(T a, T b) { return a == b; }                               \
  inline bool ne(T a, T b) { return !(a == b); }                            \
  inline void truncate(T from, int32_t& to) { truncate_to(from, to); }      \
  inline void truncate(T from, uint32_t& to) { truncate_to(from, to); }     \
  inline void truncate(T from, int64_t& to) { truncate_to(from, to); }      \
  inline void truncate(T from, uint64_t& to) { truncate_to(from, to); }     \
  inline void round_to(int32_t from, T& to) { to = static_cast<T>(from); }  \
  inline void round_to(uint32_t from, T& to) { to = static_cast<T>(from); } \
  inline void round_to(int64_t from, T& to) { to = static_cast<T>(from); }  \
  inline void round_to(uint64_t from, T& to) { to = static_cast<T>(from); } \
  inline T with_bits(T a, Word same, Word other) {                          \
    Word bits;                                                              \
    memcpy(&bits, &a, sizeof bits);                                         \
    bits = (bits & same) ^ other;                                           \
    memcpy(&a, &bits, sizeof bits);                                         \
    return a;                                                               \
  }                                                                         \
  inline T with_other_sign(T a) { return with_bits(a, ~Word(0), highest); } \
  inline T without_sign(T a) { return with_bits(a, ~highest, Word(0)); }

LOCKSTEP_HOST_FLOATS(float, f, uint32_t, uint32_t(0x80000000u))
LOCKSTEP_HOST_FLOATS(double, , uint64_t, uint64_t(0x8000000000000000u))

inline float narrowed(double a) { return float(a); }
inline double widened(float a) { return a; }

}  // namespace lockstep_cuda
