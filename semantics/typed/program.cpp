#include "semantics/typed/program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::typed {

namespace {

/// Equality up to spans, member by member. (A class, so that all overloads see each other.)
struct UpToSpans {
  template <class T>
    requires std::is_scalar_v<T>
  static bool equal(T a, T b) {
    return a == b;
  }
  template <class T>
  static bool equal(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || equal(*a, *b));
  }
  template <class T>
  static bool equal(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](const T& x, const T& y) { return equal(x, y); });
  }
  template <class... T>
  static bool equal(const std::variant<T...>& a, const std::variant<T...>& b) {
    return a.index() == b.index() && std::visit([&]<class U>(const U& x) { return equal(x, std::get<U>(b)); }, a);
  }

  static bool equal(const ValueType& a, const ValueType& b) { return a == b; }
  static bool equal(const Constant& a, const Constant& b) { return a.bits == b.bits; }
  static bool equal(const Register& a, const Register& b) { return a.id == b.id && a.carries == b.carries; }
  static bool equal(const Element& a, const Element& b) { return a.array == b.array && a.carries == b.carries; }
  static bool equal(const Ask& a, const Ask& b) { return a.query == b.query; }
  static bool equal(const RegisterAddress& a, const RegisterAddress& b) { return a.array == b.array; }
  static bool equal(const ObjectAddress& a, const ObjectAddress& b) { return a.object == b.object; }
  static bool equal(const Operation& a, const Operation& b) {
    return a.op == b.op && a.operand_type == b.operand_type && a.on_pointers == b.on_pointers;
  }
  static bool equal(const Convert& a, const Convert& b) { return a.from == b.from; }
  static bool equal(const Bitcast& a, const Bitcast& b) { return a.from == b.from; }
  static bool equal(const Within& a, const Within& b) {
    return a.limit == b.limit && a.number == b.number && a.of_object == b.of_object && a.of == b.of;
  }
  static bool equal(const PointerAdd&, const PointerAdd&) { return true; }
  static bool equal(const Reinterpret& a, const Reinterpret& b) { return a.from == b.from; }
  static bool equal(const PointerDifference&, const PointerDifference&) { return true; }
  static bool equal(const ExprNode& a, const ExprNode& b) { return equal(a.node, b.node) && a.type == b.type; }
  static bool equal(const Expr& a, const Expr& b) { return equal(a.nodes, b.nodes); }
  static bool equal(const Place& a, const Place& b) { return a.id == b.id && equal(a.index, b.index); }

  static bool equal(const BranchZero& a, const BranchZero& b) { return a.target == b.target && equal(a.condition, b.condition); }
  static bool equal(const Jump& a, const Jump& b) { return a.target == b.target; }
  static bool equal(const JumpMask& a, const JumpMask& b) { return a.target == b.target && equal(a.thread, b.thread); }
  static bool equal(const Assign& a, const Assign& b) { return equal(a.place, b.place) && equal(a.value, b.value); }
  static bool equal(const Forget& a, const Forget& b) { return a.id == b.id; }
  static bool equal(const Load& a, const Load& b) { return equal(a.place, b.place) && equal(a.base, b.base) && equal(a.index, b.index); }
  static bool equal(const Store& a, const Store& b) { return equal(a.base, b.base) && equal(a.index, b.index) && equal(a.value, b.value); }
  static bool equal(const Atomic& a, const Atomic& b) {
    return equal(a.dst, b.dst) && equal(a.base, b.base) && equal(a.index, b.index) && equal(a.compare, b.compare) &&
           equal(a.value, b.value) && a.op == b.op;
  }
  static bool equal(const Shuffle& a, const Shuffle& b) {
    return a.dst == b.dst && a.source == b.source && equal(a.lane, b.lane) && a.active == b.active;
  }
  static bool equal(const Vote& a, const Vote& b) { return a.kind == b.kind && a.dst == b.dst && equal(a.value, b.value); }
  static bool equal(const Call& a, const Call& b) {
    return a.function == b.function && equal(a.arguments, b.arguments) && equal(a.result, b.result);
  }
  static bool equal(const Return& a, const Return& b) { return equal(a.value, b.value); }
  static bool equal(const Sync&, const Sync&) { return true; }
  static bool equal(const Stop&, const Stop&) { return true; }
  static bool equal(const Everywhere&, const Everywhere&) { return true; }
  static bool equal(const EndEverywhere&, const EndEverywhere&) { return true; }
  static bool equal(const Barrier& a, const Barrier& b) { return a.fences == b.fences; }
  static bool equal(const Statement& a, const Statement& b) { return equal(a.instruction, b.instruction); }

  static bool equal(const RegisterInfo& a, const RegisterInfo& b) {
    return a.name == b.name && a.type == b.type && a.count == b.count && a.variable == b.variable && a.extents == b.extents &&
           a.always_written == b.always_written;
  }
  static bool equal(const Function& a, const Function& b) {
    return a.name == b.name && equal(a.registers, b.registers) && a.parameter_count == b.parameter_count &&
           a.uniform_parameters == b.uniform_parameters && a.result == b.result && a.begin == b.begin && a.end == b.end;
  }
  static bool equal(const Object& a, const Object& b) {
    return a.name == b.name && a.element == b.element && a.space == b.space && a.count == b.count && a.values == b.values &&
           a.extents == b.extents;
  }
  static bool equal(const LabelDefinition& a, const LabelDefinition& b) { return a.name == b.name && a.pc == b.pc; }
};

}  // namespace

