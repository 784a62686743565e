#include "interpreter/launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "interpreter/launch/byte_arguments.hpp"
#include "interpreter/launch/structure_arguments.hpp"
#include "interpreter/launch/vector_arguments.hpp"
#include "interpreter/store/npy.hpp"
#include "interpreter/store/random_numbers.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::launch {

static_assert(std::endian::native == std::endian::little, "buffers are taken from .npy files byte by byte");

namespace {

constexpr std::string_view buffer_forms =
    "@FILE, [1,2,3], hex:BYTES, LEN:zeros|iota|const:V|random[:SEED]|uninitialised, null, or OTHER+N, with ro: or wo: in front of what is "
    "only read or written";

/// A number without its sign.
struct Unsigned {
  bool negative = false;
  std::string_view digits;  ///< without 0x
  bool hexadecimal = false;
};

Unsigned take_sign(std::string_view text) {
  Unsigned number;
  number.negative = text.starts_with('-');
  text.remove_prefix(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  number.hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  number.digits = number.hexadecimal ? text.substr(2) : text;
  return number;
}

/// The least and greatest integer of a type, as text and as magnitudes.
struct Range {
  std::uint64_t below = 0;  ///< the magnitude of the least one
  std::uint64_t above = 0;
};

Range range_of(ScalarType type) {
  const unsigned bits = bits_of(type) - (is_signed(type) ? 1 : 0);
  const std::uint64_t above = ~std::uint64_t{0} >> (64 - bits);
  return {is_signed(type) ? above + 1 : 0, above};
}

std::expected<std::uint64_t, std::string> parse_integer(ScalarType type, std::string_view text) {
  const Unsigned number = take_sign(text);
  std::uint64_t magnitude = 0;
  const char* end = number.digits.data() + number.digits.size();
  const auto [stop, problem] = std::from_chars(number.digits.data(), end, magnitude, number.hexadecimal ? 16 : 10);
  if (problem == std::errc::invalid_argument || stop != end) {
    return std::unexpected(fmt::format("'{}' is not an integer", shortened(text)));
  }
  const Range range = range_of(type);
  if (problem == std::errc::result_out_of_range || magnitude > (number.negative ? range.below : range.above)) {
    return std::unexpected(fmt::format("{} does not fit {}, which goes from {}{} to {}", shortened(text), info(type).name,
                                       range.below > 0 ? "-" : "", range.below, range.above));
  }
  return number.negative ? 0 - magnitude : magnitude;
}

/// `digits`, which from_chars finds too large or too small, rounded to nearest: infinity, 0 or nearly that.
template <class Float>
Float rounded(const Unsigned& number) {
  const std::string text = (number.hexadecimal ? "0x" : "") + std::string(number.digits);
  if constexpr (std::is_same_v<Float, float>) {
    return std::strtof(text.c_str(), nullptr);
  } else {
    return std::strtod(text.c_str(), nullptr);
  }
}

/// The bits of `nan(0x7fc00001)`, which says all of them; nothing if the text has another form.
std::optional<std::uint64_t> bits_of_nan(ScalarType type, std::string_view text) {
  constexpr std::string_view begin = "nan(0x";
  if (!text.starts_with(begin) || !text.ends_with(')')) {
    return std::nullopt;
  }
  text = text.substr(begin.size(), text.size() - begin.size() - 1);
  std::uint64_t bits = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  const bool fits = type == ScalarType::Double || bits <= std::numeric_limits<std::uint32_t>::max();
  return problem == std::errc() && stop == text.data() + text.size() && fits && ops::is_nan(type, bits) ? std::optional(bits)
                                                                                                        : std::nullopt;
}

template <class Float>
std::expected<std::uint64_t, std::string> parse_float(ScalarType type, std::string_view text) {
  if (const auto bits = bits_of_nan(type, text)) {
    return *bits;
  }
  const Unsigned number = take_sign(text);
  const bool word = number.digits == "inf" || number.digits == "nan";
  const bool digit =
      !number.digits.starts_with('-') && number.digits.find_first_of(number.hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") <= 1;
  Float magnitude = 0;
  const char* end = number.digits.data() + number.digits.size();
  const auto [stop, problem] =
      std::from_chars(number.digits.data(), end, magnitude, number.hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if ((!word && !digit) || (word && number.hexadecimal) || problem == std::errc::invalid_argument || stop != end) {
    return std::unexpected(fmt::format("'{}' is not a number", shortened(text)));
  }
  if (problem == std::errc::result_out_of_range) {
    magnitude = rounded<Float>(number);
    if (std::isinf(magnitude)) {
      return std::unexpected(fmt::format("{} does not fit {}, which goes from -{} to {}", shortened(text), info(type).name,
                                         std::numeric_limits<Float>::max(), std::numeric_limits<Float>::max()));
    }
  }
  const Float value = number.negative ? -magnitude : magnitude;
  if constexpr (std::is_same_v<Float, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return std::bit_cast<std::uint64_t>(value);
  }
}

// ---- buffers -----------------------------------------------------------------------------------------------------------

/// A buffer of `count` elements that are all 0; the error says that it does not fit into what is `left` of the memory.
std::expected<Buffer, std::string> make_buffer(ScalarType type, std::uint64_t count, std::size_t left) {
  if (count > left / size_of(type)) {
    return std::unexpected(
        fmt::format("{} elements of {} bytes do not fit into the {} bytes that are left of the memory limit", count, size_of(type), left));
  }
  return Buffer{type, count, std::vector<std::byte>(count * size_of(type)), {count}, {}};
}

void set_element(Buffer& buffer, std::uint64_t index, std::uint64_t bits) {
  const unsigned size = size_of(buffer.type);
  std::memcpy(buffer.bytes.data() + index * size, &bits, size);
}

std::expected<Buffer, std::string> buffer_from_npy(ScalarType type, const std::string& path, const std::string& bytes, std::size_t left) {
  const auto array = read_npy(bytes);
  if (!array) {
    return std::unexpected(fmt::format("{}: {}", path, array.error()));
  }
  if (array->type != type) {
    return std::unexpected(
        fmt::format("{} has elements of type {}, but {} is wanted", path, npy_type_text(array->type), npy_type_text(type)));
  }
  auto buffer = make_buffer(type, array->count, left);
  if (!buffer) {
    return buffer;
  }
  buffer->shape = array->shape;
  if (type == ScalarType::Bool) {
    for (std::uint64_t i = 0; i < array->count; ++i) {
      set_element(*buffer, i, static_cast<std::uint64_t>(array->element(i)));  // a byte of 2 is true as well
    }
  } else if (!array->data.empty()) {
    std::memcpy(buffer->bytes.data(), array->data.data(), array->data.size());
  }
  return buffer;
}

std::expected<Buffer, std::string> buffer_from_file(ScalarType type, const std::string& path, std::size_t left, const FileReader& read) {
  constexpr std::size_t header = std::size_t{2} << 20;  // more than a header that is read can have
  const auto bytes = read(path, left > std::numeric_limits<std::size_t>::max() - header ? left : left + header);
  if (!bytes) {
    return std::unexpected(bytes.error());
  }
  if (looks_like_npy(*bytes) || path.ends_with(".npy")) {
    return buffer_from_npy(type, path, *bytes, left);
  }
  if (type != ScalarType::Char && type != ScalarType::UChar) {
    return std::unexpected(fmt::format("{} is no .npy file; the bytes of any file can only be elements of type char or uchar", path));
  }
  auto buffer = make_buffer(type, bytes->size(), left);
  if (buffer && !bytes->empty()) {
    std::memcpy(buffer->bytes.data(), bytes->data(), bytes->size());
  }
  return buffer;
}

std::expected<Buffer, std::string> buffer_from_hex(ScalarType type, std::string_view text, std::size_t left) {
  auto bytes = bytes_of_hex(text, left);
  if (!bytes) {
    return std::unexpected(bytes.error());
  }
  const std::uint64_t count = bytes->size() / size_of(type);
  if (bytes->size() % size_of(type) != 0) {
    return std::unexpected(fmt::format("{} bytes are no whole elements of {}", bytes->size(), size_of(type)));
  }
  return Buffer{type, count, std::move(*bytes), {count}, {}};
}

std::expected<std::uint64_t, std::string> scalar_from_hex(ScalarType type, std::string_view text) {
  const auto bytes = bytes_of_hex(text, text.size());
  if (!bytes) {
    return std::unexpected(bytes.error());
  }
  if (bytes->size() != size_of(type)) {
    return std::unexpected(fmt::format("there are {} bytes, but {} has {}", bytes->size(), info(type).name, size_of(type)));
  }
  return ops::bits_at(type, bytes->data());
}

std::expected<Buffer, std::string> buffer_from_list(ScalarType type, std::string_view list, std::size_t left) {
  const bool empty = trimmed(list).empty();
  const auto count = empty ? 0 : static_cast<std::uint64_t>(std::count(list.begin(), list.end(), ',')) + 1;
  auto buffer = make_buffer(type, count, left);
  for (std::uint64_t i = 0; buffer && i < count; ++i) {
    const auto comma = list.find(',');
    const auto bits = parse_scalar(type, trimmed(list.substr(0, comma)));
    if (!bits) {
      return std::unexpected(fmt::format("element {}: {}", i, bits.error()));
    }
    set_element(*buffer, i, *bits);
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return buffer;
}

/// Sets element i to value(i), a number as bits.
template <class F>
void fill(Buffer& buffer, F&& value) {
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    set_element(buffer, i, value(i));
  }
}

std::uint64_t random_element(ScalarType type, std::uint64_t random) {
  switch (type) {
    case ScalarType::Bool:
      return random & 1;
    case ScalarType::Float:
      return std::bit_cast<std::uint32_t>(static_cast<float>(random >> 40) * 0x1p-24F);
    case ScalarType::Double:
      return std::bit_cast<std::uint64_t>(static_cast<double>(random >> 11) * 0x1p-53);
    default:
      return random;  // a buffer takes the low bytes
  }
}

std::optional<std::string> fill_iota(Buffer& buffer) {
  if (is_float(buffer.type)) {
    fill(buffer, [&](std::uint64_t i) -> std::uint64_t {
      return buffer.type == ScalarType::Float ? std::bit_cast<std::uint32_t>(static_cast<float>(i))
                                              : std::bit_cast<std::uint64_t>(static_cast<double>(i));
    });
    return std::nullopt;
  }
  if (buffer.count > 0 && buffer.count - 1 > range_of(buffer.type).above) {
    return fmt::format("iota goes up to {} here, which does not fit {}", buffer.count - 1, info(buffer.type).name);
  }
  fill(buffer, [](std::uint64_t i) { return i; });
  return std::nullopt;
}

/// LEN:zeros|iota|const:V|random[:SEED]
std::expected<Buffer, std::string> buffer_by_rule(ScalarType type, std::string_view text, std::size_t left) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::unexpected(fmt::format("'{}' is not written {}", shortened(text), buffer_forms));
  }
  const auto count = parse_integer(ScalarType::ULong, text.substr(0, colon));
  if (!count) {
    return std::unexpected(fmt::format("'{}' is no number of elements", shortened(text.substr(0, colon))));
  }
  const std::string_view rule = text.substr(colon + 1);
  // Of elements without a value it is listed which they are.
  const bool has_list = rule == "uninitialised";
  if (has_list && *count > left / (sizeof(*count) + size_of(type))) {
    return std::unexpected(
        fmt::format("{} elements without a value, which take {} bytes each, do not fit into the {} bytes that are left of "
                    "the memory limit",
                    *count, sizeof(*count) + size_of(type), left));
  }
  auto buffer = make_buffer(type, *count, left);
  if (!buffer || rule == "zeros") {
    return buffer;
  }
  if (has_list) {
    buffer->uninitialised.resize(*count);
    std::iota(buffer->uninitialised.begin(), buffer->uninitialised.end(), 0);
    return buffer;
  }
  if (rule == "iota") {
    const auto problem = fill_iota(*buffer);
    return problem ? std::unexpected(*problem) : std::move(buffer);
  }
  if (rule.starts_with("const:")) {
    const auto bits = parse_scalar(type, rule.substr(6));
    if (!bits) {
      return std::unexpected(bits.error());
    }
    fill(*buffer, [&](std::uint64_t) { return *bits; });
    return buffer;
  }
  if (rule == "random" || rule.starts_with("random:")) {
    const auto seed = rule == "random" ? std::uint64_t{0} : parse_integer(ScalarType::ULong, rule.substr(7));
    if (!seed) {
      return std::unexpected(fmt::format("'{}' is no seed; it is an integer from 0 to 2^64 - 1", shortened(rule.substr(7))));
    }
    RandomNumbers random(*seed);
    fill(*buffer, [&](std::uint64_t) { return random_element(type, random.next()); });
    return buffer;
  }
  return std::unexpected(fmt::format("'{}' is not one of zeros, iota, const:V, random[:SEED] and uninitialised", shortened(rule)));
}

// ---- parameters --------------------------------------------------------------------------------------------------------

std::string type_text(const typed::ValueType& type, bool is_const) {
  return type.is_pointer ? fmt::format("{}__{} {} *", is_const ? "const " : "", name_of(type.space), info(type.scalar).name)
                         : fmt::format("{} ", info(type.scalar).name);
}

std::string declaration_text(const typed::Program& program, std::size_t index, const Writable& writable) {
  const typed::ValueType& type = program.kernel().registers[index].type;
  const bool is_const = type.space == AddressSpace::Global && !writable.empty() && !writable[index];
  return type_text(type, is_const) + parameter_name(program, index);
}

/// Reads the value of one parameter into `arguments`; a problem is a sentence.
std::optional<std::string> parse_value(Argument& argument, std::vector<Buffer>& buffers, const typed::ValueType& type,
                                       const Structure* structure, std::string_view text, std::size_t left, const FileReader& read) {
  if (!type.is_pointer) {
    const auto bits = is_hex(text) ? scalar_from_hex(type.scalar, text) : parse_scalar(type.scalar, text);
    argument = ScalarBits{bits.value_or(0)};
    return bits ? std::nullopt : std::optional(bits.error());
  }
  if (type.space == AddressSpace::Local || type.space == AddressSpace::Private) {
    return fmt::format("a {} pointer cannot be given from outside; declare the array in the kernel", name_of(type.space));
  }
  if (text == "null") {
    argument = ScalarBits{};
    return std::nullopt;
  }
  auto buffer =
      structure != nullptr ? parse_structures(*structure, type.scalar, text, left, read) : parse_buffer(type.scalar, text, left, read);
  if (!buffer) {
    return buffer.error();
  }
  argument = BufferNumber{buffers.size()};
  buffers.push_back(std::move(*buffer));
  return std::nullopt;
}

/// A pointer into the buffer that another parameter gets, as it is written.
struct Into {
  std::size_t parameter = 0;
  std::size_t other = 0;
  std::string_view distance;  ///< "+N", or nothing
};

/// PARAMETER or PARAMETER+N.
std::optional<Into> pointer_into(const typed::Program& program, std::size_t parameter, std::string_view text) {
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_name);
  const auto other = parameter_named(program, std::string_view(text.begin(), end));
  return other ? std::optional(Into{parameter, *other, std::string_view(end, text.end())}) : std::nullopt;
}

/// Points a parameter into the buffer of another one; a problem is a sentence.
std::optional<std::string> point(const typed::Program& program, Arguments& arguments, const Into& into, const std::vector<bool>& is_pointed,
                                 const Structure* structure) {
  const std::string& name = parameter_name(program, into.other);
  if (into.other == into.parameter) {
    return std::string("it cannot point into its own buffer");
  }
  if (is_pointed[into.other]) {
    return fmt::format("'{}' points into the buffer of another parameter itself; name that one", name);
  }
  const auto* buffer = std::get_if<BufferNumber>(&arguments.values[into.other]);
  if (buffer == nullptr) {
    return fmt::format("'{}' is a number, and has no elements to point to", name);
  }
  const Buffer& shared = arguments.buffers[buffer->number];
  if (shared.type != program.kernel().registers[into.parameter].type.scalar) {
    return fmt::format("'{}' has elements of type {}, and a buffer has elements of one type only", name, info(shared.type).name);
  }
  std::uint64_t first = 0;
  if (!into.distance.empty()) {
    const auto number = into.distance.starts_with('+') ? parse_integer(ScalarType::ULong, into.distance.substr(1))
                                                       : std::unexpected(std::string("there is no +"));
    if (!number) {
      return fmt::format("'{}' is not +N, so many elements behind the beginning of '{}'", shortened(into.distance), name);
    }
    first = *number;
  }
  const std::uint64_t words = structure != nullptr ? structure->bytes / size_of(shared.type) : 1;
  const std::uint64_t count = shared.count / words;
  if (first > count) {
    return fmt::format("'{}' has {} element{}; {} lies behind their end", name, count, count == 1 ? "" : "s", first);
  }
  arguments.values[into.parameter] = BufferNumber{buffer->number, first * words};
  return std::nullopt;
}

/// A parameter that the kernel may write through although its buffer is also a __constant one's, which does not change.
std::optional<std::size_t> writer_of_constant(const typed::Program& program, const Arguments& arguments, const Writable& writable) {
  const std::vector<typed::RegisterInfo>& parameters = program.kernel().registers;
  const auto buffer_in = [&](std::size_t k, AddressSpace space) {
    const auto* points = std::get_if<BufferNumber>(&arguments.values[k]);
    return points != nullptr && parameters[k].type.space == space ? std::optional(points->number) : std::nullopt;
  };
  for (std::size_t k = 0; k < arguments.values.size(); ++k) {
    const auto written = writable.empty() || writable[k] ? buffer_in(k, AddressSpace::Global) : std::nullopt;
    for (std::size_t c = 0; written && c < arguments.values.size(); ++c) {
      if (buffer_in(c, AddressSpace::Constant) == written) {
        return k;
      }
    }
  }
  return std::nullopt;
}

/// Two parameters that share a buffer although one of them is `restrict` and the kernel may write through one of them: that one, and the
/// other.
std::optional<std::pair<std::size_t, std::size_t>> broken_promise(const Arguments& arguments, const Writable& writable,
                                                                  const Restricted& restricted) {
  for (std::size_t k = 0; k < restricted.size(); ++k) {
    const auto* points = restricted[k] ? std::get_if<BufferNumber>(&arguments.values[k]) : nullptr;
    for (std::size_t other = 0; points != nullptr && other < arguments.values.size(); ++other) {
      const auto* there = std::get_if<BufferNumber>(&arguments.values[other]);
      const bool is_written = writable.empty() || writable[k] || writable[other];
      if (other != k && there != nullptr && there->number == points->number && is_written) {
        return std::pair(k, other);
      }
    }
  }
  return std::nullopt;
}

/// Which parameters have no argument; empty if all have one.
std::string missing_parameters(const typed::Program& program, const std::vector<bool>& given) {
  std::string names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    names += given[i] ? "" : (names.empty() ? "" : ", ") + parameter_name(program, i);
  }
  return names;
}

}  // namespace

