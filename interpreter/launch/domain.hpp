#pragma once
// The typed state domain of the interpreter: the lanes of a pack of groups in arrays of machine numbers, Θ as a bit set over them.
// See semantics/typed/rules.hpp for what a typed domain is. An operation costs one pass over the lanes, or one number when all its
// operands are known to be the same in every lane; nothing is allocated per instruction.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "interpreter/launch/changes.hpp"
#include "interpreter/launch/frame.hpp"
#include "interpreter/launch/lane_kernels.hpp"
#include "interpreter/launch/launch.hpp"
#include "interpreter/launch/objects.hpp"
#include "semantics/base/lane_set.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

class RaceWatch;
struct AccessRecord;

/// Which lanes of a pack are what: groups side by side, each a run of warps.
struct Lanes {
  struct Warp {
    std::uint32_t begin = 0;  ///< first lane
    std::uint32_t count = 0;
    std::uint32_t group = 0;   ///< in the pack
    std::uint32_t number = 0;  ///< in the group
  };
  std::uint64_t first_group = 0;
  std::uint64_t num_groups = 0;  ///< of the launch
  unsigned groups = 1;           ///< of the pack
  unsigned wg_size = 1;
  unsigned warp_size = 1;
  std::vector<Warp> warps;

  unsigned width() const { return groups * wg_size; }
  /// All lanes of the warps that have one in `set`.
  LaneSet spread(const LaneSet& set) const;
  /// How many warps have a lane in `set`.
  std::uint64_t count(const LaneSet& set) const;
};

Lanes make_lanes(std::uint64_t first_group, unsigned groups, std::uint64_t num_groups, unsigned wg_size, unsigned warp_size);

struct LaneBuffer {
  LaneBuffer() = default;
  explicit LaneBuffer(std::size_t bytes);
  std::byte* data() { return storage.data() + shift; }
  std::vector<std::byte> storage;
  std::size_t shift = 0;
};

class Pirch {
 public:
  using Bool = bool;
  using Set = LaneSet;
  using Label = typed::Label;
  using Bank = launch::Bank;
  struct Cells {};  // memory is not part of a warp's state: all groups share it
  using Register = typed::RegisterId;
  using Destination = typed::RegisterId;
  using Source = typed::RegisterId;
  using Function = typed::FunctionId;
  using Result = std::optional<typed::RegisterId>;
  using Vote = typed::VoteKind;
  using State = musimd::State<Pirch>;

  /// A node of an operand in post-order, ready to be computed.
  struct Node {
    enum class Kind : std::uint8_t {
      Lanes,
      Register,
      Element,
      RegisterAddress,
      Operation,
      Division,
      PointerOrder,
      Conversion,
      Bitcast,
      Within,
      PointerAdd,
      Reinterpret,
      PointerDifference
    };
    Kind kind = Kind::Lanes;
    std::uint8_t operands = 0;
    std::uint8_t size = 4;              ///< bytes of the result
    ScalarType type = ScalarType::Int;  ///< of the result, ulong for pointers
    bool uniform = false;               ///< of Lanes: the same number in all of them
    bool carries = false;               ///< of Register and Element: where it has no value it is poison
    typed::RegisterId reg = 0;
    const std::byte* lanes = nullptr;
    OpKernel op = nullptr;
    TestPairKernel holds = nullptr;  ///< of a comparison: op without the numbers
    ConvertKernel convert = nullptr;
    TestKernel misfit = nullptr;
    TestPairKernel misdivided = nullptr;
    ResolveKernel resolve = nullptr;  ///< of Element and Within
    std::uint64_t limit = 0;          ///< of Element and Within; of pointer arithmetic the size of an element
    Op opcode = Op::Add;
    ScalarType from = ScalarType::Int;  ///< of the operands
    const typed::ExprNode* source = nullptr;
  };
  enum class Shape : std::uint8_t { Constant, Copy, Operation };
  struct Operand {
    std::vector<Node> nodes;
    Shape shape = Shape::Constant;
    ScalarType pointee = ScalarType::Int;  ///< of a pointer
    bool bytes = false;                    ///< a pointer into objects of bytes
  };
  struct Place {
    typed::RegisterId reg = 0;
    std::optional<Operand> index;
    ResolveKernel resolve = nullptr;
    const typed::Place* source = nullptr;
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

