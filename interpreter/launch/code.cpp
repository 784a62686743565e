#include "interpreter/launch/code.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "interpreter/launch/lane_bits.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep::launch {

namespace {

using Node = Pirch::Node;
using Operand = Pirch::Operand;

unsigned size_of_value(const typed::ValueType& type) { return type.is_pointer ? 8 : size_of(type.scalar); }
ScalarType number_type(const typed::ValueType& type) { return type.is_pointer ? ScalarType::ULong : type.scalar; }

class Loader {
 public:
  explicit Loader(Pirch& domain) : domain_(domain), puns_(domain.program()) {}

  Operand operand(const typed::Expr& e) {
    Operand o;
    std::size_t depth = 0;
    std::size_t most = 0;
    for (std::size_t k = 0; k < e.nodes.size(); ++k) {
      o.nodes.push_back(node(e, k));
      if (k > 0) {
        divide_by_constant(o.nodes[k], o.nodes[k - 1], e.nodes[k - 1]);
      }
      depth += 1;
      depth -= o.nodes.back().operands;
      most = std::max(most, depth + o.nodes.back().operands);
    }
    domain_.deepest(most);
    o.pointee = e.type().scalar;
    o.bytes = e.type().is_pointer && puns_(e.type().space, e.type().scalar);
    const auto& root = e.nodes.back().node;
    if (e.nodes.size() > 1 || std::holds_alternative<typed::RegisterAddress>(root)) {
      o.shape = Pirch::Shape::Operation;
    } else {
      const bool copies = std::holds_alternative<typed::Register>(root) || std::holds_alternative<typed::Ask>(root);
      o.shape = copies ? Pirch::Shape::Copy : Pirch::Shape::Constant;
    }
    return o;
  }

  Pirch::Place place(const typed::Place& p) {
    Pirch::Place place;
    place.reg = p.id;
    place.source = &p;
    if (p.index) {
      place.index = operand(*p.index);
      place.resolve = domain_.kernels().resolve[static_cast<std::size_t>(number_type(p.index->type()))];
    }
    return place;
  }

 private:
  Node node(const typed::Expr& e, std::size_t k) {
    const typed::ExprNode& source = e.nodes[k];
    Node n;
    n.source = &source;
    n.size = static_cast<std::uint8_t>(size_of_value(source.type));
    n.type = number_type(source.type);
    n.operands = static_cast<std::uint8_t>(typed::operand_count(source));
    // The type of the operand in front: of the only one, or of the last of several.
    const typed::ValueType before = k > 0 ? e.nodes[k - 1].type : typed::ValueType{};
    std::visit([&](const auto& kind) { fill(n, source, kind, before); }, source.node);
    return n;
  }

