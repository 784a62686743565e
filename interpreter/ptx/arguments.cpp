#include "interpreter/ptx/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "interpreter/store/npy.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;
using ptx::Type;

namespace {

const resolved::VariableInfo& parameter(const resolved::Function& kernel, std::size_t index) {
  return kernel.variables[std::get<resolved::VariableRef>(kernel.parameters[index]).index];
}

std::string declaration(const resolved::Function& kernel, std::size_t index) {
  const resolved::VariableInfo& p = parameter(kernel, index);
  const bool is_array = p.bytes != ptx::bytes_of(p.type);
  return fmt::format(".{} {}{}", ptx::info(p.type).text, shortened(p.name), is_array ? fmt::format(", {} bytes", p.bytes) : "");
}

/// The scalar that the type is, as far as there is one.
std::optional<ScalarType> scalar_of(Type type) {
  switch (type) {
    case Type::S8:
      return ScalarType::Char;
    case Type::U8:
    case Type::B8:
      return ScalarType::UChar;
    case Type::S16:
      return ScalarType::Short;
    case Type::U16:
    case Type::B16:
      return ScalarType::UShort;
    case Type::S32:
      return ScalarType::Int;
    case Type::U32:
    case Type::B32:
      return ScalarType::UInt;
    case Type::S64:
      return ScalarType::Long;
    case Type::U64:
    case Type::B64:
      return ScalarType::ULong;
    case Type::F32:
      return ScalarType::Float;
    case Type::F64:
      return ScalarType::Double;
    default:
      return std::nullopt;
  }
}

/// The one of the same width and the other sign.
ScalarType signed_one(ScalarType type) {
  switch (type) {
    case ScalarType::UChar:
      return ScalarType::Char;
    case ScalarType::UShort:
      return ScalarType::Short;
    case ScalarType::UInt:
      return ScalarType::Int;
    case ScalarType::ULong:
      return ScalarType::Long;
    default:
      return type;
  }
}

ScalarType unsigned_one(ScalarType type) {
  switch (type) {
    case ScalarType::Char:
      return ScalarType::UChar;
    case ScalarType::Short:
      return ScalarType::UShort;
    case ScalarType::Int:
      return ScalarType::UInt;
    case ScalarType::Long:
      return ScalarType::ULong;
    default:
      return type;
  }
}

bool looks_like_float(std::string_view text) {
  return !text.starts_with("0x") && !text.starts_with("-0x") && text.find_first_of(".eEnf") != std::string_view::npos;
}

ParameterBytes bytes_of_number(std::uint64_t bits, std::size_t count) {
  ParameterBytes result{std::vector<std::byte>(count)};
  std::memcpy(result.bytes.data(), &bits, std::min<std::size_t>(count, sizeof bits));
  return result;
}

/// A number for a parameter of that type.
std::expected<ParameterValue, std::string> number(Type type, std::size_t bytes, std::string_view text) {
  auto scalar = scalar_of(type);
  if (!scalar || bytes != size_of(*scalar)) {
    return std::unexpected(bytes == 2 ? "it takes bits, u16:0x3c00" : "it takes the bytes of a file, @FILE");
  }
  if (ptx::is_bits(type) && looks_like_float(text)) {
    scalar = bytes == 4 ? ScalarType::Float : bytes == 8 ? ScalarType::Double : *scalar;
  }
  // PTX's .u32 is also what compilers write for int.
  const ScalarType read_as = is_float(*scalar) ? *scalar : text.starts_with('-') ? signed_one(*scalar) : unsigned_one(*scalar);
  const auto bits = launch::parse_scalar(read_as, text);
  if (!bits) {
    return std::unexpected(bits.error());
  }
  return bytes_of_number(*bits, bytes);
}

class Reading {
 public:
  Reading(const resolved::Function& kernel, std::size_t memory_limit, const launch::FileReader& read) : left_(memory_limit), read_(read) {
    arguments_.values.resize(kernel.parameters.size());
  }