  /// An operand's values: lanes, or the first lane alone (`uniform` and not `everywhere`), or a root operation that has still to be done.
  /// Valid until the next instruction. The sets are within Θ.
  struct Values {
    const std::byte* lanes = nullptr;
    bool uniform = false;    ///< lanes[0] is the number of every lane
    bool everywhere = true;  ///< all lanes are there
    std::uint8_t size = 4;
    ScalarType type = ScalarType::Int;     ///< ulong for pointers
    ScalarType pointee = ScalarType::Int;  ///< of evaluate_base
    bool bytes = false;                    ///< of evaluate_base: it points into objects of bytes
    const Node* pending = nullptr;
    const void* operand[3] = {nullptr, nullptr, nullptr};
    std::byte* room = nullptr;
    RareSet uninitialised;
    RareSet zero_divisor;
    RareSet poison;
  };
  struct Target {
    bool is_element = false;
    bool uniform = true;
    std::uint32_t row = 0;                ///< when uniform
    const std::uint32_t* rows = nullptr;  ///< else, for each lane
    RareSet uninitialised;
    RareSet zero_divisor;
  };
  /// Where a load or store goes.
  struct Access {
    Object* object = nullptr;              ///< null: several, see objects()
    bool uniform = false;                  ///< one element for all lanes
    bool contiguous = false;               ///< index[t] = index[0] + t
    bool nothing = false;                  ///< the operands failed: there is no address
    bool bytes = false;                    ///< of objects of bytes: `index` is the first byte
    ScalarType type = ScalarType::Int;     ///< of bytes: what is accessed
    const std::uint32_t* index = nullptr;  ///< element for each lane (of the lane's own copy of a local array: counted from the first copy)
    RareSet undefined;
  };
  struct ArgumentValues {
    const std::vector<Values>* values = nullptr;
    RareSet uninitialised;
    RareSet zero_divisor;
  };

  /// Trouble::limit of a pointer that is moved, by `value` elements.
  static constexpr std::uint64_t beyond_memory = ~std::uint64_t{0};
  /// What went wrong first in the present instruction; the premises say which rule it stops.
  struct Trouble {
    FaultKind kind = FaultKind::Stuck;
    SourceSpan span;
    bool has_place = false;  ///< span says where; else it is the instruction's place
    std::string variable;
    std::uint64_t value = 0;
    ScalarType value_type = ScalarType::Int;
    bool has_value = false;
    std::uint64_t limit = 0;    ///< of an index
    unsigned index_number = 0;  ///< of an array of several dimensions: which index, the first is 1
    LaneSet lanes;
    std::optional<ScalarType> as_type{};  ///< of an index: the object is accessed as elements of this type, which are not its own
  };

  Pirch(const typed::Program& program, const std::vector<FrameLayout>& layouts, const LaneKernels& kernels, Lanes lanes);
  Pirch(const Pirch&) = delete;
  Pirch& operator=(const Pirch&) = delete;

  const Lanes& lanes() const { return lanes_; }
  unsigned width() const { return width_; }
  FramePool& pool() { return pool_; }

  // ---- what every state domain has
  static bool printed(musimd::Erratum) { return false; }
  static bool decide(bool b) { return b; }
  static bool truth(bool b) { return b; }
  static bool empty(const LaneSet& set) { return set.empty(); }
  LaneSet none() const { return LaneSet(width_); }
  /// Θall of the fragment that runs.
  const LaneSet& all() const { return all_; }
  static LaneSet without_first(LaneSet set) {
    set.erase(set.first());
    return set;
  }
  static bool is_constant(const Operand& o) { return o.shape == Shape::Constant; }
  static bool is_copy(const Operand& o) { return o.shape == Shape::Copy; }
  static bool is_operation(const Operand& o) { return o.shape == Shape::Operation; }

