// Structures in random kernels: a block with a few variables of one type, changed as a whole and member by member, whose numbers end in a
// scalar. Each type has two functions: one takes and returns it, the other gets a pointer to it.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

constexpr unsigned most_levels = 2;

syntax::Specifiers structure(const std::string& type) {
  syntax::Specifiers result;
  result.named = type;
  return result;
}

syntax::Initialiser list_of(std::vector<syntax::Initialiser> values) {
  syntax::Initialiser result;
  result.value = std::move(values);
  return result;
}

}  // namespace

/// A new type, and what stands in front of the function that is being made.
const KnownStructure& KernelMaker::structure_type() {
  if (!structures_.empty() && (structures_.size() > 3 || below(2) == 0)) {
    return pick(structures_);
  }
  KnownStructure known;
  known.type = fresh("S");
  syntax::Record record;
  record.name.text = known.type;
  record.layout.is_packed = one_in(8);
  for (unsigned count = 1 + below(4); count > 0; --count) {
    KnownMember member;
    member.name = fresh("f");
    const unsigned kind = below(6);
    if (kind == 0 && !structures_.empty() && structures_.back().level < most_levels) {
      const auto inner = below(static_cast<unsigned>(structures_.size()));
      member.structure = inner;
      known.level = std::max(known.level, structures_[inner].level + 1);
    } else {
      member.type = one_in(4) ? (below(2) == 0 ? ScalarType::Float : ScalarType::Double) : integer_type();
      member.extent = kind == 1 ? 2 + below(2) : 0;
      member.components = kind == 2 ? 2 + below(3) : 0;
    }
    syntax::Declaration declared;
    declared.specifiers = member.structure ? structure(structures_[*member.structure].type) : specifiers(member.type);
    declared.specifiers.components = std::max(1U, member.components);
    declared.declarators.push_back(declarator(member.name));
    if (member.extent != 0) {
      declared.declarators.back().extents.push_back(integer(member.extent));
    }
    record.members.push_back(std::move(declared));
    known.members.push_back(std::move(member));
  }
  known.passed = fresh("pass");
  known.pointed = fresh("set");
  kernel_.unit.items.push_back(item(std::move(record)));
  structures_.push_back(known);
  add_structure_functions(structures_.back());
  return structures_.back();
}

/// `S pass(S s, int by) { s.x += by; return s; }` and `void set(S *s, int by) { s->x = by; }`.
void KernelMaker::add_structure_functions(const KnownStructure& known) {
  for (const bool by_pointer : {false, true}) {
    syntax::Function function;
    function.name.text = by_pointer ? known.pointed : known.passed;
    if (!by_pointer) {
      function.specifiers = structure(known.type);
    }
    syntax::Parameter self;
    self.specifiers = structure(known.type);
    self.declarator = declarator("s");
    self.declarator.pointers = by_pointer ? 1 : 0;
    function.parameters.push_back(std::move(self));
    syntax::Parameter by;
    by.specifiers = specifiers(ScalarType::UShort);
    by.declarator = declarator("by");
    function.parameters.push_back(std::move(by));
    ExprPtr place = by_pointer ? unary(UnaryOp::Dereference, name("s")) : name("s");
    const Typed leaf = member_of(known, by_pointer ? parenthesised(std::move(place)) : std::move(place), true);
    syntax::Block body;
    const BinaryOp op = is_float(leaf.type) ? BinaryOp::Add : BinaryOp::BitXor;
    body.statements.push_back(evaluate(assignment(below(2) == 0 ? std::optional(op) : std::nullopt, copy(leaf.e), name("by"))));
    if (!by_pointer) {
      body.statements.push_back(build::statement(syntax::Return{name("s")}));
    }
    function.body = std::move(body);
    kernel_.unit.items.push_back(item(std::move(function)));
  }
}

