#pragma once
// One call of a wrapper of an intrinsic (intrinsics.hpp): its operands, made at random, and what it leaves.

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/ve/intrinsics.hpp"
#include "tests/ve/reference.hpp"
#include "tests/ve/support.hpp"

namespace lockstep::test {

using Elements = std::vector<std::uint64_t>;

inline constexpr unsigned all = 256;  ///< elements of a vector
/// Random numbers, with those at which something changes.
class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}

  std::uint64_t any() {
    constexpr auto words =
        std::to_array<std::uint32_t>({0, 1, 0xffffffffU, 0x7fffffffU, 0x80000000U, 0x3f800000U, 0xbf800000U, 0x7f800000U, 0xff800000U,
                                      0x7fc00000U, 0x00000001U, 0x00800000U, 2, 31, 32, 33, 63, 0xfffffffeU});
    constexpr auto longs = std::to_array<std::uint64_t>(
        {0, 1, ~std::uint64_t{0}, 0x8000000000000000U, 0x7fffffffffffffffU, 0x3ff0000000000000U, 0xbff0000000000000U, 0x7ff0000000000000U,
         0xfff0000000000000U, 0x7ff8000000000000U, 0x0010000000000000U, 2, 64, 0xfffffffffffffffeU, 0x4000000000000000U});
    const auto word = [&] { return random_() % 3 == 0 ? words[random_() % words.size()] : static_cast<std::uint32_t>(random_()); };
    switch (random_() % 4) {
      case 0:
        return longs[random_() % longs.size()];
      case 1: {  // doubles near each other
        const double d = static_cast<double>(static_cast<std::int64_t>(random_())) / 4e18;
        std::uint64_t bits = 0;
        std::memcpy(&bits, &d, sizeof bits);
        return bits;
      }
      default: {
        const std::uint64_t upper = word();
        return upper << 32U | word();
      }
    }
  }

  std::uint64_t value(Values values, bool second) {
    const auto ties = [&] { return static_cast<double>(static_cast<int>(random_() % 4001) - 2000) / 2; };
    const auto of_double = [](double d) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &d, sizeof bits);
      return bits;
    };
    const auto of_float = [](float f) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &f, sizeof bits);
      return std::uint64_t{bits};
    };
    switch (values) {
      case Values::Any:
        return any();
      case Values::Divisor: {
        std::uint64_t made = any();
        while (second && static_cast<std::uint32_t>(made) == 0) {
          made = any();
        }
        return made;
      }
      case Values::ToLong:
        return of_double(random_() % 2 == 0 ? ties()
                                            : std::ldexp(static_cast<double>(static_cast<std::int64_t>(random_())),
                                                         -static_cast<int>(1 + random_() % 62)));
      case Values::ToIntDouble:
        return of_double(random_() % 2 == 0 ? ties() : static_cast<double>(static_cast<std::int32_t>(random_())) * 0.99);
      case Values::ToIntFloat: {
        const auto one = [&] {
          return random_() % 2 == 0 ? static_cast<float>(ties()) : static_cast<float>(static_cast<std::int32_t>(random_())) * 0.99F;
        };
        const std::uint64_t upper = of_float(one());
        return upper << 32U | of_float(one());
      }
    }
    return 0;
  }

  Elements elements(Values values = Values::Any, bool second = false) {
    Elements made(all);
    for (std::uint64_t& element : made) {
      element = value(values, second);
    }
    return made;
  }

  /// No element, all, one, every other one, or any.
  Elements mask(unsigned kind) {
    Elements words(4);
    for (std::uint64_t& word : words) {
      word = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : kind == 2 ? 0x5555555555555555U : random_();
    }
    return words;
  }

  std::uint64_t operator()() { return random_(); }

 private:
  std::mt19937_64 random_;
};

/// Bit i of a mask in words, the first one leftmost.
inline bool has(const Elements& words, unsigned i, std::size_t first = 0) { return (words[first + i / 64] >> (63 - i % 64) & 1U) != 0; }

/// The first elements.
inline Elements below(unsigned count) {
  Elements words(4);
  for (unsigned i = 0; i < count; ++i) {
    words[i / 64] |= std::uint64_t{1} << (63 - i % 64);
  }
  return words;
}

/// What wrappers with a literal have in place of a scalar.
inline constexpr int literal_number = -3;

/// A call of a wrapper, and what it left in `out`.
class Trial {
 public:
  Trial(const ve::Object& object, const Intrinsic& intrinsic, Source& source, unsigned length, bool literal)
      : object_(object), intrinsic_(intrinsic), source_(source), length_(length), literal_(literal) {}

  const Intrinsic& intrinsic() const { return intrinsic_; }
  Source& source() { return source_; }
  unsigned length() const { return length_; }

  /// An operand: a vector, or one number in all elements.
  Elements operand(char letter, Values values = Values::Any, bool second = false) {
    if (letter == 'v') {
      Elements made = source_.elements(values, second);
      operands_.emplace_back(made);
      return made;
    }
    const std::uint64_t one = literal_ ? static_cast<std::uint64_t>(std::int64_t{literal_number}) : source_.value(values, second);
    operands_.emplace_back(one);
    return Elements(all, one);
  }
  void number(std::uint64_t value) { operands_.emplace_back(value); }

  /// Eight words of a mask: of upper halves, and of lower ones. A blank: all.
  Elements mask(char letter) {
    if (letter == ' ') {
      return Elements(8, ~std::uint64_t{0});
    }
    const auto kind = static_cast<unsigned>(source_() % 4);
    const Elements upper = source_.mask(kind);
    const Elements lower = letter == 'M' ? source_.mask(kind) : upper;
    Elements both = upper;
    both.insert(both.end(), lower.begin(), lower.end());
    operands_.emplace_back(letter == 'M' ? both : upper);
    return both;
  }

  Elements run(unsigned stored) {
    std::vector<Given> arguments = {Elements(all, 0), std::uint64_t{length_}, std::uint64_t{stored}, below(length_)};
    arguments.insert(arguments.end(), operands_.begin(), operands_.end());
    Called called = call(object_, "f_" + intrinsic_.name() + (literal_ ? "_k" : ""), arguments);
    if (called.outcome.fault) {
      CAPTURE(intrinsic_.name(), length_, literal_, called.outcome.fault->message);
      FAIL("the wrapper does not return");
    }
    return called.buffers.at(0);
  }

  void expect(Compared compared, unsigned i, std::uint64_t got, std::uint64_t wanted) {
    if (!agree(compared, got, wanted)) {
      CAPTURE(intrinsic_.name(), literal_, length_, i, std::hex, got, wanted);
      FAIL("the machine and the reference differ");
    }
  }

 private:
  const ve::Object& object_;
  const Intrinsic& intrinsic_;
  Source& source_;
  unsigned length_;
  bool literal_;
  std::vector<Given> operands_;
};

}  // namespace lockstep::test
