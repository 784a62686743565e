#pragma once
// The actions of the grammar of kernels' texts (parse.cpp): from tokens to a Kernel.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/words.hpp"

namespace lockstep::infreg {

/// Keeps what the grammar has read of a line, until the whole line makes an operation. A refused line is reported and left out, so that one
/// run finds the errors of several lines.
class Reader {
 public:
  using Text = std::string_view;

  explicit Reader(Text text) : lines_(text), text_(text) {}

  /// Goes to the next line that the grammar has to read. False at the end of the text, or if there are errors enough.
  bool next_line();
  Text line() const { return lines_.line(); }

  /// What to say where the grammar was stuck at `where` and expected `what`.
  Diagnostic explained(const char* where, const std::string& what) const;
  /// The line is wrong.
  void refuse_line(Diagnostic error);

  /// Behind the last line: the kernel, or what is wrong.
  std::expected<Kernel, Diagnostics> finish();

  // The grammar's actions, in its order. A LineError refuses the line.

  // the head
  void before_kernel();
  void kernel_name(Text word);
  void parameter_name(Text word);
  void parameter_pointer(ScalarType type) { kernel_.parameters.back().is_pointer = true, kernel_.parameters.back().scalar = type; }
  void parameter_number(ScalarType type) { kernel_.parameters.back().scalar = type; }
  void parameter_const() { kernel_.parameters.back().is_const = true; }
  void parameter_restrict() { kernel_.parameters.back().is_restrict = true; }
  void parameter_end();
  void wg_size(Text digits) { kernel_.shape.wg_size = count(digits); }
  void wg_pack(Text digits) { kernel_.shape.wg_pack = count(digits); }
  void open_kernel();

  void before_object();
  void object_space(AddressSpace space) { object_.space = space; }
  void object_name(Text word) { object_name_ = word; }
  void object_element(ScalarType type) { object_.element = type, list_type_ = type; }
  void object_count(Text digits) { object_.count = number(digits); }
  void object_values() { object_.values = take_list(); }
  void object_end();

  // types
  void element(Element element);
  void extent_pack(Text digits);
  void extent_item(Text digits);
  void extent_element(Text digits);

  // lists
  void list_begin() { list_.clear(); }
  void list_number(Text word);
  void list_lane(Text digits);
  void list_nowhere(Text word);
  void list_times(Text digits);

  // polynomials
  void minus() { negative_ = true; }
  void term_begin() { coefficient_ = 1, factors_.clear(); }
  void factor_number(Text digits) { coefficient_ *= number(digits); }
  void factor_symbol(Symbol symbol) { factors_.push_back(symbol); }
  void factor_value(Text word) { factors_.push_back(Symbol::of(mentioned(word))); }
  void term_end(Text text);
  void polynomial_end();

  // operations
  void before_operation();
  void result_name(Text word) { result_names_.push_back(word); }
  void result_end() { result_types_.push_back(type_); }
  void operand(Text word) { operands_.push_back(mentioned(word)); }

  void constant(Text word);
  void null_pointer();
  void lanes_begin();
  void lanes() { add(ConstantLanes{result_type(), take_list()}); }
  void poison() { add(Poison{result_type()}); }
  void index() { add(Index{result_type(), take_polynomial()}); }
  void comparison(Op op) { comparison_ = op; }
  void comparison_end();
  void mask() { add(Mask{result_type().layout, std::exchange(comparisons_, {})}); }
  void num_groups() { add(NumGroups{}); }
  void spread() { add(Spread{operands_.at(0), result_type().layout}); }
  void elementwise_word(Mnemonic word) { mnemonic_ = word; }
  void elementwise();
  void select() { add(Select{operands_.at(0), operands_.at(1), operands_.at(2)}); }
  void convert() { add(Convert{operands_.at(0), result_type().element.scalar}); }
  void bitcast() { add(Bitcast{operands_.at(0), result_type().element.scalar}); }
  void to_items(Text word);
  void to_groups(Text word);
  void reorder_affine();
  void reorder_table();
  void shuffle() { add(Shuffle{operands_.at(0), operands_.at(1), operands_.at(2)}); }
  void vote_word(std::pair<Vote::Kind, bool> word) { vote_ = word; }
  void vote() { add(Vote{vote_.first, vote_.second, operands_.at(0), operands_.at(1)}); }

