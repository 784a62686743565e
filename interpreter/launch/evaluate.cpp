// Operands: expressions over lanes, node by node in post-order.

#include <bit>
#include <cstring>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"
#include "interpreter/launch/report.hpp"
#include "semantics/memory/pointer.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep::launch {

LaneBuffer::LaneBuffer(std::size_t bytes) : storage(bytes + 64) {
  shift = (64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64) % 64;
}

Pirch::Scratch& Pirch::scratch(std::size_t bank) {
  while (scratches_.size() <= bank) {
    auto room = std::make_unique<Scratch>();
    for (std::size_t slot = 0; slot < depth_; ++slot) {
      room->slots.push_back({LaneBuffer(8 * padded_), LaneBuffer(8 * padded_)});
      room->poison.emplace_back(width_);
    }
    scratches_.push_back(std::move(room));
  }
  return *scratches_[bank];
}

std::byte* Pirch::buffer(Scratch& room, std::size_t slot, const std::byte* not_this) {
  std::byte* first = room.slots[slot][0].data();
  return first == not_this ? room.slots[slot][1].data() : first;
}

const std::byte* Pirch::spread_out(Scratch& room, std::size_t slot, Waiting& w, unsigned size) {
  if (!w.everywhere) {
    std::byte* dst = buffer(room, slot, w.lanes);
    kernels_.splat[size_index(size)](dst, w.lanes, padded_);
    w.lanes = dst;
    w.everywhere = true;
  }
  return w.lanes;
}

void Pirch::note(FaultKind kind, const typed::ExprNode* node, const LaneSet& lanes, std::string variable,
                 std::optional<std::uint64_t> value, ScalarType type, std::uint64_t limit) {
  if (!trouble_) {
    const bool has_place = node != nullptr;
    trouble_ = Trouble{
        kind, has_place ? node->span : SourceSpan{}, has_place, std::move(variable), value.value_or(0), type, value.has_value(), limit, 0,
        lanes};
  }
}

void Pirch::note_index(const State& s, const typed::ExprNode& node, const LaneSet& lanes, std::uint64_t value, ScalarType type) {
  if (trouble_) {
    return;
  }
  const auto& within = std::get<typed::Within>(node.node);
  std::string name;
  if (within.number != 0) {
    name = within.of_object ? program_.objects[within.of].name : name_of_register(s, within.of);
  }
  note(FaultKind::OutOfBounds, &node, lanes, std::move(name), value, type, within.limit);
  trouble_->index_number = within.number;
}

std::string Pirch::name_of_register(const State& s, typed::RegisterId id) const {
  const typed::RegisterInfo& info = program_.functions[s.bank.top().function].registers[id];
  return info.variable.empty() ? info.name : info.variable;
}

std::string Pirch::name_of_element(const State& s, typed::RegisterId id, std::uint32_t row) const {
  const typed::RegisterInfo& info = program_.functions[s.bank.top().function].registers[id];
  return text_of_cell(name_of_register(s, id), row, info.count.value_or(1), info.extents);
}

std::string Pirch::name_of_operand(const State& s, const Node& node) const {
  if (node.kind != Node::Kind::Register && node.kind != Node::Kind::Element) {
    return {};
  }
  return program_.functions[s.bank.top().function].registers[node.reg].variable;
}

LaneSet Pirch::unwritten(const State& s, const RegisterLayout& r, std::uint32_t row) const {
  LaneSet missing = s.active;
  const std::uint64_t* written = s.bank.top().bits + r.written + std::size_t{row} * missing.word_count();
  std::span<std::uint64_t> words = missing.words();
  for (std::size_t w = 0; w < words.size(); ++w) {
    words[w] &= ~written[w];
  }
  return missing;
}

namespace {

/// Whether `words` has all of `set`.
bool covers(const std::uint64_t* words, const LaneSet& set) {
  std::uint64_t missing = 0;
  const std::span<const std::uint64_t> wanted = set.words();
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    missing |= wanted[w] & ~words[w];
  }
  return missing == 0;
}

bool meets(const std::uint64_t* words, const LaneSet& set) {
  std::uint64_t common = 0;
  const std::span<const std::uint64_t> wanted = set.words();
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    common |= wanted[w] & words[w];
  }
  return common != 0;
}

LaneSet common(const std::uint64_t* words, LaneSet set) {
  std::span<std::uint64_t> bits = set.words();
  for (std::size_t w = 0; w < bits.size(); ++w) {
    bits[w] &= words[w];
  }
  return set;
}

