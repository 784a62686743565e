#pragma once
// Loops over rows. They are inlined where they are used: files that are compiled for wider processors include this, and no function of
// theirs may be taken for another's.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "interpreter/ptx/lane_key.hpp"
#include "interpreter/ptx/lane_operations.hpp"

namespace lockstep::ptx_machine {

/// A loop that was found, and what it has to know. Without a function, there is none for the key.
struct LaneLoop {
  LaneFunction function = nullptr;
  LaneNumbers numbers{};
};

namespace {  // NOLINT(google-build-namespaces): local to each file that includes it

using namespace ptx::operations;  // NOLINT(google-build-using-namespace): the functions that rows apply
using ptx::Type;

/// Each lane by itself; a destination is one of the sources or apart from them.
template <class Each>
[[gnu::always_inline]] inline void for_lanes(std::size_t lanes, Each each) {
#pragma GCC ivdep
  for (std::size_t t = 0; t < (lanes & ~std::size_t{63}); ++t) {
    each(t);
  }
}

template <class R, class F, class... A>
[[gnu::always_inline]] inline void loop_over(std::size_t lanes, F f, R* d, const A*... x) {
  for_lanes(lanes, [&](std::size_t t) { d[t] = static_cast<R>(f(x[t]...)); });
}

template <class F, class R, class... A>
void run_loop(const LaneRows& rows, const LaneNumbers& /*numbers*/, std::size_t lanes) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    loop_over(lanes, F(), static_cast<R*>(rows.to[0]), static_cast<const A*>(rows.from[i])...);
  }(std::index_sequence_for<A...>());
}
/// to[0][t] := f(from[0][t], from[1][t], …), the operands being of types A. f captures nothing.
template <class R, class... A, class F>
[[gnu::always_inline]] inline LaneFunction loop(F /*f*/) {
  return run_loop<F, R, A...>;
}

// pick.operator()<T>() for the C++ type T of a PTX type; null for types that are not of the kind.

template <class Pick>
[[gnu::always_inline]] inline LaneFunction of_width(std::uint32_t bytes, Pick pick) {
  switch (bytes) {
    case 1:
      return pick.template operator()<std::uint8_t>();
    case 2:
      return pick.template operator()<std::uint16_t>();
    case 4:
      return pick.template operator()<std::uint32_t>();
    case 8:
      return pick.template operator()<std::uint64_t>();
    default:
      return nullptr;
  }
}
/// Of 2, 4 or 8 bytes.
template <class Pick>
[[gnu::always_inline]] inline LaneFunction of_size(Type type, Pick pick) {
  const std::uint32_t bytes = ptx::bytes_of(type);
  return bytes == 2   ? pick.template operator()<std::uint16_t>()
         : bytes == 4 ? pick.template operator()<std::uint32_t>()
         : bytes == 8 ? pick.template operator()<std::uint64_t>()
                      : nullptr;
}
template <class Pick>
[[gnu::always_inline]] inline LaneFunction of_integer32(Type type, Pick pick) {
  switch (type) {
    case Type::U32:
      return pick.template operator()<std::uint32_t>();
    case Type::S32:
      return pick.template operator()<std::int32_t>();
    case Type::U64:
      return pick.template operator()<std::uint64_t>();
    case Type::S64:
      return pick.template operator()<std::int64_t>();
    default:
      return nullptr;
  }
}
/// Bits count as unsigned.
template <class Pick>
[[gnu::always_inline]] inline LaneFunction of_integer(Type type, Pick pick) {
  switch (type) {
    case Type::B16:
    case Type::U16:
      return pick.template operator()<std::uint16_t>();
    case Type::S16:
      return pick.template operator()<std::int16_t>();
    case Type::B32:
      return pick.template operator()<std::uint32_t>();
    case Type::B64:
      return pick.template operator()<std::uint64_t>();
    default:
      return of_integer32(type, pick);
  }
}
template <class Pick>
[[gnu::always_inline]] inline LaneFunction of_float(Type type, Pick pick) {
  return type == Type::F32 ? pick.template operator()<float>() : type == Type::F64 ? pick.template operator()<double>() : nullptr;
}
/// pick.operator()<T, ftz>(), ftz only for float.
template <class Pick>
[[gnu::always_inline]] inline LaneFunction of_float(Type type, bool ftz, Pick pick) {
  if (type == Type::F32) {
    return ftz ? pick.template operator()<float, true>() : pick.template operator()<float, false>();
  }
  return type == Type::F64 ? pick.template operator()<double, false>() : nullptr;
}

// ---- comparisons -------------------------------------------------------------------------------------------------------

