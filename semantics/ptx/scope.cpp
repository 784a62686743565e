#include "semantics/ptx/scope.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace lockstep::ptx {
namespace {

/// The number that stands behind the range's prefix; none if the name begins otherwise or goes on with something else.
std::optional<std::uint32_t> number_in(const Variable& range, std::string_view name) {
  if (!name.starts_with(range.name) || name.size() == range.name.size()) {
    return std::nullopt;
  }
  name.remove_prefix(range.name.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool canonical = name == "0" || name[0] != '0';
  return error == std::errc() && end == name.data() + name.size() && canonical ? std::optional(number) : std::nullopt;
}

}  // namespace

const Named* Scope::declare(std::string_view name, const Named& named) {
  const auto [entry, is_new] = names_.try_emplace(std::string(name), named);
  return is_new ? nullptr : &entry->second;
}

void Scope::declare_range(const Variable& declaration) { ranges_.push_back(&declaration); }

const Named* Scope::find(std::string_view name, resolved::Function& function) {
  const auto known = names_.find(name);
  if (known != names_.end()) {
    auto* registers = std::get_if<RegisterName>(&known->second.meaning);
    if (registers != nullptr && registers->numbers.empty()) {
      registers->numbers = new_registers(function, *registers->declaration, name);
    }
    return &known->second;
  }
  const Variable* range = range_of(name);
  if (range == nullptr) {
    return nullptr;
  }
  return &names_.emplace(std::string(name), Named{RegisterName{range, new_registers(function, *range, name)}, range->place}).first->second;
}

const Variable* Scope::range_of(std::string_view name) const {
  for (const Variable* range : ranges_) {
    if (const auto number = number_in(*range, name); number && *number < *range->range) {
      return range;
    }
  }
  return nullptr;
}

const Variable* Scope::near_range(std::string_view name) const {
  for (const Variable* range : ranges_) {
    if (number_in(*range, name)) {
      return range;
    }
  }
  return nullptr;
}

void Scope::add_names(std::vector<std::string_view>& names) const {
  for (const auto& [name, named] : names_) {
    names.push_back(name);
  }
}

std::vector<std::uint32_t> new_registers(resolved::Function& function, const Variable& declaration, std::string_view name) {
  constexpr std::string_view letters = "xyzw";
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < declaration.vector; ++i) {
    numbers.push_back(static_cast<std::uint32_t>(function.registers.size()));
    const bool is_vector = declaration.vector > 1;
    function.registers.push_back(
        {is_vector ? fmt::format("{}.{}", name, i < 4 ? std::string(1, letters[i]) : std::to_string(i)) : std::string(name),
         declaration.type});
  }
  return numbers;
}

}  // namespace lockstep::ptx