  Values evaluate(const State& s, const Operand& o) { return evaluate_in(0, s, o); }
  Values evaluate_second(const State& s, const Operand& o) { return evaluate_in(1, s, o); }
  Values evaluate_third(const State& s, const Operand& o) { return evaluate_in(3, s, o); }
  Values evaluate_base(const State& s, const Operand& o) {
    Values v = evaluate_in(2, s, o);
    v.pointee = o.pointee;
    v.bytes = o.bytes;
    return v;
  }
  ArgumentValues evaluate_arguments(const State& s, const std::vector<Operand>& arguments);
  Target target(const State& s, const Place& place);
  Access access(const State& s, Values& base, Values& index);
  Values fetch(const State& s, const Access& access);
  void put(State& s, const Access& access, const Values& value);
  /// The lanes whose element has no number.
  LaneSet missing(const State& s, const Access& access);
  /// Rule AT: lane by lane, ascending; what each has found. `compare` is null unless op is CompareExchange.
  Values change(State& s, AtomicOp op, const Access& access, const Values* compare, const Values& value);
  void assign(State& s, const Place& place, const Target& target, const Values& value, const LaneSet& threads);
  void assign(State& s, typed::RegisterId dst, const Values& value, const LaneSet& threads);
  void assign_poison(State& s, typed::RegisterId dst, const LaneSet& threads);
  void forget(State& s, typed::RegisterId dst, const LaneSet& threads) const;

  LaneSet zeros(const State& s, Values& v);
  LaneSet not_uniform(const State& s, Values& v);
  bool first_value_in(const State& s, const Values& v, const LaneSet& mask) const;
  LaneSet lanes_in(const State& s, Values& v, const LaneSet& mask);
  LaneSet uninitialised_source(const State&, typed::RegisterId) const { return none(); }
  Values shuffle(const State& s, typed::RegisterId source, const Values& lane, const LaneSet& in_mask, LaneSet& found);
  void vote(State& s, typed::VoteKind kind, typed::RegisterId dst, const Values& value);
  template <class F>
  void for_each_thread(const LaneSet& set, F&& f) const {
    set.for_each([&](unsigned t) { f(LaneSet::single(width_, t)); });
  }

  Label entry(Function f) const { return program_.functions[f].begin; }
  static bool contexts_as_at_call(const State& s) { return s.context.size() == s.bank.calls().back().contexts; }
  static bool has_caller(const State& s) { return s.bank.depth() > 1; }
  void push_frame(State& s, Function f, const Result& result, const ArgumentValues& arguments);
  void pop_frame(State& s, const Values* result);

  // ---- what the scheduler needs
  /// The fragment that runs has these lanes; `live`: nobody looks at the other lanes any more.
  void run_as(const LaneSet& all, const LaneSet& live) {
    all_ = all;
    live_ = live;
  }
  /// The pack's groups are those from `first_group` on; nothing is left of others.
  void begin(std::uint64_t first_group);
  /// The order of lanes in atomic changes: LaunchOptions::order.
  void order_by(std::uint64_t number) {
    order = number;
    shuffler_.seed(static_cast<std::minstd_rand::result_type>(number));
  }
  /// Registers of the kernel's frame get their arguments; the objects are those that pointers name.
  void start(State& s, const std::vector<Argument>& arguments);
  /// The lanes of `all_` whose item's Values are not 0.
  LaneSet nonzero(const State& s, Values& v) { return s.active - zeros(s, v); }
  /// Group-wide votes are decided by these lanes, who said yes in all warps of their groups; null: by the voting warps themselves.
  void set_group_votes(const LaneSet* yes) { group_votes_ = yes; }

  std::vector<Object>& objects() { return objects_; }
  const std::vector<Object>& objects() const { return objects_; }
  /// Arrays of calls that have not returned and that pointers may point to: how many there are, and the most there may be.
  std::size_t private_arrays() const { return private_objects_.size(); }
  static constexpr std::size_t most_private_arrays = std::size_t{1} << 20;
  const std::optional<Trouble>& trouble() const { return trouble_; }
  void forget_trouble() { trouble_.reset(); }
  /// Poison in these lanes decides where control goes; `operand` is where it stands, null for the instruction's own place.
  void note_poison_branch(const LaneSet& lanes, const typed::ExprNode* operand = nullptr) {
    if (!lanes.empty()) {
      note(FaultKind::PoisonBranch, operand, lanes, {}, std::nullopt, ScalarType::Int);
    }
  }
  /// For messages and the stepper: element `row` of a register in a lane, null if uninitialised or poison (`poison` says which).
  struct Cell {
    CellState state = CellState::Uninitialised;
    std::uint64_t bits = 0;
  };
  Cell cell(const Frame& frame, typed::RegisterId id, std::uint32_t row, unsigned lane) const;

