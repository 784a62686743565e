#include "semantics/infreg/same.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::infreg {

namespace {

/// Walks both kernels at once, and keeps which value of the left one stands for which of the right.
class Comparison {
 public:
  Comparison(const Kernel& left, const Kernel& right) : left_(left), right_(right) {}

  bool run() {
    return left_.name == right_.name && left_.shape == right_.shape &&
           all(left_.parameters, right_.parameters, [&](auto& a, auto& b) { return parameters(a, b); }) &&
           all(left_.objects, right_.objects, objects) && regions(left_.body, right_.body, 1);
  }

 private:
  template <class Items, class Same>
  static bool all(const Items& left, const Items& right, Same&& same_items) {
    return std::ranges::equal(left, right, same_items);
  }

  bool parameters(const Parameter& a, const Parameter& b) {
    return a.name == b.name && a.scalar == b.scalar && a.is_pointer == b.is_pointer && a.is_const == b.is_const &&
           a.is_restrict == b.is_restrict && (a.is_pointer || define(a.value, b.value));
  }

  static bool objects(const Object& a, const Object& b) {
    return a.name == b.name && a.element == b.element && a.space == b.space && a.count == b.count && a.values == b.values;
  }

  bool define(ValueId a, ValueId b) {
    if (a >= left_.values.size() || b >= right_.values.size()) {
      return false;
    }
    right_of_[a] = b;
    return left_.values[a].name == right_.values[b].name && left_.values[a].type == right_.values[b].type;
  }

  bool define_all(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
    return all(a, b, [&](ValueId x, ValueId y) { return define(x, y); });
  }

  bool regions(RegionId a, RegionId b, std::size_t depth) {
    if (a >= left_.regions.size() || b >= right_.regions.size() || depth > max_depth) {
      return false;
    }
    const Region& left = left_.regions[a];
    const Region& right = right_.regions[b];
    return define_all(left.arguments, right.arguments) &&
           all(left.operations, right.operations, [&](const Operation& x, const Operation& y) { return operations(x, y, depth); }) &&
           all(left.yields, right.yields, [&](ValueId x, ValueId y) { return right_of(x) == y; });
  }

  bool operations(const Operation& a, const Operation& b, std::size_t depth) {
    std::vector<RegionId> left_regions;
    std::vector<RegionId> right_regions;
    Node left = a.node;
    Node right = b.node;
    const auto take = [](Node& node, std::vector<RegionId>& into) {
      for_each_region(node, [&](RegionId& region) { into.push_back(std::exchange(region, 0)); });
    };
    take(left, left_regions);
    take(right, right_regions);
    rename_uses(left, [&](ValueId value) { return right_of(value); });
    return left == right && all(left_regions, right_regions, [&](RegionId x, RegionId y) { return regions(x, y, depth + 1); }) &&
           define_all(a.results, b.results);
  }

  ValueId right_of(ValueId value) const {
    const auto found = right_of_.find(value);
    return found == right_of_.end() ? ~ValueId{0} : found->second;
  }

  const Kernel& left_;
  const Kernel& right_;
  std::unordered_map<ValueId, ValueId> right_of_;
};

}  // namespace

bool same(const Kernel& left, const Kernel& right) { return Comparison(left, right).run(); }

}  // namespace lockstep::infreg
