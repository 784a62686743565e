#pragma once
// The typed state domain of the prover (semantics/typed/rules.hpp): the items of one group, which are one warp; a value per item, Θ and
// every other set a truth value per item. Which instruction is executed, how deep Π, Λ and the calls are, is always known.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "semantics/musimd/state.hpp"
#include "semantics/prove/accesses.hpp"
#include "semantics/prove/objects.hpp"
#include "semantics/prove/symbolic.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::prove {

/// The memory of a launch, and which group reads and writes which element of it.
struct LaunchMemory {
  /// [0] is nobody's: the null pointer; then the buffers, one for each pointer parameter in order; then the program's objects.
  std::vector<MemoryObject> objects;
  std::size_t first_of_program = 1;
  /// Buffers become as large as the known indices ask for; unknown ones are taken to lie inside.
  bool grows = false;
  std::vector<bool> has_unknown_index;  ///< of each object: something unknown was an index of it

  Accesses accesses;  ///< to the buffers; notes nothing unless somebody asks for it
};

class TypedSymbolic {
 public:
  using Bool = Truth;
  using Set = ThreadSet;
  using Label = typed::Label;
  using Register = typed::RegisterId;
  using Destination = typed::RegisterId;
  using Source = typed::RegisterId;
  using Function = typed::FunctionId;
  using Result = std::optional<typed::RegisterId>;
  using Vote = typed::VoteKind;
  using State = musimd::State<TypedSymbolic>;
  struct Cells {};  // memory is not part of a warp's state

  /// A call, and its registers: element e of item t is cell e * width + t.
  struct Frame {
    typed::FunctionId function = 0;
    std::vector<std::vector<Cell>> registers;
    std::uint32_t first_object = 0;  ///< number of the first register array that pointers may point to
    Label return_pc = 0;
    Set active;
    std::size_t frame_base = 0;
    std::size_t contexts = 0;
    Result result;
  };
  using Bank = std::vector<Frame>;

  using Operand = const typed::Expr*;
  using Place = const typed::Place*;

  struct Values {
    std::vector<Value> value;
    Set uninitialised;
    Set zero_divisor;
    Set poison;
    ScalarType pointee = ScalarType::Int;  ///< of evaluate_base: what it points to, and where
    AddressSpace space = AddressSpace::Global;
  };
  struct Target {
    std::vector<Value> row;  ///< Longs
    Set uninitialised;
    Set zero_divisor;
  };
  struct Access {
    std::vector<Value> pointer;  ///< with the index
    ScalarType type = ScalarType::Int;
    bool bytes = false;  ///< of objects of bytes
    Set undefined;
  };
  struct ArgumentValues {
    std::vector<Values> values;
    Set uninitialised;
    Set zero_divisor;
  };

  /// All items are active in the beginning if `everybody` holds, else none.
  TypedSymbolic(const typed::Program& program, LaunchMemory& memory, std::uint64_t group, std::uint64_t num_groups,
                const Truth& everybody = Truth(true));

  unsigned width() const { return width_; }

  // ---- what every state domain has
  static bool printed(musimd::Erratum) { return false; }
  static bool decide(bool b) { return b; }
  static Truth truth(bool b) { return Truth(b); }
  static Truth empty(const Set& set) { return prove::empty(set); }
  Set none() const { return Set(std::vector<Truth>(width_, Truth(false))); }
  /// Θall: nobody while the block that it is asked for is entered by nobody.
  Set all() const { return Set(std::vector<Truth>(width_, somebody_.back())); }
  static Set without_first(const Set& set) { return set; }
  static bool is_constant(Operand o);
  static bool is_copy(Operand o);
  static bool is_operation(Operand o) { return !is_constant(o) && !is_copy(o); }

