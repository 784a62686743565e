#include "semantics/infreg/builder.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/types.hpp"

namespace lockstep::infreg {

Builder::Builder(Kernel& kernel) : kernel_(kernel) {
  for (const Parameter& parameter : kernel.parameters) {
    used_.emplace(parameter.name, 1);
  }
  for (const Object& object : kernel.objects) {
    used_.emplace(object.name, 1);
  }
  for (const Value& value : kernel.values) {
    used_.emplace(value.name, 1);
  }
}

/// Whether it is "NAME.NUMBER", of those that were made for NAME.
bool Builder::is_made(std::string_view name) const {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() || name[dot + 1] == '0') {
    return false;
  }
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) {
    return false;
  }
  const auto found = used_.find(std::string(name.substr(0, dot)));
  return found != used_.end() && number >= 2 && number <= found->second;
}

std::string Builder::unique(std::string_view name) {
  std::string wanted(name);
  const bool made = is_made(name);
  auto [entry, is_new] = used_.emplace(wanted, 1);
  if (is_new && !made) {
    return wanted;
  }
  // Nobody but this name makes such names, so that only given ones can be in the way.
  std::string candidate;
  do {
    candidate = wanted + "." + std::to_string(++entry->second);
  } while (used_.contains(candidate));
  return candidate;
}

ValueId Builder::new_value(Type type, std::string_view name) {
  kernel_.values.push_back({type, unique(name)});
  return static_cast<ValueId>(kernel_.values.size() - 1);
}

ParameterId Builder::add_parameter(Parameter parameter) {
  if (parameter.is_pointer) {
    parameter.name = unique(parameter.name);
  } else {
    parameter.value = new_value({Element::of(parameter.scalar), Layout::pack()}, parameter.name);
    parameter.name = kernel_.values[parameter.value].name;
  }
  kernel_.parameters.push_back(std::move(parameter));
  return static_cast<ParameterId>(kernel_.parameters.size() - 1);
}

ObjectId Builder::add_object(Object object) {
  object.name = unique(object.name);
  kernel_.objects.push_back(std::move(object));
  return static_cast<ObjectId>(kernel_.objects.size() - 1);
}

RegionId Builder::new_region(const std::vector<Type>& arguments, const std::vector<std::string>& names) {
  Region region;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    region.arguments.push_back(new_value(arguments[i], i < names.size() ? names[i] : "x"));
  }
  kernel_.regions.push_back(std::move(region));
  return static_cast<RegionId>(kernel_.regions.size() - 1);
}

RegionId Builder::enter(RegionId region) { return std::exchange(region_, region); }

std::vector<ValueId> Builder::add_many(Node node, SourceSpan span, const std::vector<std::string>& names) {
  const auto types = result_types(kernel_, node);
  if (!types) {
    throw InternalError(fmt::format("ill-formed operation: {}", types.error()));
  }
  Operation operation{std::move(node), {}, span};
  for (std::size_t i = 0; i < types->size(); ++i) {
    operation.results.push_back(new_value((*types)[i], i < names.size() ? names[i] : "t"));
  }
  std::vector<ValueId> results = operation.results;
  kernel_.regions[region_].operations.push_back(std::move(operation));
  return results;
}

ValueId Builder::add(Node node, SourceSpan span, std::string_view name) {
  const auto results = add_many(std::move(node), span, {std::string(name)});
  if (results.size() != 1) {
    throw InternalError("an operation with one result was wanted");
  }
  return results.front();
}

}  // namespace lockstep::infreg
