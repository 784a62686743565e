#include "interpreter/launch/vector_arguments.hpp"

#include <fmt/format.h>

#include <string_view>

#include "interpreter/launch/arguments.hpp"
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

}  // namespace

std::expected<std::vector<std::string>, std::string> by_components(const typed::Program& program, const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
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
