#include "interpreter/launch/sim_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "interpreter/launch/byte_arguments.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::launch {
namespace {

Diagnostic problem(SourceSpan span, std::string message) { return {Severity::Error, span, std::move(message), {}}; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/// A whole text as a number.
std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<ScalarType> type_named(std::string_view name) {
  for (const ScalarInfo& row : scalar_table) {
    if (row.name == name && row.type != ScalarType::Bool) {
      return row.type;
    }
  }
  return std::nullopt;
}

/// The words of a text.
class SimReader {
 public:
  explicit SimReader(const SourceFile& source) : text_(source.text()) {}

  /// The next word is there, and is `<…`.
  bool at_head() {
    skip();
    return at_ < text_.size() && text_[at_] == '<';
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }

  SimWord word() {
    skip();
    return cut([](char c) { return is_blank(c) || c == '#' || c == '<'; });
  }

  /// All of `<…>`, without the brackets; nothing where the line ends before it does.
  std::optional<SimWord> head() {
    skip();
    ++at_;
    const std::size_t end = std::min(text_.find_first_of(">\n#", at_), text_.size());
    if (end == text_.size() || text_[end] != '>') {
      return std::nullopt;
    }
    SimWord found{std::string(text_.substr(at_, end - at_)), span(at_, end)};
    at_ = end + 1;
    return found;
  }

  SourceSpan here() const { return span(at_, std::min(at_ + 1, text_.size())); }

 private:
  void skip() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) {
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
  }

  template <class Ends>
  SimWord cut(const Ends& ends) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends(text_[at_])) {
      ++at_;
    }
    return {std::string(text_.substr(begin, at_ - begin)), span(begin, at_)};
  }

  static SourceSpan span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// `size=16 float fill=1`, read word by word.
std::expected<SimArgument, Diagnostic> read_head(const SimWord& head) {
  SimArgument argument;
  argument.span = {head.span.begin - 1, head.span.end + 1};
  const std::string_view text = head.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const SourceSpan span{head.span.begin + static_cast<std::uint32_t>(at), head.span.begin + static_cast<std::uint32_t>(end)};
    at = end + 1;
    if (word.empty()) {
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool has_value = equals != std::string_view::npos && equals + 1 < word.size();
    const std::string_view value = has_value ? word.substr(equals + 1) : std::string_view();
    const bool wants_value = name == "size" || name == "fill" || name == "range";
    if (wants_value != (equals != std::string_view::npos) || wants_value != has_value) {
      return std::unexpected(problem(span, wants_value ? fmt::format("'{}' needs a value, as in {}=8", name, name)
                                                       : fmt::format("'{}' takes no value", shortened(name))));
    }
    if (name == "size") {
      argument.size = number_of(value);
      if (!argument.size) {
        return std::unexpected(problem(span, "the size is a number of bytes"));
      }
    } else if (name == "fill") {
      argument.fill = SimWord{std::string(value), span};
    } else if (name == "range") {
      argument.range = SimWord{std::string(value), span};
    } else if (const auto type = type_named(name)) {
      if (argument.type) {
        return std::unexpected(problem(span, "the type of the numbers is given twice"));
      }
      argument.type = type;
    } else if (name == "hex") {
      argument.is_hexadecimal = true;
    } else if (name == "null") {
      argument.is_null = true;
    } else if (name == "noinit") {
      argument.is_uninitialised = true;
    } else if (name == "ro") {
      argument.is_read_only = true;
    } else if (name == "wo") {
      argument.is_write_only = true;
    } else if (name == "dump") {
      argument.is_shown = true;
    } else {
      return std::unexpected(
          problem(span, fmt::format("'{}' is not one of size=BYTES, fill=NUMBER, range=FIRST:STEP:LAST, hex, null, noinit, "
                                    "ro, wo, dump and the types char to ulong, float and double",
                                    shortened(word))));
    }
  }
  const int ways = (argument.fill ? 1 : 0) + (argument.range ? 1 : 0) + (argument.is_uninitialised ? 1 : 0) + (argument.is_null ? 1 : 0);
  if (ways > 1) {
    return std::unexpected(problem(argument.span, "only one of fill, range, noinit and null says what is there"));
  }
  if (!argument.size && !argument.is_null) {
    return std::unexpected(problem(argument.span, "the size is missing, as in size=64, in bytes"));
  }
  return argument;
}

