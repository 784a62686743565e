#include "interpreter/launch/vector_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/launch/byte_arguments.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep::launch {
namespace {

/// The parameters that are the components of a vector parameter of that name: the front end makes them of one that is written.
std::vector<std::string> components_named(const typed::Program& program, const std::string& name) {
  for (const std::string_view letters : {std::string_view("xyzw"), std::string_view("0123456789abcdef")}) {
    std::vector<std::string> found;
    for (const char letter : letters) {
      const std::string component = name + (letters.size() == 4 ? "_" : "_s") + letter;
      if (!parameter_named(program, component)) {
        break;
      }
      found.push_back(component);
    }
    if (found.size() > 1) {
      return found;
    }
  }
  return {};
}

/// The bytes of each number of a parameter that is given by its bytes; a problem is a sentence.
std::optional<std::string> add_pieces(const typed::Program& program, const WrittenParameter& parameter, std::string_view text,
                                      std::vector<std::string>& texts) {
  const auto bytes = bytes_of_hex(text, text.size());
  if (!bytes) {
    return bytes.error();
  }
  if (bytes->size() != parameter.bytes) {
    return fmt::format("there are {} bytes, but it has {}", bytes->size(), parameter.bytes);
  }
  for (std::size_t k = 0; k < parameter.pieces.size(); ++k) {
    const auto [offset, size] = parameter.pieces[k];
    texts.push_back(fmt::format("{}={}", parameter_name(program, parameter.first + k), hex_of(bytes->data() + offset, size)));
  }
  return std::nullopt;
}

}  // namespace

std::expected<std::vector<std::string>, std::string> by_components(const typed::Program& program, const std::vector<std::string>& texts,
                                                                   const WrittenParameters& written) {
  std::vector<std::string> result;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto whole = std::ranges::find_if(written, [&](const auto& parameter) { return parameter.name == name && parameter.is_split(); });
    if (whole != written.end() && equals != std::string::npos && is_hex(text.substr(equals + 1))) {
      if (const auto problem = add_pieces(program, *whole, std::string_view(text).substr(equals + 1), result)) {
        return std::unexpected(fmt::format("--arg {}: {}", shortened(name), *problem));
      }
      continue;
    }
    const bool is_list = equals != std::string::npos && text.substr(equals + 1).starts_with('[') && text.ends_with(']');
    const auto components = is_list && !parameter_named(program, name) ? components_named(program, name) : std::vector<std::string>();
    if (components.empty()) {
      result.push_back(text);
      continue;
    }
    std::vector<std::string_view> numbers;
    std::string_view list = std::string_view(text).substr(equals + 2, text.size() - equals - 3);
    for (bool is_last = false; !is_last;) {
      const auto comma = list.find(',');
      is_last = comma == std::string_view::npos;
      numbers.push_back(trimmed(list.substr(0, comma)));
      list = is_last ? list : list.substr(comma + 1);
    }
    if (numbers.size() != components.size()) {
      return std::unexpected(fmt::format("--arg {}: it has {} components, but {} {} given", shortened(name), components.size(),
                                         numbers.size(), numbers.size() == 1 ? "is" : "are"));
    }
    for (std::size_t k = 0; k < components.size(); ++k) {
      result.push_back(fmt::format("{}={}", components[k], numbers[k]));
    }
  }
  return result;
}

}  // namespace lockstep::launch
