// The typed text form: what the printer writes, and that the parser reads it back.

#include <rapidcheck.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "semantics/ops/apply.hpp"
#include "semantics/typed/parse.hpp"
#include "semantics/typed/parse_expression.hpp"
#include "semantics/typed/parse_literal.hpp"
#include "semantics/typed/print.hpp"
#include "tests/unit/random_number.hpp"

namespace lockstep::typed {
namespace {

Program parsed(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("t.mus", text);
  auto result = parse(source);
  INFO(text);
  INFO((result ? std::string() : render(*source, result.error())));
  REQUIRE(result.has_value());
  return *result;
}

ValueType scalar(ScalarType type) { return {type, false, AddressSpace::Private}; }

/// A random program from a list of numbers: 0 is always the simplest choice, so that RapidCheck shrinks to small programs. Types and
/// names are right, control flow is arbitrary.
class RandomTyped {
 public:
  explicit RandomTyped(std::vector<std::uint64_t> choices) : choices_(std::move(choices)) {}

  Program program() {
    result_.wg_size = static_cast<unsigned>(1 + choose(coin() ? max_ballot_items : 4096));
    objects();
    const std::size_t count = 1 + choose(3);
    for (std::size_t i = 0; i < count; ++i) {
      result_.functions.push_back(head(i));
    }
    for (Function& function : result_.functions) {
      body(function);
    }
    return std::move(result_);
  }

 private:
  std::uint64_t next() { return used_ < choices_.size() ? choices_[used_++] : 0; }
  std::size_t choose(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool coin() { return choose(2) == 1; }

  ScalarType scalar_type() { return static_cast<ScalarType>(choose(scalar_table.size())); }
  AddressSpace space() { return static_cast<AddressSpace>(choose(4)); }
  ValueType type() { return choose(4) == 1 ? ValueType{scalar_type(), true, space()} : scalar(scalar_type()); }

  std::uint64_t bits(ScalarType type) {
    const bool is_small = choose(3) == 0;
    const std::uint64_t raw = is_small ? choose(10) : next() * 0x9e3779b97f4a7c15U + next();
    return random_number::bits(type, raw, is_float(type) && choose(3) == 0);
  }

  std::vector<std::uint64_t> extents(std::uint64_t& count) {
    std::vector<std::uint64_t> found;
    count = 1 + choose(5);
    if (choose(3) == 1) {
      found = {count, 1 + choose(3)};
      count *= found[1];
    }
    return found;
  }

  void objects() {
    for (std::size_t n = choose(3); n > 0; --n) {
      Object object;
      object.name = coin() ? "tile" + std::to_string(n) : std::array{"ld", "x", "float"}.at(n - 1);
      object.element = scalar_type();
      object.space = coin() ? AddressSpace::Constant : AddressSpace::Local;
      object.extents = extents(object.count);
      for (std::uint64_t i = 0; i < object.count && object.space == AddressSpace::Constant; ++i) {
        object.values.push_back(bits(object.element));
      }
      result_.objects.push_back(std::move(object));
    }
  }

  Function head(std::size_t number) {
    static const std::array<std::string, 3> names = {"k", "sqrt", "f.2"};
    Function function;
    function.name = names.at(number);
    if (number != 0 && coin()) {
      function.result = type();
    }
    function.parameter_count = choose(4);
    const std::size_t registers = function.parameter_count + choose(8);
    static const std::array<std::string, 4> stems = {"x", "bz", "t", "inf"};
    for (std::size_t i = 0; i < registers; ++i) {
      RegisterInfo info;
      info.name = stems.at(choose(stems.size())) + (i == 0 ? "" : "." + std::to_string(i));
      info.type = type();
      info.variable = std::array<std::string, 3>{"", info.name.substr(0, info.name.find('.')), "ret"}.at(choose(3));
      info.always_written = coin();
      if (i < function.parameter_count) {
        function.uniform_parameters.push_back(coin());
      } else if (coin()) {
        std::uint64_t count = 1;
        info.extents = extents(count);
        info.count = count;
      }
      function.registers.push_back(std::move(info));
    }
    return function;
  }

  void body(Function& function) {
    function_ = &function;
    function.begin = static_cast<Label>(result_.code.size());
    const std::size_t size = 1 + choose(12);
    function.end = function.begin + static_cast<Label>(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t n = choose(4) / 2; n > 0; --n) {
        const std::string name = (coin() ? "L" : "AVeryLongLabel") + std::to_string(result_.labels.size());
        result_.labels.push_back({choose(5) == 1 ? "stop" + name : name, static_cast<Label>(result_.code.size())});
      }
      result_.code.push_back({instruction(), {}});
    }
  }