  Values evaluate(const State& s, Operand o);
  Values evaluate_second(const State& s, Operand o) { return evaluate(s, o); }
  Values evaluate_third(const State& s, Operand o) { return evaluate(s, o); }
  Values evaluate_base(const State& s, Operand o);
  ArgumentValues evaluate_arguments(const State& s, const std::vector<Operand>& arguments);
  Target target(const State& s, Place place);
  Access access(const State& s, const Values& base, const Values& index);
  Values fetch(const State& s, const Access& access);
  void put(State& s, const Access& access, const Values& value);
  Set missing(const State& s, const Access& access);
  Values change(State& s, AtomicOp op, const Access& access, const Values* compare, const Values& value);
  void assign(State& s, Place place, const Target& target, const Values& value, const Set& threads);
  void assign(State& s, typed::RegisterId dst, const Values& value, const Set& threads);
  void assign_poison(State& s, typed::RegisterId dst, const Set& threads) const;
  void forget(State& s, typed::RegisterId dst, const Set& threads) const;

  static Set zeros(const State& s, const Values& v);
  static Set not_uniform(const State& s, const Values& v);
  Truth first_value_in(const State& s, const Values& v, const Set& mask) const;
  Set lanes_in(const State& s, const Values& v, const Set& mask) const;
  Set uninitialised_source(const State&, typed::RegisterId) const { return none(); }
  Values shuffle(const State& s, typed::RegisterId source, const Values& lane, const Set& in_mask, Set& found) const;
  void vote(State& s, typed::VoteKind kind, typed::RegisterId dst, const Values& value);
  template <class F>
  void for_each_thread(const Set& set, F&& f) const {  // asked for by the printed reading of TL alone
    f(set);
  }

  Label entry(Function f) const { return program_.functions[f].begin; }
  static bool contexts_as_at_call(const State& s) { return s.context.size() == s.bank.back().contexts; }
  static bool has_caller(const State& s) { return s.bank.size() > 1; }
  void push_frame(State& s, Function f, const Result& result, const ArgumentValues& arguments);
  void pop_frame(State& s, const Values* result);

  // ---- what the execution needs
  /// The kernel's first state; `arguments`: a value for each parameter.
  State start(const std::vector<Value>& arguments);
  /// Between these two, Θall is all items if `somebody` holds, else none: the everywhere block is entered by somebody.
  void enter_block(const Truth& somebody) { somebody_.push_back(somebody_.back() && somebody); }
  void leave_block() { somebody_.pop_back(); }

 private:
  using One = MaybePoison;
  /// What an operand's evaluation has come to in one item.
  struct Item {
    unsigned number = 0;
    const Given* given = nullptr;
    std::vector<One> stack;
    Truth uninitialised;
    Truth undefined;
  };

  void evaluate_in(Item& item, const State& s, const typed::Expr& e);
  /// `last`: the type of the operand that was pushed last.
  void push(Item& item, const State& s, const typed::ExprNode& node, const typed::ValueType& last);
  One operation(Item& item, const typed::Operation& o, std::vector<One>&& operands) const;
  Value query(typed::Query query, unsigned item) const;
  Value address_of(const State& s, typed::RegisterId array) const;
  const Given& given(const State& s, unsigned item);
  /// The object that a pointer's number names: null where it is gone.
  const MemoryObject* object(std::uint32_t number) const;
  /// The register array that it names, null if it names none.
  std::vector<Cell>* private_array(const State& s, std::uint32_t number) const;
  std::uint64_t count_of(const State& s, std::uint32_t number) const;
  Truth inside(const State& s, const Access& access, const Value& pointer) const;
  void grow(const State& s, const Access& access, const Value& pointer);
  void note(const State& s, unsigned item, const Value& pointer, Touching how);
  /// The element that an item's pointer leads to; not written where there is none.
  Cell element_at(const State& s, unsigned item, const Value& pointer, const Access& access) const;
  void store_at(State& s, unsigned item, const Value& pointer, const Access& access, const Truth& condition, const Cell& cell);

  const typed::Program& program_;
  typed::Puns puns_;
  LaunchMemory& memory_;
  std::uint64_t group_;
  std::uint64_t num_groups_;
  unsigned width_;
  std::vector<std::vector<typed::RegisterId>> addressed_;  // of each function: the arrays whose address is taken
  std::uint32_t next_private_ = 0;
  std::vector<Truth> somebody_;
  std::vector<std::optional<Given>> given_;  // of each item: what holds where it is active
};

}  // namespace lockstep::prove