/// What is done with a comparison's answer: answer ^ opposite, combined with the predicate ^ negated.
struct Answer {
  std::uint8_t opposite = 0;
  BoolOperator combined = BoolOperator::None;
  std::uint8_t negated = 0;
  bool exchanged = false;
};
[[gnu::always_inline]] inline LaneNumbers numbers_of(const LaneKey& key, std::uint64_t if_true) {
  return {static_cast<std::uint64_t>(key.opposite),
          static_cast<std::uint64_t>(key.combined),
          static_cast<std::uint64_t>(key.negated),
          static_cast<std::uint64_t>(key.exchanged),
          if_true,
          0};
}
[[gnu::always_inline]] inline Answer answer_of(const LaneNumbers& numbers) {
  return {static_cast<std::uint8_t>(numbers[0]), static_cast<BoolOperator>(numbers[1]), static_cast<std::uint8_t>(numbers[2]),
          numbers[3] != 0};
}
/// 64 truths t combined with the predicates c, both 0 or 1.
[[gnu::always_inline]] inline void combine(std::uint8_t* truth, const std::uint8_t* c, BoolOperator combined, std::uint8_t negated) {
  switch (combined) {
    case BoolOperator::And:
      loop_over(64, [&](std::uint8_t t, std::uint8_t p) { return t & (p ^ negated); }, truth, truth, c);
      break;
    case BoolOperator::Or:
      loop_over(64, [&](std::uint8_t t, std::uint8_t p) { return t | (p ^ negated); }, truth, truth, c);
      break;
    case BoolOperator::Xor:
      loop_over(64, [&](std::uint8_t t, std::uint8_t p) { return t ^ p ^ negated; }, truth, truth, c);
      break;
    case BoolOperator::None:
      break;
  }
}

/// setp: to[0] is the answer, to[1] that of the opposite comparison; from[2] the predicate.
template <auto compare, class T>
void set_predicates(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const Answer answer = answer_of(numbers);
  const T* a = static_cast<const T*>(rows.from[answer.exchanged ? 1 : 0]);
  const T* b = static_cast<const T*>(rows.from[answer.exchanged ? 0 : 1]);
  auto* p = static_cast<std::uint8_t*>(rows.to[0]);
  auto* q = static_cast<std::uint8_t*>(rows.to[1]);
  const std::uint8_t opposite = answer.opposite;
  if (answer.combined == BoolOperator::None && q == nullptr && p != nullptr) {
    loop_over(lanes, [&](T x, T y) { return static_cast<std::uint8_t>(compare(x, y)) ^ opposite; }, p, a, b);
    return;
  }
  const auto* c = static_cast<const std::uint8_t*>(rows.from[2]);
  for (std::size_t first = 0; first < lanes; first += 64) {
    alignas(64) std::uint8_t truth[64];
    alignas(64) std::uint8_t untruth[64];
    loop_over(64, [&](T x, T y) { return static_cast<std::uint8_t>(compare(x, y)) ^ opposite; }, truth, a + first, b + first);
    loop_over(64, [](std::uint8_t t) { return t ^ 1; }, untruth, truth);
    if (answer.combined != BoolOperator::None) {
      combine(truth, c + first, answer.combined, answer.negated);
      combine(untruth, c + first, answer.combined, answer.negated);
    }
    if (p != nullptr) {
      loop_over(64, [](std::uint8_t t) { return t; }, p + first, truth);
    }
    if (q != nullptr) {
      loop_over(64, [](std::uint8_t t) { return t; }, q + first, untruth);
    }
  }
}

/// set: numbers[4] in to[0] where the answer is true, else 0.
template <auto compare, class R, class T>
void set_numbers(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const Answer answer = answer_of(numbers);
  const T* a = static_cast<const T*>(rows.from[answer.exchanged ? 1 : 0]);
  const T* b = static_cast<const T*>(rows.from[answer.exchanged ? 0 : 1]);
  const auto* c = static_cast<const std::uint8_t*>(rows.from[2]);
  R* d = static_cast<R*>(rows.to[0]);
  const R if_true = static_cast<R>(numbers[4]);
  for (std::size_t first = 0; first < lanes; first += 64) {
    alignas(64) std::uint8_t truth[64];
    loop_over(64, [&](T x, T y) { return static_cast<std::uint8_t>(compare(x, y)) ^ answer.opposite; }, truth, a + first, b + first);
    if (answer.combined != BoolOperator::None) {
      combine(truth, c + first, answer.combined, answer.negated);
    }
    loop_over(64, [&](std::uint8_t t) { return t != 0 ? if_true : R{0}; }, d + first, truth);
  }
}

}  // namespace
}  // namespace lockstep::ptx_machine
