#include "interpreter/ptx/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "interpreter/ptx/operands.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;
using ptx::Kind;
using ptx::Modifier;
using ptx::OperandRole;
using ptx::Space;

namespace {

/// What depends on the device, or changes while a thread runs (PTX ISA, Special Registers).
bool is_open_special(const ptx::Special& special) {
  using enum ptx::SpecialRegister;
  constexpr auto names = std::to_array({Warpid, Nwarpid, Smid, Nsmid, Gridid, Clock, ClockHi, Clock64, Globaltimer, GlobaltimerLo,
                                        GlobaltimerHi, TotalSmemSize, AggrSmemSize, CurrentGraphExec, Envreg, Pm});
  return std::ranges::find(names, special.name) != names.end();
}

bool is_clock(const ptx::Special& special) {
  using enum ptx::SpecialRegister;
  return special.name >= Clock && special.name <= GlobaltimerHi;
}

class Preparation {
 public:
  Preparation(const resolved::Module& module, const Placement& placement, const AddressSpace& space, Pool& pool)
      : module_(module), placement_(placement), space_(space), pool_(pool) {}

  FunctionCode function(std::uint32_t index) {
    function_ = &module_.functions[index];
    objects_ = &placement_.of_functions[index];
    code_ = FunctionCode();
    code_.function = function_;
    for (const resolved::RegisterInfo& reg : function_->registers) {
      code_.row_bytes.push_back(static_cast<std::uint8_t>(reg.bytes()));
    }
    for (const resolved::Instruction& instruction : function_->code) {
      code_.steps.push_back({instruction.guard, action(instruction), &instruction});
    }
    return std::move(code_);
  }

 private:
  // ---- operands ----

  Source number(std::uint64_t bits, std::uint8_t bytes) { return constant({{bits, 0}}, bytes); }
  Source constant(const resolved::Constant& value, std::uint8_t bytes) {
    return {.pooled = true, .always_defined = true, .bytes = bytes, .index = pool_.number(value.bits, bytes)};
  }

  /// The address of a variable in its space; if it is one of the running function, of each frame its own.
  Source address_of(const resolved::AddressOf& address, std::uint8_t bytes) {
    const std::uint32_t index = address.variable.index;
    if (const auto object = address.variable.local ? (*objects_)[index] : placement_.of_module[index]) {
      return number(space_[*object].address + static_cast<std::uint64_t>(address.offset), bytes);
    }
    for (const FrameAddress& known : code_.addresses) {
      if (known.variable == index && known.offset == address.offset && known.bytes == bytes) {
        return {.always_defined = true, .bytes = bytes, .index = known.row};
      }
    }
    const auto row = static_cast<std::uint32_t>(code_.row_bytes.size());
    code_.addresses.push_back({index, address.offset, bytes, row});
    code_.row_bytes.push_back(bytes);
    return {.always_defined = true, .bytes = bytes, .index = row};
  }

  /// `bytes`: of the operand's type.
  template <class Operand>
  Source source(const Operand& operand, std::uint8_t bytes) {
    return std::visit(
        [&](const auto& o) -> Source {
          using T = std::decay_t<decltype(o)>;
          if constexpr (std::is_same_v<T, resolved::Register>) {
            return {.negated = o.negated, .bytes = code_.row_bytes[o.index], .index = o.index};
          } else if constexpr (std::is_same_v<T, resolved::Constant>) {
            return constant(o, bytes);
          } else if constexpr (std::is_same_v<T, ptx::Special>) {
            return {.pooled = true,
                    .always_defined = true,
                    .clock = is_clock(o),
                    .open = is_open_special(o),
                    .bytes = bytes,
                    .index = pool_.special(o, bytes)};
          } else if constexpr (std::is_same_v<T, resolved::AddressOf>) {
            return address_of(o, bytes);
          } else if constexpr (std::is_same_v<T, resolved::FunctionRef>) {
            return number(address_of_function(o.index), bytes);
          } else {
            throw InternalError("an operand of PTX that is read is no number");
          }
        },
        operand);
  }

  template <class Operand>
  std::optional<Destination> destination(const Operand& operand) const {
    if (const auto* reg = std::get_if<resolved::Register>(&operand)) {
      return Destination{reg->index, code_.row_bytes[reg->index]};
    }
    return std::nullopt;
  }
  /// The action with operand 0 as what it writes; nothing if nobody wants that.
  template <class A>
  Action wanted(const resolved::Instruction& i, A action) const {
    const auto to = destination(i.operands[0]);
    if (!to) {
      return Nothing{};
    }
    action.to = *to;
    return action;
  }

