#include "semantics/core/translate/module.hpp"

#include <cstdint>
#include <numeric>

namespace lockstep::core::translation {

namespace {

std::vector<std::uint64_t> several(const std::vector<std::uint64_t>& extents) {
  return extents.size() > 1 ? extents : std::vector<std::uint64_t>{};
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): the same everywhere.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// A permutation of 0 … count-1 (Fisher and Yates).
std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[next_random(seed) % left]);
  }
  return order;
}

}  // namespace

typed::ValueType value_type(const Type& type) {
  return {type.scalar, type.is_pointer(), type.is_pointer() ? type.space : AddressSpace::Private};
}

typed::FunctionId Module::function(FunctionId id) {
  const auto [entry, added] = functions_.emplace(id, static_cast<typed::FunctionId>(called_.size() + 1));
  if (added) {
    called_.push_back(id);
  }
  return entry->second;
}

std::string Module::object_name(const std::string& name) {
  std::string free = name;
  for (unsigned number = 2; !object_names_.insert(free).second; ++number) {
    free = name + "." + std::to_string(number);
  }
  return free;
}

typed::ObjectId Module::constant_object(ConstantId id) {
  const auto [entry, added] = constants_.emplace(id, static_cast<typed::ObjectId>(out_.objects.size()));
  if (added) {
    const Constant& constant = program_.constants[id];
    out_.objects.push_back({object_name(constant.name), constant.type.scalar, AddressSpace::Constant, product(constant.type.extents),
                            constant.values, several(constant.type.extents), constant.span});
  }
  return entry->second;
}

typed::ObjectId Module::local_object(const Function& function, VarId id) {
  const auto [entry, added] = locals_.emplace(std::pair{&function, id}, static_cast<typed::ObjectId>(out_.objects.size()));
  if (added) {
    const Variable& variable = function.variables[id];
    out_.objects.push_back({object_name(variable.name),
                            variable.type.scalar,
                            AddressSpace::Local,
                            product(variable.type.extents),
                            {},
                            several(variable.type.extents),
                            variable.span});
  }
  return entry->second;
}

typed::ObjectId Module::crev_order() {
  if (!crev_order_) {
    crev_order_ = static_cast<typed::ObjectId>(out_.objects.size());
    const std::uint64_t lanes = program_.options.wg_size;
    out_.objects.push_back({object_name("crev.order"),
                            ScalarType::UInt,
                            AddressSpace::Constant,
                            lanes,
                            permutation(lanes, program_.options.crev_seed),
                            {},
                            {}});
  }
  return *crev_order_;
}

typed::Function Module::head(const Function& function) {
  typed::Function head;
  head.name = function.name;
  if (!out_.functions.empty() && out_.functions.front().name == head.name) {
    head.name += ".2";  // a kernel that is also called has two copies
  }
  head.parameter_count = function.parameter_count;
  for (VarId id = 0; id < function.parameter_count; ++id) {
    head.uniform_parameters.push_back(function.variables[id].is_uniform);
  }
  if (!function.result.is_void()) {
    head.result = value_type(function.result);
  }
  head.span = function.span;
  return head;
}

}  // namespace lockstep::core::translation
