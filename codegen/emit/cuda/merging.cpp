#include "codegen/emit/cuda/merging.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/emit/cuda/rewriting.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

class Merger {
 public:
  explicit Merger(Kernel kernel) : kernel_(std::move(kernel)) {}

  Kernel made() {
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      for (std::size_t at = 0; at < kernel_.regions[region].operations.size(); ++at) {
        merge(region, at);
      }
    }
    return std::move(kernel_);
  }

 private:
  /// The operation of the region that defines the value, if it is of that kind.
  template <class T>
  const T* defined_as(RegionId region, ValueId value) const {
    for (const Operation& operation : kernel_.regions[region].operations) {
      if (operation.results.size() == 1 && operation.results.front() == value) {
        return std::get_if<T>(&operation.node);
      }
    }
    return nullptr;
  }

  void merge(RegionId region, std::size_t at) {
    std::vector<Operation>& operations = kernel_.regions[region].operations;
    const auto* outer = std::get_if<Select>(&operations[at].node);
    const auto* inner = outer != nullptr ? defined_as<Select>(region, outer->then) : nullptr;
    if (inner == nullptr || inner->otherwise != outer->otherwise || uses_within(kernel_, region, outer->then) != 1) {
      return;
    }
    const auto* first = defined_as<Mask>(region, outer->condition);
    const auto* second = defined_as<Mask>(region, inner->condition);
    if (first == nullptr || second == nullptr) {
      return;
    }
    const ValueId chosen = outer->then;
    Mask both = *first;
    both.all_of.insert(both.all_of.end(), second->all_of.begin(), second->all_of.end());
    const Select merged{.condition = add_value(kernel_, {truth, both.layout}, "both"), .then = inner->then, .otherwise = inner->otherwise};
    const SourceSpan span = operations[at].span;
    operations[at].node = merged;
    // Nobody wants the inner choice any more.
    operations.erase(std::ranges::find(operations, std::vector<ValueId>{chosen}, &Operation::results));
    operations.insert(operations.begin() + static_cast<std::ptrdiff_t>(at) - 1, Operation{std::move(both), {merged.condition}, span});
  }

  Kernel kernel_;
};

}  // namespace

Kernel with_merged_choices(Kernel kernel) { return Merger(std::move(kernel)).made(); }

}  // namespace lockstep::emit_cuda