bool bit(const std::uint64_t* words, unsigned lane) { return ((words[lane / 64] >> (lane % 64)) & 1U) != 0; }

}  // namespace

bool Pirch::evaluate_leaf(Scratch& room, const State& s, const Node& node, std::size_t slot, Waiting& out, Values& result) {
  if (node.kind == Node::Kind::Lanes) {
    out = {node.lanes, node.uniform, true, {}};
    return true;
  }
  Frame& frame = s.bank.top();
  if (node.kind == Node::Kind::RegisterAddress) {
    const std::vector<typed::RegisterId>& addressed = layouts_[frame.function].addressed;
    std::uint32_t object = frame.first_object;
    while (addressed[object - frame.first_object] != node.reg) {
      ++object;
    }
    const std::uint64_t pointer = memory::pointer_to(object);
    std::byte* dst = room.slots[slot][0].data();
    std::memcpy(dst, &pointer, sizeof pointer);
    out = {dst, true, false, {}};
    return true;
  }
  const RegisterLayout& r = layouts_[frame.function].registers[node.reg];
  out = {frame.data + r.data, frame.uniform[node.reg] != 0, true, {}};
  bool has_poison = false;
  if (!r.always_written && !covers(frame.bits + r.written, s.active)) {
    const LaneSet missing = unwritten(s, r, 0);
    if (node.carries) {
      room.poison[slot] = missing;
      has_poison = true;
    } else {
      note(FaultKind::UninitialisedVariable, node.source, missing, name_of_register(s, node.reg), std::nullopt, r.type);
      room.uninitialised = missing;
      result.uninitialised = RareSet(room.uninitialised);
    }
  }
  if (frame.may_be_poison[node.reg] != 0 && meets(frame.bits + r.poison, s.active)) {
    const LaneSet poison = common(frame.bits + r.poison, s.active);
    room.poison[slot] = has_poison ? room.poison[slot] | poison : poison;
    has_poison = true;
  }
  if (has_poison) {
    out.poison = RareSet(room.poison[slot]);
  }
  return true;
}

void Pirch::evaluate_element(Scratch& room, const State& s, const Node& node, std::size_t slot, Waiting& top, Values& result) {
  Frame& frame = s.bank.top();
  const RegisterLayout& r = layouts_[frame.function].registers[node.reg];
  const std::size_t words = s.active.word_count();
  const auto outside = [&](const LaneSet& lanes, FaultKind kind) {
    const std::uint64_t value = lane_bits(top.lanes, size_of(node.from), top.uniform ? 0 : lanes.first());
    note(kind, node.source, lanes, name_of_register(s, node.reg),
         kind == FaultKind::OutOfBounds ? std::optional(literal_bits(node.from, value)) : std::nullopt, node.from, r.count);
    room.zero_divisor = lanes;
    result.zero_divisor = RareSet(room.zero_divisor);
  };
  if (!top.poison.empty()) {
    outside(top.poison, FaultKind::PoisonAddress);
  }
  auto* rows = reinterpret_cast<std::uint32_t*>(buffer(room, slot, top.lanes));
  if (top.uniform) {
    if (!node.resolve(rows, top.lanes, 0, r.count, 1)) {
      outside(s.active, FaultKind::OutOfBounds);
    }
    const std::uint32_t row = rows[0];
    top = {frame.data + r.data + row * r.stride, false, true, {}};
    bool has_poison = false;
    if (!covers(frame.bits + r.written + row * words, s.active)) {
      const LaneSet missing = unwritten(s, r, row);
      if (node.carries) {
        room.poison[slot] = missing;
        has_poison = true;
      } else {
        note(FaultKind::UninitialisedVariable, node.source, missing, name_of_element(s, node.reg, row), std::nullopt, r.type);
        room.uninitialised = missing;
        result.uninitialised = RareSet(room.uninitialised);
      }
    }
    if (frame.may_be_poison[node.reg] != 0 && meets(frame.bits + r.poison + row * words, s.active)) {
      const LaneSet poison = common(frame.bits + r.poison + row * words, s.active);
      room.poison[slot] = has_poison ? room.poison[slot] | poison : poison;
      has_poison = true;
    }
    if (has_poison) {
      top.poison = RareSet(room.poison[slot]);
    }
    return;
  }
  if (!node.resolve(rows, top.lanes, 0, r.count, padded_)) {
    LaneSet bad(width_);
    s.active.for_each([&](unsigned t) {
      std::uint32_t row = 0;
      if (!node.resolve(&row, top.lanes + std::size_t{t} * size_of(node.from), 0, r.count, 1)) {
        bad.insert(t);
      }
    });
    if (!bad.empty()) {
      outside(bad, FaultKind::OutOfBounds);
    }
  }
  LaneSet missing(width_);
  LaneSet poison(width_);
  const std::uint64_t* written = frame.bits + r.written;
  s.active.for_each([&](unsigned t) {
    const std::size_t row = rows[t] * words;
    if (!bit(written + row, t)) {
      node.carries ? poison.insert(t) : missing.insert(t);
    } else if (frame.may_be_poison[node.reg] != 0 && bit(frame.bits + r.poison + row, t)) {
      poison.insert(t);
    }
  });
  if (!missing.empty()) {
    note(FaultKind::UninitialisedVariable, node.source, missing, name_of_element(s, node.reg, rows[missing.first()]), std::nullopt, r.type);
    room.uninitialised = missing;
    result.uninitialised = RareSet(room.uninitialised);
  }
  // The index may lie in either buffer of the slot: the elements go to the one that the rows are not in, after a copy if that is needed.
  std::byte* dst = buffer(room, slot, reinterpret_cast<const std::byte*>(rows));
  kernels_.gather_rows[size_index(r.size)](dst, frame.data + r.data, rows, static_cast<std::uint32_t>(padded_), padded_);
  top = {dst, false, true, {}};
  if (!poison.empty()) {
    room.poison[slot] = poison;
    top.poison = RareSet(room.poison[slot]);
  }
}