  void node(Expr& out, decltype(ExprNode::node) what, ValueType type) { out.nodes.push_back({std::move(what), type, {}}); }

  /// A register of that type that is (not) an array.
  std::optional<RegisterId> find(const ValueType& type, bool array) {
    const std::size_t size = function_->registers.size();
    const std::size_t start = size == 0 ? 0 : choose(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto id = static_cast<RegisterId>((start + i) % size);
      if (function_->registers[id].type == type && function_->registers[id].count.has_value() == array) {
        return id;
      }
    }
    return std::nullopt;
  }

  ScalarType integer_type() { return static_cast<ScalarType>(choose(9)); }

  void grow_operation(Expr& out, ScalarType wanted, unsigned depth) {
    const std::size_t number = choose(op_count);
    const auto op = static_cast<Op>(number);
    const bool gives_int = ops::result_type(op, ScalarType::ULong) == ScalarType::Int;
    const ScalarType operand = gives_int ? scalar_type() : wanted;
    if (op == Op::Select) {
      grow(out, scalar(ScalarType::Int), depth - 1);
      grow(out, scalar(wanted), depth - 1);
      grow(out, scalar(wanted), depth - 1);
      node(out, Operation{op, wanted, false}, scalar(wanted));
    } else if (ops::takes(op, operand) && (operand != ScalarType::Bool || takes_bool(op)) && ops::result_type(op, operand) == wanted) {
      for (int i = 0; i < info(op).arity; ++i) {
        grow(out, scalar(operand), depth - 1);
      }
      node(out, Operation{op, operand, false}, scalar(wanted));
    } else {
      grow(out, scalar(wanted), 0);
    }
  }

  void grow_pointer(Expr& out, const ValueType& wanted, unsigned depth) {
    if (depth > 0 && coin()) {
      grow_pointer(out, wanted, depth - 1);
      grow(out, scalar(integer_type()), depth - 1);
      node(out, PointerAdd{}, wanted);
      return;
    }
    if (depth > 0 && wanted.space != AddressSpace::Private && choose(4) == 0) {
      const ScalarType other = scalar_type();
      grow_pointer(out, {other, true, wanted.space}, depth - 1);
      node(out, Reinterpret{other}, wanted);
      return;
    }
    for (ObjectId id = 0; id < result_.objects.size(); ++id) {
      if (result_.objects[id].element == wanted.scalar && result_.objects[id].space == wanted.space) {
        return node(out, ObjectAddress{id}, wanted);
      }
    }
    const auto array = find(scalar(wanted.scalar), true);
    if (wanted.space == AddressSpace::Private && array) {
      return node(out, RegisterAddress{*array}, wanted);
    }
    pointer_leaf(out, wanted);
  }

  /// Some register of the type, made if there is none.
  void pointer_leaf(Expr& out, const ValueType& wanted) {
    auto id = find(wanted, false);
    if (!id) {
      id = static_cast<RegisterId>(function_->registers.size());
      RegisterInfo info;
      info.name = "made." + std::to_string(*id);
      info.type = wanted;
      function_->registers.push_back(std::move(info));
    }
    node(out, Register{*id}, wanted);
  }

