#include "tests/ptx/cases/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace lockstep::ptx_cases {

namespace {

std::uint64_t mask_of(ElementType type) { return type.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * type.bytes)) - 1; }

std::optional<ElementType> type_named(std::string_view word) {
  for (const char kind : {'b', 'u', 's', 'f'}) {
    for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
      const ElementType type{kind, bytes};
      if ((kind != 'f' || bytes >= 4) && text_of(type) == word) {
        return type;
      }
    }
  }
  return std::nullopt;
}

bool is_nan(ElementType type, std::uint64_t bits) {
  return type.kind == 'f' &&
         (type.bytes == 4 ? std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits))) : std::isnan(std::bit_cast<double>(bits)));
}

std::optional<std::uint64_t> parse_float(ElementType type, const std::string& word) {
  char* end = nullptr;
  const std::uint64_t bits = type.bytes == 4 ? std::bit_cast<std::uint32_t>(std::strtof(word.c_str(), &end))
                                             : std::bit_cast<std::uint64_t>(std::strtod(word.c_str(), &end));
  return end == word.c_str() + word.size() ? std::optional(bits) : std::nullopt;
}

/// Hexadecimal integers are bits of any type.
std::optional<std::uint64_t> parse_number(ElementType type, const std::string& word) {
  const bool is_negative = word.starts_with('-');
  const bool is_hexadecimal = word.starts_with("0x");
  if (type.kind == 'f' && !is_hexadecimal) {
    return parse_float(type, word);
  }
  const char* begin = word.data() + (is_hexadecimal ? 2 : is_negative ? 1 : 0);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(begin, word.data() + word.size(), magnitude, is_hexadecimal ? 16 : 10);
  const std::uint64_t most = is_negative ? (mask_of(type) >> 1) + 1 : mask_of(type);
  if (error != std::errc() || end != word.data() + word.size() || magnitude > most) {
    return std::nullopt;
  }
  return (is_negative ? std::uint64_t{0} - magnitude : magnitude) & mask_of(type);
}