/// The poison of an operation's result; asked where an operand has some (any_poison).
Pirch::RareSet Pirch::combined_poison(Scratch& room, std::size_t slot, const Node& node) {
  LaneSet poison(width_);
  if (node.kind == Node::Kind::Operation && node.opcode == Op::Select) {
    const Waiting& condition = stack_[slot];
    LaneSet chosen(width_);
    for (unsigned t = 0; t < width_; ++t) {
      if (lane_bits(condition.lanes, 4, condition.everywhere ? t : 0) != 0) {
        chosen.insert(t);
      }
    }
    poison = ops::poison_of_choice<LaneSet>(condition.poison, chosen, stack_[slot + 1].poison, stack_[slot + 2].poison);
  } else {
    for (unsigned k = 0; k < node.operands; ++k) {
      poison = ops::poison_of<LaneSet, LaneSet>(poison, stack_[slot + k].poison);
    }
  }
  room.poison[slot] = poison;
  return RareSet(room.poison[slot]);
}

namespace {

/// Inserts into `bad` the lanes whose pointers have no order.
void find_misordered(LaneSet& bad, Op op, const std::byte* left, const std::byte* right, std::size_t lanes) {
  const auto* p = reinterpret_cast<const std::uint64_t*>(left);
  const auto* q = reinterpret_cast<const std::uint64_t*>(right);
  bool any = false;
  for (std::size_t t = 0; t < lanes; ++t) {
    any |= memory::misordered(op, p[t], q[t]);
  }
  for (std::size_t t = 0; any && t < lanes; ++t) {
    if (memory::misordered(op, p[t], q[t])) {
      bad.insert(static_cast<unsigned>(t));
    }
  }
}

}  // namespace