/// One number of a type, decimal or hexadecimal; of an unsigned one of more than a byte also a negative one, as streams of C++ have it.
std::expected<std::uint64_t, Diagnostic> number(ScalarType type, const SimWord& word, bool is_hexadecimal) {
  std::string text = word.text;
  if (is_hexadecimal && !is_float(type)) {
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    const std::string_view digits = std::string_view(text).substr(sign);
    if (!digits.starts_with("0x") && !digits.starts_with("0X")) {
      text.insert(sign, "0x");
    }
  }
  auto bits = parse_scalar(type, text);
  if (!bits && text.starts_with('-') && !is_float(type) && !is_signed(type) && size_of(type) > 1) {
    if (const auto negative = parse_scalar(ScalarType::Long, text)) {
      bits = *negative;
    }
  }
  return bits ? std::expected<std::uint64_t, Diagnostic>(*bits) : std::unexpected(problem(word.span, bits.error()));
}

/// FIRST:STEP:LAST, which has to make `count` numbers.
std::expected<std::vector<std::uint64_t>, Diagnostic> numbers_of_range(ScalarType type, const SimWord& range, bool is_hexadecimal,
                                                                       std::uint64_t count) {
  std::array<std::uint64_t, 3> parts{};
  std::string_view left = range.text;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t colon = k == 2 ? left.size() : left.find(':');
    if (colon == std::string_view::npos) {
      return std::unexpected(problem(range.span, "a range is written FIRST:STEP:LAST, as in range=0:1:15"));
    }
    const auto part = number(type, {std::string(left.substr(0, colon)), range.span}, is_hexadecimal);
    if (!part) {
      return std::unexpected(part.error());
    }
    parts.at(k) = *part;
    left.remove_prefix(std::min(left.size(), colon + 1));
  }
  const auto [first, step, last] = parts;
  const auto value = [&](std::uint64_t bits) -> double {
    switch (type) {
      case ScalarType::Float:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      case ScalarType::Double:
        return std::bit_cast<double>(bits);
      default: {
        const unsigned shift = 64 - bits_of(type);
        return is_signed(type) ? static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift)
                               : static_cast<double>(bits << shift >> shift);
      }
    }
  };
  if ((value(last) - value(first)) / value(step) + 1 != static_cast<double>(count)) {  // where the step is 0, it is no number
    return std::unexpected(problem(range.span, fmt::format("the range does not have {}, as the size asks for", counted(count, "number"))));
  }
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t k = 0, bits = first; k < count; ++k) {
    numbers.push_back(bits);
    bits = *ops::apply(Op::Add, type, std::array{bits, step});
  }
  return numbers;
}

std::expected<std::vector<std::uint64_t>, Diagnostic> numbers_of(const SimArgument& argument, ScalarType type, std::uint64_t count) {
  if (argument.range) {
    return numbers_of_range(type, *argument.range, argument.is_hexadecimal, count);
  }
  if (argument.fill) {
    const auto bits = number(type, *argument.fill, argument.is_hexadecimal);
    return bits ? std::expected<std::vector<std::uint64_t>, Diagnostic>(std::vector<std::uint64_t>(count, *bits))
                : std::unexpected(bits.error());
  }
  if (argument.numbers.size() != count) {
    return std::unexpected(
        problem(argument.span, fmt::format("the size asks for {} of type {}, but there {} {}", counted(count, "number"), info(type).name,
                                           argument.numbers.size() == 1 ? "is" : "are", argument.numbers.size())));
  }
  std::vector<std::uint64_t> numbers;
  for (const SimWord& word : argument.numbers) {
    const auto bits = number(type, word, argument.is_hexadecimal);
    if (!bits) {
      return std::unexpected(bits.error());
    }
    numbers.push_back(*bits);
  }
  return numbers;
}

}  // namespace