std::expected<std::uint64_t, std::string> parse_scalar(ScalarType type, std::string_view text) {
  switch (type) {
    case ScalarType::Float:
      return parse_float<float>(type, text);
    case ScalarType::Double:
      return parse_float<double>(type, text);
    case ScalarType::Bool:
      if (text == "0" || text == "1" || text == "false" || text == "true") {
        return text == "1" || text == "true" ? 1 : 0;
      }
      return std::unexpected(fmt::format("'{}' is not 0, 1, false or true", shortened(text)));
    default:
      return parse_integer(type, text);
  }
}

std::expected<Buffer, std::string> parse_buffer(ScalarType type, std::string_view text, std::size_t left, const FileReader& read) {
  for (const auto& [prefix, rights] : {std::pair<std::string_view, memory::Rights>("ro:", {true, false}), {"wo:", {false, true}}}) {
    if (text.starts_with(prefix)) {
      auto buffer = parse_buffer(type, text.substr(prefix.size()), left, read);
      if (buffer) {
        buffer->rights = {buffer->rights.read && rights.read, buffer->rights.write && rights.write};
      }
      return buffer;
    }
  }
  if (is_hex(text)) {
    return buffer_from_hex(type, text, left);
  }
  if (text.starts_with('@')) {
    return buffer_from_file(type, std::string(text.substr(1)), left, read);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    return buffer_from_list(type, text.substr(1, text.size() - 2), left);
  }
  return buffer_by_rule(type, text, left);
}