  /// Lane arrays that live as long as the domain: 8 bytes a lane.
  std::byte* make_lanes(unsigned size);
  /// The answer in every lane; GroupId's changes with begin.
  const std::byte* query(typed::Query query);

  std::uint32_t first_program_object = 1;  ///< number of the program's object 0; the buffers come before it
  RaceWatch* races = nullptr;
  /// Of 0 the order in which lanes change one element is the defining one; else `shuffler_` makes it.
  std::uint64_t order = 0;
  bool has_rights = false;      ///< some buffer may not be read, or not be written
  Changes* changes = nullptr;   ///< LaunchOptions::changes
  typed::Label present_pc = 0;  ///< for the race watch
  const typed::Program& program() const { return program_; }
  const RegisterLayout& layout(const State& s, typed::RegisterId id) const { return layouts_[s.bank.top().function].registers[id]; }
  const FrameLayout& layout_of(typed::FunctionId function) const { return layouts_[function]; }
  const LaneKernels& kernels() const { return kernels_; }
  void deepest(std::size_t operands) { depth_ = std::max(depth_, operands); }

 private:
  struct Waiting {
    const std::byte* lanes = nullptr;
    bool uniform = false;
    bool everywhere = true;
    RareSet poison;
  };
  /// Room for the results of one operand: two buffers for each that waits, used in turn, because sizes may change from one to the next.
  struct Scratch {
    std::vector<std::array<LaneBuffer, 2>> slots;
    std::vector<LaneSet> poison;
    LaneSet uninitialised;
    LaneSet zero_divisor;
  };

  void answer(typed::Query query, std::byte* lanes) const;
  void group_vote(State& s, typed::VoteKind kind, typed::RegisterId dst);
  Scratch& scratch(std::size_t bank);
  Values evaluate_in(std::size_t bank, const State& s, const Operand& o);
  bool evaluate_leaf(Scratch& room, const State& s, const Node& node, std::size_t slot, Waiting& out, Values& result);
  void evaluate_element(Scratch& room, const State& s, const Node& node, std::size_t slot, Waiting& top, Values& result);
  void evaluate_pointer(Scratch& room, const State& s, const Node& node, std::size_t slot, Values& result);
  void evaluate_checked(const State& s, const Node& node, std::size_t slot, std::size_t lanes, Values& result, Scratch& room);
  std::byte* buffer(Scratch& room, std::size_t slot, const std::byte* not_this);
  const std::byte* spread_out(Scratch& room, std::size_t slot, Waiting& w, unsigned size);
  bool any_poison(std::size_t slot, const Node& node) const {
    for (unsigned k = 0; k < node.operands; ++k) {
      if (!stack_[slot + k].poison.empty()) {
        return true;
      }
    }
    return false;
  }
  RareSet combined_poison(Scratch& room, std::size_t slot, const Node& node);
  const std::byte* materialise(Values& v) const;
  LaneSet unwritten(const State& s, const RegisterLayout& r, std::uint32_t row) const;
  void note(FaultKind kind, const typed::ExprNode* node, const LaneSet& lanes, std::string variable, std::optional<std::uint64_t> value,
            ScalarType type, std::uint64_t limit = 0);
  /// An index of an array of several dimensions (a Within) is out of range.
  void note_index(const State& s, const typed::ExprNode& node, const LaneSet& lanes, std::uint64_t value, ScalarType type);
  std::string name_of_register(const State& s, typed::RegisterId id) const;
  std::string name_of_element(const State& s, typed::RegisterId id, std::uint32_t row) const;
  bool is_full(const LaneSet& set) const { return set == live_; }
  const std::uint8_t* mask_of(const LaneSet& set);
  void set_states(State& s, const RegisterLayout& r, typed::RegisterId id, std::uint32_t row, const RareSet& poison,
                  const LaneSet& threads);
  void assign_row(State& s, typed::RegisterId id, std::uint32_t row, const Values& v, const LaneSet& threads);
  void assign_rows(State& s, typed::RegisterId id, const std::uint32_t* rows, const Values& v, const LaneSet& threads);
  Access resolve(const State& s, Object& object, std::int64_t offset, Values& index);
  Access resolve_each(const State& s, Values& base, Values& index);
  Access resolve_bytes(const State& s, Values& base, Values& index);
  Values fetch_bytes(const State& s, const Access& access);
  void put_bytes(const State& s, const Access& access, const Values& v);
  Values fetch_each(const State& s, const Access& access);
  void check_states(const State& s, const Access& access, Values& v);
  void put_states(const Access& access, const LaneSet& threads, const LaneSet& poison);
  void put_each(const State& s, const Access& access, const Values& v);
  void outside(const State& s, const Object& object, const Values& index, const LaneSet& lanes, std::int64_t offset);
  std::string name_of_object(const Object& object) const;
  std::string name_of_cell(const Object& object, std::uint64_t index) const;
  /// The variable that the operand with this last node is, or is an element of; empty if it is something else.
  std::string name_of_operand(const State& s, const Node& node) const;
  template <class F>
  void for_each_object(LaneSet threads, F&& f);
  void watch_read(const State& s, const Object& object, const Access& access);
  void watch_write(const State& s, const Object& object, const Access& access, const Values& v);
  bool overwritten(const State& s, const Object& object, const Access& access, const Values& v) const;
  void log_clashes(const State& s, const Object& object, const Access& access, const Values& v);
  AccessRecord record(const Object& object, unsigned lane, ScalarType type, std::uint64_t bits, bool poison) const;
  /// What a lane does to a place, for Changes.
  Changes::Changer changer_of(unsigned lane, AtomicOp op, ScalarType type) const;
  /// Notes an access of a buffer that the launch does not allow; false then.
  bool check_rights(const State& s, const Access& access, bool writes);
  enum class Touch : std::uint8_t { Read, Write, Change, Look };
  /// Tells the log or the footprints of an access to `cells` cells in a row.
  void watch_cells(const Object& object, std::uint64_t first, unsigned cells, const AccessRecord& access, Touch touch) const;
  /// What a pointer to such elements points into; the null pointer's object if that is gone. (Numbers of arrays of calls are used again
  /// when there are no others left: after some 8 million of them a pointer into one that is gone may meet another of its type.)
  Object& object_named(std::uint32_t number, std::optional<ScalarType> pointee = std::nullopt);
  /// The first of `count` numbers in a row that no object has.
  std::uint32_t free_numbers(std::size_t count);