unsigned operand_count(const ExprNode& node) {
  return std::visit(
      []<class Node>(const Node& kind) -> unsigned {
        if constexpr (std::is_same_v<Node, Operation>) {
          return static_cast<unsigned>(info(kind.op).arity);
        } else if constexpr (std::is_same_v<Node, Element> || std::is_same_v<Node, Convert> || std::is_same_v<Node, Bitcast> ||
                             std::is_same_v<Node, Within> || std::is_same_v<Node, Reinterpret>) {
          return 1;
        } else if constexpr (std::is_same_v<Node, PointerAdd> || std::is_same_v<Node, PointerDifference>) {
          return 2;
        } else {
          return 0;
        }
      },
      node.node);
}

const Function& function_at(const Program& program, Label pc) {
  const auto behind = std::ranges::upper_bound(program.functions, pc, {}, &Function::begin);
  if (behind == program.functions.begin() || pc >= std::prev(behind)->end) {
    throw InternalError("no function has an instruction at this pc");
  }
  return *std::prev(behind);
}

Puns::Puns(const Program& program) {
  for (const Statement& statement : program.code) {
    for_each_expression(statement.instruction, [&](const Expr& e) {
      for (const ExprNode& node : e.nodes) {
        if (const auto* reinterpret = std::get_if<Reinterpret>(&node.node)) {
          std::uint32_t& types = types_[number_of(node.type.space)];
          types |= 1U << static_cast<unsigned>(reinterpret->from) | 1U << static_cast<unsigned>(node.type.scalar);
        }
      }
    });
  }
}

std::vector<std::vector<RegisterId>> addressed_arrays(const Program& program) {
  std::vector<std::vector<RegisterId>> addressed(program.functions.size());
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    for (Label pc = program.functions[f].begin; pc < program.functions[f].end; ++pc) {
      for_each_expression(program.code[pc].instruction, [&](const Expr& e) {
        for (const ExprNode& node : e.nodes) {
          if (const auto* address = std::get_if<RegisterAddress>(&node.node)) {
            addressed[f].push_back(address->array);
          }
        }
      });
    }
    std::ranges::sort(addressed[f]);
    addressed[f].erase(std::unique(addressed[f].begin(), addressed[f].end()), addressed[f].end());
  }
  return addressed;
}

Program with_all_watched(Program program) {
  for (Function& function : program.functions) {
    for (RegisterInfo& info : function.registers) {
      info.always_written = false;
    }
  }
  return program;
}

namespace {

/// The kernel's buffers and the program's objects, as far as one sees from a pointer's form where it leads.
class Seen {
 public:
  explicit Seen(const Program& program) : kernel_(program.kernel()), is_written_(kernel_.registers.size()) {
    for (Label pc = kernel_.begin; pc < kernel_.end; ++pc) {
      if (const auto written = written_by(program.code[pc].instruction)) {
        is_written_[written->id] = true;
      }
    }
  }

  /// A number for each, nothing for what may lead anywhere; `at`: the instruction.
  std::optional<std::size_t> operator()(Label at, const Expr& pointer) const {
    std::optional<std::size_t> found;
    unsigned leaves = 0;  // of two pointers one may have been chosen
    for (const ExprNode& node : pointer.nodes) {
      const auto* object = std::get_if<ObjectAddress>(&node.node);
      const auto* buffer = std::get_if<Register>(&node.node);
      const bool is_parameter =
          buffer != nullptr && at >= kernel_.begin && at < kernel_.end && buffer->id < kernel_.parameter_count && !is_written_[buffer->id];
      if (object != nullptr) {
        found = kernel_.registers.size() + object->object;
      } else if (is_parameter && node.type.is_pointer) {
        found = buffer->id;
      }
      leaves += object != nullptr || (buffer != nullptr && node.type.is_pointer) ? 1U : 0U;
    }
    if (leaves != 1) {
      return std::nullopt;
    }
    return found;
  }

 private:
  const Function& kernel_;
  std::vector<bool> is_written_;
};

}  // namespace

AtomicOrder atomic_order(const Program& program) {
  using Where = std::pair<std::size_t, std::optional<std::size_t>>;  // elements of one size in one memory object may meet
  const Seen seen(program);
  std::map<Where, const Atomic*> first;
  std::map<std::size_t, bool> anywhere;  // by size: whether a pointer may lead to each object
  const auto all = [&](const auto& use) {
    for (Label pc = 0; pc < program.code.size(); ++pc) {
      if (const auto* atomic = std::get_if<Atomic>(&program.code[pc].instruction)) {
        use(*atomic, size_of(atomic->base.type().scalar), seen(pc, atomic->base));
      }
    }
  };
  all([&](const Atomic&, std::size_t size, std::optional<std::size_t> object) { anywhere[size] |= !object; });
  AtomicOrder found = AtomicOrder::None;
  all([&](const Atomic& atomic, std::size_t size, std::optional<std::size_t> object) {
    const ScalarType type = atomic.base.type().scalar;
    const Atomic& other = *first.try_emplace(Where(size, anywhere[size] ? std::nullopt : object), &atomic).first->second;
    const bool is_free =
        !atomic.dst && is_order_free(atomic.op, type) && are_order_free(other.op, other.base.type().scalar, atomic.op, type);
    found = std::max(found, is_free ? AtomicOrder::Free : AtomicOrder::Matters);
  });
  return found;
}

bool same(const Program& a, const Program& b) {
  return a.wg_size == b.wg_size && UpToSpans::equal(a.code, b.code) && UpToSpans::equal(a.functions, b.functions) &&
         UpToSpans::equal(a.objects, b.objects) && UpToSpans::equal(a.labels, b.labels);
}

}  // namespace lockstep::typed