  void grow(Expr& out, const ValueType& wanted, unsigned depth) {
    if (wanted.is_pointer) {
      return grow_pointer(out, wanted, depth);
    }
    const std::size_t choice = depth == 0 ? choose(3) : choose(9);
    const auto single = find(wanted, false);
    const auto array = find(wanted, true);
    if (choice == 1 && single) {
      node(out, Register{*single}, wanted);
    } else if (choice == 2 && wanted.scalar == ScalarType::ULong) {
      node(out, Ask{static_cast<Query>(choose(6))}, wanted);
    } else if (choice == 3 && array) {
      grow(out, scalar(integer_type()), depth - 1);
      node(out, Element{*array}, wanted);
    } else if (choice == 4) {
      const ScalarType from = scalar_type();
      grow(out, scalar(from), depth - 1);
      const bool is_as_large = from != ScalarType::Bool && wanted.scalar != ScalarType::Bool && size_of(from) == size_of(wanted.scalar);
      if (is_as_large && coin()) {
        node(out, Bitcast{from}, wanted);
      } else {
        node(out, Convert{from}, wanted);
      }
    } else if (choice == 5 && lockstep::is_integer(wanted.scalar)) {
      grow(out, wanted, depth - 1);
      node(out, Within{next()}, wanted);
    } else if (choice == 6 && (wanted.scalar == ScalarType::Long || wanted.scalar == ScalarType::Int)) {
      const ValueType pointer{scalar_type(), true, space()};
      grow(out, pointer, depth - 1);
      grow(out, pointer, depth - 1);
      if (wanted.scalar == ScalarType::Long) {
        node(out, PointerDifference{}, wanted);
      } else {
        node(out, Operation{Op::Le, pointer.scalar, true}, wanted);
      }
    } else if (choice > 6) {
      grow_operation(out, wanted.scalar, depth);
    } else {
      node(out, Constant{bits(wanted.scalar)}, wanted);
    }
  }

  Expr expression(const ValueType& type, unsigned depth = 4) {
    Expr result;
    grow(result, type, depth);
    return result;
  }
  Expr integer() { return expression(scalar(integer_type())); }

  Place place(ValueType& type) {
    if (function_->registers.empty()) {
      Expr unused;
      pointer_leaf(unused, scalar(ScalarType::Int));
    }
    const auto id = static_cast<RegisterId>(choose(function_->registers.size()));
    type = function_->registers[id].type;
    const bool array = function_->registers[id].count.has_value();
    return {id, array ? std::optional(integer()) : std::nullopt, {}};
  }

  RegisterId single(const ValueType& type) {
    Expr made;
    pointer_leaf(made, type);
    return std::get<Register>(made.nodes.back().node).id;
  }

  Label target() { return function_->begin + static_cast<Label>(choose(function_->end - function_->begin)); }

  Instruction call() {
    if (result_.functions.size() == 1) {
      return Barrier{{coin(), coin()}};
    }
    Call call;
    call.function = static_cast<FunctionId>(1 + choose(result_.functions.size() - 1));
    const Function& callee = result_.functions[call.function];
    for (std::size_t i = 0; i < callee.parameter_count; ++i) {
      const ValueType type = result_.functions[call.function].registers[i].type;
      call.arguments.push_back(expression(type));
    }
    if (callee.result && coin()) {
      call.result = single(*callee.result);
    }
    return call;
  }

  Instruction vote() {
    const auto drawn = static_cast<VoteKind>(choose(5));
    const VoteKind kind = drawn == VoteKind::Ballot && result_.wg_size > max_ballot_items ? VoteKind::All : drawn;
    return Vote{kind, single(scalar(kind == VoteKind::Ballot ? ScalarType::ULong : ScalarType::Int)), expression(scalar(scalar_type()))};
  }

  Instruction memory() {
    ValueType type;
    Place to = place(type);
    if (type.is_pointer || coin()) {
      const ScalarType cell = scalar_type();
      Expr base = expression({cell, true, static_cast<AddressSpace>(choose(3))});
      Expr index = integer();
      return Store{std::move(base), std::move(index), expression(scalar(cell))};
    }
    Expr base = expression({type.scalar, true, space()});
    return Load{std::move(to), std::move(base), integer()};
  }

  Instruction instruction() {
    const std::size_t choice = choose(16);
    ValueType type;
    if (choice < 4) {
      Place to = place(type);
      return Assign{std::move(to), expression(type)};
    }
    switch (choice) {
      case 4:
        return Jump{target()};
      case 5:
        return BranchZero{expression(scalar(scalar_type())), target()};
      case 6:
        return JumpMask{integer(), target()};
      case 7:
        return Forget{place(type).id};
      case 8:
      case 9:
        return memory();
      case 10: {
        const ValueType moved = this->type();
        const RegisterId source = single(moved);
        return Shuffle{single(moved), source, integer(), coin()};
      }
      case 11:
        return vote();
      case 12:
        return call();
      case 13:
        return function_->result ? Instruction(Return{expression(*function_->result)}) : Instruction(Return{});
      case 14:
        return coin() ? Instruction(Sync{}) : Instruction(Stop{});
      default:
        return coin() ? Instruction(Everywhere{}) : Instruction(EndEverywhere{});
    }
  }

