// The parser of expressions over PTX threads.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interpreter/debug/ptx/expression.hpp"
#include "interpreter/debug/value_parser.hpp"
#include "interpreter/ptx/arguments.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

namespace resolved = ptx::resolved;

class PtxExpressionParser : ValueParser<PtxExpressionParser, PtxExpression> {
 public:
  PtxExpressionParser(std::string_view text, const PtxScope& scope) : ValueParser(text), scope_(scope) {}

  std::expected<PtxExpression, ConditionError> parse() { return whole("an operator, 'in thread' or the end of the expression"); }

 private:
  friend OperatorParser;
  friend ValueParser;
  static constexpr std::string_view depths = "depth(calls)";

  static bool in_name(char c) { return is_letter_or_digit(c) || c == '$'; }

  /// A name, with what stands behind its points: %tid.x, shared.f32.
  std::string_view word() {
    peek();
    const std::size_t begin = at_;
    const auto good = [&](std::size_t k) { return k < text_.size() && in_name(text_[k]); };
    at_ += at_ < text_.size() && text_[at_] == '%' ? 1U : 0U;
    while (good(at_) || (at_ < text_.size() && text_[at_] == '.' && at_ > begin && good(at_ + 1))) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void suffixes() {
    while (!error_ && is_letter(peek())) {
      if (word() != "in") {
        fail_at(at_, "expected an operator, or 'in thread T', 'in warp W' or 'in block B'");
        return;
      }
      peek();
      const std::size_t what_at = at_;
      const std::string_view what = word();
      const ptx_machine::Geometry& geometry = scope_.run.options().geometry;
      if (what == "thread") {
        result_.thread_ = static_cast<unsigned>(index_in(geometry.block, "a block has only threads 0 to"));
      } else if (what == "block") {
        result_.block_ = index_in(geometry.grid, "the grid has only blocks 0 to");
      } else if (what == "warp") {
        const std::uint64_t warps = (geometry.block.count() + ptx_machine::warp_threads - 1) / ptx_machine::warp_threads;
        result_.warp_ = static_cast<unsigned>(index_in({static_cast<std::uint32_t>(warps), 1, 1}, "a block has only warps 0 to"));
      } else {
        fail_at(what_at, "expected 'in thread T', 'in warp W' or 'in block B'");
      }
    }
  }

  /// N, or X,Y,Z: a number below that of the geometry.
  std::uint64_t index_in(const ptx_machine::Dim3& size, const char* only) {
    peek();
    const std::size_t begin = at_;
    std::vector<std::uint64_t> numbers;
    do {
      const auto n = plain_number();
      if (!n) {
        fail_at(begin, "expected a number, or X,Y,Z");
        return 0;
      }
      numbers.push_back(*n);
    } while (numbers.size() < 3 && accept(','));
    if (numbers.size() == 1) {
      if (numbers[0] >= size.count()) {
        fail_at(begin, fmt::format("{} {}", only, size.count() - 1));
      }
      return numbers[0];
    }
    numbers.resize(3);
    if (numbers[0] >= size.x || numbers[1] >= size.y || numbers[2] >= size.z) {
      fail_at(begin, fmt::format("{} {} ({},{},{})", only, size.count() - 1, size.x - 1, size.y - 1, size.z - 1));
      return 0;
    }
    return (numbers[2] * size.y + numbers[1]) * size.x + numbers[0];
  }

  static bool unary_first() { return false; }
  static void behind_operand() {}

  void primary() {
    const char c = peek();
    if (c != '%' && c != '$' && !is_letter(c)) {
      fail("expected a number, a register, a name or '('");
      return;
    }
    const std::size_t begin = at_;
    const std::string_view id = word();
    if (accept('(')) {
      if (!common_function(id)) {
        fail_at(begin, "there is no function '" + shortened(id) + "' here");
      }
      expect(')', "to end the call");
    } else if (!named(id, std::nullopt) && !with_type(begin, id)) {
      unknown(begin, id);
    }
  }

  /// `NAME.TYPE` and `SPACE.TYPE[ADDRESS]`
  bool with_type(std::size_t begin, std::string_view id) {
    const std::size_t point = id.rfind('.');
    if (point == std::string_view::npos) {
      return false;
    }
    const std::string_view front = id.substr(0, point);
    const auto type = ptx::type_named(id.substr(point + 1));
    if (!type) {
      return false;
    }
    for (const ptx::Space space :
         {ptx::Space::Generic, ptx::Space::Global, ptx::Space::Shared, ptx::Space::Local, ptx::Space::Const, ptx::Space::Param}) {
      if (front == ptx::text_of(space)) {
        if (!accept('[')) {
          fail_at(begin, fmt::format("expected {}.TYPE[ADDRESS]", front));
          return true;
        }
        expression();
        expect(']', "to match '['");
        PtxExpression::Node& node = emit(Kind::Access);
        node.space = space;
        node.seen_as = *type;
        note_per_item(space == ptx::Space::Local);
        return true;
      }
    }
    return named(front, type);
  }

  /// A register, special register, variable, parameter or word; `seen_as` says as what. False: it is none.
  bool named(std::string_view id, std::optional<ptx::Type> seen_as) {
    return register_named(id, seen_as) || variable_named(id, seen_as) || (!seen_as && (special_named(id) || builtin(id)));
  }

  bool register_named(std::string_view id, std::optional<ptx::Type> seen_as) {
    const auto& registers = program().module().functions[scope_.function].registers;
    const auto found = std::ranges::find(registers, id, &resolved::RegisterInfo::name);
    if (found == registers.end()) {
      return false;
    }
    if (seen_as && ptx::bytes_of(*seen_as) > found->bytes()) {
      fail(fmt::format("'{}' has only {} bits", shortened(id), ptx::bits_of(found->type)));
    }
    PtxExpression::Node& node = emit(Kind::Register);
    node.function = scope_.function;
    node.id = static_cast<std::uint32_t>(found - registers.begin());
    node.seen_as = seen_as.value_or(program().register_type(scope_.function, node.id));
    note_per_item();
    return true;
  }

  bool variable_named(std::string_view id, std::optional<ptx::Type> seen_as) {
    const auto index_of = [&](const std::vector<resolved::VariableInfo>& variables) {
      const auto found = std::ranges::find(variables, id, &resolved::VariableInfo::name);
      return found == variables.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - variables.begin()));
    };
    const resolved::Function& function = program().module().functions[scope_.function];
    const auto parameter = ptx_machine::parameter_named(program().kernel(), id);
    if (const auto local = index_of(function.variables); local && !(parameter && scope_.function == program().kernel_index())) {
      const bool own = function.variables[*local].space == ptx::Space::Local || function.variables[*local].space == ptx::Space::Param;
      element({true, *local}, scope_.function, function.variables[*local], seen_as, own);
      return true;
    }
    if (const auto global = index_of(program().module().variables)) {
      element({false, *global}, scope_.function, program().module().variables[*global], seen_as, false);
      return true;
    }
    if (!parameter || ptx_machine::parameter_name(program().kernel(), *parameter) != id) {
      return false;
    }
    parameter_value(*parameter, seen_as);
    return true;
  }

  /// A variable of one element need not be indexed.
  void element(resolved::VariableRef variable, std::uint32_t function, const resolved::VariableInfo& info, std::optional<ptx::Type> seen_as,
               bool own) {
    const ptx::Type type = seen_as.value_or(info.type);
    if (accept('[')) {
      expression();
      expect(']', "to match '['");
    } else if (info.bytes == ptx::bytes_of(type)) {
      emit_number(ScalarType::Int, 0);
    } else {
      fail(fmt::format("'{0}' has several elements; name one, as in {0}[0]", shortened(info.name)));
    }
    PtxExpression::Node& node = emit(Kind::Element);
    node.variable = variable;
    node.function = function;
    node.seen_as = type;
    note_per_item(own);
  }

  void parameter_value(std::size_t parameter, std::optional<ptx::Type> seen_as) {
    const auto variable = std::get<resolved::VariableRef>(program().kernel().parameters[parameter]);
    const resolved::VariableInfo& info = program().kernel().variables[variable.index];
    const ptx_machine::Arguments& arguments = scope_.run.arguments();
    const auto* buffer = std::get_if<BufferNumber>(&arguments.values[parameter]);
    const bool indexed = accept('[');
    if (indexed) {
      expression();
      expect(']', "to match '['");
    }
    if (indexed && buffer != nullptr) {
      PtxExpression::Node& node = emit(Kind::Buffer);
      node.id = static_cast<std::uint32_t>(parameter);
      node.seen_as = seen_as.value_or(ptx_type(arguments.buffers[buffer->number].type));
      return;
    }
    PtxExpression::Node& node = emit(indexed ? Kind::Element : Kind::Parameter);
    node.function = program().kernel_index();
    node.variable = variable;
    node.seen_as = seen_as.value_or(info.type);
  }

  bool special_named(std::string_view id) {
    const auto special = ptx::special_named(id);
    if (!special) {
      return false;
    }
    emit(Kind::Special).special = *special;
    note_per_item();
    return true;
  }

  bool builtin(std::string_view id) {
    struct Word {
      std::string_view text;
      Kind kind;
      bool per_item;
    };
    static constexpr auto words = std::to_array<Word>({{"thread", Kind::Thread, true},
                                                       {"lane", Kind::Lane, true},
                                                       {"warp", Kind::Warp, true},
                                                       {"block", Kind::Block, false},
                                                       {"pc", Kind::Pc, true},
                                                       {"line", Kind::Line, true},
                                                       {"step", Kind::Step, false}});
    const auto found = std::ranges::find(words, id, &Word::text);
    if (found == words.end()) {
      return false;
    }
    emit(found->kind);
    note_per_item(found->per_item);
    return true;
  }

  bool stack(std::string_view what) {
    if (what != "calls") {
      return false;
    }
    emit(Kind::CallDepth);
    return true;
  }

  void unknown(std::size_t begin, std::string_view id) {
    const resolved::Function& function = program().module().functions[scope_.function];
    std::vector<std::string_view> names;
    for (const resolved::RegisterInfo& info : function.registers) {
      names.push_back(info.name);
    }
    for (const auto* variables : {&function.variables, &program().module().variables, &program().kernel().variables}) {
      for (const resolved::VariableInfo& info : *variables) {
        names.push_back(info.name);
      }
    }
    fail_at(begin, fmt::format("'{}' has no register or variable '{}'{}", shortened(function.name), shortened(id), suggestion(id, names)));
  }

  const PtxProgram& program() const { return scope_.run.program(); }

  const PtxScope& scope_;
};

std::expected<PtxExpression, ConditionError> PtxExpression::parse(std::string_view text, const PtxScope& scope) {
  return PtxExpressionParser(text, scope).parse();
}

}  // namespace lockstep