std::expected<SimFile, Diagnostic> parse_sim(const SourceFile& source) {
  SimReader reader(source);
  SimFile file;
  const auto missing = [&](const char* what) { return std::unexpected(problem(reader.here(), fmt::format("{} is missing", what))); };
  for (const auto& [word, what] : {std::pair(&file.program, "the file of kernels"), {&file.kernel, "the name of the kernel"}}) {
    *word = reader.at_end() || reader.at_head() ? SimWord{} : reader.word();
    if (word->text.empty()) {
      return missing(what);
    }
  }
  for (const auto& [sizes, what] : {std::pair(&file.items, "the number of work items, in three dimensions,"),
                                    {&file.group, "the number of items of a group, in three dimensions,"}}) {
    for (std::uint64_t& size : *sizes) {
      if (reader.at_end() || reader.at_head()) {
        return missing(what);
      }
      const SimWord word = reader.word();
      const auto found = number_of(word.text);
      if (!found || (*found == 0 && sizes == &file.group)) {
        return std::unexpected(
            problem(word.span, fmt::format("'{}' is no size; sizes are numbers, and groups have at least one item", shortened(word.text))));
      }
      size = *found;
    }
  }
  while (!reader.at_end()) {
    if (!reader.at_head()) {
      const SimWord word = reader.word();
      return std::unexpected(
          problem(word.span, fmt::format("an argument begins with its head, as in <size=64 float>, not with '{}'", shortened(word.text))));
    }
    const SourceSpan begin = reader.here();
    const auto head = reader.head();
    if (!head) {
      return std::unexpected(problem(begin, "the head of an argument ends with '>' in its line"));
    }
    auto argument = read_head(*head);
    if (!argument) {
      return std::unexpected(argument.error());
    }
    while (!reader.at_end() && !reader.at_head()) {
      argument->numbers.push_back(reader.word());
    }
    file.arguments.push_back(std::move(*argument));
  }
  return file;
}

std::expected<std::string, Diagnostic> text_of(const SimArgument& argument, const WrittenParameter& parameter, ScalarType type,
                                               std::size_t left) {
  const bool has_numbers = !argument.numbers.empty();
  if (has_numbers && (argument.fill || argument.range || argument.is_null || argument.is_uninitialised || parameter.local)) {
    return std::unexpected(problem(argument.numbers.front().span, fmt::format("'{}' gets no numbers here", parameter.name)));
  }
  if ((argument.is_null || argument.is_uninitialised) && (parameter.local || !parameter.element_bytes)) {
    return std::unexpected(problem(argument.span, fmt::format("'{}' is no pointer to a buffer", parameter.name)));
  }
  if (argument.is_null) {
    return "null";
  }
  const ScalarType of = argument.type.value_or(type);
  const std::uint64_t size = *argument.size;
  const std::uint64_t unit = parameter.local || argument.is_uninitialised ? *parameter.element_bytes : size_of(of);
  if (size % unit != 0) {
    return std::unexpected(problem(argument.span, fmt::format("{} are no whole elements of {}", counted(size, "byte"), unit)));
  }
  if (parameter.local) {
    return fmt::format("local:{}", size / unit);
  }
  if (size > left) {
    return std::unexpected(
        problem(argument.span, fmt::format("{} bytes do not fit into the {} bytes that are left for the arguments of a file", size, left)));
  }
  const std::string rights = fmt::format("{}{}", argument.is_read_only ? "ro:" : "", argument.is_write_only ? "wo:" : "");
  if (!rights.empty() && !parameter.element_bytes) {
    return std::unexpected(problem(argument.span, fmt::format("'{}' is no pointer to a buffer", parameter.name)));
  }
  if (argument.is_uninitialised) {
    return fmt::format("{}{}:uninitialised", rights, size / unit);
  }
  const auto numbers = numbers_of(argument, of, size / unit);
  if (!numbers) {
    return std::unexpected(numbers.error());
  }
  std::vector<std::byte> bytes(size);
  for (std::size_t k = 0; k < numbers->size(); ++k) {
    std::memcpy(bytes.data() + k * unit, &(*numbers)[k], unit);
  }
  return rights + hex_of(bytes.data(), bytes.size());
}

}  // namespace lockstep::launch