void Pirch::evaluate_checked(const State& s, const Node& node, std::size_t slot, std::size_t lanes, Values& result, Scratch& room) {
  const bool uniform = lanes == 1;
  LaneSet bad(width_);
  const unsigned which = node.kind == Node::Kind::Division ? 1 : 0;
  if (node.kind == Node::Kind::PointerOrder) {
    find_misordered(bad, node.opcode, stack_[slot].lanes, stack_[slot + 1].lanes, uniform ? 1 : width_);
  } else if (node.kind == Node::Kind::Division) {
    node.misdivided(bad.words().data(), stack_[slot].lanes, stack_[slot + 1].lanes, uniform ? 1 : width_);
  } else {
    node.misfit(bad.words().data(), stack_[slot].lanes, uniform ? 1 : width_);
  }
  if (bad.empty()) {
    return;
  }
  bad = (uniform ? s.active : bad & s.active);
  for (unsigned k = 0; k < node.operands; ++k) {
    bad -= stack_[slot + k].poison;
  }
  if (bad.empty()) {
    return;
  }
  if (node.kind == Node::Kind::PointerOrder) {
    note(FaultKind::PointerMismatch, node.source, bad, {}, std::nullopt, ScalarType::Long);
    room.zero_divisor = bad;
    result.zero_divisor = RareSet(room.zero_divisor);
    return;
  }
  const std::size_t lane = uniform ? 0 : bad.first();
  std::uint64_t value = literal_bits(node.from, lane_bits(stack_[slot + which].lanes, size_of(node.from), lane));
  FaultKind kind = FaultKind::ConversionOverflow;
  if (node.kind == Node::Kind::Division) {
    kind = (value == 0) ? FaultKind::DivisionByZero : FaultKind::DivisionOverflow;
    value = literal_bits(node.from, lane_bits(stack_[slot].lanes, size_of(node.from), lane));
  }
  note(kind, node.source, bad, name_of_operand(s, (&node)[-1]), value,
       node.from);  // of several operands the last one stands before the node
  room.zero_divisor = bad;
  result.zero_divisor = RareSet(room.zero_divisor);
}

void Pirch::evaluate_pointer(Scratch& room, const State& s, const Node& node, std::size_t slot, Values& result) {
  Waiting& left = stack_[slot];
  Waiting& right = stack_[slot + 1];
  const bool uniform = left.uniform && right.uniform;
  const bool adds = node.kind == Node::Kind::PointerAdd;
  const RareSet poison = any_poison(slot, node) ? combined_poison(room, slot, node) : RareSet();
  std::byte* dst = buffer(room, slot, left.lanes);
  const std::byte* const pointers = left.lanes;
  const std::byte* const steps = right.lanes;
  LaneSet bad(width_);
  const auto one = [&](std::size_t t) {
    const std::uint64_t p = lane_bits(left.lanes, 8, left.everywhere ? t : 0);
    std::uint64_t value = 0;
    bool fits = true;
    if (adds) {
      const std::uint64_t raw = literal_bits(node.from, lane_bits(right.lanes, size_of(node.from), right.everywhere ? t : 0));
      const std::optional<std::uint64_t> sum = memory::moved(p, static_cast<std::int64_t>(raw), static_cast<unsigned>(node.limit));
      fits = sum.has_value();
      value = sum.value_or(p);
    } else {
      const std::uint64_t q = lane_bits(right.lanes, 8, right.everywhere ? t : 0);
      const std::optional<std::int64_t> distance = memory::distance(p, q, static_cast<unsigned>(node.limit));
      fits = distance.has_value();
      value = static_cast<std::uint64_t>(distance.value_or(0));
    }
    std::memcpy(dst + t * 8, &value, 8);
    return fits;
  };
  if (uniform) {
    if (!one(0)) {
      bad = s.active;
    }
  } else {
    std::memset(dst, 0, 8 * padded_);
    s.active.for_each([&](unsigned t) {
      if (!one(t)) {
        bad.insert(t);
      }
    });
  }
  bad -= poison;
  if (!bad.empty() && adds) {
    const std::size_t t = uniform ? 0 : bad.first();
    const std::uint64_t raw = literal_bits(node.from, lane_bits(steps, size_of(node.from), right.everywhere ? t : 0));
    const std::uint64_t pointer = lane_bits(pointers, 8, left.everywhere ? t : 0);
    note(FaultKind::OutOfBounds, node.source, bad, name_of_object(object_named(memory::object_of(pointer))), raw, node.from, beyond_memory);
  } else if (!bad.empty()) {
    note(FaultKind::PointerMismatch, node.source, bad, {}, std::nullopt, ScalarType::Long);
  }
  if (!bad.empty()) {
    room.zero_divisor = bad;
    result.zero_divisor = RareSet(room.zero_divisor);
  }
  left = {dst, uniform, !uniform, poison};
}