  std::expected<ParameterValue, std::string> value(const resolved::VariableInfo& p, std::string_view text) {
    const auto colon = text.find(':');
    if (text.substr(0, colon) == "shared") {
      return shared_memory(colon == std::string_view::npos ? "" : text.substr(colon + 1));
    }
    const auto type = colon == std::string_view::npos ? std::nullopt : ptx::type_named(text.substr(0, colon));
    if (type) {
      const std::string_view rest = text.substr(colon + 1);
      const auto scalar = scalar_of(*type);
      if (!scalar) {
        return std::unexpected(fmt::format("there are no numbers of type .{} here{}", text.substr(0, colon),
                                           ptx::bytes_of(*type) == 2 ? "; u16 takes their bits" : ""));
      }
      if (rest.find_first_of(":[@") == std::string_view::npos) {
        return number(*type, ptx::bytes_of(*type), rest);
      }
      return buffer(launch::parse_buffer(*scalar, rest, left_, read_));
    }
    if (text.starts_with('@')) {
      const bool is_address = p.bytes == 8 && ptx::bytes_of(p.type) == 8 && !ptx::is_float(p.type);  // and no structure of 8 bytes
      return is_address ? buffer(buffer_of_file(std::string(text.substr(1)))) : bytes_of_file(p, std::string(text.substr(1)));
    }
    return number(p.type, p.bytes, text);
  }

  Arguments arguments_;

 private:
  std::expected<ParameterValue, std::string> buffer(std::expected<launch::Buffer, std::string> made) {
    if (!made) {
      return std::unexpected(made.error());
    }
    left_ -= made->bytes.size();
    arguments_.buffers.push_back(std::move(*made));
    return BufferNumber{arguments_.buffers.size() - 1};
  }

  static std::expected<ParameterValue, std::string> shared_memory(std::string_view digits) {
    const auto bytes = launch::parse_scalar(ScalarType::ULong, digits);
    return bytes ? std::expected<ParameterValue, std::string>(SharedMemory{*bytes})
                 : std::unexpected("how many bytes there are, shared:BYTES: " + bytes.error());
  }

  /// A file says itself what its elements are.
  std::expected<launch::Buffer, std::string> buffer_of_file(const std::string& path) {
    const auto bytes = read_(path, left_);
    if (!bytes) {
      return std::unexpected(bytes.error());
    }
    if (!looks_like_npy(*bytes)) {
      return launch::parse_buffer(ScalarType::UChar, "@" + path, left_, read_);
    }
    const auto array = read_npy(*bytes);
    if (!array) {
      return std::unexpected(fmt::format("{}: {}", path, array.error()));
    }
    return launch::parse_buffer(array->type, "@" + path, left_, read_);
  }

  std::expected<ParameterValue, std::string> bytes_of_file(const resolved::VariableInfo& p, const std::string& path) {
    auto buffer = buffer_of_file(path);
    if (!buffer) {
      return std::unexpected(buffer.error());
    }
    if (buffer->bytes.size() != p.bytes) {
      return std::unexpected(fmt::format("{} has {} bytes, but {} are wanted", path, buffer->bytes.size(), p.bytes));
    }
    return ParameterBytes{std::move(buffer->bytes)};
  }

  std::size_t left_;
  const launch::FileReader& read_;
};

/// OTHER or OTHER+N: what parameter, and how many elements behind its beginning.
std::optional<std::pair<std::size_t, std::uint64_t>> into(const resolved::Function& kernel, std::string_view text) {
  const auto plus = text.find('+');
  const std::string_view name = text.substr(0, plus);
  const bool is_position = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  const auto other = is_position ? std::nullopt : parameter_named(kernel, name);
  std::uint64_t distance = 0;
  if (other && plus != std::string_view::npos) {
    const std::string_view digits = text.substr(plus + 1);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), distance);
    if (problem != std::errc() || end != digits.data() + digits.size()) {
      return std::nullopt;
    }
  }
  return other ? std::optional(std::pair(*other, distance)) : std::nullopt;
}

}  // namespace

const std::string& parameter_name(const resolved::Function& kernel, std::size_t index) { return parameter(kernel, index).name; }