  /// How many bytes operand k of the instruction has by its type.
  static std::uint8_t type_bytes(const resolved::Instruction& i, std::size_t k) {
    const auto type = ptx::type_of(ptx::info(i.form).operands[k], i.types);
    return static_cast<std::uint8_t>(type ? ptx::bytes_of(*type) : 4);
  }
  Source read(const resolved::Instruction& i, std::size_t k) { return source(i.operands[k], type_bytes(i, k)); }
  static bool is_there(const resolved::Instruction& i, std::size_t k) {
    return k < i.operands.size() && !std::holds_alternative<resolved::None>(i.operands[k]);
  }
  std::optional<Source> read_if_there(const resolved::Instruction& i, std::size_t k) {
    return is_there(i, k) ? std::optional(read(i, k)) : std::nullopt;
  }

  /// .volatile and .mmio are relaxed, with the scope of the system; atomic operations are so without a word, with that of the device.
  static MemoryOrder order(const resolved::Instruction& i) {
    const Kind kind = ptx::info(i.form).kind;
    const auto word = i.modifiers.of(ptx::ModifierGroup::Order);
    const bool has = word && *word != Modifier::Weak;
    MemoryOrder order;
    order.strong = kind == Kind::Atomic || has;
    order.wide = !i.modifiers.has(Modifier::Cta) && !i.modifiers.has(Modifier::Cluster);
    order.acquire = has && (*word == Modifier::Acquire || *word == Modifier::AcqRel);
    order.release = has && (*word == Modifier::Release || *word == Modifier::AcqRel);
    order.constant = i.modifiers.has(Modifier::Nc);
    if (kind == Kind::Fence) {  // membar, and fence without a word, are both
      order.acquire = !has || *word != Modifier::Release;
      order.release = !has || *word != Modifier::Acquire;
    }
    return order;
  }

  Place place(const resolved::Instruction& i, std::size_t k) {
    const auto& address = std::get<resolved::Address>(i.operands[k]);
    Place place;
    place.space = ptx::space_of(i.modifiers);
    place.base = source(address.base, 8);
    place.offset = address.offset;
    place.alike = !std::holds_alternative<resolved::Register>(address.base);
    place.order = order(i);
    place.bytes = static_cast<std::uint8_t>(ptx::bytes_of(i.types[0]));
    place.count = static_cast<std::uint8_t>(ptx::vector_size(i.modifiers));
    if (const auto* of = std::get_if<resolved::AddressOf>(&address.base); of != nullptr && place.space == Space::Param) {
      // A parameter of a function that is no kernel lies with each thread, as its local variables do.
      place.space = of->variable.local && !(*objects_)[of->variable.index] ? Space::Local : Space::Param;
    }
    return place;
  }

  // ---- instructions ----

  /// Operands of a conversion that are registers wider than their types, and for which there are no loops.
  std::vector<std::size_t> resized_operands(const resolved::Instruction& i) const {
    std::vector<std::size_t> found;
    const ptx::FormInfo& form = ptx::info(i.form);
    const bool packs = i.form == ptx::Form::CvtPackInteger || i.form == ptx::Form::CvtPackInteger3;
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const auto* reg = std::get_if<resolved::Register>(&i.operands[k]);
      if (form.operands[k].wider && reg != nullptr && code_.row_bytes[reg->index] > type_bytes(i, k) &&
          (packs || !ptx::is_integer(ptx::type_of(form.operands[k], i.types).value()))) {
        found.push_back(k);
      }
    }
    return found;
  }
  /// The instruction on registers as wide as the types.
  std::optional<LaneOperation> resized_operation(resolved::Instruction i, const std::vector<std::size_t>& operands) const {
    std::vector<resolved::RegisterInfo> registers = function_->registers;
    for (const std::size_t k : operands) {
      i.operands[k] = resolved::Register{static_cast<std::uint32_t>(registers.size())};
      registers.push_back({"", ptx::type_of(ptx::info(i.form).operands[k], i.types).value()});
    }
    return lane_operation(i, registers);
  }
  /// `compute` with rows of their own for these operands, of which the first one is the result.
  Resized resized(const resolved::Instruction& i, Compute compute, const std::vector<std::size_t>& operands) {
    Resized result;
    for (const std::size_t k : operands) {
      const Destination part{static_cast<std::uint32_t>(code_.row_bytes.size()), type_bytes(i, k)};
      const Source from{.bytes = part.bytes, .index = part.row};
      code_.row_bytes.push_back(part.bytes);
      if (k == 0) {
        result.widen = Move{compute.destinations[0].value(), from};
        compute.destinations[0] = part;
      } else {
        result.narrow.push_back({part, std::exchange(compute.sources[k - 1], from)});
      }
    }
    result.compute = std::move(compute);
    return result;
  }

