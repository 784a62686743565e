// Loops of set, and of setp on .f16 and .bf16.

#include "interpreter/ptx/lane_cold.hpp"
#include "semantics/ptx/operations/halves.hpp"

namespace lockstep::ptx_machine {
namespace {

template <Relation relation, bool ftz>
constexpr auto compared = [](auto a, auto b) { return holds<relation>(flushed<ftz>(a), flushed<ftz>(b)); };
template <Relation relation>
constexpr auto compared_integers = [](auto a, auto b) { return holds<relation>(a, b); };
template <class F, Relation relation, bool ftz>
constexpr auto compared_halves =
    [](Half a, Half b) { return holds<relation>(widened<F>(half_flushed<ftz, F>(a)), widened<F>(half_flushed<ftz, F>(b))); };

template <class Pick>
LaneFunction with_relation(Relation relation, Pick pick) {
  switch (relation) {
    case Relation::Equal:
      return pick.template operator()<Relation::Equal>();
    case Relation::NotEqual:
      return pick.template operator()<Relation::NotEqual>();
    case Relation::Less:
      return pick.template operator()<Relation::Less>();
    case Relation::LessEqual:
      return pick.template operator()<Relation::LessEqual>();
    case Relation::Ordered:
      return pick.template operator()<Relation::Ordered>();
  }
  return nullptr;
}
/// pick.operator()<comparison of halves>() for source type `type`.
template <class Pick>
LaneFunction with_half_comparison(const LaneKey& key, Type type, Pick pick) {
  return with_relation(key.relation, [&]<Relation relation>() -> LaneFunction {
    if (type == Type::F16 || type == Type::F16x2) {
      return key.ftz ? pick.template operator()<compared_halves<F16, relation, true>>()
                     : pick.template operator()<compared_halves<F16, relation, false>>();
    }
    return pick.template operator()<compared_halves<BF16, relation, false>>();
  });
}

/// What stands for true in a number of the type.
std::uint64_t truth_of(Type type) {
  switch (type) {
    case Type::F32:
      return F32::one;
    case Type::F16:
    case Type::F16x2:
      return F16::one;
    case Type::BF16:
    case Type::BF16x2:
      return BF16::one;
    default:
      return ~std::uint64_t{0};
  }
}

/// The lower, or upper, halves of 64 words.
void split(const void* row, std::size_t first, bool upper, Half* halves) {
  const auto* words = static_cast<const std::uint32_t*>(row) + first;
  for (std::size_t t = 0; t < 64; ++t) {
    halves[t] = static_cast<Half>(words[t] >> (upper ? 16 : 0));
  }
}
const void* behind(const void* row, std::size_t bytes) { return row == nullptr ? nullptr : static_cast<const char*>(row) + bytes; }

/// One function on the lower halves of 64 words, and on the upper ones; the results, of R, to `low` and `high`.
template <auto function, class R>
void on_both(const LaneRows& rows, const LaneNumbers& numbers, std::size_t first, R* low, R* high) {
  alignas(64) Half a[64];
  alignas(64) Half b[64];
  for (const bool upper : {false, true}) {
    split(rows.from[0], first, upper, a);
    split(rows.from[1], first, upper, b);
    function(LaneRows{{upper ? high : low, nullptr}, {a, b, behind(rows.from[2], first), nullptr, nullptr}}, numbers, 64);
  }
}
/// setp: to[0] is the lower halves' answer, to[1] that of the upper ones.
template <auto compare>
void set_predicate_pairs(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  for (std::size_t first = 0; first < lanes; first += 64) {
    alignas(64) std::uint8_t answers[2][64];
    on_both<set_predicates<compare, Half>>(rows, numbers, first, answers[0], answers[1]);
    for (std::size_t side = 0; side < 2; ++side) {
      if (rows.to[side] != nullptr) {
        auto* p = static_cast<std::uint8_t*>(rows.to[side]) + first;
        loop_over(64, [](std::uint8_t t) { return t; }, p, answers[side]);
      }
    }
  }
}
/// set: each half of to[0].
template <auto compare>
void set_number_pairs(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  for (std::size_t first = 0; first < lanes; first += 64) {
    alignas(64) Half low[64];
    alignas(64) Half high[64];
    on_both<set_numbers<compare, Half, Half>>(rows, numbers, first, low, high);
    auto* d = static_cast<std::uint32_t*>(rows.to[0]) + first;
    loop_over(64, [](Half x, Half y) { return static_cast<std::uint32_t>(y) << 16 | x; }, d, low, high);
  }
}

/// The loop for a destination of 2 or 4 bytes.
template <auto compare, class T>
LaneFunction number_setter(const LaneKey& key) {
  return ptx::bytes_of(key.types[0]) == 2 ? set_numbers<compare, std::uint16_t, T> : set_numbers<compare, std::uint32_t, T>;
}
LaneFunction integer_setter(const LaneKey& key) {
  return of_integer(key.types[1], [&]<class T>() -> LaneFunction {
    return key.relation == Relation::Equal ? number_setter<compared_integers<Relation::Equal>, T>(key)
                                           : number_setter<compared_integers<Relation::Less>, T>(key);
  });
}

}  // namespace

namespace cold {

LaneLoop setp_half(const LaneKey& key) {
  const LaneFunction function =
      with_half_comparison(key, key.types[0], []<auto compare>() -> LaneFunction { return set_predicates<compare, Half>; });
  return {function, numbers_of(key, 0)};
}
LaneLoop setp_half_bool(const LaneKey& key) { return setp_half(key); }
LaneLoop setp_half_pair(const LaneKey& key) {
  const LaneFunction function =
      with_half_comparison(key, key.types[0], []<auto compare>() -> LaneFunction { return set_predicate_pairs<compare>; });
  return {function, numbers_of(key, 0)};
}
LaneLoop setp_half_pair_bool(const LaneKey& key) { return setp_half_pair(key); }

LaneLoop set_integer(const LaneKey& key) { return {integer_setter(key), numbers_of(key, truth_of(key.types[0]))}; }
LaneLoop set_integer_bool(const LaneKey& key) { return set_integer(key); }
LaneLoop set_float(const LaneKey& key) {
  const LaneFunction function = with_relation(key.relation, [&]<Relation relation>() -> LaneFunction {
    return of_float(key.types[1], key.ftz,
                    [&]<class T, bool ftz>() -> LaneFunction { return number_setter<compared<relation, ftz>, T>(key); });
  });
  return {function, numbers_of(key, truth_of(key.types[0]))};
}
LaneLoop set_float_bool(const LaneKey& key) { return set_float(key); }
LaneLoop set_half(const LaneKey& key) {
  const LaneFunction function =
      with_half_comparison(key, key.types[1], [&]<auto compare>() -> LaneFunction { return number_setter<compare, Half>(key); });
  return {function, numbers_of(key, truth_of(key.types[0]))};
}
LaneLoop set_half_bool(const LaneKey& key) { return set_half(key); }
LaneLoop set_half_pair(const LaneKey& key) {
  const LaneFunction function =
      with_half_comparison(key, key.types[1], []<auto compare>() -> LaneFunction { return set_number_pairs<compare>; });
  return {function, numbers_of(key, truth_of(key.types[0]))};
}
LaneLoop set_half_pair_bool(const LaneKey& key) { return set_half_pair(key); }

}  // namespace cold
}  // namespace lockstep::ptx_machine
