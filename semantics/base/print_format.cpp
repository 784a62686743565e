#include "semantics/base/print_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>

namespace lockstep {
namespace {

constexpr std::string_view integer_letters = "diouxXc";
constexpr std::string_view float_letters = "fFeEgGaA";

/// Widths and precisions may have so many digits: what a call prints stays small.
constexpr std::size_t most_digits = 3;

bool is_format_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a format from left to right.
class FormatReader {
 public:
  explicit FormatReader(std::string_view written) : written_(written) {}

  std::expected<PrintFormat, WrongFormat> read() {
    std::string text;
    while (at_ < written_.size() && why_.empty()) {
      if (written_.substr(at_).starts_with("%%")) {
        text += '%';
        at_ += 2;
      } else if (written_[at_] == '%') {
        format_.texts.push_back(std::exchange(text, {}));
        read_conversion();
      } else if (written_[at_] == '\\') {
        read_escape(text);
      } else {
        text += written_[at_++];
      }
    }
    if (!why_.empty()) {
      return std::unexpected(WrongFormat{begin_, std::max(std::min(at_, written_.size()), begin_ + 1), why_});
    }
    format_.texts.push_back(std::move(text));
    return std::move(format_);
  }

 private:
  void fail(std::string why) { why_ = why_.empty() ? std::move(why) : why_; }
  char here() const { return at_ < written_.size() ? written_[at_] : '\0'; }

  std::string digits() {
    std::string all;
    for (; is_format_digit(here()); ++at_) {
      all += here();
    }
    if (all.size() > most_digits) {
      fail("a width or precision has at most three digits");
    }
    return all;
  }

  void read_conversion() {
    begin_ = at_++;
    PrintConversion conversion;
    conversion.begin = begin_;
    for (; here() != '\0' && std::string_view("-+ #0").contains(here()); ++at_) {
      if (!conversion.flags.contains(here())) {
        conversion.flags += here();
      }
    }
    conversion.width = digits();
    if (here() == '.') {
      ++at_;
      conversion.precision = "." + digits();
    }
    if (here() == '*') {
      return fail("'*' is no width in OpenCL C; it is written as a number");
    }
    if (here() == 'v') {
      ++at_;
      const std::string count = digits();
      constexpr std::array<std::string_view, 5> counts = {"2", "3", "4", "8", "16"};
      if (std::ranges::find(counts, count) == counts.end()) {
        return fail("'v' needs 2, 3, 4, 8 or 16 behind it, the components of a vector");
      }
      conversion.components = static_cast<unsigned>(std::stoul(count));
    }
    for (const std::string_view length : {"hh", "hl", "h", "ll", "l"}) {
      if (written_.substr(at_).starts_with(length)) {
        conversion.length = length;
        at_ += length.size();
        break;
      }
    }
    finish(conversion);
  }

  void finish(PrintConversion& conversion) {
    conversion.letter = here();
    ++at_;
    conversion.end = at_;
    if (conversion.letter == 's') {
      return fail("'%s' is for a string that stands in the call itself: there are no others in kernels");
    }
    if (conversion.letter == 'p') {
      return fail("a pointer is no number; print an index, or the difference to another pointer");
    }
    if (conversion.letter == '\0' || !(integer_letters.contains(conversion.letter) || float_letters.contains(conversion.letter))) {
      return fail("'%' needs d, i, o, u, x, X, c, f, F, e, E, g, G, a or A at its end; for the sign itself write '%%'");
    }
    if (conversion.length == "ll") {
      return fail("a long is written with one 'l'");
    }
    if (conversion.length == "hl" && conversion.components == 0) {
      return fail("'hl' is for vectors, such as %v4hlf");
    }
    const bool is_number = conversion.components == 0;
    if (conversion.is_float() && is_number && !conversion.length.empty()) {
      return fail("a float or double is written without 'h' or 'l'");
    }
    if (conversion.is_float() && (conversion.length == "hh" || conversion.length == "h")) {
      return fail("vectors of floats are written with 'hl', of doubles with 'l'");
    }
    if (conversion.letter == 'c' && !(is_number && conversion.length.empty() && conversion.precision.empty())) {
      return fail("'%c' is one character and has nothing but a width");
    }
    if (why_.empty()) {
      format_.conversions.push_back(conversion);
    }
  }

