// Operations on elements, of numbers that all groups have alike and of vectors.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "codegen/emit/ve/writer.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// As the functions of lockstep_ve.h are called, without "s_" or "v_" and the type.
std::string_view function_of(Op op) {
  switch (op) {
    case Op::Min:
      return "min";
    case Op::Max:
      return "max";
    case Op::Neg:
      return "neg";
    case Op::BitNot:
      return "not";
    case Op::Mul:
      return "mul";
    case Op::Div:
      return "div";
    case Op::Rem:
      return "rem";
    case Op::Add:
      return "add";
    case Op::Sub:
      return "sub";
    case Op::Shl:
      return "shl";
    case Op::Shr:
      return "shr";
    case Op::Fma:
      return "fma";
    case Op::Sqrt:
      return "sqrt";
    case Op::Fabs:
      return "fabs";
    case Op::Abs:
      return "abs";
    case Op::Rcp:
      return "rcp";
    case Op::Popcount:
      return "popcount";
    case Op::Lt:
      return "lt";
    case Op::Le:
      return "le";
    case Op::Gt:
      return "gt";
    case Op::Ge:
      return "ge";
    case Op::Eq:
      return "eq";
    case Op::Ne:
      return "ne";
    default:
      throw InternalError("an operation that is no function");
  }
}

/// C's operator of those that need no function; empty of others.
std::string_view operator_of(Op op, ScalarType type) {
  switch (op) {
    case Op::Lt:
      return "<";
    case Op::Le:
      return "<=";
    case Op::Gt:
      return ">";
    case Op::Ge:
      return ">=";
    case Op::Eq:
      return "==";
    case Op::Ne:
      return "!=";
    case Op::BitAnd:
      return "&";
    case Op::BitOr:
      return "|";
    case Op::BitXor:
      return "^";
    case Op::Add:
      return is_float(type) ? "+" : "";
    case Op::Sub:
      return is_float(type) ? "-" : "";
    case Op::Mul:
      return is_float(type) ? "*" : "";
    case Op::Div:
      return is_float(type) ? "/" : "";
    default:
      return "";
  }
}

struct Intrinsic {
  std::string_view name;  ///< empty: there is none that does it alone
  bool commutes = false;
};

/// Of two vectors, or a number and a vector.
Intrinsic intrinsic_of(Op op, ScalarType type, bool is_paired) {
  if (is_paired) {
    switch (op) {
      case Op::Add:
        return {"pvfadd", true};
      case Op::Sub:
        return {"pvfsub"};
      case Op::Mul:
        return {"pvfmul", true};
      default:
        return {};
    }
  }
  const auto by_type = [&](std::string_view f64, std::string_view f32, std::string_view i32, std::string_view i64) {
    switch (type) {
      case ScalarType::Double:
        return f64;
      case ScalarType::Float:
        return f32;
      case ScalarType::Int:
        return i32;
      case ScalarType::Long:
      case ScalarType::ULong:
        return i64;
      default:
        return std::string_view();
    }
  };
  switch (op) {
    case Op::Add:
      return {by_type("vfaddd", "vfadds", "vaddswsx", "vaddul"), true};
    case Op::Sub:
      return {by_type("vfsubd", "vfsubs", "vsubswsx", "vsubul")};
    case Op::Mul:
      return {by_type("vfmuld", "vfmuls", "vmulswsx", "vmulul"), true};
    case Op::Div:
      return {by_type("vfdivd", "vfdivs", "", "")};
    case Op::BitAnd:
      return {"vand", true};
    case Op::BitOr:
      return {"vor", true};
    case Op::BitXor:
      return {"vxor", true};
    default:
      return {};
  }
}

}  // namespace

