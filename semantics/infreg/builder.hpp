#pragma once
// Makes operations, with their types inferred and checked: an ill-formed one is an InternalError, here and not later.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// Appends to one region of a kernel at a time. Names given need not be unique; the builder makes them so ("x", "x.2").
class Builder {
 public:
  /// The kernel's parameters and objects must be there already: their names are taken.
  explicit Builder(Kernel& kernel);

  /// Appends a parameter, or an object; of a scalar parameter its value is made too. Memory and values share their names.
  ParameterId add_parameter(Parameter parameter);
  ObjectId add_object(Object object);

  /// A value without a definition yet (an argument of a region, a scalar parameter).
  ValueId new_value(Type type, std::string_view name);

  /// An empty region; its arguments are new values of these types and names.
  RegionId new_region(const std::vector<Type>& arguments = {}, const std::vector<std::string>& names = {});

  /// Operations go to this region's end from now on. Returns the former one.
  RegionId enter(RegionId region);
  RegionId region() const { return region_; }

  /// Appends an operation with one result.
  ValueId add(Node node, SourceSpan span, std::string_view name = "t");
  /// Appends an operation with any number of results; `names` for them, or none.
  std::vector<ValueId> add_many(Node node, SourceSpan span, const std::vector<std::string>& names = {});

  const Kernel& kernel() const { return kernel_; }

 private:
  std::string unique(std::string_view name);
  bool is_made(std::string_view name) const;

  Kernel& kernel_;
  RegionId region_ = 0;
  std::unordered_map<std::string, std::uint32_t> used_;  ///< names that were asked for, and how often: "x", "x.2" and "x.3" are 3 of x
};

}  // namespace lockstep::infreg