const Structure* structure_of(const Structures& structures, std::size_t parameter) {
  const auto found = std::ranges::find(structures, parameter, &Structure::parameter);
  return found == structures.end() ? nullptr : &*found;
}

const std::string& parameter_name(const typed::Program& program, std::size_t index) {
  const typed::RegisterInfo& parameter = program.kernel().registers[index];
  return parameter.variable.empty() ? parameter.name : parameter.variable;
}

Buffer elements_from(const Buffer& buffer, std::uint64_t first) {
  Buffer part{buffer.type, buffer.count - first, {}, {buffer.count - first}, {}};
  part.bytes.assign(buffer.bytes.begin() + static_cast<std::ptrdiff_t>(first * size_of(buffer.type)), buffer.bytes.end());
  for (const std::uint64_t index : buffer.poison) {
    if (index >= first) {
      part.poison.push_back(index - first);
    }
  }
  for (const std::uint64_t index : buffer.uninitialised) {
    if (index >= first) {
      part.uninitialised.push_back(index - first);
    }
  }
  return part;
}

std::optional<std::size_t> parameter_named(const typed::Program& program, std::string_view name) {
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    if (parameter_name(program, i) == name) {
      return i;
    }
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string parameter_list(const typed::Program& program, const Writable& writable) {
  std::string text;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    text += (i == 0 ? "" : ", ") + declaration_text(program, i, writable);
  }
  return text.empty() ? "none" : text;
}