std::string Writer::number_operation(const Elementwise& node, const At& at) const {
  const ScalarType type = node.operand_type;
  const auto text = [&](std::size_t k) { return operand(node.operands[k], at).text; };
  if (const std::string_view sign = operator_of(node.op, type); !sign.empty()) {
    const std::string both = fmt::format("({} {} {})", text(0), sign, text(1));
    const bool is_narrowed = is_integer(type) && type != ScalarType::Bool && !is_comparison(node.op);
    return is_narrowed ? fmt::format("({}){}", emit_ve::c_type(Element::of(type)), both) : both;
  }
  std::string arguments;
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    arguments += (k == 0 ? "" : ", ") + text(k);
  }
  return fmt::format("s_{}_{}({})", function_of(node.op), short_type(Element::of(type)), arguments);
}

/// Of a number and a vector the number comes first.
std::string Writer::intrinsic(std::string_view name, bool commutes, ValueId left, ValueId right, const At& at) const {
  Operand a = operand(left, at);
  Operand b = operand(right, at);
  if (commutes && b.is_number()) {
    std::swap(a, b);
  }
  const Element element = element_of(left);
  const std::string first = a.is_number() && plan_.is_paired ? pair_of(a.text) : a.text;
  return fmt::format("_vel_{}_{}({}, {}, vl)", name, a.is_number() ? "vsvl" : "vvvl", first, as_vector(b, element));
}

/// VE's first operand is added to the product of the others.
std::string Writer::fused(const Elementwise& node, const At& at) const {
  Operand a = operand(node.operands[0], at);
  Operand b = operand(node.operands[1], at);
  const Operand c = operand(node.operands[2], at);
  const Element element = Element::of(node.operand_type);
  if (b.is_number()) {
    std::swap(a, b);
  }
  const char* name = plan_.is_paired ? "pvfmad" : node.operand_type == ScalarType::Double ? "vfmadd" : "vfmads";
  const bool has_number = a.is_number() || c.is_number();
  const bool first = c.is_number();  // one number at most
  const auto text = [&](const Operand& one, bool as_number) {
    return !as_number ? as_vector(one, element) : plan_.is_paired ? pair_of(one.text) : one.text;
  };
  return fmt::format("_vel_{}_{}({}, {}, {}, vl)", name,
                     !has_number ? "vvvvl"
                     : first     ? "vsvvl"
                                 : "vvsvl",
                     text(c, first), text(a, !first && a.is_number()), as_vector(b, element));
}

Writer::Operand Writer::truth_operation(const Elementwise& node, const At& at) const {
  const char* name = node.op == Op::BitAnd ? "andm" : node.op == Op::BitOr ? "orm" : node.op == Op::Eq ? "eqvm" : "xorm";
  return {fmt::format("_vel_{}_mmm({}, {})", name, mask(node.operands[0], at), mask(node.operands[1], at)), Operand::Kind::Mask};
}

Writer::Operand Writer::vector_operation(const Elementwise& node, const At& at) const {
  const ScalarType type = node.operand_type;
  if (type == ScalarType::Bool) {
    return truth_operation(node, at);
  }
  const Intrinsic one = intrinsic_of(node.op, type, plan_.is_paired);
  if (!one.name.empty()) {
    return {intrinsic(one.name, one.commutes, node.operands[0], node.operands[1], at), Operand::Kind::Vector};
  }
  if (node.op == Op::Fma) {
    return {fused(node, at), Operand::Kind::Vector};
  }
  std::string arguments;
  for (const ValueId value : node.operands) {
    arguments += vector(value, at) + ", ";
  }
  if (node.op == Op::Sqrt) {
    return {fmt::format("_vel_vfsqrt{}_vvl({}vl)", type == ScalarType::Double ? 'd' : 's', arguments), Operand::Kind::Vector};
  }
  return {fmt::format("v_{}_{}({}vl)", function_of(node.op), plan_.is_paired ? "pair" : short_type(Element::of(type)), arguments),
          is_comparison(node.op) ? Operand::Kind::Mask : Operand::Kind::Vector};
}