  void fill(Node& n, const typed::ExprNode&, const typed::Constant& c, const typed::ValueType&) { constant(n, c.bits); }
  static void fill(Node& n, const typed::ExprNode&, const typed::Register& r, const typed::ValueType&) {
    n.kind = Node::Kind::Register;
    n.reg = r.id;
    n.carries = r.carries;
  }
  void fill(Node& n, const typed::ExprNode&, const typed::Element& r, const typed::ValueType& index) {
    n.kind = Node::Kind::Element;
    n.reg = r.array;
    n.carries = r.carries;
    n.from = number_type(index);
    n.resolve = domain_.kernels().resolve[static_cast<std::size_t>(n.from)];
  }
  void fill(Node& n, const typed::ExprNode&, const typed::Ask& ask, const typed::ValueType&) {
    n.kind = Node::Kind::Lanes;
    n.lanes = domain_.query(ask.query);
    const Lanes& lanes = domain_.lanes();
    n.uniform = ask.query == typed::Query::NumGroups || (ask.query == typed::Query::GroupId && lanes.groups == 1) ||
                (ask.query == typed::Query::WarpSize && lanes.wg_size % lanes.warp_size == 0);
  }
  static void fill(Node& n, const typed::ExprNode&, const typed::RegisterAddress& a, const typed::ValueType&) {
    n.kind = Node::Kind::RegisterAddress;
    n.reg = a.array;
  }
  void fill(Node& n, const typed::ExprNode&, const typed::ObjectAddress& a, const typed::ValueType&) {
    constant(n, memory::pointer_to(domain_.first_program_object + a.object));
  }
  void fill(Node& n, const typed::ExprNode&, const typed::Operation& o, const typed::ValueType&) {
    const ScalarType type = o.on_pointers ? memory::pointer_order : o.operand_type;
    n.kind = o.on_pointers && is_order(o.op) ? Node::Kind::PointerOrder : Node::Kind::Operation;
    n.opcode = o.op;
    n.from = type;
    n.op = kernel(o.op, type);
    n.holds = domain_.kernels().holds[static_cast<std::size_t>(o.op)][static_cast<std::size_t>(type)];
    if (may_be_undefined(o.op, type)) {
      n.misdivided = domain_.kernels().misdivided[static_cast<std::size_t>(type)];
      n.kind = n.misdivided != nullptr ? Node::Kind::Division : Node::Kind::Operation;
    }
    if (n.op == nullptr) {
      throw InternalError("an operation on a type that it does not take");
    }
  }
  void fill(Node& n, const typed::ExprNode& source, const typed::Convert& c, const typed::ValueType&) {
    n.kind = Node::Kind::Conversion;
    n.from = c.from;
    n.convert = domain_.kernels().convert[static_cast<std::size_t>(c.from)][static_cast<std::size_t>(source.type.scalar)];
    n.misfit = domain_.kernels().misfit[static_cast<std::size_t>(c.from)][static_cast<std::size_t>(source.type.scalar)];
  }
  static void fill(Node& n, const typed::ExprNode&, const typed::Bitcast&, const typed::ValueType&) { n.kind = Node::Kind::Bitcast; }
  void fill(Node& n, const typed::ExprNode&, const typed::Within& w, const typed::ValueType& operand) {
    n.kind = Node::Kind::Within;
    n.limit = w.limit;
    n.from = number_type(operand);
    n.resolve = domain_.kernels().resolve[static_cast<std::size_t>(n.from)];
  }
  static void fill(Node& n, const typed::ExprNode& source, const typed::PointerAdd&, const typed::ValueType& index) {
    n.kind = Node::Kind::PointerAdd;
    n.from = number_type(index);
    n.limit = size_of(source.type.scalar);
  }
  static void fill(Node& n, const typed::ExprNode&, const typed::Reinterpret&, const typed::ValueType&) {
    n.kind = Node::Kind::Reinterpret;
  }
  static void fill(Node& n, const typed::ExprNode&, const typed::PointerDifference&, const typed::ValueType& pointer) {
    n.kind = Node::Kind::PointerDifference;
    n.limit = size_of(pointer.scalar);
  }

  /// A division by a constant that is neither 0 nor -1 is never undefined; by a power of two, of unsigned numbers, it is a shift or a mask.
  void divide_by_constant(Node& n, Node& divisor, const typed::ExprNode& source) {
    const auto* constant_divisor = std::get_if<typed::Constant>(&source.node);
    if (n.kind != Node::Kind::Division || constant_divisor == nullptr) {
      return;
    }
    const std::uint64_t bits = lane_bits(divisor.lanes, size_of(n.from), 0);
    const bool is_unsigned = !is_signed(n.from);
    if (bits == 0 || (!is_unsigned && literal_bits(n.from, bits) == ~std::uint64_t{0})) {
      return;
    }
    n.kind = Node::Kind::Operation;
    n.misdivided = nullptr;
    if (is_unsigned && std::has_single_bit(bits)) {
      const bool divides = n.opcode == Op::Div;
      n.opcode = divides ? Op::Shr : Op::BitAnd;
      n.op = kernel(n.opcode, n.from);
      constant(divisor, divides ? static_cast<std::uint64_t>(std::countr_zero(bits)) : bits - 1);
    }
  }

