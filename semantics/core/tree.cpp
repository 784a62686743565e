#include "semantics/core/tree.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "semantics/core/record.hpp"

namespace lockstep::core {

std::string name_of(const Type& type) {
  if (type.is_void()) {
    return "void";
  }
  std::string text;
  if (!type.is_scalar() && !type.is_vector() && !type.is_record()) {
    // What lies in __constant memory is const anyway.
    text += type.is_const && type.space != AddressSpace::Constant ? "const " : "";
    text += type.space != AddressSpace::Private ? "__" + std::string(name_of(type.space)) + " " : "";
  }
  text += type.record != nullptr ? std::string_view(type.record->name) : info(type.scalar).name;
  text += type.components != 0 ? std::to_string(type.components) : "";
  const std::size_t sizes = type.extents.size() - (type.components != 0 || type.record != nullptr ? 1 : 0);
  if (type.is_pointer()) {
    text += sizes == 0 ? " *" : " (*)";
  }
  for (std::size_t i = 0; i < sizes; ++i) {
    text += "[" + std::to_string(type.extents[i]) + "]";
  }
  return text;
}

std::uint64_t product(std::span<const std::uint64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
}

const Function* Program::kernel(const std::string& name) const {
  const auto matches = [&](const Function& function) { return function.is_kernel && (name.empty() || function.name == name); };
  const auto first = std::ranges::find_if(functions, matches);
  if (first == functions.end() || std::find_if(std::next(first), functions.end(), matches) != functions.end()) {
    return nullptr;
  }
  return &*first;
}

}  // namespace lockstep::core
