#pragma once
// The state domain of the interpreter: lanes are arrays of machine words, Θ is a bit set. See semantics/musimd/state.hpp
// for what a domain is. An operation costs one pass over the lanes, nothing is allocated once a program is loaded.

#include <cstdint>
#include <vector>

#include "interpreter/machine/lane_kernels.hpp"
#include "interpreter/machine/local_bank.hpp"
#include "interpreter/store/cells.hpp"
#include "semantics/base/lane_set.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep {

class Concrete {
 public:
  using Bool = bool;
  using Set = LaneSet;
  using Label = musimd::Label;
  using Bank = LocalBank;
  using Cells = lockstep::Cells;
  using Destination = musimd::VarId;
  using State = musimd::State<Concrete>;

  /// A node of an operand in post-order, ready for the kernels.
  struct Node {
    enum class Kind : std::uint8_t { Lanes, Constant, Variable, Operation };  ///< Lanes: a constant or tid, as a lane array
    Kind kind = Kind::Lanes;
    Op op = Op::Add;
    std::uint8_t arity = 0;
    bool divides = false;
    musimd::VarId variable = 0;
    const std::int64_t* lanes = nullptr;
    std::int64_t number = 0;  ///< of a Constant that has no lane array
  };

  /// The shape of an operand decides between CT, AS and BP.
  enum class Shape : std::uint8_t { Constant, Copy, Operation };

  struct Operand {
    std::vector<Node> nodes;
    Shape shape = Shape::Constant;
  };

  /// v1 of a shuffle: a variable, or tid.
  struct Source {
    bool is_tid = false;
    musimd::VarId variable = 0;
  };

  /// A set that is nearly always empty: null means so.
  class RareSet {
   public:
    RareSet() = default;
    explicit RareSet(const LaneSet& set) : set_(&set) {}
    bool empty() const { return set_ == nullptr || set_->empty(); }
    operator const LaneSet&() const { return set_ == nullptr ? nothing : *set_; }  // NOLINT(google-explicit-constructor)

   private:
    static inline const LaneSet nothing{};
    const LaneSet* set_ = nullptr;
  };

  /// An operand's values: a lane array, or a root operation that has still to be done on lane arrays (so that an assignment
  /// can do it in its destination). The sets are subsets of Θ. Valid until the next instruction.
  struct Values {
    const std::int64_t* lanes = nullptr;  ///< null while `pending`
    Op pending = Op::Add;
    const std::int64_t* operand[3] = {nullptr, nullptr, nullptr};
    std::int64_t* room = nullptr;  ///< where a pending operation may be done
    bool ascending = false;        ///< known to be a, a+1, a+2, … in all threads (addresses only)
    RareSet uninitialised;
    RareSet zero_divisor;
    RareSet poison;
  };

  /// `depth`: how many operands any expression keeps waiting at once. `order`: the thread order of TL, empty for ascending.
  Concrete(unsigned width, std::size_t depth, musimd::AsPrinted printed, std::vector<unsigned> order);

  unsigned width() const { return width_; }
  bool printed(musimd::Erratum e) const { return printed_.contains(e); }
  static bool decide(bool b) { return b; }
  static bool truth(bool b) { return b; }
  static bool empty(const LaneSet& set) { return set.empty(); }
  LaneSet none() const { return LaneSet(width_); }
  const LaneSet& all() const { return all_; }
  static LaneSet without_first(LaneSet set) {
    if (!set.empty()) {
      set.erase(set.first());
    }
    return set;
  }

  static bool is_constant(const Operand& o) { return o.shape == Shape::Constant; }
  static bool is_copy(const Operand& o) { return o.shape == Shape::Copy; }
  static bool is_operation(const Operand& o) { return o.shape == Shape::Operation; }

  /// The operand in every thread of Θ; `evaluate_second` keeps the result of `evaluate` alive.
  Values evaluate(const State& s, const Operand& o) {
    Values v;
    return evaluate_leaves(first_, s, o, v) ? v : evaluate_in(first_, s, o);
  }
  Values evaluate_second(const State& s, const Operand& o) {
    Values v;
    if (!evaluate_leaves(second_, s, o, v)) {
      v = evaluate_in(second_, s, o);
    }
    materialise(v);
    return v;
  }

  LaneSet zeros(const State& s, Values& v);
  LaneSet not_uniform(const State& s, Values& v);
  static bool first_value_in(const State& s, const Values& v, const LaneSet& mask);
  LaneSet bad_addresses(const State& s, Values& v);
  LaneSet lanes_in(const State& s, Values& v, const LaneSet& mask);
  LaneSet uninitialised_source(const State& s, const Source& source) const {
    return printed(musimd::Erratum::E10) && !source.is_tid ? threads_without(s, source.variable) : none();
  }

  Values load(const State& s, const Values& address, const LaneSet& bad_address);
  /// What the threads of `in_mask` find in their lane of `source`; `found` are those that find a number.
  Values shuffle(const State& s, const Source& source, const Values& lane, const LaneSet& in_mask, LaneSet& found);