/// LLVM cannot choose between vectors by a number, only between addresses: that becomes a mask, unless both lie in memory.
Writer::Operand Writer::select(const Select& node, bool is_alike, const At& at) const {
  if (is_alike) {
    return {fmt::format("({} ? {} : {})", operand(node.condition, at).text, operand(node.then, at).text, operand(node.otherwise, at).text),
            Operand::Kind::Number};
  }
  const Operand number = operand(node.condition, at);
  const std::string then = number.is_number() ? scratch(node.then, at) : "";
  const std::string otherwise = number.is_number() ? scratch(node.otherwise, at) : "";
  if (!then.empty() && !otherwise.empty() && element_of(node.then) != truth) {
    return {fmt::format("_vel_vld_vssl(8, {} ? {} : {}, vl)", number.text, then, otherwise), Operand::Kind::Vector};
  }
  const std::string condition = mask(node.condition, at);
  if (element_of(node.then) == truth) {
    return {fmt::format("v_select({}, {}, {})", condition, mask(node.then, at), mask(node.otherwise, at)), Operand::Kind::Mask};
  }
  return {fmt::format("_vel_vmrg_vvvml({}, {}, {}, vl)", vector(node.otherwise, at), vector(node.then, at), condition),
          Operand::Kind::Vector};
}

Writer::Operand Writer::convert(ValueId source, ScalarType to, bool is_alike, const At& at) const {
  const ScalarType from = element_of(source).scalar;
  const std::string_view to_name = short_type(Element::of(to));
  const std::string_view from_name = short_type(Element::of(from));
  const bool is_by_function = is_float(to) && (from == ScalarType::ULong || (to == ScalarType::Float && from == ScalarType::Long));
  if (is_alike) {
    const std::string text = operand(source, at).text;
    const std::string type = emit_ve::c_type(Element::of(to));
    const bool truncates = is_float(from) && !is_float(to);
    return {to == ScalarType::Bool    ? fmt::format("({} != 0)", text)
            : is_by_function          ? fmt::format("s_{}_of_{}({})", to_name, from_name, text)
            : !truncates              ? fmt::format("({})({})", type, text)
            : to == ScalarType::ULong ? fmt::format("s_u64_of_f64({})", text)
                                      : fmt::format("({})s_i64_of_f64({})", type, text),
            Operand::Kind::Number};
  }
  if (from == ScalarType::Bool) {
    const std::string condition = mask(source, at);
    return to == ScalarType::Bool ? Operand{condition, Operand::Kind::Mask}
           : is_float(to)
               ? Operand{fmt::format("_vel_vmrg_vvvml({}, {}, {}, vl)", as_vector({literal(Element::of(to), 0)}, Element::of(to)),
                                     as_vector({"1"}, Element::of(to)), condition),
                         Operand::Kind::Vector}
               : Operand{fmt::format("v_numbers({}, vl)", condition), Operand::Kind::Vector};
  }
  const std::string text = vector(source, at);
  if (to == ScalarType::Bool) {
    const char* compare = from == ScalarType::Double ? "vfmkdnenan" : from == ScalarType::Float ? "vfmksnenan" : "vfmklne";
    return {fmt::format("_vel_{}_mvl({}, vl)", compare, text), Operand::Kind::Mask};
  }
  const auto as_double = [&] { return from == ScalarType::Float ? fmt::format("_vel_vcvtds_vvl({}, vl)", text) : text; };
  std::string result;
  if (from == to) {
    result = text;
  } else if (is_float(from) && is_float(to)) {
    result = to == ScalarType::Double ? as_double() : fmt::format("_vel_vcvtsd_vvl({}, vl)", text);
  } else if (is_float(from)) {
    result = to == ScalarType::ULong ? fmt::format("v_u64_of_f64({}, vl)", as_double())
                                     : fmt::format("v_as_{}(_vel_vcvtldrz_vvl({}, vl), vl)", to_name, as_double());
  } else if (!is_float(to)) {
    result = fmt::format("v_as_{}({}, vl)", to_name, text);
  } else if (is_by_function || (from == ScalarType::UInt && to == ScalarType::Float)) {
    result = fmt::format("v_{}_of_{}({}, vl)", to_name, from_name, text);
  } else {
    result = fmt::format("_vel_{}_vvl({}, vl)", to == ScalarType::Double ? "vcvtdl" : "vcvtsw", text);
  }
  return {result, Operand::Kind::Vector};
}