  Action compute(const resolved::Instruction& i) {
    const ptx::FormInfo& form = ptx::info(i.form);
    const std::vector<std::size_t> wide = resized_operands(i);
    const auto operation = wide.empty() ? lane_operation(i, function_->registers) : resized_operation(i, wide);
    if (!operation) {
      return Refused{fmt::format("'{}' does not run here", ptx::name_of(i.form, i.modifiers, i.types))};
    }
    Compute result{*operation, {}, {}};
    std::size_t written = 0;
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const OperandRole role = form.operands[k].role;
      if (role == OperandRole::Written || role == OperandRole::FlagOut) {
        result.destinations.at(written++) = destination(i.operands[k]);
      } else if (is_there(i, k)) {
        Source& source = result.sources.emplace_back(read(i, k));
        source.inverted = source.negated && role != OperandRole::Predicate;  // of those the lane operation knows it by itself
        const bool is_half = form.operands[k].undefined == ptx::Undefined::Half && type_bytes(i, k) < 4;  // and no pair
        source.undefined = is_half ? ptx::Undefined::Nothing : form.operands[k].undefined;
      }
    }
    if (!wide.empty()) {
      return resized(i, std::move(result), wide);
    }
    return result;
  }

  Action move(const resolved::Instruction& i) {
    const auto* parts = std::get_if<resolved::Vector>(&i.operands[0]);
    const auto* elements = std::get_if<resolved::Vector>(&i.operands[1]);
    const std::uint8_t bytes = type_bytes(i, 0);
    if (parts != nullptr && elements != nullptr) {
      const std::uint32_t together = ptx::vector_size(i.modifiers) * bytes;
      const Destination whole{static_cast<std::uint32_t>(code_.row_bytes.size()), static_cast<std::uint8_t>(together)};
      code_.row_bytes.push_back(whole.bytes);
      Repack repack{{whole, {}}, {{}, {.bytes = whole.bytes, .index = whole.row}, {}}};
      for (const resolved::Value& element : elements->elements) {
        repack.pack.elements.push_back(source(element, static_cast<std::uint8_t>(together / elements->elements.size())));
      }
      for (const resolved::Value& element : parts->elements) {
        repack.unpack.elements.push_back(destination(element));
      }
      repack.unpack.element_bytes = static_cast<std::uint8_t>(together / parts->elements.size());
      return repack;
    }
    if (parts != nullptr) {
      Unpack unpack{{}, source(i.operands[1], bytes), static_cast<std::uint8_t>(bytes / parts->elements.size())};
      for (const resolved::Value& element : parts->elements) {
        unpack.elements.push_back(destination(element));
      }
      return unpack;
    }
    if (elements != nullptr) {
      Pack pack;
      for (const resolved::Value& element : elements->elements) {
        pack.elements.push_back(source(element, static_cast<std::uint8_t>(bytes / elements->elements.size())));
      }
      return wanted(i, std::move(pack));
    }
    Source from = source(i.operands[1], bytes);
    from.inverted = from.negated;
    return wanted(i, Move{{}, from});
  }

  Action load(const resolved::Instruction& i) {
    Load result{place(i, 1), ptx::is_signed(i.types[0]), {}};
    if (const auto* vector = std::get_if<resolved::Vector>(&i.operands[0])) {
      for (const resolved::Value& element : vector->elements) {
        result.elements.push_back(destination(element));
      }
    } else {
      result.elements.push_back(destination(i.operands[0]));
    }
    return result;
  }

  Action store(const resolved::Instruction& i) {
    Store result{place(i, 0), {}};
    if (const auto* vector = std::get_if<resolved::Vector>(&i.operands[1])) {
      for (const resolved::Value& element : vector->elements) {
        result.elements.push_back(source(element, result.place.bytes));
      }
    } else {
      result.elements.push_back(source(i.operands[1], result.place.bytes));
    }
    return result;
  }

  Action atomic(const resolved::Instruction& i) {
    const bool returns = ptx::info(i.form).operands[0].role == OperandRole::Written;
    const std::size_t at = returns ? 1 : 0;
    Atomic result;
    result.place = place(i, at);
    result.operation = i.modifiers.of(ptx::ModifierGroup::Operation).value();
    result.type = i.types[0];
    if (returns) {
      result.to = destination(i.operands[0]);
    }
    result.operand = read(i, at + 1);
    if (result.operation == Modifier::Cas) {
      result.swap = read(i, at + 2);
    }
    return result;
  }

  Action barrier(const resolved::Instruction& i, Barrier::Kind kind) {
    Barrier result;
    result.kind = kind;
    result.aligned = ptx::info(i.form).mnemonic == "bar" || i.modifiers.has(Modifier::Aligned);
    const std::size_t at = kind == Barrier::Kind::Reduce ? 1 : 0;
    result.id = read(i, at);
    result.count = read_if_there(i, at + 1);
    if (kind == Barrier::Kind::Reduce) {
      result.operation = i.modifiers.of(ptx::ModifierGroup::Operation).value();
      result.predicate = read(i, 3);
      result.to = destination(i.operands[0]);
    }
    return result;
  }

  Action collective(const resolved::Instruction& i) {
    const ptx::FormInfo& form = ptx::info(i.form);
    Collective result;
    result.operation.kind = form.kind;
    if (!i.types.empty()) {
      result.operation.type = i.types[0];
    }
    for (const Modifier m : i.modifiers) {
      if (m != Modifier::Sync && m != Modifier::Warp) {
        result.operation.mode = m;
      }
    }
    const bool has_mask = i.modifiers.has(Modifier::Sync);
    std::vector<Source> sources;
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      if (form.operands[k].role == OperandRole::Written) {
        (form.operands[k].behind_bar ? result.predicate : result.to) = destination(i.operands[k]);
      } else if (is_there(i, k)) {
        sources.push_back(read(i, k));
      }
    }
    if (has_mask) {
      result.mask = sources.back();
      sources.pop_back();
    }
    std::ranges::copy(sources, result.operands.begin());
    result.operand_count = sources.size();
    return result;
  }

  Action call(const resolved::Instruction& i) {
    Call result;
    result.call = i.call;
    if (const auto* direct = std::get_if<resolved::FunctionRef>(&i.call->callee)) {
      result.function = direct->index;
      if (!module_.functions[direct->index].defined) {
        return Refused{fmt::format("'{}' is declared, but has no body", shortened(module_.functions[direct->index].name))};
      }
    } else {
      result.callee = source(resolved::Operand(std::get<resolved::Register>(i.call->callee)), 8);
    }
    return result;
  }

  Action action(const resolved::Instruction& i) {
    switch (ptx::info(i.form).kind) {
      case Kind::Compute:
        return compute(i);
      case Kind::Move:
        return move(i);
      case Kind::ConvertAddress:
        return wanted(i, ConvertAddress{{}, read(i, 1), ptx::space_of(i.modifiers), i.modifiers.has(Modifier::To)});
      case Kind::IsSpace:
        return wanted(i, IsSpace{{}, read(i, 1), ptx::space_of(i.modifiers)});
      case Kind::Load:
        return load(i);
      case Kind::Store:
        return store(i);
      case Kind::Atomic:
        return atomic(i);
      case Kind::Branch:
        return Branch{i.targets[0]};
      case Kind::IndexedBranch:
        return IndexedBranch{read(i, 0), i.targets};
      case Kind::Call:
        return call(i);
      case Kind::Return:
        return Return{};
      case Kind::Exit:
        return Exit{};
      case Kind::Trap:
        return Trap{};
      case Kind::BarrierSync:
        return barrier(i, Barrier::Kind::Sync);
      case Kind::BarrierArrive:
        return barrier(i, Barrier::Kind::Arrive);
      case Kind::BarrierReduce:
        return barrier(i, Barrier::Kind::Reduce);
      case Kind::WarpBarrier:
      case Kind::Shuffle:
      case Kind::Vote:
      case Kind::Match:
      case Kind::ActiveMask:
      case Kind::Redux:
      case Kind::Elect:
        return collective(i);
      case Kind::Fence:
        return Fence{order(i)};
      case Kind::Nothing:
        return Nothing{};
      case Kind::Refused:
        break;
    }
    return Refused{fmt::format("'{}' is read, and does not run here", ptx::name_of(i.form, i.modifiers, i.types))};
  }

  const resolved::Module& module_;
  const Placement& placement_;
  const AddressSpace& space_;
  Pool& pool_;
  const resolved::Function* function_ = nullptr;
  const std::vector<std::optional<std::uint32_t>>* objects_ = nullptr;  // of the function's variables
  FunctionCode code_;
};

}  // namespace

bool leaves_open(const Action& action) {
  if (const auto* compute = std::get_if<Compute>(&action)) {
    return compute->operation.unspecified != Unspecified::Nowhere;
  }
  const auto* collective = std::get_if<Collective>(&action);
  return collective != nullptr && !collective->mask;  // the threads that happen to be active together
}

bool is_open(const Action& action) { return leaves_open(action) || std::ranges::any_of(operands_of(action).sources, &Source::open); }

std::vector<FunctionCode> prepare(const resolved::Module& module, const Placement& placement, const AddressSpace& space, Pool& pool) {
  Preparation preparation(module, placement, space, pool);
  std::vector<FunctionCode> functions;
  for (std::uint32_t index = 0; index < module.functions.size(); ++index) {
    const resolved::Function& function = module.functions[index];
    const bool runs = function.defined && (!function.entry || index == placement.kernel);
    functions.push_back(runs ? preparation.function(index) : FunctionCode());
  }
  return functions;
}

}  // namespace lockstep::ptx_machine