  /// C99 6.4.4.4.
  void read_escape(std::string& text) {
    begin_ = at_++;
    constexpr std::string_view letters = "abfnrtv\\'\"?";
    constexpr std::string_view values = "\a\b\f\n\r\t\v\\'\"?";
    const char letter = here();
    if (const std::size_t found = letters.find(letter); letter != '\0' && found != std::string_view::npos) {
      text += values[found];
      ++at_;
      return;
    }
    const bool is_hexadecimal = letter == 'x';
    at_ += is_hexadecimal ? 1U : 0U;
    const std::string_view numerals = is_hexadecimal ? "0123456789abcdef0123456789ABCDEF" : "01234567";
    const std::size_t most = is_hexadecimal ? 2 : 3;
    unsigned value = 0;
    std::size_t count = 0;
    for (; count < most && here() != '\0' && numerals.contains(here()); ++count, ++at_) {
      value = value * (is_hexadecimal ? 16U : 8U) + static_cast<unsigned>(numerals.find(here()) % 16);
    }
    if (count == 0 || value > 0xff) {
      return fail(count == 0 ? "there is no such escape" : "the value of this escape does not fit a char");
    }
    text += static_cast<char>(value);
  }

  std::string_view written_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of what is read
  std::string why_;
  PrintFormat format_;
};

template <class... Values>
std::string formatted(const std::string& form, Values... values) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, form.c_str(), values...)) + 1, '\0');
  std::snprintf(text.data(), text.size(), form.c_str(), values...);
  text.pop_back();
  return text;
}

/// The integer as one of so many bytes, with or without a sign.
std::uint64_t narrowed(std::uint64_t word, std::size_t bytes, bool has_sign) {
  const std::size_t unused = 64 - 8 * bytes;
  const std::uint64_t high = word << unused;
  return has_sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused) : high >> unused;
}

std::string printed_number(const PrintConversion& c, std::uint64_t word) {
  const std::string form = "%" + c.flags + c.width + c.precision;
  if (c.is_float()) {
    return formatted(form + c.letter, std::bit_cast<double>(word));
  }
  if (c.letter == 'c') {
    return formatted(form + "c", static_cast<int>(word & 0xff));
  }
  const std::size_t bytes = c.length == "hh" ? 1 : c.length == "h" ? 2 : c.length == "l" ? 8 : 4;
  const bool has_sign = c.letter == 'd' || c.letter == 'i';
  const std::uint64_t number = narrowed(word, bytes, has_sign);
  return has_sign ? formatted(form + "lld", static_cast<long long>(number))
                  : formatted(form + "ll" + c.letter, static_cast<unsigned long long>(number));
}

}  // namespace

bool PrintConversion::is_float() const { return float_letters.contains(letter); }

std::size_t PrintFormat::numbers() const {
  std::size_t count = 0;
  for (const PrintConversion& conversion : conversions) {
    count += conversion.numbers();
  }
  return count;
}

std::expected<PrintFormat, WrongFormat> read_print_format(std::string_view written) { return FormatReader(written).read(); }

std::string printed(const PrintFormat& format, std::span<const std::uint64_t> numbers) {
  std::string text = format.texts.front();
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.conversions.size(); ++i) {
    const PrintConversion& conversion = format.conversions[i];
    for (std::size_t k = 0; k < conversion.numbers(); ++k) {
      text += (k == 0 ? "" : ",") + printed_number(conversion, numbers[next++]);
    }
    text += format.texts[i + 1];
  }
  return text;
}

}  // namespace lockstep
