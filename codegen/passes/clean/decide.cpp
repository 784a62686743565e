#include "codegen/passes/clean/decide.hpp"

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/passes/clean/replacements.hpp"
#include "codegen/passes/clean/rounds.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

class Deciding {
 public:
  explicit Deciding(Kernel& kernel) : kernel_(kernel), replacements_(kernel.values.size()), truths_(kernel.values.size()) {}

  bool run() {
    region(kernel_.body);
    return has_changed_;
  }

 private:
  void region(RegionId id) {
    std::vector<Operation> before = std::move(kernel_.regions[id].operations);
    std::vector<Operation> after;
    after.reserve(before.size());
    for (Operation& operation : before) {
      replacements_.rename(operation.node);
      if (const auto* constant = std::get_if<Constant>(&operation.node); constant != nullptr && constant->type.element == truth) {
        truths_[operation.results.front()] = constant->bits != 0;
      }
      if (!put_in_place(operation, after)) {
        for_each_region(operation.node, [&](RegionId inner) { region(inner); });
        after.push_back(std::move(operation));
      }
    }
    kernel_.regions[id].operations = std::move(after);
    replacements_.rename(kernel_.regions[id].yields);
  }

  /// Appends what the control operation does to `after`, if that is known; false if it is not.
  bool put_in_place(const Operation& operation, std::vector<Operation>& after) {
    if (const auto* branch = std::get_if<If>(&operation.node); branch != nullptr && truths_[branch->condition]) {
      take(*truths_[branch->condition] ? branch->then : branch->otherwise, operation, after);
    } else if (const auto* counted = std::get_if<For>(&operation.node); counted != nullptr && has_no_round(*counted)) {
      replace(operation.results, counted->inits);
    } else if (counted != nullptr && has_one_round(*counted)) {
      const std::vector<ValueId>& arguments = kernel_.regions[counted->body].arguments;
      after.push_back({Index{{index_element, Layout::pack()}, counted->from}, {arguments.front()}, operation.span});
      replace({arguments.begin() + 1, arguments.end()}, counted->inits);
      take(counted->body, operation, after);
    } else if (const auto* loop = std::get_if<Loop>(&operation.node); loop != nullptr && truths_[loop->inits.front()] == false) {
      replace(operation.results, loop->inits);
    } else {
      return false;
    }
    has_changed_ = true;
    return true;
  }

  void take(RegionId id, const Operation& operation, std::vector<Operation>& after) {
    region(id);
    Region& taken = kernel_.regions[id];
    after.insert(after.end(), std::make_move_iterator(taken.operations.begin()), std::make_move_iterator(taken.operations.end()));
    replace(operation.results, taken.yields);
    taken = {};
  }

  void replace(const std::vector<ValueId>& values, const std::vector<ValueId>& others) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      replacements_.replace(values[i], others[i]);
    }
  }

  Kernel& kernel_;
  Replacements replacements_;
  std::vector<std::optional<bool>> truths_;
  bool has_changed_ = false;
};

}  // namespace

bool decide_control(Kernel& kernel) { return Deciding(kernel).run(); }

}  // namespace lockstep::passes::clean
