#pragma once
// The formats of printf in kernels (OpenCL C 1.2, 6.12.13), and what calls leave for whoever prints them.
//
// A kernel prints nothing itself: a call appends to a buffer of 64-bit words. The first word counts how many were wanted; behind it come
// the calls, each with the number of its format, its group, and a word for each number: an integer, extended by its sign, or the bits of a
// double. A format is a __constant array of words: its number, then its characters.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// Words of the buffer; what does not fit is lost, and the first word tells that.
inline constexpr std::uint64_t print_words = std::uint64_t{1} << 18;
/// Words in front of a call's numbers.
inline constexpr std::size_t print_head = 2;
/// The parameter that points to the buffer, and what the arrays of formats begin with. No text declares them.
inline constexpr std::string_view print_buffer_name = "__printf";
inline constexpr std::string_view print_format_prefix = "__printf_";
/// The macro that is there where calls leave something; elsewhere they only compute their arguments.
inline constexpr std::string_view print_macro = "__LOCKSTEP_PRINTF__";

/// `%-8.3v4hlf`
struct PrintConversion {
  std::size_t begin = 0;  ///< in the format, as it is written
  std::size_t end = 0;
  std::string flags;        ///< of "-+ #0"
  std::string width;        ///< digits
  std::string precision;    ///< with its point
  unsigned components = 0;  ///< of a vector; 0: a number
  std::string length;       ///< "", "hh", "h", "hl" or "l"
  char letter = 'd';

  bool is_float() const;
  std::size_t numbers() const { return components == 0 ? 1 : components; }
};

struct PrintFormat {
  std::vector<std::string> texts;  ///< in front of each conversion, and behind the last one
  std::vector<PrintConversion> conversions;

  std::size_t numbers() const;
};

struct WrongFormat {
  std::size_t begin = 0;  ///< in the format
  std::size_t end = 0;
  std::string why;
};

/// A format as it stands between the quotes, with escapes.
std::expected<PrintFormat, WrongFormat> read_print_format(std::string_view written);

/// What a call with these numbers prints.
std::string printed(const PrintFormat& format, std::span<const std::uint64_t> numbers);

}  // namespace lockstep