std::optional<std::size_t> parameter_named(const resolved::Function& kernel, std::string_view name) {
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    if (parameter_name(kernel, k) == name) {
      return k;
    }
  }
  std::size_t position = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), position);
  const bool is_position = problem == std::errc() && end == name.data() + name.size() && position < kernel.parameters.size();
  return is_position ? std::optional(position) : std::nullopt;
}

std::string parameter_list(const resolved::Function& kernel) {
  std::string text;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    text += (k == 0 ? "" : ", ") + declaration(kernel, k);
  }
  return text.empty() ? "none" : text;
}

std::expected<Arguments, std::string> parse_arguments(const resolved::Function& kernel, const std::vector<std::string>& texts,
                                                      std::size_t memory_limit, const launch::FileReader& read) {
  Reading reading(kernel, memory_limit, read);
  std::vector<bool> given(kernel.parameters.size());
  std::vector<std::pair<std::size_t, std::string_view>> pointers;
  const auto wrong = [&](std::size_t index, const std::string& problem) {
    return std::unexpected(
        fmt::format("--arg {}: {} (the parameter is '{}')", shortened(parameter_name(kernel, index)), problem, declaration(kernel, index)));
  };
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      return std::unexpected(fmt::format("--arg {}: it is not written NAME=VALUE", shortened(text)));
    }
    const auto index = parameter_named(kernel, std::string_view(text).substr(0, equals));
    if (!index) {
      return std::unexpected(fmt::format("--arg {}: the kernel '{}' has no such parameter; its parameters: {}",
                                         shortened(text.substr(0, equals)), shortened(kernel.name), parameter_list(kernel)));
    }
    if (given[*index]) {
      return std::unexpected(fmt::format("--arg {}: it is given twice", shortened(text.substr(0, equals))));
    }
    given[*index] = true;
    const std::string_view value = std::string_view(text).substr(equals + 1);
    if (into(kernel, value)) {
      pointers.emplace_back(*index, value);
      continue;
    }
    auto made = reading.value(parameter(kernel, *index), value);
    if (!made) {
      return wrong(*index, made.error());
    }
    const std::uint64_t wanted = parameter(kernel, *index).bytes;
    const auto* bytes = std::get_if<ParameterBytes>(&*made);
    const bool is_shared = std::holds_alternative<SharedMemory>(*made);  // there an address may have 4 bytes as well
    if (bytes == nullptr && wanted != 8 && !(is_shared && wanted == 4)) {
      return wrong(*index, "an address has 8 bytes");
    }
    if (bytes != nullptr && bytes->bytes.size() != wanted) {
      return wrong(*index, fmt::format("it has {} bytes, and not {}", wanted, bytes->bytes.size()));
    }
    reading.arguments_.values[*index] = std::move(*made);
  }
  std::string missing;
  for (std::size_t k = 0; k < given.size(); ++k) {
    missing += given[k] ? "" : (missing.empty() ? "" : ", ") + shortened(parameter_name(kernel, k));
  }
  if (!missing.empty()) {
    return std::unexpected(fmt::format("--arg is missing for {} of the kernel '{}'; its parameters: {}", missing, shortened(kernel.name),
                                       parameter_list(kernel)));
  }
  Arguments& arguments = reading.arguments_;
  for (const auto& [index, text] : pointers) {
    const auto [other, distance] = into(kernel, text).value();
    const auto* of = std::get_if<BufferNumber>(&arguments.values[other]);
    if (of == nullptr || other == index || of->first != 0) {
      return wrong(index, fmt::format("'{}' has no buffer of its own", shortened(parameter_name(kernel, other))));
    }
    if (distance > arguments.buffers[of->number].count) {
      return wrong(index,
                   fmt::format("'{}' has {} elements", shortened(parameter_name(kernel, other)), arguments.buffers[of->number].count));
    }
    arguments.values[index] = BufferNumber{of->number, distance};
  }
  return std::move(arguments);
}

}  // namespace lockstep::ptx_machine