  const typed::Program& program_;
  const std::vector<FrameLayout>& layouts_;
  const LaneKernels& kernels_;
  Lanes lanes_;
  unsigned width_;
  std::size_t padded_;
  LaneSet all_;
  LaneSet live_;
  FramePool pool_;
  std::size_t depth_ = 1;
  std::vector<std::unique_ptr<Scratch>> scratches_;
  std::vector<Waiting> stack_;
  std::vector<Values> arguments_;
  std::vector<LaneBuffer> owned_;
  std::array<std::byte*, 6> queries_{};
  std::vector<std::uint32_t> copy_of_;  // of each lane: its group in the pack
  LaneBuffer mask_;
  LaneSet mask_set_;
  bool mask_valid_ = false;
  LaneBuffer place_rows_;
  LaneBuffer access_index_;
  LaneBuffer fetched_;
  LaneBuffer shuffled_;
  LaneSet fetched_uninitialised_;
  LaneSet fetched_poison_;
  LaneSet access_undefined_;
  LaneSet target_undefined_;
  std::vector<Object*> each_object_;
  std::vector<Object> objects_;                      // [0] is nobody's: the null pointer; the buffers, the program's objects
  std::map<std::uint32_t, Object> private_objects_;  // arrays of calls; their numbers are used again as late as possible
  std::uint32_t next_private_ = 0;
  const LaneSet* group_votes_ = nullptr;
  std::minstd_rand shuffler_;
  std::optional<Trouble> trouble_;
};

/// Calls f(state with Θ = the threads of `threads` that go to the object, object) for each object that some of them go to.
template <class F>
void Pirch::for_each_object(LaneSet threads, F&& f) {
  while (!threads.empty()) {
    const Object* object = each_object_[threads.first()];
    State part;
    part.active = LaneSet(width_);
    threads.for_each([&](unsigned t) {
      if (each_object_[t] == object) {
        part.active.insert(t);
      }
    });
    f(part, *object);
    threads -= part.active;
  }
}

}  // namespace lockstep::launch