/// A float of 32 bits lies in the upper half, an integer in the lower one.
Writer::Operand Writer::bitcast(ValueId source, ScalarType to, bool is_alike, const At& at) const {
  const ScalarType from = element_of(source).scalar;
  const std::string_view to_name = short_type(Element::of(to));
  const std::string_view from_name = short_type(Element::of(from));
  if (is_alike) {
    const std::string text = operand(source, at).text;
    return {from == to       ? text
            : is_float(from) ? fmt::format("({})s_bits_of_{}({})", emit_ve::c_type(Element::of(to)), from_name, text)
            : is_float(to)   ? fmt::format("s_{}_of_bits((uint{}_t){})", to_name, bits_of(to), text)
                             : fmt::format("({}){}", emit_ve::c_type(Element::of(to)), text),
            Operand::Kind::Number};
  }
  const std::string text = vector(source, at);
  const bool is_upper = from == ScalarType::Float;
  const bool becomes_upper = to == ScalarType::Float;
  return {is_upper == becomes_upper ? (is_float(to) || is_float(from) ? text : fmt::format("v_as_{}({}, vl)", to_name, text))
          : becomes_upper           ? fmt::format("_vel_vsll_vvsl({}, 32, vl)", text)
                                    : fmt::format("_vel_{}_vvsl({}, 32, vl)", to == ScalarType::Int ? "vsral" : "vsrl", text),
          Operand::Kind::Vector};
}

Writer::Operand Writer::pointer_offset(const PointerOffset& node, bool is_alike, const At& at) const {
  const Operand pointer = operand(node.pointer, at);
  const Operand index = operand(node.index, at);
  const unsigned size = size_of(node.element);
  if (is_alike) {
    return {fmt::format("({} + (uint64_t){} * {})", pointer.text, index.text, size), Operand::Kind::Number};
  }
  const int shift = std::countr_zero(size);
  if (pointer.is_number()) {
    return {fmt::format("_vel_vsfa_vvssl({}, {}, {}, vl)", as_vector(index, index_element), shift, pointer.text), Operand::Kind::Vector};
  }
  return {index.is_number() ? fmt::format("_vel_vaddul_vsvl((uint64_t){} * {}, {}, vl)", index.text, size, pointer.text)
                            : fmt::format("_vel_vaddul_vvvl({}, _vel_vsll_vvsl({}, {}, vl), vl)", pointer.text, index.text, shift),
          Operand::Kind::Vector};
}

Writer::Operand Writer::pointer_distance(const PointerDistance& node, bool is_alike, const At& at) const {
  if (is_alike) {
    return {fmt::format("((int64_t)({} - {}) / {})", operand(node.left, at).text, operand(node.right, at).text, size_of(node.element)),
            Operand::Kind::Number};
  }
  return {fmt::format("_vel_vsral_vvsl({}, {}, vl)", intrinsic("vsubul", false, node.left, node.right, at),
                      std::countr_zero(size_of(node.element))),
          Operand::Kind::Vector};
}

Writer::Operand Writer::pointer_compare(const PointerCompare& node, bool is_alike, const At& at) const {
  if (is_alike) {
    return {fmt::format("({} {} {})", operand(node.left, at).text, operator_of(node.op, ScalarType::ULong), operand(node.right, at).text),
            Operand::Kind::Number};
  }
  return {fmt::format("v_{}_u64({}, {}, vl)", function_of(node.op), vector(node.left, at), vector(node.right, at)), Operand::Kind::Mask};
}

}  // namespace lockstep::emit_ve