  OpKernel kernel(Op op, ScalarType type) const {
    return domain_.kernels().op[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)];
  }

  void constant(Node& n, std::uint64_t bits) {
    n.kind = Node::Kind::Lanes;
    n.uniform = true;
    std::byte*& lanes = constants_[{bits, n.size}];
    if (lanes == nullptr) {
      lanes = domain_.make_lanes(n.size);
      domain_.kernels().splat[size_index(n.size)](lanes, &bits, padded_lanes(domain_.width()));
    }
    n.lanes = lanes;
  }

  Pirch& domain_;
  typed::Puns puns_;
  std::map<std::pair<std::uint64_t, unsigned>, std::byte*> constants_;
};

struct Translate {
  Loader& loader;

  Instruction operator()(const typed::BranchZero& i) const { return musimd::Bz<Pirch>{loader.operand(i.condition), i.target}; }
  Instruction operator()(const typed::Jump& i) const { return musimd::Jmp<Pirch>{i.target}; }
  Instruction operator()(const typed::JumpMask& i) const { return musimd::JmpMask<Pirch>{loader.operand(i.thread), i.target}; }
  Instruction operator()(const typed::Assign& i) const { return typed::Move<Pirch>{loader.place(i.place), loader.operand(i.value)}; }
  Instruction operator()(const typed::Forget& i) const { return typed::Drop<Pirch>{i.id}; }
  Instruction operator()(const typed::Load& i) const {
    return typed::Fetch<Pirch>{loader.place(i.place), loader.operand(i.base), loader.operand(i.index)};
  }
  Instruction operator()(const typed::Store& i) const {
    return typed::Put<Pirch>{loader.operand(i.base), loader.operand(i.index), loader.operand(i.value)};
  }
  Instruction operator()(const typed::Atomic& i) const {
    typed::Change<Pirch> change{i.op, i.dst, loader.operand(i.base), loader.operand(i.index), std::nullopt, loader.operand(i.value)};
    if (i.compare) {
      change.compare = loader.operand(*i.compare);
    }
    return change;
  }
  Instruction operator()(const typed::Shuffle& i) const {
    if (i.active) {
      return typed::Exchange<Pirch>{i.dst, i.source, loader.operand(i.lane)};
    }
    return musimd::Shfl<Pirch>{i.dst, i.source, loader.operand(i.lane)};
  }
  Instruction operator()(const typed::Vote& i) const { return typed::Poll<Pirch>{i.kind, i.dst, loader.operand(i.value)}; }
  Instruction operator()(const typed::Call& i) const {
    typed::Enter<Pirch> enter{i.function, {}, i.result};
    for (const typed::Expr& argument : i.arguments) {
      enter.arguments.push_back(loader.operand(argument));
    }
    return enter;
  }
  Instruction operator()(const typed::Return& i) const {
    return i.value ? typed::Leave<Pirch>{true, loader.operand(*i.value)} : typed::Leave<Pirch>{};
  }
  Instruction operator()(const typed::Sync&) const { return musimd::SyncPoint<Pirch>{}; }
  Instruction operator()(const typed::Stop&) const { return musimd::Halt<Pirch>{}; }
  Instruction operator()(const typed::Everywhere&) const { return musimd::EnterBlock<Pirch>{}; }
  Instruction operator()(const typed::EndEverywhere&) const { return musimd::LeaveBlock<Pirch>{}; }
  Instruction operator()(const typed::Barrier&) const { return typed::Wait<Pirch>{}; }
};

}  // namespace

std::vector<Instruction> load(const typed::Program& program, Pirch& domain) {
  Loader loader(domain);
  std::vector<Instruction> code;
  code.reserve(program.code.size());
  for (const typed::Statement& statement : program.code) {
    code.push_back(std::visit(Translate{loader}, statement.instruction));
  }
  return code;
}

}  // namespace lockstep::launch
