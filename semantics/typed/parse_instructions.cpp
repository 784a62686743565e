// The instructions of a program that is built: what their operands may be.

#include <utility>

#include "semantics/base/program_text.hpp"
#include "semantics/typed/parse_program.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {

void ProgramBuilder::check_value(const std::string& what, const ValueType& wanted, const Expr& value) {
  if (value.type() != wanted) {
    const bool convertible = !wanted.is_pointer && !value.type().is_pointer;
    refuse(value.span(), what + " has the type " + quoted(wanted) + ", this has " + quoted(value.type()) +
                             (convertible ? "; a conversion is written '" + name_of(wanted) + "(…)'" : ""));
  }
}

void ProgramBuilder::add_jump(Instruction instruction, const TargetToken& target, SourceSpan span) {
  targets_.push_back({program_.code.size(), static_cast<FunctionId>(program_.functions.size() - 1), target});
  add(std::move(instruction), span);
}

void ProgramBuilder::branch(Expr condition, const TargetToken& target, SourceSpan span) {
  if (condition.type().is_pointer) {
    refuse(condition.span(), "'bz' asks whether a number is 0: this is a " + quoted(condition.type()));
  }
  add_jump(BranchZero{std::move(condition), 0}, target, span);
}

void ProgramBuilder::jump(const TargetToken& target, SourceSpan span) { add_jump(Jump{0}, target, span); }

void ProgramBuilder::jump_mask(Expr thread, const TargetToken& target, SourceSpan span) {
  if (!is_integer(thread.type())) {
    refuse(thread.span(), "'jmp_mask' takes the integer number of a lane, not a " + quoted(thread.type()));
  }
  add_jump(JumpMask{std::move(thread), 0}, target, span);
}

void ProgramBuilder::assign(Place place, Expr value, SourceSpan span) {
  check_value(quoted(register_info(place.id).name), register_info(place.id).type, value);
  add(Assign{std::move(place), std::move(value)}, span);
}

void ProgramBuilder::forget(NameToken name, SourceSpan span) { add(Forget{find_register(name)}, span); }

void ProgramBuilder::check_cell(const Expr& base, const Expr& index) {
  if (!base.type().is_pointer) {
    refuse(base.span(), "memory is reached through a pointer: this is a " + quoted(base.type()));
  }
  if (!is_integer(index.type())) {
    refuse(index.span(), "an index is an integer, not " + quoted(index.type()));
  }
}

void ProgramBuilder::load(Place place, Expr base, Expr index, SourceSpan span) {
  check_cell(base, index);
  const RegisterInfo& target = register_info(place.id);
  const ValueType loaded{base.type().scalar, false, AddressSpace::Private};
  if (target.type != loaded) {
    refuse(base.span(),
           quoted(target.name) + " has the type " + quoted(target.type) + ", a " + quoted(base.type()) + " leads to " + quoted(loaded));
  }
  add(Load{std::move(place), std::move(base), std::move(index)}, span);
}

void ProgramBuilder::store(Expr base, Expr index, Expr value, SourceSpan span) {
  check_cell(base, index);
  if (base.type().space == AddressSpace::Constant) {
    refuse(base.span(), "constant memory is never written: this is a " + quoted(base.type()));
  }
  check_value("the cell", {base.type().scalar, false, AddressSpace::Private}, value);
  add(Store{std::move(base), std::move(index), std::move(value)}, span);
}