/// A number in the structure `base`; with constant indices where that is asked for.
Typed KernelMaker::member_of(const KnownStructure& known, ExprPtr base, bool is_constant) {
  const KnownMember& chosen = pick(known.members);
  ExprPtr place = member(std::move(base), chosen.name);
  if (chosen.structure) {
    return member_of(structures_[*chosen.structure], std::move(place), is_constant);
  }
  if (chosen.extent != 0) {
    ExprPtr at = is_constant ? integer(below(chosen.extent)) : index(chosen.extent, 1);
    place = element(std::move(place), std::move(at));
  }
  if (chosen.components != 0) {
    place = member(std::move(place), std::string(1, "xyzw"[below(chosen.components)]));
  }
  return {std::move(place), chosen.type};
}

syntax::Initialiser KernelMaker::member_value(const KnownMember& of) {
  if (of.structure) {
    return structure_value(structures_[*of.structure]);
  }
  std::vector<syntax::Initialiser> values;
  for (unsigned k = 0; k < std::max(1U, std::max(of.extent, of.components)); ++k) {
    values.push_back(initialiser(exactly(of.type, 1)));
  }
  return of.extent == 0 && of.components == 0 ? std::move(values.front()) : list_of(std::move(values));
}

/// `{1, {2, 3}}`, or some members by their names in any order.
syntax::Initialiser KernelMaker::structure_value(const KnownStructure& known) {
  const bool by_name = one_in(3);
  std::vector<syntax::Initialiser> values;
  for (const KnownMember& of : known.members) {
    if (by_name && !values.empty() && one_in(4)) {
      continue;  // 0
    }
    syntax::Initialiser value = member_value(of);
    if (by_name) {
      value.designators.emplace_back(syntax::Name{of.name, {}});
    }
    const std::size_t at = by_name ? below(static_cast<unsigned>(values.size()) + 1) : values.size();
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
  }
  return list_of(std::move(values));
}

/// A variable, an element of the array, or where the pointer leads.
ExprPtr KernelMaker::structure_place(const KnownVariables& known) {
  switch (below(4)) {
    case 0:
      return element(name(known.array), index(2, 1));
    case 1:
      if (!known.pointer.empty()) {
        return parenthesised(unary(UnaryOp::Dereference, name(known.pointer)));
      }
      break;
    default:
      break;
  }
  return name(pick(known.names));
}

ExprPtr KernelMaker::structure_expression(const KnownVariables& known, unsigned depth) {
  if (depth > 0 && below(2) == 0) {
    const KnownStructure& type = structures_[known.structure];
    switch (below(3)) {
      case 0: {
        ExprPtr chooser = condition(1);
        ExprPtr then = structure_expression(known, depth - 1);
        return parenthesised(conditional(std::move(chooser), std::move(then), structure_expression(known, depth - 1)));
      }
      case 1: {
        ExprPtr of = structure_expression(known, depth - 1);
        return call_of(type.passed, std::move(of), exactly(ScalarType::UShort, 1));
      }
      default: {
        syntax::CompoundLiteral literal;
        literal.type.specifiers = structure(type.type);
        literal.initialiser = std::make_unique<syntax::Initialiser>(structure_value(type));
        return build::expression(std::move(literal));
      }
    }
  }
  return structure_place(known);
}

