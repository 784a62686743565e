#include "semantics/core/translate/module.hpp"

#include <cstdint>

#include "semantics/core/control.hpp"
#include "semantics/core/crev_order.hpp"

namespace lockstep::core::translation {

namespace {

std::vector<std::uint64_t> several(const std::vector<std::uint64_t>& extents) {
  return extents.size() > 1 ? extents : std::vector<std::uint64_t>{};
}

}  // namespace

typed::ValueType value_type(const Type& type) {
  return {type.scalar, type.is_pointer(), type.is_pointer() ? type.space : AddressSpace::Private};
}

bool Module::may_owe(FunctionId id) {
  const auto [entry, added] = may_owe_.emplace(id, false);
  if (added) {
    const Function& function = program_.functions[id];
    entry->second = !function.result.is_void() && analyse_control(function).falls;
  }
  return entry->second;
}

typed::FunctionId Module::function(FunctionId id, bool uses_value) {
  const bool gives_value = uses_value || !may_owe(id);
  const auto [entry, added] = functions_.emplace(std::pair{id, gives_value}, static_cast<typed::FunctionId>(called_.size() + 1));
  if (added) {
    called_.push_back({id, gives_value});
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
    out_.objects.push_back(
        {object_name("crev.order"), ScalarType::UInt, AddressSpace::Constant, lanes, crev_permutation(program_.options), {}, {}});
  }
  return *crev_order_;
}

typed::Function Module::head(const Function& function, bool gives_value) {
  typed::Function head;
  head.name = function.name + (gives_value ? "" : ".unused");
  if (!out_.functions.empty() && out_.functions.front().name == head.name) {
    head.name += ".2";  // a kernel that is also called has two copies
  }
  head.parameter_count = function.parameter_count;
  for (VarId id = 0; id < function.parameter_count; ++id) {
    head.uniform_parameters.push_back(function.variables[id].is_uniform);
  }
  if (!function.result.is_void() && gives_value) {
    head.result = value_type(function.result);
  }
  head.span = function.span;
  return head;
}

}  // namespace lockstep::core::translation
