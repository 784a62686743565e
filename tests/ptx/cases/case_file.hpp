#pragma once
// A case of the PTX corpus: one PTX file whose comments say how it is launched and what must come of it (docs/file-tests.md). It is linked
// to nothing of ours, so that a program for hardware can read cases as well.

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::ptx_cases {

/// The type of an element: `b16`, `u32`, `f64`.
struct ElementType {
  char kind = 'b';     ///< b, u, s, f
  unsigned bytes = 4;  ///< 1, 2, 4, 8; of f 4 or 8

  bool operator==(const ElementType&) const = default;
};

/// What a parameter of the kernel gets.
struct Argument {
  std::string name;  ///< of the parameter
  ElementType type;
  bool is_buffer = true;
  std::vector<std::uint64_t> values = {};  ///< bits; of a scalar one; of a pointer how many bytes behind the buffer's beginning
  bool is_parameter = true;                ///< no memory that only pointers point into
  std::string into = {};                   ///< of a pointer: the buffer, which stands in front of it
};

/// What an element has to be at the end.
struct ExpectedBits {
  std::uint64_t bits = 0;
  bool operator==(const ExpectedBits&) const = default;
};
struct ExpectedNan {  ///< any NaN of the type
  bool operator==(const ExpectedNan&) const = default;
};
struct ExpectedAny {
  bool operator==(const ExpectedAny&) const = default;
};
using Expected = std::variant<ExpectedBits, ExpectedNan, ExpectedAny>;

struct Expectation {
  std::string name;  ///< of a buffer
  std::vector<Expected> values;
};

struct Case {
  std::vector<std::string> forms;  ///< what it is the case of, named as in tests/ptx/forms.txt
  std::string kernel;              ///< empty: the file's only one
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  unsigned shared = 0;              ///< bytes of dynamic shared memory
  std::vector<Argument> arguments;  ///< in the order of the parameters
  std::vector<Expectation> expectations;
  std::vector<std::string> faults;         ///< it does not end well: in one of these faults, or in a "race"
  std::string refused;                     ///< an instruction that does not run, as the file writes it
  std::optional<std::string> approximate;  ///< why results on hardware may have other bits
};

/// Where a directive is wrong: the line, from 1, and a sentence.
struct CaseError {
  unsigned line = 0;
  std::string sentence;
};

/// Reads the directives of a text. Unknown ones are errors.
std::expected<Case, CaseError> parse_case(std::string_view text);

/// "s32"
std::string text_of(ElementType type);
/// A number as cases have it: integers in decimal, bits in hexadecimal, floats as the shortest decimal number that is read back the same;
/// a NaN as its bits in hexadecimal.
std::string text_of(ElementType type, std::uint64_t bits);

/// Whether the bits are what is expected.
bool is_as_expected(ElementType type, const Expected& expected, std::uint64_t bits);
std::string text_of(ElementType type, const Expected& expected);

}  // namespace lockstep::ptx_cases
