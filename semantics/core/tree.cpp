#include "semantics/core/tree.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace lockstep::core {

std::string name_of(const Type& type) {
  if (type.is_void()) {
    return "void";
  }
  std::string text;
  if (!type.is_scalar()) {
    // What lies in __constant memory is const anyway.
    text += type.is_const && type.space != AddressSpace::Constant ? "const " : "";
    text += type.space != AddressSpace::Private ? "__" + std::string(name_of(type.space)) + " " : "";
  }
  text += info(type.scalar).name;
  if (type.is_pointer()) {
    text += type.extents.empty() ? " *" : " (*)";
  }
  for (const std::uint64_t extent : type.extents) {
    text += "[" + std::to_string(extent) + "]";
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
