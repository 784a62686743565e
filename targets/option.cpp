#include "targets/option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "semantics/musimd/number.hpp"

namespace lockstep::targets {

std::optional<std::string> store_number(unsigned& into, const std::string& value, unsigned least, unsigned most) {
  const auto number = parse_number(value, least, most);
  if (!number) {
    return number.error();
  }
  into = static_cast<unsigned>(*number);
  return std::nullopt;
}

std::string no_such_word(const std::string& value, const std::vector<std::string>& words) {
  return fmt::format("there is no '{}'; there are {}", value, fmt::join(words, ", "));
}

}  // namespace lockstep::targets
