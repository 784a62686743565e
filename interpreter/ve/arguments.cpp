#include "interpreter/ve/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "interpreter/store/npy.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/ve/fields.hpp"

namespace lockstep::ve_machine {

namespace {

using Problem = std::unexpected<std::string>;

/// More would not be a function's.
constexpr std::size_t most_arguments = 1024;

std::optional<ScalarType> type_named(std::string_view name) {
  constexpr auto types = std::to_array<std::pair<std::string_view, ScalarType>>({{"f32", ScalarType::Float},
                                                                                 {"f64", ScalarType::Double},
                                                                                 {"i8", ScalarType::Char},
                                                                                 {"i16", ScalarType::Short},
                                                                                 {"i32", ScalarType::Int},
                                                                                 {"i64", ScalarType::Long},
                                                                                 {"s8", ScalarType::Char},
                                                                                 {"s16", ScalarType::Short},
                                                                                 {"s32", ScalarType::Int},
                                                                                 {"s64", ScalarType::Long},
                                                                                 {"u8", ScalarType::UChar},
                                                                                 {"u16", ScalarType::UShort},
                                                                                 {"u32", ScalarType::UInt},
                                                                                 {"u64", ScalarType::ULong}});
  const auto found = std::ranges::find(types, name, &std::pair<std::string_view, ScalarType>::first);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

bool looks_like_float(std::string_view text) {
  return !text.starts_with("0x") && !text.starts_with("-0x") && text.find_first_of(".eEnf") != std::string_view::npos;
}

template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

/// arg3 or arg3+N: which position, and how many elements behind its beginning.
std::optional<std::pair<std::size_t, std::uint64_t>> into(std::string_view text) {
  if (!text.starts_with("arg")) {
    return std::nullopt;
  }
  text.remove_prefix(3);
  const auto plus = text.find('+');
  std::pair<std::size_t, std::uint64_t> made{};
  const bool good = parse_number(text.substr(0, plus), made.first) &&
                    (plus == std::string_view::npos || parse_number(text.substr(plus + 1), made.second));
  return good ? std::optional(made) : std::nullopt;
}

class Reading {
 public:
  Reading(std::size_t memory_limit, const launch::FileReader& read) : left_(memory_limit), read_(read) {}

  std::expected<ParameterValue, std::string> value(std::string_view text) {
    const auto colon = text.find(':');
    if (colon != std::string_view::npos) {
      const auto type = type_named(text.substr(0, colon));
      if (!type) {
        return Problem(fmt::format("'{}' is no type; there are f32, f64, and i8 to i64 and u8 to u64", shortened(text.substr(0, colon))));
      }
      const std::string_view rest = text.substr(colon + 1);
      return rest.find_first_of(":[@") == std::string_view::npos ? number(*type, rest)
                                                                 : buffer(launch::parse_buffer(*type, rest, left_, read_));
    }
    if (text.starts_with('@')) {
      return buffer_of_file(std::string(text.substr(1)));
    }
    return number(looks_like_float(text) ? ScalarType::Double : text.starts_with('-') ? ScalarType::Long : ScalarType::ULong, text);
  }

  Arguments arguments_;

 private:
  static std::expected<ParameterValue, std::string> number(ScalarType type, std::string_view text) {
    const auto bits = launch::parse_scalar(type, text);
    if (!bits) {
      return Problem(bits.error());
    }
    return type == ScalarType::Float ? *bits << 32U : *bits;  // a float lies in the upper half
  }

  std::expected<ParameterValue, std::string> buffer(std::expected<launch::Buffer, std::string> made) {
    if (!made) {
      return Problem(made.error());
    }
    left_ -= made->bytes.size();
    arguments_.buffers.push_back(std::move(*made));
    return BufferNumber{arguments_.buffers.size() - 1};
  }

  /// A file says itself what its elements are.
  std::expected<ParameterValue, std::string> buffer_of_file(const std::string& path) {
    const auto bytes = read_(path, left_);
    if (!bytes) {
      return Problem(bytes.error());
    }
    const auto array = read_npy(*bytes);
    if (!array) {
      return Problem(fmt::format("{}: {}; of a file without a type, write TYPE:@FILE", path, array.error()));
    }
    return buffer(launch::parse_buffer(array->type, "@" + path, left_, read_));
  }

  std::size_t left_;
  const launch::FileReader& read_;
};

}  // namespace

std::expected<Arguments, std::string> parse_arguments(const std::vector<std::string>& texts, std::size_t memory_limit,
                                                      const launch::FileReader& read) {
  Reading reading(memory_limit, read);
  std::map<std::size_t, std::string_view> given;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    std::size_t position = 0;
    if (equals == std::string::npos) {
      return Problem(fmt::format("--arg {}: it is not written POSITION=VALUE", shortened(text)));
    }
    if (!parse_number(name, position) || position >= most_arguments) {
      return Problem(fmt::format("--arg {}: object code has no names of parameters; give the position, from 0 on", shortened(name)));
    }
    if (!given.emplace(position, std::string_view(text).substr(equals + 1)).second) {
      return Problem(fmt::format("--arg {}: it is given twice", position));
    }
  }
  reading.arguments_.values.resize(given.size());
  for (const auto& [position, text] : given) {
    if (position >= given.size()) {
      return Problem(fmt::format("--arg {}: there are {} arguments, and one of the positions below is missing", position, given.size()));
    }
    if (into(text)) {
      continue;
    }
    auto made = reading.value(text);
    if (!made) {
      return Problem(fmt::format("--arg {}: {}", position, made.error()));
    }
    reading.arguments_.values[position] = *made;
  }
  Arguments& arguments = reading.arguments_;
  for (const auto& [position, text] : given) {
    const auto other = into(text);
    if (!other) {
      continue;
    }
    const bool own = other->first < given.size() && !into(given.at(other->first));
    const auto* of = own ? std::get_if<BufferNumber>(&arguments.values[other->first]) : nullptr;
    if (of == nullptr) {
      return Problem(fmt::format("--arg {}: argument {} has no buffer of its own", position, other->first));
    }
    if (other->second > arguments.buffers[of->number].count) {
      return Problem(fmt::format("--arg {}: argument {} has {} elements", position, other->first, arguments.buffers[of->number].count));
    }
    arguments.values[position] = BufferNumber{of->number, other->second};
  }
  return std::move(arguments);
}

}  // namespace lockstep::ve_machine
