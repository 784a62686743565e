#include "codegen/passes/clean/common.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/passes/clean/memory.hpp"
#include "codegen/passes/clean/replacements.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

/// Whether the operation is the same with its first two operands exchanged. Of floats too: any NaN stands for any other.
bool is_commutative(const Elementwise& node) {
  switch (node.op) {
    case Op::Add:
    case Op::Mul:
    case Op::Fma:
    case Op::Eq:
    case Op::Ne:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
      return true;
    default:
      return false;
  }
}

bool are_same(const Node& left, const Node& right) {
  if (left == right) {
    return true;
  }
  const auto* a = std::get_if<Elementwise>(&left);
  const auto* b = std::get_if<Elementwise>(&right);
  if (a == nullptr || b == nullptr || a->op != b->op || !is_commutative(*a)) {
    return false;
  }
  Elementwise exchanged = *b;
  std::swap(exchanged.operands[0], exchanged.operands[1]);
  return *a == exchanged;
}

class Hash {
 public:
  void add(std::uint64_t number) {
    sum_ = (sum_ ^ (number + 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
    sum_ ^= sum_ >> 32U;
  }
  void add(const Polynomial& polynomial) {
    add(static_cast<std::uint64_t>(polynomial.constant()));
    for (const Monomial& term : polynomial.terms()) {
      add(static_cast<std::uint64_t>(term.coefficient));
      for (const Symbol symbol : term.factors) {
        add(static_cast<std::uint64_t>(symbol.kind) << 32U | symbol.value);
      }
    }
  }
  void add(const Type& type) {
    add(static_cast<std::uint64_t>(type.element.scalar) << 8U | static_cast<std::uint64_t>(type.layout.kind));
    add(type.layout.elements);
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// Equal for operations that are_same.
std::uint64_t hash_of(const Node& node, const Type& type) {
  Hash hash;
  hash.add(node.index());
  hash.add(type);
  for_each_polynomial(node, [&](const Polynomial& polynomial) { hash.add(polynomial); });
  if (const auto* elementwise = std::get_if<Elementwise>(&node)) {
    hash.add(static_cast<std::uint64_t>(elementwise->op));
    std::vector<ValueId> operands = elementwise->operands;
    if (is_commutative(*elementwise)) {
      std::sort(operands.begin(), operands.begin() + 2);
    }
    std::ranges::for_each(operands, [&](ValueId operand) { hash.add(operand); });
    return hash.sum();
  }
  for_each_plain_operand(node, [&](ValueId value) { hash.add(value); });
  if (const auto* constant = std::get_if<Constant>(&node)) {
    hash.add(constant->bits);
  } else if (const auto* lanes = std::get_if<ConstantLanes>(&node)) {
    std::ranges::for_each(lanes->bits, [&](std::uint64_t bits) { hash.add(bits); });
  } else if (const auto* reorder = std::get_if<Reorder>(&node)) {
    if (const auto* table = std::get_if<Reorder::Table>(&reorder->pattern)) {
      std::ranges::for_each(table->source, [&](std::uint32_t lane) { hash.add(lane); });
    }
  } else if (const auto* load = std::get_if<Load>(&node)) {
    std::visit(
        [&](auto base) {
          if constexpr (!std::is_same_v<decltype(base), infreg::AtPointer>) {
            hash.add(base.id);
          }
        },
        load->place.base);
  } else if (const auto* address = std::get_if<AddressOf>(&node)) {
    std::visit([&](const auto& of) { hash.add(of.id); }, address->object);
  }
  return hash.sum();
}

class Sharing {
 public:
  explicit Sharing(Kernel& kernel) : kernel_(kernel), replacements_(kernel.values.size()), stored_(stored_memories(kernel)) {}

  bool run() {
    known_.reserve(kernel_.values.size());
    region(kernel_.body);
    return has_changed_;
  }

 private:
  struct Known {
    const Node* node = nullptr;
    ValueId result = 0;
    std::uint64_t memory = 0;  ///< of a load: the state of memory that it read
  };
  using Table = std::unordered_multimap<std::uint64_t, Known>;

  void region(RegionId id) {
    std::vector<Table::iterator> own;
    Region& r = kernel_.regions[id];
    for (Operation& operation : r.operations) {
      has_changed_ = replacements_.rename(operation.node) || has_changed_;
      const Node& node = operation.node;
      if (const infreg::Place* place = stored_place(node)) {
        written(memories_of(*place, accessed_type(kernel_, node)));
      } else if (const auto* branch = std::get_if<If>(&node)) {
        const auto before = memory_;
        region(branch->then);
        memory_ = before;
        region(branch->otherwise);
        written(stored_[branch->then] | stored_[branch->otherwise]);
      } else if (const auto* counted = std::get_if<For>(&node)) {
        loop(counted->body);
      } else if (const auto* repeated = std::get_if<Loop>(&node)) {
        loop(repeated->body);
      } else {
        share(operation, own);
      }
    }
    has_changed_ = replacements_.rename(r.yields) || has_changed_;
    for (const Table::iterator entry : own) {
      known_.erase(entry);
    }
  }

  void loop(RegionId body) {
    written(stored_[body]);  // by the rounds before
    region(body);
    written(stored_[body]);
  }

  void share(const Operation& operation, std::vector<Table::iterator>& own) {
    const ValueId result = operation.results.front();
    const std::uint64_t memory = state_of(operation.node);
    const std::uint64_t hash = hash_of(operation.node, kernel_.type_of(result)) + memory;
    const auto [first, last] = known_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry) {
      if (entry->second.memory == memory && are_same(*entry->second.node, operation.node)) {
        replacements_.replace(result, entry->second.result);  // a change where it is used
        return;
      }
    }
    own.push_back(known_.emplace(hash, Known{&operation.node, result, memory}));
  }

  // ---- memory --------------------------------------------------------------------------------------------------------------

  /// The number of the state of what the operation reads; 0 for what never changes. States are counted up: the last store decides.
  std::uint64_t state_of(const Node& node) const {
    const auto* load = std::get_if<Load>(&node);
    if (load == nullptr || is_of_constant(kernel_, *load)) {
      return 0;
    }
    const Memories read = memories_of(load->place, load->type.element.scalar);
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      state = (read >> i & 1U) != 0 ? std::max(state, memory_[i]) : state;
    }
    return state;
  }

  void written(Memories memories) {
    ++states_;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = (memories >> i & 1U) != 0 ? states_ : memory_[i];
    }
  }

  Kernel& kernel_;
  Replacements replacements_;
  std::vector<Memories> stored_;
  Table known_;
  std::array<std::uint64_t, memory_count> memory_{};  ///< of each memory: the state of its cells
  std::uint64_t states_ = 0;
  bool has_changed_ = false;
};

}  // namespace

bool share_common(Kernel& kernel) { return Sharing(kernel).run(); }

}  // namespace lockstep::passes::clean