  void address(Text word);
  void cell(ScalarType type) { cell_ = type; }
  void offset() { add(PointerOffset{cell_, operands_.at(0), operands_.at(1)}); }
  void distance() { add(PointerDistance{cell_, operands_.at(0), operands_.at(1)}); }
  void pointer_compare() { add(PointerCompare{comparison_, operands_.at(0), operands_.at(1)}); }

  void place_base(Text word);
  void place_index() { place_.index = take_polynomial(); }
  void place_lanes(Text word) { place_.lanes = mentioned(word); }
  void access(Access access) { access_ = access; }
  void load() { add(Load{result_type(), std::exchange(place_, {}), access_, operand_if(0)}); }
  void atomic_word(AtomicOp op) { atomic_ = op; }
  void atomic();
  void store() { add(Store{std::exchange(place_, {}), access_, operands_.at(0), operand_if(1)}); }

  // control
  void argument(Text word) { arguments_.push_back(word); }
  void step(Text word);
  void branch();
  void counted_loop();
  void loop();
  void yield();
  void other();
  void close();

 private:
  /// A name behind '%': where it stands first, and where it is defined.
  struct Named {
    std::optional<ValueId> value;
    SourceSpan first;
    std::optional<SourceSpan> definition;
    std::optional<std::variant<OfParameter, OfObject>> memory;  ///< what it names if it is no value
  };
  /// A region whose end has not been read.
  struct Open {
    RegionId region = 0;
    std::optional<RegionId> otherwise;  ///< of the then-region of an if
  };
  /// What an operation's word says of its first operand, whose type may stand further down.
  struct Promise {
    RegionId region = 0;
    std::size_t operation = 0;
    bool of_floats = false;   ///< of an Elementwise
    bool from_items = false;  ///< of a Reorder
  };

  SourceSpan span(Text part) const { return lines_.span(part); }
  std::uint64_t number(Text digits) const;
  std::uint32_t count(Text digits) const;

  Named& found(Text word);
  ValueId mentioned(Text word);
  void define(Text word, Named& entry);
  ValueId defined_value(Text word, Type type);

  const Type& result_type() const;
  std::vector<std::uint64_t> take_list() { return std::exchange(list_, {}); }
  void append(std::uint64_t item, Text text);
  Polynomial take_polynomial();
  std::optional<ValueId> operand_if(std::size_t i) const { return i < operands_.size() ? std::optional(operands_[i]) : std::nullopt; }

  Region& region() { return kernel_.regions[open_.back().region]; }
  RegionId new_region();
  void push_region(Open region, Text where);
  void add(Node node);
  void recover(Text line);

  void check_promises();
  void check_names();

  TextLines lines_;
  Text text_;
  Kernel kernel_;
  Diagnostics errors_;
  std::unordered_map<Text, Named> names_;
  std::vector<Open> open_;
  std::vector<Promise> promises_;
  bool head_read_ = false;
  bool ended_ = false;         ///< the kernel's last brace was read
  std::uint64_t numbers_ = 0;  ///< in lists so far

  // The line that is being read.
  Object object_;
  Text object_name_;
  Type type_;
  bool has_pack_ = false;  ///< the type has said `wg`
  std::vector<Text> result_names_;
  std::vector<Type> result_types_;
  std::vector<ValueId> operands_;
  std::vector<std::uint64_t> list_;
  ScalarType list_type_ = ScalarType::Int;
  bool negative_ = false;
  std::uint64_t coefficient_ = 1;
  std::vector<Symbol> factors_;
  Polynomial sum_;
  std::vector<Polynomial> polynomials_;
  Op comparison_ = Op::Lt;
  std::vector<Mask::Comparison> comparisons_;
  Mnemonic mnemonic_;
  std::pair<Vote::Kind, bool> vote_;
  ScalarType cell_ = ScalarType::Int;
  AtomicOp atomic_ = AtomicOp::Exchange;
  Place place_;
  Access access_ = Access::Gather;
  std::vector<Text> arguments_;
  std::int64_t step_ = 1;
};

}  // namespace lockstep::infreg