std::expected<Arguments, std::string> parse_arguments(const typed::Program& program, const std::vector<std::string>& texts,
                                                      std::size_t memory_limit, const FileReader& read, const Writable& writable,
                                                      const Restricted& restricted, const Structures& structures,
                                                      const WrittenParameters& written) {
  const auto parts = by_components(program, texts, written);
  if (!parts) {
    return std::unexpected(parts.error());
  }
  const typed::Function& kernel = program.kernel();
  std::vector<bool> given(kernel.parameter_count);
  Arguments arguments;
  arguments.values.resize(kernel.parameter_count);
  std::size_t left = memory_limit;
  std::vector<Into> pointers;
  const auto wrong = [&](std::size_t index, const std::string& problem) {
    return std::unexpected(fmt::format("--arg {}: {} (the parameter is '{}')", parameter_name(program, index), problem,
                                       declaration_text(program, index, writable)));
  };
  for (const std::string& text : *parts) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos) {
      return std::unexpected(fmt::format("--arg {}: it is not written NAME=VALUE", shortened(text)));
    }
    const auto index = parameter_named(program, name);
    if (!index) {
      return std::unexpected(fmt::format("--arg {}: the kernel '{}' has no such parameter; its parameters: {}", shortened(name),
                                         kernel.name, parameter_list(program, writable)));
    }
    if (given[*index]) {
      return std::unexpected(fmt::format("--arg {}: it is given twice", name));
    }
    given[*index] = true;
    const typed::ValueType& type = kernel.registers[*index].type;
    const std::string_view value = std::string_view(text).substr(equals + 1);
    const bool takes_buffer = type.is_pointer && (type.space == AddressSpace::Global || type.space == AddressSpace::Constant);
    if (const auto into = takes_buffer ? pointer_into(program, *index, value) : std::nullopt) {
      pointers.push_back(*into);
      continue;
    }
    if (const auto problem =
            parse_value(arguments.values[*index], arguments.buffers, type, structure_of(structures, *index), value, left, read)) {
      return wrong(*index, *problem);
    }
    if (std::holds_alternative<BufferNumber>(arguments.values[*index])) {
      left -= arguments.buffers.back().bytes.size();
    }
  }
  if (const std::string missing = missing_parameters(program, given); !missing.empty()) {
    return std::unexpected(fmt::format("--arg is missing for {} of the kernel '{}'; its parameters: {}", missing, kernel.name,
                                       parameter_list(program, writable)));
  }
  std::vector<bool> is_pointed(kernel.parameter_count);
  for (const Into& into : pointers) {
    is_pointed[into.parameter] = true;
  }
  for (const Into& into : pointers) {
    if (const auto problem = point(program, arguments, into, is_pointed, structure_of(structures, into.parameter))) {
      return wrong(into.parameter, *problem);
    }
  }
  if (const auto writer = writer_of_constant(program, arguments, writable)) {
    return wrong(*writer, "its buffer is a __constant parameter's as well, and the kernel may write to it");
  }
  if (const auto pair = broken_promise(arguments, writable, restricted)) {
    return wrong(pair->first, fmt::format("it is restrict, and shares its buffer with '{}'", parameter_name(program, pair->second)));
  }
  return arguments;
}

