#include "semantics/musimd/syntax.hpp"

#include <algorithm>
#include <type_traits>

namespace lockstep::musimd {
namespace {

// One overload of `equal` per kind of node; spans are left out.

bool equal(const Constant& a, const Constant& b) { return a.value == b.value; }
bool equal(const Variable& a, const Variable& b) { return a.id == b.id; }
bool equal(const ThreadId&, const ThreadId&) { return true; }
bool equal(const Operation& a, const Operation& b) { return a.op == b.op; }

template <class... Kinds>
bool equal(const std::variant<Kinds...>& a, const std::variant<Kinds...>& b);

bool equal(const Expr& a, const Expr& b) {
  return std::ranges::equal(a.nodes, b.nodes, [](const ExprNode& x, const ExprNode& y) { return equal(x, y); });
}

bool equal(const Target& a, const Target& b) { return a.pc == b.pc && a.label == b.label; }

bool equal(const BranchZero& a, const BranchZero& b) { return equal(a.condition, b.condition) && equal(a.target, b.target); }
bool equal(const Jump& a, const Jump& b) { return equal(a.target, b.target); }
bool equal(const JumpMask& a, const JumpMask& b) { return equal(a.thread, b.thread) && equal(a.target, b.target); }
bool equal(const Assign& a, const Assign& b) { return a.dst == b.dst && equal(a.value, b.value); }
bool equal(const Load& a, const Load& b) { return a.dst == b.dst && equal(a.address, b.address); }
bool equal(const Store& a, const Store& b) { return equal(a.address, b.address) && equal(a.value, b.value); }
bool equal(const Shuffle& a, const Shuffle& b) { return a.dst == b.dst && equal(a.source, b.source) && equal(a.lane, b.lane); }
bool equal(const Sync&, const Sync&) { return true; }
bool equal(const Stop&, const Stop&) { return true; }
bool equal(const Everywhere&, const Everywhere&) { return true; }
bool equal(const EndEverywhere&, const EndEverywhere&) { return true; }

bool equal(const LabelDefinition& a, const LabelDefinition& b) { return a.name == b.name && a.pc == b.pc; }
bool equal(const SharedRange& a, const SharedRange& b) { return a.base == b.base && a.values == b.values; }

template <class... Kinds>
bool equal(const std::variant<Kinds...>& a, const std::variant<Kinds...>& b) {
  const auto equal_in_b = [&](const auto& left) { return equal(left, std::get<std::remove_cvref_t<decltype(left)>>(b)); };
  return a.index() == b.index() && std::visit(equal_in_b, a);
}

}  // namespace

bool same(const Program& a, const Program& b) {
  return std::ranges::equal(a.code, b.code, [](const Statement& x, const Statement& y) { return equal(x.instruction, y.instruction); }) &&
         a.variables == b.variables && a.threads == b.threads &&
         std::ranges::equal(a.labels, b.labels, [](const LabelDefinition& x, const LabelDefinition& y) { return equal(x, y); }) &&
         std::ranges::equal(a.shared, b.shared, [](const SharedRange& x, const SharedRange& y) { return equal(x, y); });
}

}  // namespace lockstep::musimd
