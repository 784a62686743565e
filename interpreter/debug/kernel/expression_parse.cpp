// The parser of expressions over a kernel's variables: precedence climbing over the operators of ops.def.

#include <algorithm>

#include "interpreter/debug/kernel/expression.hpp"
#include "interpreter/debug/value_parser.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

using Kind = KernelExpression::Node::Kind;

std::optional<typed::RegisterId> register_named(const KernelScope& scope, std::string_view name) {
  const auto& registers = scope.program.functions[scope.function].registers;
  std::optional<typed::RegisterId> best;
  for (typed::RegisterId id = 0; id < registers.size(); ++id) {
    const typed::RegisterInfo& info = registers[id];
    if (info.name == name && info.variable != name) {
      return id;
    }
    if (info.variable != name) {
      continue;
    }
    const bool declared = info.span.begin <= scope.place;
    const bool later = !best || registers[*best].span.begin <= info.span.begin;
    if (!best || (declared && later)) {
      best = id;
    }
  }
  return best;
}

class KernelExpressionParser : ValueParser<KernelExpressionParser, KernelExpression> {
 public:
  KernelExpressionParser(std::string_view text, const KernelScope& scope) : ValueParser(text), scope_(scope) {}

  std::expected<KernelExpression, ConditionError> parse() { return whole("an operator, 'in item' or the end of the expression"); }

 private:
  friend OperatorParser;
  friend ValueParser;
  static constexpr std::string_view depths = "depth(sync), depth(context) or depth(calls)";