  /// β[t][dst] := v for each t in `threads`.
  void assign(State& s, Destination dst, const Values& v, const LaneSet& threads) {
    std::int64_t* lanes = s.bank.lanes(dst);
    if (is_all(threads)) [[likely]] {
      const LaneKernel kernel = v.lanes == nullptr ? kernels_->op[static_cast<std::size_t>(v.pending)] : kernels_->copy;
      kernel(lanes, v.lanes == nullptr ? v.operand[0] : v.lanes, v.operand[1], v.operand[2], lanes_);
    } else {
      const MaskedLaneKernel kernel = v.lanes == nullptr ? kernels_->masked[static_cast<std::size_t>(v.pending)] : kernels_->masked_copy;
      kernel(lanes, v.lanes == nullptr ? v.operand[0] : v.lanes, v.operand[1], v.operand[2], mask_lanes(threads), lanes_);
    }
    s.bank.set_numbers(dst, threads);
    if (!v.poison.empty()) [[unlikely]] {
      s.bank.set_poison(dst, threads & v.poison);
    }
  }
  static void assign_poison(State& s, Destination dst, const LaneSet& threads) {
    if (!threads.empty()) {
      s.bank.set_poison(dst, threads);
    }
  }
  void store(State& s, const Values& address, const Values& value, const LaneSet& threads);

  /// Calls f({t}) for each thread of `set` in thread order.
  template <class F>
  void for_each_thread(const LaneSet& set, F&& f) const {
    if (order_.empty()) {
      set.for_each([&](unsigned t) { f(LaneSet::single(width_, t)); });
      return;
    }
    for (const unsigned t : order_) {
      if (set.contains(t)) {
        f(LaneSet::single(width_, t));
      }
    }
  }

  /// Whether a store met the memory limit; it then changed nothing.
  bool out_of_memory() const { return out_of_memory_; }

  /// 0, 1, 2, …
  const std::int64_t* thread_numbers() const { return tid_.data(); }

 private:
  /// Room for the operands of one expression that wait for their operation, and for the sets of its result.
  struct Scratch {
    std::vector<LaneArray> lanes;
    std::vector<LaneSet> poison;
    LaneSet uninitialised;
    LaneSet zero_divisor;
  };
  /// An operand that waits: its lanes and where it is poison.
  struct Waiting {
    const std::int64_t* lanes = nullptr;
    RareSet poison;
  };

  Values evaluate_in(Scratch& scratch, const State& s, const Operand& o);

  /// The common case without a stack: a leaf, or one operation that does not divide on two leaves, all of them numbers.
  /// False, with `v` worthless, where it is another case.
  static bool evaluate_leaves(Scratch& scratch, const State& s, const Operand& o, Values& v) {
    const std::size_t count = o.nodes.size();
    const Node* node = o.nodes.data();
    if (count == 1) {
      v.lanes = leaf(s, node[0]);
      return v.lanes != nullptr;
    }
    if (count != 3 || node[2].arity != 2 || node[2].divides) {
      return false;
    }
    v.pending = node[2].op;
    v.operand[0] = leaf(s, node[0]);
    v.operand[1] = leaf(s, node[1]);
    v.room = scratch.lanes[0].data();
    return v.operand[0] != nullptr && v.operand[1] != nullptr;
  }
  /// The lanes of a leaf, null if it has none at hand or if it is no number in some thread of Θ.
  static const std::int64_t* leaf(const State& s, const Node& node) {
    if (node.kind == Node::Kind::Variable) {
      return s.bank.has_numbers(node.variable, s.active) ? s.bank.lanes(node.variable) : nullptr;
    }
    return node.lanes;
  }

  void note_missing(Scratch& scratch, std::size_t slot, const State& s, musimd::VarId id, Values& result);
  LaneSet threads_without(const State& s, musimd::VarId variable) const;
  void check_divisor(Scratch& scratch, const State& s, const Waiting& divisor, Values& result);
  RareSet combined_poison(Scratch& scratch, std::size_t slot, const Node& node);
  /// The values' lane array, after doing the root operation if it is pending.
  const std::int64_t* materialise(Values& v) const {
    if (v.lanes == nullptr) {
      kernels_->op[static_cast<std::size_t>(v.pending)](v.room, v.operand[0], v.operand[1], v.operand[2], lanes_);
      v.lanes = v.room;
    }
    return v.lanes;
  }
  bool is_all(const LaneSet& set) const { return set == all_; }
  const std::int64_t* mask_lanes(const LaneSet& set);

  unsigned width_;
  std::size_t lanes_;
  LaneSet all_;
  musimd::AsPrinted printed_;
  std::vector<unsigned> order_;
  const LaneKernels* kernels_;
  LaneArray tid_;
  Scratch first_;
  Scratch second_;
  std::vector<Waiting> stack_;
  LaneArray room_;  // loaded and shuffled values
  LaneSet room_uninitialised_;
  LaneSet room_poison_;
  LaneArray mask_;  // mask_lanes of mask_set_
  LaneSet mask_set_;
  bool out_of_memory_ = false;
};

}  // namespace lockstep