Pirch::Values Pirch::evaluate_in(std::size_t bank, const State& s, const Operand& o) {
  Scratch& room = scratch(bank);
  Values result;
  std::size_t depth = 0;
  const Node* last = &o.nodes.back();
  result.size = last->size;
  result.type = last->type;
  for (const Node& node : o.nodes) {
    const std::size_t slot = depth - node.operands;
    Waiting& first = stack_[slot];
    switch (node.kind) {
      case Node::Kind::Lanes:
      case Node::Kind::Register:
      case Node::Kind::RegisterAddress:
        evaluate_leaf(room, s, node, slot, first, result);
        break;
      case Node::Kind::Element:
        evaluate_element(room, s, node, slot, first, result);
        break;
      case Node::Kind::PointerAdd:
      case Node::Kind::PointerDifference:
        evaluate_pointer(room, s, node, slot, result);
        break;
      case Node::Kind::Bitcast:
      case Node::Kind::Reinterpret:
        break;  // the lanes are the same
      case Node::Kind::Within: {
        auto* rows = reinterpret_cast<std::uint32_t*>(buffer(room, slot, first.lanes));
        const std::size_t lanes = first.uniform ? 1 : width_;
        if (!node.resolve(rows, first.lanes, 0, static_cast<std::uint32_t>(node.limit), lanes)) {
          LaneSet bad(width_);
          (s.active - first.poison).for_each([&](unsigned t) {
            std::uint32_t row = 0;
            const std::size_t lane = first.uniform ? 0 : t;
            if (!node.resolve(&row, first.lanes + lane * size_of(node.from), 0, static_cast<std::uint32_t>(node.limit), 1)) {
              bad.insert(t);
            }
          });
          if (!bad.empty()) {
            const std::size_t lane = first.uniform ? 0 : bad.first();
            note_index(s, *node.source, bad, literal_bits(node.from, lane_bits(first.lanes, size_of(node.from), lane)), node.from);
            room.zero_divisor = bad;
            result.zero_divisor = RareSet(room.zero_divisor);
          }
        }
        break;
      }
      case Node::Kind::Operation:
      case Node::Kind::Division:
      case Node::Kind::PointerOrder:
      case Node::Kind::Conversion: {
        bool uniform = true;
        for (unsigned k = 0; k < node.operands; ++k) {
          uniform = uniform && stack_[slot + k].uniform;
        }
        if (!uniform) {
          for (unsigned k = 0; k < node.operands; ++k) {
            Waiting& operand = stack_[slot + k];
            const unsigned size = node.kind == Node::Kind::Operation && node.opcode == Op::Select && k == 0 ? 4 : size_of(node.from);
            spread_out(room, slot + k, operand, size);
          }
        }
        const std::size_t lanes = uniform ? 1 : padded_;
        if (node.misdivided != nullptr || node.misfit != nullptr || node.kind == Node::Kind::PointerOrder) {
          evaluate_checked(s, node, slot, lanes, result, room);
        }
        const RareSet poison = any_poison(slot, node) ? combined_poison(room, slot, node) : RareSet();
        std::byte* dst = buffer(room, slot, first.lanes);
        if (&node == last && !uniform && node.kind == Node::Kind::Operation) {
          result.pending = &node;
          for (unsigned k = 0; k < node.operands; ++k) {
            result.operand[k] = stack_[slot + k].lanes;
          }
          result.room = dst;
          result.poison = poison;
          return result;
        }
        if (node.kind == Node::Kind::Conversion) {
          node.convert(dst, first.lanes, lanes);
        } else {
          node.op(dst, first.lanes, node.operands > 1 ? stack_[slot + 1].lanes : nullptr,
                  node.operands > 2 ? stack_[slot + 2].lanes : nullptr, lanes);
        }
        first = {dst, uniform, !uniform, poison};
        break;
      }
    }
    depth = slot + 1;
  }
  result.lanes = stack_[0].lanes;
  result.uniform = stack_[0].uniform;
  result.everywhere = stack_[0].everywhere;
  result.poison = stack_[0].poison;
  return result;
}

const std::byte* Pirch::materialise(Values& v) const {
  if (v.pending != nullptr) {
    v.pending->op(v.room, v.operand[0], v.operand[1], v.operand[2], padded_);
    v.lanes = v.room;
    v.pending = nullptr;
  }
  return v.lanes;
}

Pirch::ArgumentValues Pirch::evaluate_arguments(const State& s, const std::vector<Operand>& arguments) {
  ArgumentValues all;
  arguments_.clear();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    arguments_.push_back(evaluate_in(3 + k, s, arguments[k]));
    materialise(arguments_.back());
    if (all.uninitialised.empty() && all.zero_divisor.empty()) {
      all.uninitialised = arguments_.back().uninitialised;
      all.zero_divisor = arguments_.back().zero_divisor;
    }
  }
  all.values = &arguments_;
  return all;
}

}  // namespace lockstep::launch