std::optional<unsigned> parse_unsigned(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// "X", "X,Y" or "X,Y,Z", none of them 0.
std::optional<std::array<unsigned, 3>> parse_extent(std::string_view text) {
  std::array<unsigned, 3> extent{1, 1, 1};
  for (unsigned& each : extent) {
    const std::size_t comma = text.find(',');
    const auto number = parse_unsigned(text.substr(0, comma));
    if (!number || *number == 0) {
      return std::nullopt;
    }
    each = *number;
    if (comma == std::string_view::npos) {
      return extent;
    }
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

using Words = std::vector<std::string>;
using Problem = std::optional<std::string>;

/// Reads one directive after the other.
class Reader {
 public:
  Problem read(const Words& words) {
    if (words.empty()) {
      return "a directive is missing behind //@";
    }
    const std::string& word = words.front();
    const Words rest(words.begin() + 1, words.end());
    if (word == "form") {
      case_.forms.insert(case_.forms.end(), rest.begin(), rest.end());
      return rest.empty() ? Problem("form: the name of a form is missing") : std::nullopt;
    }
    if (word == "run") {
      return read_run(rest);
    }
    if (word == "buffer" || word == "scalar" || word == "output" || word == "memory") {
      return read_argument(word, rest);
    }
    if (word == "pointer") {
      return read_pointer(rest);
    }
    if (word == "expect") {
      return read_expectation(rest);
    }
    if (word == "..") {
      return read_more(rest);
    }
    if (word == "fault") {
      case_.faults = rest;
      return rest.empty() ? Problem("fault: the name of a fault is missing") : std::nullopt;
    }
    if (word == "refused") {
      case_.refused = rest.empty() ? "" : rest.front();
      return rest.size() != 1 ? Problem("refused: one instruction, without its operands, is missing") : std::nullopt;
    }
    if (word == "approximate") {
      case_.approximate = "";
      for (const std::string& each : rest) {
        *case_.approximate += (case_.approximate->empty() ? "" : " ") + each;
      }
      return std::nullopt;
    }
    return fmt::format("there is no directive '{}'", word);
  }

  /// What is wrong with all of them together.
  Problem end() const {
    if (case_.forms.empty()) {
      return "there is no directive form";
    }
    const int kinds = (case_.expectations.empty() ? 0 : 1) + (case_.faults.empty() ? 0 : 1) + (case_.refused.empty() ? 0 : 1);
    if (kinds != 1) {
      return kinds == 0 ? "nothing is expected" : "numbers, a fault and a refusal exclude each other";
    }
    for (const Expectation& expectation : case_.expectations) {
      const Argument* buffer = argument(expectation.name);
      if (buffer->values.size() != expectation.values.size()) {
        return fmt::format("expect {}: there are {} values, and {} elements", expectation.name, expectation.values.size(),
                           buffer->values.size());
      }
    }
    return std::nullopt;
  }

  Case result() && { return std::move(case_); }

 private:
  enum class List : std::uint8_t { None, Argument, Expectation };

  const Argument* argument(const std::string& name) const {
    const auto found = std::ranges::find(case_.arguments, name, &Argument::name);
    return found != case_.arguments.end() ? &*found : nullptr;
  }

  Problem read_run(const Words& words) {
    for (const std::string& word : words) {
      const std::size_t sign = word.find('=');
      const std::string key = word.substr(0, sign);
      const std::string value = sign == std::string::npos ? "" : word.substr(sign + 1);
      if (key == "kernel" && !value.empty()) {
        case_.kernel = value;
      } else if (key == "shared" && parse_unsigned(value)) {
        case_.shared = *parse_unsigned(value);
      } else if ((key == "grid" || key == "block") && parse_extent(value)) {
        (key == "grid" ? case_.grid : case_.block) = *parse_extent(value);
      } else {
        return fmt::format("run: '{}' is not understood", word);
      }
    }
    return std::nullopt;
  }

  Problem read_argument(const std::string& word, const Words& rest) {
    const auto type = rest.size() >= 2 ? type_named(rest[1]) : std::nullopt;
    if (!type) {
      return fmt::format("{}: a name and a type, such as u32, are missing", word);
    }
    if (argument(rest[0]) != nullptr) {
      return fmt::format("{}: there are two arguments '{}'", word, rest[0]);
    }
    case_.arguments.push_back({.name = rest[0], .type = *type, .is_buffer = word != "scalar", .is_parameter = word != "memory"});
    list_ = List::Argument;
    if (word == "output") {
      const auto count = rest.size() == 3 ? parse_unsigned(rest[2]) : std::nullopt;
      if (!count || *count > (1U << 20)) {
        return "output: the number of elements is missing";
      }
      case_.arguments.back().values.assign(*count, 0);
      list_ = List::None;
      return std::nullopt;
    }
    if (word == "scalar" && rest.size() != 3) {
      return "scalar: one number is missing";
    }
    return read_more({rest.begin() + 2, rest.end()});
  }

  Problem read_pointer(const Words& rest) {
    const Argument* buffer = rest.size() == 3 ? argument(rest[1]) : nullptr;
    const auto bytes = buffer != nullptr && buffer->is_buffer ? parse_unsigned(rest[2]) : std::nullopt;
    if (!bytes) {
      return "pointer: a name, that of a buffer in front of it, and a number of bytes are missing";
    }
    if (argument(rest[0]) != nullptr) {
      return fmt::format("pointer: there are two arguments '{}'", rest[0]);
    }
    case_.arguments.push_back({.name = rest[0], .type = {'u', 8}, .is_buffer = false, .values = {*bytes}, .into = rest[1]});
    list_ = List::None;
    return std::nullopt;
  }

  Problem read_expectation(const Words& rest) {
    if (rest.size() < 2 || rest[1] != "==") {
      return "expect: the name of a buffer and == are missing";
    }
    const Argument* buffer = argument(rest[0]);
    if (buffer == nullptr || !buffer->is_buffer) {
      return fmt::format("expect: there is no buffer '{}'", rest[0]);
    }
    case_.expectations.push_back({rest[0], {}});
    list_ = List::Expectation;
    return read_more({rest.begin() + 2, rest.end()});
  }

  /// Numbers of the list that was begun last.
  Problem read_more(const Words& words) {
    if (list_ == List::None) {
      return "'..' goes on with a list, and there is none";
    }
    for (const std::string& word : words) {
      if (list_ == List::Argument) {
        const auto number = parse_number(case_.arguments.back().type, word);
        if (!number) {
          return fmt::format("'{}' is no number of type {}", word, text_of(case_.arguments.back().type));
        }
        case_.arguments.back().values.push_back(*number);
        continue;
      }
      Expectation& expectation = case_.expectations.back();
      const ElementType type = argument(expectation.name)->type;
      const auto number = parse_number(type, word);
      if (word == "?") {
        expectation.values.emplace_back(ExpectedAny());
      } else if (word == "nan" && type.kind == 'f') {
        expectation.values.emplace_back(ExpectedNan());
      } else if (number) {
        expectation.values.emplace_back(ExpectedBits{*number});
      } else {
        return fmt::format("'{}' is no number of type {}", word, text_of(type));
      }
    }
    return std::nullopt;
  }

  Case case_;
  List list_ = List::None;
};

}  // namespace

std::expected<Case, CaseError> parse_case(std::string_view text) {
  Reader reader;
  std::istringstream lines{std::string(text)};
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    constexpr std::string_view mark = "//@";
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) {
      continue;
    }
    std::istringstream rest(line.substr(at + mark.size()));
    Words words;
    for (std::string word; rest >> word;) {
      words.push_back(word);
    }
    if (auto problem = reader.read(words)) {
      return std::unexpected(CaseError{number, std::move(*problem)});
    }
  }
  if (auto problem = reader.end()) {
    return std::unexpected(CaseError{1, std::move(*problem)});
  }
  return std::move(reader).result();
}

std::string text_of(ElementType type) { return fmt::format("{}{}", type.kind, 8 * type.bytes); }

std::string text_of(ElementType type, std::uint64_t bits) {
  bits &= mask_of(type);
  if (type.kind == 'u') {
    return fmt::format("{}", bits);
  }
  if (type.kind == 's') {
    const unsigned unused = 64 - 8 * type.bytes;
    return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
  }
  if (type.kind == 'f' && !is_nan(type, bits)) {
    return type.bytes == 4 ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                           : fmt::format("{}", std::bit_cast<double>(bits));
  }
  return fmt::format("0x{:0{}x}", bits, 2 * type.bytes);
}

bool is_as_expected(ElementType type, const Expected& expected, std::uint64_t bits) {
  if (const auto* exactly = std::get_if<ExpectedBits>(&expected)) {
    return exactly->bits == bits;
  }
  return std::holds_alternative<ExpectedAny>(expected) || is_nan(type, bits);
}

std::string text_of(ElementType type, const Expected& expected) {
  const auto* exactly = std::get_if<ExpectedBits>(&expected);
  return exactly != nullptr ? text_of(type, exactly->bits) : std::holds_alternative<ExpectedAny>(expected) ? "?" : "nan";
}

}  // namespace lockstep::ptx_cases
