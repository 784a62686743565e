// From structured programs to code. Every bz has the sync that its arms meet at, and leaves Π as it was.

#include <map>
#include <utility>

#include "semantics/generate/skeleton.hpp"

namespace lockstep::generate {

using namespace musimd;

namespace {

class Emitter {
 public:
  Program take(const Skeleton& skeleton) {
    program_.threads = skeleton.threads;
    program_.shared = skeleton.shared;
    sequence(skeleton.body);
    add(Stop{});
    resolve();
    return std::move(program_);
  }

 private:
  using Mark = std::uint32_t;  // a label by the order of its making

  void add(Instruction i) { program_.code.push_back({std::move(i), {}}); }

  Mark mark() {
    places_.emplace_back();
    return static_cast<Mark>(places_.size() - 1);
  }

  void place(Mark m) {
    places_[m] = static_cast<std::uint32_t>(program_.labels.size());
    program_.labels.push_back({"L" + std::to_string(m), static_cast<Label>(program_.code.size()), {}});
  }

  static Target to(Mark m) { return {0, m, {}}; }

  // Targets hold marks until all labels have their places.
  void resolve() {
    for (auto& statement : program_.code) {
      std::visit(
          [&](auto& i) {
            if constexpr (requires { i.target; }) {
              i.target.label = places_[*i.target.label];
              i.target.pc = program_.labels[*i.target.label].pc;
            }
          },
          statement.instruction);
    }
  }

  VarId id(const std::string& name) {
    const auto [row, added] = variables_.emplace(name, static_cast<VarId>(program_.variables.size()));
    if (added) {
      program_.variables.push_back(name);
    }
    return row->second;
  }

  void append(Expr& e, const Term& term) {
    switch (term.kind) {
      case Term::Kind::Number:
        e.nodes.emplace_back(Constant{term.number, {}});
        return;
      case Term::Kind::Name:
        e.nodes.emplace_back(Variable{id(term.name), {}});
        return;
      case Term::Kind::Tid:
        e.nodes.emplace_back(ThreadId{});
        return;
      case Term::Kind::Apply:
        for (const Term& operand : term.operands) {
          append(e, operand);
        }
        e.nodes.emplace_back(Operation{term.op, {}});
        return;
    }
  }

  Expr expression(const Term& term) {
    Expr e;
    append(e, term);
    return e;
  }

  void sequence(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      statement(s);
    }
  }

  void statement(const Statement& s) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::Assign: {
        const VarId dst = id(s.name);
        return add(Assign{dst, expression(s.value)});
      }
      case Kind::Load: {
        const VarId dst = id(s.name);
        return add(Load{dst, expression(s.value)});
      }
      case Kind::Store: {
        Expr address = expression(s.address);
        return add(Store{std::move(address), expression(s.value)});
      }
      case Kind::Shuffle:
        return shuffle(s);
      case Kind::If:
      case Kind::IfElse:
        return branch(s);
      case Kind::While:
        return top_tested(s);
      case Kind::Repeat:
        return bottom_tested(s);
      case Kind::Block:
        add(Everywhere{});
        sequence(s.body);
        return add(EndEverywhere{});
      case Kind::MaskIf:
        return mask_if(s);
    }
  }

  void shuffle(const Statement& s) {
    Shuffle shuffle{id(s.name), ThreadId{}, {}};
    if (s.address.kind == Term::Kind::Name) {
      shuffle.source = Variable{id(s.address.name), {}};
    }
    shuffle.lane = expression(s.value);
    add(std::move(shuffle));
  }

  void branch(const Statement& s) {
    const Mark zero = mark();
    add(BranchZero{expression(s.value), to(zero)});
    sequence(s.body);
    if (s.kind == Statement::Kind::IfElse) {
      const Mark join = mark();
      add(Jump{to(join)});
      place(zero);
      sequence(s.otherwise);
      place(join);
    } else {
      place(zero);
    }
    add(Sync{});
  }

  // Its operands stand in the order of the text, so that variables are numbered as they are read.
  Expr compare(const std::string& counter, Op op, const Term& rounds) { return expression(apply(op, {variable(counter), rounds})); }

  void count(const std::string& counter) { add(Assign{id(counter), expression(apply(Op::Add, {variable(counter), number(1)}))}); }

  void top_tested(const Statement& s) {
    const Mark head = mark();
    const Mark out = mark();
    add(Assign{id(s.name), expression(number(0))});
    place(head);
    add(BranchZero{compare(s.name, Op::Lt, s.value), to(out)});
    sequence(s.body);
    count(s.name);
    add(Jump{to(head)});
    place(out);
    add(Sync{});
  }

  void bottom_tested(const Statement& s) {
    const Mark head = mark();
    add(Assign{id(s.name), expression(number(0))});
    place(head);
    sequence(s.body);
    count(s.name);
    add(BranchZero{compare(s.name, Op::Ge, s.value), to(head)});
    if (s.synced) {
      add(Sync{});
    }
  }

  void mask_if(const Statement& s) {
    const Mark serve = mark();
    const Mark next = mark();
    add(JumpMask{expression(s.value), to(serve)});
    add(Jump{to(next)});
    place(serve);
    sequence(s.body);
    place(next);
  }

  Program program_;
  std::map<std::string, VarId> variables_;
  std::vector<std::uint32_t> places_;  // of each mark, an index into the labels
};

std::uint64_t measure(const Term& term) {
  if (term.kind == Term::Kind::Number) {
    const auto n = static_cast<std::uint64_t>(term.number);
    return term.number == 0 ? 1 : n < 8 ? 2 : n < 1024 ? 3 : 4;
  }
  std::uint64_t sum = term.kind == Term::Kind::Name ? 5 : 4;
  for (const Term& operand : term.operands) {
    sum += measure(operand);
  }
  return sum;
}

std::uint64_t measure(const std::vector<Statement>& body) {
  std::uint64_t sum = 0;
  for (const Statement& s : body) {
    sum += 100 + measure(s.value) + measure(s.address) + measure(s.body) + measure(s.otherwise);
    sum += s.kind >= Statement::Kind::If ? 50U : 0U;
    sum += s.kind == Statement::Kind::IfElse ? 10U : 0U;
    sum += s.synced ? 0U : 1U;
  }
  return sum;
}

}  // namespace

Term number(std::int64_t value) { return {Term::Kind::Number, value, {}, Op::Add, {}}; }
Term variable(std::string name) { return {Term::Kind::Name, 0, std::move(name), Op::Add, {}}; }
Term tid() { return {Term::Kind::Tid, 0, {}, Op::Add, {}}; }
Term apply(Op op, std::vector<Term> operands) { return {Term::Kind::Apply, 0, {}, op, std::move(operands)}; }

Program emit(const Skeleton& skeleton) { return Emitter().take(skeleton); }

std::uint64_t measure(const Skeleton& skeleton) {
  std::uint64_t sum = measure(skeleton.body) + skeleton.threads;
  for (const SharedRange& range : skeleton.shared) {
    sum += 1 + range.values.size();
  }
  return sum;
}

}  // namespace lockstep::generate