std::optional<std::string> null_pointer(const typed::Program& program, const Arguments& arguments) {
  for (std::size_t k = 0; k < arguments.values.size(); ++k) {
    if (program.kernel().registers[k].type.is_pointer && !std::holds_alternative<BufferNumber>(arguments.values[k])) {
      return fmt::format("--arg {}: null is for `run` and `step`; compiled kernels get a buffer for each pointer",
                         parameter_name(program, k));
    }
  }
  return std::nullopt;
}

std::string argument_text(ScalarType type, std::uint64_t bits) {
  const std::uint64_t plain = type == ScalarType::Double ? 0x7ff8000000000000U : 0x7fc00000U;
  return ops::is_nan(type, bits) && bits != plain ? fmt::format("nan(0x{:x})", bits) : ops::text_of(type, bits);
}

bool is_poison(const Buffer& buffer, std::uint64_t index) { return std::ranges::binary_search(buffer.poison, index); }

std::uint64_t element_bits(const Buffer& buffer, std::uint64_t index) {
  return ops::bits_at(buffer.type, buffer.bytes.data() + index * size_of(buffer.type));
}

std::string element_text(const Buffer& buffer, std::uint64_t index) {
  if (std::ranges::binary_search(buffer.uninitialised, index)) {
    return "uninitialised";
  }
  return is_poison(buffer, index) ? "poison" : ops::text_of(buffer.type, element_bits(buffer, index));
}

void zero_poison(Buffer& buffer) {
  for (const std::uint64_t index : buffer.poison) {
    set_element(buffer, index, 0);
  }
}

}  // namespace lockstep::launch