void ProgramBuilder::atomic(AtomicOp op, const std::optional<Place>& place, std::vector<Expr> operands, SourceSpan span) {
  const std::string_view word = info(op).word;
  const std::size_t wanted = op == AtomicOp::CompareExchange ? 4 : 3;
  if (operands.size() != wanted) {
    refuse(operands.back().span(), quoted(word) + " takes an element of memory and " + (wanted == 4 ? "two values" : "one value"));
  }
  const Expr& base = operands[0];
  check_cell(base, operands[1]);
  const ValueType element{base.type().scalar, false, AddressSpace::Private};
  if (base.type().space != AddressSpace::Global && base.type().space != AddressSpace::Local) {
    refuse(base.span(), quoted(word) + " changes what threads share, 'global' or 'local' memory: this is a " + quoted(base.type()));
  }
  if (!takes(op, element.scalar)) {
    refuse(base.span(), quoted(word) + " is not there for " + quoted(element));
  }
  for (std::size_t k = 2; k < operands.size(); ++k) {
    check_value("the element", element, operands[k]);
  }
  Atomic atomic{op, std::nullopt, std::move(operands[0]), std::move(operands[1]), std::nullopt, std::move(operands.back())};
  if (wanted == 4) {
    atomic.compare = std::move(operands[2]);
  }
  if (place) {
    if (place->index || register_info(place->id).type != element) {
      refuse(place->span, quoted(word) + " writes a register that is a " + quoted(element));
    }
    atomic.dst = place->id;
  }
  add(std::move(atomic), span);
}

void ProgramBuilder::shuffle(const Place& place, NameToken source, Expr lane, bool active, SourceSpan span) {
  const std::string name = active ? "shfl.active" : "shfl";
  if (place.index) {
    refuse(place.span, quoted(name) + " writes a register, not an element of an array");
  }
  const RegisterId from = find_single(source);
  const ValueType& type = register_info(from).type;
  if (register_info(place.id).type != type) {
    refuse(source.span, quoted(register_info(place.id).name) + " has the type " + quoted(register_info(place.id).type) + ", " +
                            quoted(source.text) + " has " + quoted(type));
  }
  if (!is_integer(lane.type())) {
    refuse(lane.span(), "the lane of " + quoted(name) + " is an integer, not a " + quoted(lane.type()));
  }
  add(Shuffle{place.id, from, std::move(lane), active}, span);
}

void ProgramBuilder::vote(VoteKind kind, const Place& place, Expr value, SourceSpan span) {
  if (place.index) {
    refuse(place.span, "a vote writes a register, not an element of an array");
  }
  const ValueType wanted{kind == VoteKind::Ballot ? ScalarType::ULong : ScalarType::Int, false, AddressSpace::Private};
  if (register_info(place.id).type != wanted) {
    refuse(place.span, "the result of this vote has the type " + quoted(wanted) + ", " + quoted(register_info(place.id).name) + " has " +
                           quoted(register_info(place.id).type));
  }
  if (value.type().is_pointer) {
    refuse(value.span(), "a vote counts numbers that are not 0: this is a " + quoted(value.type()));
  }
  if (kind == VoteKind::Ballot && !first_ballot_) {
    first_ballot_ = span;
  }
  add(Vote{kind, place.id, std::move(value)}, span);
}

void ProgramBuilder::call(NameToken function, std::vector<Expr> arguments, const std::optional<Place>& place, SourceSpan span) {
  std::optional<RegisterId> result;
  std::optional<SourceSpan> result_span;
  if (place) {
    if (place->index) {
      refuse(place->span, "a call writes a register, not an element of an array");
    }
    result = place->id;
    result_span = place->span;
  }
  calls_.push_back({program_.code.size(), static_cast<FunctionId>(program_.functions.size() - 1), function, result_span});
  add(Call{0, std::move(arguments), result}, span);
}

void ProgramBuilder::return_value(std::optional<Expr> value, SourceSpan span) {
  const Function& function = current();
  if (!lost_ && value && !function.result) {
    refuse(value->span(), quoted(function.name) + " has no result");
  }
  if (!lost_ && !value && function.result) {
    refuse(span, quoted(function.name) + " returns a " + quoted(*function.result) + ", as in 'ret e'");
  }
  if (value && function.result) {
    check_value("the result of " + quoted(function.name), *function.result, *value);
  }
  add(Return{std::move(value)}, span);
}

}  // namespace lockstep::typed