void KernelMaker::change_structure(Statements& out, const KnownVariables& known) {
  start_expression();
  const KnownStructure& type = structures_[known.structure];
  if (one_in(3)) {
    ExprPtr place = structure_place(known);
    out.push_back(evaluate(assignment(std::nullopt, std::move(place), structure_expression(known, 2))));
    return;
  }
  if (one_in(4)) {
    ExprPtr at =
        below(2) == 0 || known.pointer.empty() ? unary(UnaryOp::AddressOf, element(name(known.array), index(2, 1))) : name(known.pointer);
    out.push_back(evaluate(call_of(type.pointed, std::move(at), exactly(ScalarType::UShort, 2))));
    return;
  }
  Typed place = member_of(type, structure_place(known), false);
  const bool may_wrap = is_float(place.type) || !is_signed(place.type) || !options_.portable;
  std::optional<BinaryOp> op;
  if (one_in(3)) {
    op = is_float(place.type) ? BinaryOp::Add : may_wrap && below(2) == 0 ? BinaryOp::Sub : BinaryOp::BitXor;
  }
  const bool from_member = one_in(3);
  Typed source = from_member ? member_of(type, structure_expression(known, 1), false) : Typed();
  ExprPtr value = from_member ? cast(place.type, parenthesised(std::move(source.e))) : nullptr;
  // Floats among them may have any value, which no integer need hold.
  if (value == nullptr || is_float(source.type) || is_float(place.type) || options_.portable) {
    value = exactly(place.type, 2);
  }
  out.push_back(evaluate(assignment(op, std::move(place.e), std::move(value))));
}

void KernelMaker::structures(Statements& out) {
  const std::string name_of_type = structure_type().type;
  KnownVariables known;
  while (structures_[known.structure].type != name_of_type) {
    ++known.structure;
  }
  const auto outer = scope_;
  Statements inside;
  const auto declare = [&](const std::string& text, bool is_array) {
    syntax::Declaration declared;
    declared.specifiers = structure(name_of_type);
    declared.declarators.push_back(declarator(text));
    start_expression();
    if (is_array) {
      declared.declarators.back().extents.push_back(integer(2));
      std::vector<syntax::Initialiser> values;
      values.push_back(structure_value(structures_[known.structure]));
      values.push_back(structure_value(structures_[known.structure]));
      declared.declarators.back().initialiser = list_of(std::move(values));
    } else {
      declared.declarators.back().initialiser = structure_value(structures_[known.structure]);
    }
    inside.push_back(build::statement(std::move(declared)));
  };
  for (unsigned count = 1 + below(2); count > 0; --count) {
    known.names.push_back(fresh("u"));
    declare(known.names.back(), false);
  }
  known.array = fresh("t");
  declare(known.array, true);
  if (below(2) == 0) {
    known.pointer = fresh("q");
    syntax::Declaration declared;
    declared.specifiers = structure(name_of_type);
    declared.declarators.push_back(declarator(known.pointer));
    declared.declarators.back().pointers = 1;
    start_expression();
    ExprPtr at =
        below(2) == 0 ? unary(UnaryOp::AddressOf, name(known.names.front())) : binary(BinaryOp::Add, name(known.array), index(2, 1));
    declared.declarators.back().initialiser = initialiser(std::move(at));
    inside.push_back(build::statement(std::move(declared)));
  }
  for (unsigned count = 1 + below(4); count > 0; --count) {
    change_structure(inside, known);
  }
  scope_ = outer;
  std::vector<const KnownScalar*> fitting;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed) {
      fitting.push_back(&s);
    }
  }
  if (fitting.empty()) {
    return assign_scalar(out);
  }
  start_expression();
  const KnownScalar& target = *pick(fitting);
  targets_.insert(target.name);
  // Numbers of the target's kind; there may be none.
  ExprPtr sum;
  for (unsigned tries = 0; tries < 6; ++tries) {
    Typed part = member_of(structures_[known.structure], structure_place(known), false);
    if (is_float(part.type) == is_float(target.type)) {
      ExprPtr number = part.type == target.type ? std::move(part.e) : cast(target.type, std::move(part.e));
      const BinaryOp op = is_float(target.type) ? BinaryOp::Add : BinaryOp::BitXor;
      sum = sum == nullptr ? std::move(number) : binary(op, std::move(sum), std::move(number));
    }
  }
  inside.push_back(evaluate(assignment(std::nullopt, name(target.name), sum == nullptr ? exactly(target.type, 1) : std::move(sum))));
  out.push_back(block(std::move(inside)));
}

}  // namespace lockstep::generate