  std::vector<std::uint64_t> choices_;
  std::size_t used_ = 0;
  Program result_;
  Function* function_ = nullptr;
};

}  // namespace

TEST_CASE("the canonical form of a typed program", "[typed][print]") {
  const Program program = parsed(R"(; read in any form
.typed
.local float tile [ 4 ][ 4 ]
.wg_size 0004
.constant int table[3] : 1 -2 ..
  // more
  0x3
.kernel scale(global float*a, uniform int n, temp written double q)
.var float x, x.2,row[16]
.temp written int t.1
.temp written int t.2, $ld
.var int other of n
Start: Again: t.1 = (((t.2 - -5))*-(3)) ; blanks and parentheses
   row[ within(t.1,16) ] = 0.0f
   row[ within ( t.1, 4 , row , 2 ) + within(t.1, 4, @tile, 1) ] = max( x , fma(x, (x), -inff) )
 x=ld (a+4)[local_id]
 x = ld (&row)[0u]
 st @tile[ t.1 ] = t.1 < t.2 ? x : -(1.0f)
 x = shfl.active(x.2, local_id ^ 1ul)
 bz ! x,Start
 x = call half ( x , n )
 jmp 0
 stop
.function float half(float x, int n)
 $ld: ret x/2.0f
 jmp $ld
)");
  CHECK(print(program) == R"(.typed
.wg_size 4
.local float tile[4][4]
.constant int table[3] : 1 -2 3

.kernel scale(global float* a, uniform int n, temp written double q)
.var float x, x.2, row[16]
.temp written int t.1, t.2, $ld
.var int other of n
Start:
Again:  t.1 = (t.2 - -5) * -(3)
        row[within(t.1, 16)] = 0.0f
        row[within(t.1, 4, row, 2) + within(t.1, 4, @tile, 1)] = max(x, fma(x, x, -inff))
        x = ld (a + 4)[local_id]
        x = ld (&row)[0u]
        st @tile[t.1] = t.1 < t.2 ? x : -(1.0f)
        x = shfl.active(x.2, local_id ^ 1ul)
        bz !x, Start
        x = call half(x, n)
        jmp Start
        stop

.function float half(float x, int n)
$ld:    ret x / 2.0f
        jmp $ld
)");
  CHECK(same(parsed(print(program)), program));
  CHECK(signature(program.functions[1]) == "float half(float x, int n)");
}

TEST_CASE("source lines stand above what comes from them", "[typed][print]") {
  Program program = parsed(".typed\n.wg_size 1\n.kernel k(global int* a)\nst a[0] = 1\nst a[1] = 2\nstop\n");
  const std::string kernel = "kernel k(global int* a) {\n  a[0] = 1; a[1] = 2;  # \\ \n}\n";
  program.source = std::make_shared<const SourceFile>("k.cl", kernel);
  const std::array<std::string, 3> parts = {"a[0] = 1", "a[1] = 2", "}\n"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto begin = static_cast<std::uint32_t>(kernel.find(parts.at(i)));
    program.code[i].span = {begin, begin + 1};
  }
  const std::string text = print(program, {.source_lines = true});
  CHECK(text ==
        ".typed\n.wg_size 1\n\n.kernel k(global int* a)\n        // 2: a[0] = 1; a[1] = 2;  # \\\n        st a[0] = 1\n"
        "        st a[1] = 2\n        // 3: }\n        stop\n");
  CHECK(same(parsed(text), program));
}

TEST_CASE("typed numbers keep every bit", "[typed][print]") {
  struct Case {
    ScalarType type;
    std::uint64_t bits;
    std::string text;
  };
  const std::vector<Case> cases = {
      {ScalarType::Bool, 1, "true"},
      {ScalarType::Char, ~std::uint64_t{127}, "-128c"},
      {ScalarType::UChar, 255, "255uc"},
      {ScalarType::Short, ~std::uint64_t{0}, "-1s"},
      {ScalarType::UShort, 65535, "65535us"},
      {ScalarType::Int, static_cast<std::uint64_t>(std::int64_t{std::numeric_limits<std::int32_t>::min()}), "-2147483648"},
      {ScalarType::UInt, 4294967295, "4294967295u"},
      {ScalarType::Long, std::uint64_t{1} << 63, "-9223372036854775808l"},
      {ScalarType::ULong, ~std::uint64_t{0}, "18446744073709551615ul"},
      {ScalarType::Float, std::bit_cast<std::uint32_t>(0.1F), "0.1f"},
      {ScalarType::Float, std::bit_cast<std::uint32_t>(-0.0F), "-0.0f"},
      {ScalarType::Float, 1, "1e-45f"},
      {ScalarType::Float, 0x7f800000, "inff"},
      {ScalarType::Float, 0x7fc00000, "nanf"},
      {ScalarType::Float, 0xffc00001, "nanf(0xffc00001)"},
      {ScalarType::Double, std::bit_cast<std::uint64_t>(1e300), "1e+300"},
      {ScalarType::Double, std::bit_cast<std::uint64_t>(2.0), "2.0"},
      {ScalarType::Double, 0xfff0000000000000, "-inf"},
      {ScalarType::Double, 0x7ff0000000000001, "nan(0x7ff0000000000001)"},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    CHECK(literal_text(one.type, one.bits) == one.text);
    const auto read = read_literal(one.text);
    REQUIRE(read.has_value());
    CHECK(read->problem.empty());
    CHECK(read->length == one.text.size());
    CHECK(read->type == one.type);
    CHECK(read->bits == one.bits);
  }
  CHECK(read_literal("0xffu")->bits == 255);
  CHECK(read_literal("0xffffffff")->bits == ~std::uint64_t{0});
  CHECK(read_literal("0x5c")->type == ScalarType::Int);
  CHECK(read_literal("0x5uc")->type == ScalarType::UChar);
  CHECK(read_literal("- nan")->bits == 0xfff8000000000000);
  CHECK(read_literal("1e+5f")->bits == std::bit_cast<std::uint32_t>(1e5F));
  CHECK_FALSE(read_literal("infinite").has_value());
}

TEST_CASE("the two languages are told apart by their first line", "[typed][parse]") {
  CHECK(looks_typed(".typed\n"));
  CHECK(looks_typed("\xEF\xBB\xBF\n// x\n   ; y\n\t.typed // z\nrubbish"));
  CHECK_FALSE(looks_typed(""));
  CHECK_FALSE(looks_typed(".threads 4\n.typed\n"));
  CHECK_FALSE(looks_typed(".typedef\n"));
}

TEST_CASE("registers that may have no value are written and read", "[typed][print]") {
  const std::string head = ".typed\n.wg_size 2\n.kernel k(global int* n)\n.var int a\n.var int b\n.var int t[3]\n";
  const auto read = [&](const std::string& line) {
    return parse(std::make_shared<const SourceFile>("maybe.mus", head + "  " + line + "\n  stop\n"));
  };
  const auto program = read("a = maybe(b) + maybe(t[a + 1]) * t[maybe(b)]");
  REQUIRE(program);
  const std::string text = print(*program);
  CHECK(text.find("a = maybe(b) + maybe(t[a + 1]) * t[maybe(b)]") != std::string::npos);
  const auto again = parse(std::make_shared<const SourceFile>("again.mus", text));
  REQUIRE(again);
  CHECK(same(*program, *again));
  const auto strict = read("a = b + t[a + 1] * t[b]");
  REQUIRE(strict);
  CHECK_FALSE(same(*program, *strict));
  for (const char* line : {"a = maybe(b + 1)", "a = maybe(3)", "a = maybe(b, a)"}) {
    CAPTURE(line);
    const auto wrong = read(line);
    CHECK(!wrong);
    CHECK((wrong || wrong.error().front().message.starts_with("'maybe' takes ")));
  }
}

TEST_CASE("random typed programs are read back", "[typed][print]") {
  const bool holds = rc::check("parse(print(p)) is p", [](const std::vector<std::uint64_t>& choices, std::uint64_t seed) {
    std::vector<std::uint64_t> more = choices;
    for (std::uint64_t i = 0; i < 40 * choices.size(); ++i) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      more.push_back(seed >> 11U);
    }
    const Program program = RandomTyped(more).program();
    const std::string text = print(program);
    const auto source = std::make_shared<const SourceFile>("random.mus", text);
    const auto again = parse(source);
    if (!again) {
      RC_FAIL(render(*source, again.error()) + text);
    }
    if (!same(program, *again)) {
      RC_FAIL("differs after reading:\n" + text + "\nagain:\n" + print(*again));
    }
  });
  CHECK(holds);
}

}  // namespace lockstep::typed