  /// A word: letters, digits, and points with one of them behind (the names of registers have such).
  std::string_view word() {
    peek();
    const std::size_t begin = at_;
    const auto good = [&](std::size_t k) { return k < text_.size() && is_letter_or_digit(text_[k]); };
    while (good(at_) || (at_ < text_.size() && text_[at_] == '.' && at_ > begin && good(at_ + 1))) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void suffixes() {
    while (!error_ && is_letter(peek())) {
      const std::size_t begin = at_;
      if (word() != "in") {
        at_ = begin;
        return;
      }
      const std::size_t what_at = at_;
      const std::string_view what = word();
      if (what != "item" && what != "group") {
        fail_at(what_at, "expected 'in item I' or 'in group G'");
        return;
      }
      number_of(what == "item");
    }
  }

  void number_of(bool is_item) {
    peek();
    const std::size_t begin = at_;
    const auto n = plain_number();
    if (!n) {
      fail_at(begin, is_item ? "expected the number of an item" : "expected the number of a group");
    } else if (is_item && *n >= scope_.program.wg_size) {
      fail_at(begin, "a group has only items 0 to " + std::to_string(scope_.program.wg_size - 1));
    } else if (is_item) {
      result_.item_ = static_cast<unsigned>(*n);
    } else {
      result_.group_ = n;
    }
  }

  /// `*p`
  bool unary_first() {
    if (!accept('*')) {
      return false;
    }
    unary();
    emit(Kind::Number);
    emit(Kind::Index);
    return true;
  }

  void primary() { is_letter(peek()) ? name() : fail("expected a number, a name or '('"); }

  /// Indices.
  void behind_operand() {
    while (accept('[')) {
      expression();
      expect(']', "to match '['");
      emit(Kind::Index);
    }
  }

  void name() {
    const std::size_t begin = at_;
    const std::string_view id = word();
    if (peek() == '(') {
      ++at_;
      if (!function(id)) {
        fail_at(begin, "there is no function '" + shortened(id) + "' here");
      }
      expect(')', "to end the call");
    } else if (!variable(id) && !builtin(id)) {
      unknown(begin, id);
    }
  }

  void unknown(std::size_t begin, std::string_view id) {
    const typed::Function& function = scope_.program.functions[scope_.function];
    std::vector<std::string_view> names;
    for (const typed::RegisterInfo& info : function.registers) {
      names.push_back(info.variable.empty() ? info.name : info.variable);
    }
    for (const typed::Object& object : scope_.program.objects) {
      names.push_back(object.name);
    }
    fail_at(begin, "'" + function.name + "' has no variable '" + shortened(id) + "'" + suggestion(id, names));
  }

  bool builtin(std::string_view id) {
    if (id == "item" || id == "tid") {
      emit(Kind::Query).query = typed::Query::LocalId;
      note_per_item();
    } else if (id == "group") {
      emit(Kind::Query).query = typed::Query::GroupId;
    } else if (id == "pc" || id == "line") {
      emit(id == "pc" ? Kind::Pc : Kind::Line);
      note_per_item();
    } else if (id == "step") {
      emit(Kind::Step);
    } else {
      return false;
    }
    return true;
  }

  /// Behind the '(' of a call, up to its ')'.
  bool function(std::string_view id) {
    if (!query(id)) {
      return common_function(id);
    }
    if (const auto literal = typed::read_literal(text_.substr(at_)); literal && literal->bits == 0) {
      at_ += literal->length;
    }
    return true;
  }

  bool query(std::string_view id) {
    if (id == "get_global_id") {
      emit(Kind::GlobalId);
    } else if (id == "get_global_size") {
      emit(Kind::GlobalSize);
    } else if (id == "get_local_size") {
      KernelExpression::Node& node = emit(Kind::Number);
      node.type = ScalarType::ULong;
      node.bits = scope_.program.wg_size;
    } else if (id == "get_local_id" || id == "get_group_id" || id == "get_num_groups") {
      emit(Kind::Query).query = id == "get_local_id"   ? typed::Query::LocalId
                                : id == "get_group_id" ? typed::Query::GroupId
                                                       : typed::Query::NumGroups;
    } else {
      return false;
    }
    note_per_item(id == "get_global_id" || id == "get_local_id");
    return true;
  }

  bool stack(std::string_view what) {
    if (what != "sync" && what != "context" && what != "calls") {
      return false;
    }
    emit(what == "sync" ? Kind::SyncDepth : what == "context" ? Kind::ContextDepth : Kind::CallDepth);
    return true;
  }

  bool variable(std::string_view id) {
    if (const auto reg = register_named(scope_, id)) {
      const bool buffer = scope_.function == 0 && *reg < scope_.program.kernel().parameter_count && is_buffer(*reg);
      KernelExpression::Node& node = emit(buffer ? Kind::Parameter : Kind::Register);
      node.function = scope_.function;
      node.id = *reg;
      note_per_item(!buffer);
      return true;
    }
    const auto& objects = scope_.program.objects;
    for (std::uint32_t id_of = 0; id_of < objects.size(); ++id_of) {
      if (objects[id_of].name == id) {
        emit(Kind::Object).id = id_of;
        return true;
      }
    }
    const KernelScope kernel{scope_.program, 0, 0};
    const auto parameter = register_named(kernel, id);
    if (parameter && *parameter < scope_.program.kernel().parameter_count && is_buffer(*parameter)) {
      emit(Kind::Parameter).id = *parameter;
      return true;
    }
    return false;
  }

  /// Whether the kernel's parameter is a pointer that nobody changes, so that it names its buffer at any time.
  bool is_buffer(typed::RegisterId id) const {
    const typed::Program& program = scope_.program;
    if (!program.kernel().registers[id].type.is_pointer) {
      return false;
    }
    const auto writes = [&](const typed::Statement& statement) {
      const auto* assign = std::get_if<typed::Assign>(&statement.instruction);
      const auto* shuffle = std::get_if<typed::Shuffle>(&statement.instruction);
      const auto* call = std::get_if<typed::Call>(&statement.instruction);
      return (assign != nullptr && assign->place.id == id) || (shuffle != nullptr && shuffle->dst == id) ||
             (call != nullptr && call->result == id);
    };
    return std::none_of(program.code.begin() + program.kernel().begin, program.code.begin() + program.kernel().end, writes);
  }

  const KernelScope& scope_;
};

std::expected<KernelExpression, ConditionError> KernelExpression::parse(std::string_view text, const KernelScope& scope) {
  return KernelExpressionParser(text, scope).parse();
}

}  // namespace lockstep
