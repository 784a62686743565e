#pragma once
// Random kernels of InfReg-IR that are defined for every input: what decides control, addresses and masks is never poison, and every
// address lies in its buffer, the last one at the buffer's very end.

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "semantics/infreg/types.hpp"
#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/scalar_reference.hpp"

namespace lockstep::emit_llvm::trial {

using namespace infreg;
using namespace infreg::sketch;

class DefinedKernel {
 public:
  /// `wg_pack` 0: 1 to 4; `wg_size` 0: 1 to 9.
  explicit DefinedKernel(std::uint64_t seed, std::size_t operations = 14, std::uint32_t wg_pack = 0, std::uint32_t wg_size = 0)
      : random_(seed),
        sketch_(wg_size == 0 ? 1 + pick(9) : wg_size, wg_pack == 0 ? 1 + pick(4) : wg_pack),
        groups_(wg_pack == 0 ? pick(11) : pick(2 * wg_pack + 3)),
        operations_(operations) {
    n_ = sketch_.scalar(ScalarType::Long, "n");
    arguments.emplace_back(ScalarBits{pick(6)});
    scalars_.push_back(n_);
    constexpr std::array<std::uint32_t, 6> lengths = {1, 2, 3, 8, 16, 20};
    layouts_ = {Layout::pack(), Layout::item(), Layout::group(lengths[pick(6)]), Layout::item(lengths[pick(6)]),
                Layout::item(lengths[pick(6)])};
  }

  /// Makes the kernel, its arguments and buffers.
  void make() {
    for (std::size_t i = 0; i < operations_; ++i) {
      operation(2);
    }
    const std::vector<ValueId> all = visible_;
    for (const ValueId value : all) {
      keep(value);
    }
  }

  const Kernel& kernel() const { return sketch_.kernel; }
  std::uint64_t groups() const { return groups_; }

  std::vector<Argument> arguments;
  std::vector<Buffer> memory;

 private:
  std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool coin() { return pick(2) == 1; }
  Shape shape() const { return sketch_.kernel.shape; }
  ScalarType scalar() { return static_cast<ScalarType>(pick(scalar_table.size())); }
  Layout layout() { return layouts_[pick(layouts_.size())]; }
  Layout wide() { return layouts_[1 + pick(layouts_.size() - 1)]; }

  ValueId add(Node node) {
    const ValueId value = sketch_.add(std::move(node), "v");
    visible_.push_back(value);
    return value;
  }

  Buffer random_buffer(ScalarType type, std::size_t count) {
    Buffer buffer = make_buffer(type, count);
    with_type(type, [&]<class T>(T) {
      for (std::size_t i = 0; i < count; ++i) {
        T number = scalar_reference::number<T>(random_);
        if constexpr (std::is_integral_v<T>) {
          number = type == ScalarType::Bool ? static_cast<T>(number & 1) : number;
        }
        std::memcpy(buffer.bytes.data() + i * sizeof number, &number, sizeof number);
      }
    });
    return buffer;
  }

  ParameterId new_buffer(ScalarType type, Buffer buffer) {
    const ParameterId id = sketch_.pointer(type, "p" + std::to_string(memory.size()));
    arguments.emplace_back(BufferNumber{memory.size()});
    memory.push_back(std::move(buffer));
    return id;
  }

  /// A number for each lane; `with_scalars`: of the loops around as well.
  Polynomial polynomial(Layout layout, bool with_scalars, bool with_group = true) {
    Polynomial sum(static_cast<std::int64_t>(pick(5)) - 1);
    if (layout.kind == Layout::Kind::Item && coin()) {
      sum += Polynomial(wi) * Polynomial(coin() ? 1 : static_cast<std::int64_t>(pick(4)));
    }
    if (layout.elements > 1 && coin()) {
      sum += Polynomial(ix) * Polynomial(coin() ? 1 : static_cast<std::int64_t>(pick(3)) - 1);
    }
    if (with_scalars && coin()) {
      sum += Polynomial(Symbol::of(scalars_[pick(scalars_.size())]));
    }
    if (with_group && layout.kind != Layout::Kind::Pack && pick(4) == 0) {
      sum += Polynomial(wg) * Polynomial(wg);
    }
    return sum;
  }

  ValueId mask(Layout layout) {
    Mask node{layout, {}};
    const std::uint32_t count = pick(3);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto op = static_cast<Op>(static_cast<std::size_t>(Op::Lt) + pick(6));
      node.all_of.push_back({polynomial(layout, true), op, polynomial(layout, true)});
    }
    return add(std::move(node));
  }
  std::optional<ValueId> maybe_mask(Layout layout) { return coin() ? std::optional(mask(layout)) : std::nullopt; }

  std::optional<ValueId> visible(Type type) {
    std::vector<ValueId> fitting;
    for (const ValueId value : visible_) {
      if (sketch_.kernel.type_of(value) == type) {
        fitting.push_back(value);
      }
    }
    return fitting.empty() ? std::nullopt : std::optional(fitting[pick(fitting.size())]);
  }
  ValueId value(Type type) {
    if (const auto found = visible(type); found && pick(8) != 0) {
      return *found;
    }
    if (type.element == truth) {
      return mask(type.layout);
    }
    switch (pick(6)) {
      case 0:
        return add(Constant{type, constant(type.element.scalar)});
      case 1:
        if (type.layout.kind != Layout::Kind::Pack) {
          ConstantLanes node{type, {}};
          for (std::uint64_t i = 0; i < lanes_per_group(type.layout, shape()); ++i) {
            node.bits.push_back(constant(type.element.scalar));
          }
          return add(std::move(node));
        }
        [[fallthrough]];
      case 2:
        if (!is_float(type.element.scalar)) {
          return add(Index{type, polynomial(type.layout, true)});
        }
        [[fallthrough]];
      default:
        return load(type);
    }
  }

  std::uint64_t constant(ScalarType type) {
    return with_type(type, [&]<class T>(T) -> std::uint64_t {
      const T number = scalar_reference::number<T>(random_);
      if constexpr (std::is_integral_v<T>) {
        return type == ScalarType::Bool ? static_cast<std::uint64_t>(number) % 2 : static_cast<std::uint64_t>(number);
      } else {
        return scalar_reference::bits_of(number);
      }
    });
  }

  /// An access of lanes that are apart, or anywhere, in a buffer that ends with the last of them.
  struct Spot {
    Polynomial index;
    std::uint64_t count = 0;
  };
  Spot spot(Layout layout, bool each_its_own) {
    const auto per_group = static_cast<std::int64_t>(lanes_per_group(layout, shape()));
    Spot result;
    const std::int64_t stride = pick(3) == 0 ? 2 + static_cast<std::int64_t>(pick(2)) : 1;
    if (layout.kind == Layout::Kind::Item) {
      result.index += Polynomial(wi) * Polynomial(stride * layout.elements);
    }
    if (layout.elements > 1) {
      result.index += Polynomial(ix) * Polynomial(stride);
    }
    if (layout.kind != Layout::Kind::Pack) {
      result.index += Polynomial(wg) * Polynomial(stride * per_group + (coin() ? 0 : 3));
    }
    if (!each_its_own && pick(3) == 0 && layout.kind == Layout::Kind::Item) {
      result.index = Polynomial(wi) * Polynomial(wi) + Polynomial(layout.elements > 1 ? Polynomial(ix) : Polynomial(0));
    }
    for (std::uint64_t group = 0; group < std::max<std::uint64_t>(groups_, 1); ++group) {
      for (std::int64_t lane = 0; lane < per_group; ++lane) {
        const Lane at = lane_at(layout, {shape().wg_size, 1}, static_cast<std::uint64_t>(lane));
        const auto number = result.index.evaluate([&](Symbol symbol) -> std::int64_t {
          return symbol.kind == Symbol::Kind::Item      ? at.wi
                 : symbol.kind == Symbol::Kind::Element ? at.ix
                                                        : static_cast<std::int64_t>(group);
        });
        result.count = std::max(result.count, static_cast<std::uint64_t>(number) + 1);
      }
    }
    return result;
  }

  ValueId load(Type type) {
    Spot where = spot(type.layout, false);
    const ParameterId from = new_buffer(type.element.scalar, random_buffer(type.element.scalar, where.count));
    Place place{parameter(from), where.index, {}};
    if (pick(4) == 0) {
      // A lane of its own choice: index number modulo the buffer's length.
      const Type indices{Element::of(ScalarType::ULong), type.layout};
      const ValueId some = add(Index{indices, polynomial(type.layout, true)});
      const ValueId length = add(Constant{indices, where.count});
      place = {parameter(from), 0, add(Elementwise{Op::Rem, ScalarType::ULong, {some, length}})};
      if (coin()) {
        place.base = through(pointer_to(from, type.layout));
      }
    }
    const Access access = access_of(sketch_.kernel, place, type.layout);
    const auto active = maybe_mask(type.layout);
    return add(Load{type, place, access, active});
  }

  ValueId pointer_to(ParameterId from, Layout layout) {
    ValueId pointer = add(address_of_parameter(from));
    if (layout.kind != Layout::Kind::Pack && coin()) {
      pointer = add(Spread{pointer, layout});
    }
    return pointer;
  }

  void store(ValueId value) {
    const Type type = sketch_.kernel.type_of(value);
    const Spot where = spot(type.layout, true);
    const ParameterId to = new_buffer(type.element.scalar, random_buffer(type.element.scalar, where.count));
    const Place place{parameter(to), where.index, {}};
    const Access access = access_of(sketch_.kernel, place, type.layout);
    sketch_.effect(Store{place, access, value, maybe_mask(type.layout)});
    if (coin()) {  // and read again what is there now
      add(Load{type, place, access, maybe_mask(type.layout)});
    }
  }
  /// Lanes of different items meet at few cells, in an order that both sides keep. Several lanes of one item, which AVX512 takes one behind
  /// the other for many items, each have a cell of their own. Of floats nothing is compared: which bits a NaN has is not said.
  void atomic() {
    static constexpr std::array types = {ScalarType::Int,   ScalarType::UInt,  ScalarType::Long,
                                         ScalarType::ULong, ScalarType::Float, ScalarType::Double};
    const ScalarType type = types[pick(types.size())];
    AtomicOp op = AtomicOp::Exchange;
    do {
      op = atomic_table[pick(atomic_table.size())].op;
    } while (!takes(op, type) || (op == AtomicOp::CompareExchange && is_float(type)));
    const Layout layout = coin() ? Layout::item() : Layout::item(1 + pick(3));
    const std::uint64_t cells = 1 + pick(3);
    const ParameterId to = new_buffer(type, random_buffer(type, 3 * shape().wg_size + cells));
    const Polynomial first = coin() ? Polynomial(wi) * Polynomial(3) : Polynomial(static_cast<std::int64_t>(pick(cells)));
    const Place place{parameter(to), layout == Layout::item() ? first : first + Polynomial(ix), {}};
    const Type what{Element::of(type), layout};
    const std::optional<ValueId> compare = op == AtomicOp::CompareExchange ? std::optional(value(what)) : std::nullopt;
    add(Atomic{op, what, place, access_of(sketch_.kernel, place, layout), compare, value(what), maybe_mask(layout)});
  }
  void keep(ValueId value) {
    const Type type = sketch_.kernel.type_of(value);
    if (!type.element.is_pointer) {
      const Spot where = spot(type.layout, true);
      const ParameterId to = new_buffer(type.element.scalar, make_buffer(type.element.scalar, where.count));
      const Place place{parameter(to), where.index, {}};
      sketch_.effect(Store{place, access_of(sketch_.kernel, place, type.layout), value, {}});
    }
  }

  /// A store into an array of each item or group, and a load from it.
  void object() {
    const Layout layout = wide();
    const bool is_private = layout.kind == Layout::Kind::Item;
    const ScalarType type = scalar();
    const std::uint64_t count = lanes_per_group(layout, shape()) + pick(3);
    const ObjectId id = sketch_.object("array" + std::to_string(sketch_.kernel.objects.size()), type,
                                       is_private && coin() ? AddressSpace::Private : AddressSpace::Local, count);
    const bool of_item = sketch_.kernel.objects[id].space == AddressSpace::Private;
    Polynomial index = layout.elements > 1 ? Polynomial(ix) : Polynomial(0);
    if (!of_item && is_private) {
      index += Polynomial(wi) * Polynomial(layout.elements);
    }
    const Place place{infreg::sketch::object(id), index, {}};
    const Access access = access_of(sketch_.kernel, place, layout);
    sketch_.effect(Store{place, access, value({Element::of(type), layout}), maybe_mask(layout)});
    add(Load{{Element::of(type), layout}, place, access, maybe_mask(layout)});
    if (of_item || !is_private) {
      const ValueId pointer = add(address_of_object(id));
      if (sketch_.kernel.type_of(pointer).layout == layout) {
        const ValueId one = add(Constant{i64(layout), pick(count)});
        const ValueId further = add(PointerOffset{type, pointer, one});
        add(PointerDistance{type, further, pointer});
        add(PointerCompare{static_cast<Op>(static_cast<std::size_t>(Op::Lt) + pick(6)), pointer, further});
        add(Load{{Element::of(type), layout}, {through(further), 0, {}}, Access::Gather, {}});
      }
    }
  }

  void reorder() {
    const Layout from = wide();
    const Layout to = wide();
    Reorder node{value({Element::of(scalar()), from}), to, Reorder::Affine{}};
    if (pick(3) != 0) {
      Reorder::Affine affine;
      affine.item = from.kind == Layout::Kind::Item ? polynomial(to, true, false) : Polynomial(0);
      affine.element = from.elements == 1 ? Polynomial(0) : polynomial(to, true, false);
      if (coin() && to.elements > 1) {
        affine.element = ix;
      }
      node.pattern = affine;
    } else {
      Reorder::Table table;
      for (std::uint64_t i = 0; i < lanes_per_group(to, shape()); ++i) {
        const std::uint32_t lane = pick(lanes_per_group(from, shape()));
        table.source.push_back(pick(6) == 0 ? Reorder::Table::nowhere : lane);
      }
      node.pattern = table;
    }
    add(std::move(node));
  }

  void spread() {
    const Layout to = wide();
    Layout from = Layout::pack();
    if (to.kind == Layout::Kind::Item && pick(3) != 0) {
      from = coin() ? Layout::group() : Layout::item();
    }
    add(Spread{value({Element::of(scalar()), from}), to});
  }

  void elementwise() {
    const ScalarType type = scalar();
    const Layout where = layout();
    std::vector<Op> ops;
    for (std::size_t i = 0; i < op_count; ++i) {
      const auto op = static_cast<Op>(i);
      const bool of_truth = op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor || op == Op::Eq || op == Op::Ne;
      if (is_elementwise(op) && ops::takes(op, type) && (type != ScalarType::Bool || of_truth)) {
        ops.push_back(op);
      }
    }
    const Op op = ops[pick(ops.size())];
    std::vector<ValueId> operands;
    for (int i = 0; i < info(op).arity; ++i) {
      operands.push_back(value({Element::of(type), where}));
    }
    // What compares may be poison; masks are made of polynomials alone, so its result is kept out of sight.
    const ValueId result = sketch_.op(op, type, operands);
    if (sketch_.kernel.type_of(result).element != truth) {
      visible_.push_back(result);
    } else {
      visible_.push_back(sketch_.add(Convert{result, ScalarType::UChar}));
    }
  }

  /// Of an integer: what bits a float has that was computed is not said.
  void bitcast() {
    std::vector<std::pair<ScalarType, ScalarType>> all;
    for (const ScalarInfo& from : scalar_table) {
      for (const ScalarInfo& to : scalar_table) {
        if (from.type != ScalarType::Bool && to.type != ScalarType::Bool && !from.is_float && from.size == to.size) {
          all.emplace_back(from.type, to.type);
        }
      }
    }
    const auto [from, to] = all[pick(all.size())];
    add(Bitcast{value({Element::of(from), layout()}), to});
  }

  void operation(std::size_t depth) {
    switch (pick(depth == 0 ? 12 : 15)) {
      case 0:
        spread();
        break;
      case 1:
      case 2:
        reorder();
        break;
      case 3: {
        const Layout where = layouts_[coin() ? 1 : 3];
        const ValueId source = value({Element::of(scalar()), where});
        const ValueId lane = add(Index{i64(Layout::item()), polynomial(Layout::item(), true)});
        add(Shuffle{source, lane, mask(Layout::item())});
        break;
      }
      case 4: {
        const Layout where = wide();
        const bool ballot = where == Layout::item() && coin();
        const auto kind = ballot ? Vote::Kind::Ballot : static_cast<Vote::Kind>(pick(3));
        const ValueId voted = mask(where);
        add(Vote{kind, !ballot && coin(), voted, mask(where)});
        break;
      }
      case 5:
        if (pick(3) == 0) {
          atomic();
          break;
        }
        store(value({Element::of(scalar()), layout()}));
        break;
      case 6:
        object();
        break;
      case 7: {
        const Type type{Element::of(scalar()), layout()};
        const ValueId then = value(type);
        const ValueId otherwise = value(type);
        add(Select{mask(type.layout), then, otherwise});
        break;
      }
      case 8: {
        if (coin()) {
          bitcast();
          break;
        }
        const ValueId source = value({Element::of(scalar()), layout()});
        const ValueId result = sketch_.add(Convert{source, scalar()});
        if (sketch_.kernel.type_of(result).element != truth) {
          visible_.push_back(result);
        }
        break;
      }
      case 12:
        branch(depth);
        break;
      case 13:
        counted(depth);
        break;
      case 14:
        loop(depth);
        break;
      default:
        elementwise();
    }
  }

  std::vector<ValueId> carried() {
    std::vector<ValueId> result;
    const std::uint32_t count = pick(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      const ScalarType type = static_cast<ScalarType>(1 + pick(scalar_table.size() - 1));  // truth values stay free of poison
      result.push_back(value({Element::of(type), layout()}));
    }
    return result;
  }

  template <class F>
  RegionId region(const std::vector<Type>& types, F&& fill) {
    const std::size_t seen = visible_.size();
    const std::size_t scalars = scalars_.size();
    const RegionId result = sketch_.region(types, std::forward<F>(fill));
    visible_.resize(seen);
    scalars_.resize(scalars);
    return result;
  }
  std::vector<ValueId> some(const std::vector<Type>& types, std::size_t depth) {
    const std::uint32_t count = pick(5);
    for (std::uint32_t i = 0; i < count; ++i) {
      operation(depth - 1);
    }
    std::vector<ValueId> result;
    for (const Type& type : types) {
      result.push_back(value(type));
    }
    return result;
  }
  std::vector<Type> types_of(const std::vector<ValueId>& values) const {
    std::vector<Type> types;
    for (const ValueId value : values) {
      types.push_back(sketch_.kernel.type_of(value));
    }
    return types;
  }
  void finish(Node node) {
    for (const ValueId result : sketch_.builder.add_many(std::move(node), {})) {
      if (sketch_.kernel.type_of(result).element != truth) {
        visible_.push_back(result);
      }
    }
  }

  void branch(std::size_t depth) {
    const std::vector<Type> types = types_of(carried());
    If node;
    const ValueId where = mask(Layout::item());
    node.condition = sketch_.add(Vote{Vote::Kind::Any, true, where, mask(Layout::item())});
    node.then = region({}, [&](const auto&) { return some(types, depth); });
    node.otherwise = region({}, [&](const auto&) { return some(types, depth); });
    finish(node);
  }

  void counted(std::size_t depth) {
    For node;
    const bool down = coin();
    node.from = down ? Polynomial(static_cast<std::int64_t>(pick(6))) : Polynomial(static_cast<std::int64_t>(pick(4)) - 2);
    node.limit = coin() ? Polynomial(Symbol::of(n_)) : Polynomial(static_cast<std::int64_t>(pick(5)));
    node.step = (down ? -1 : 1) * static_cast<std::int64_t>(1 + pick(3));
    node.inits = carried();
    std::vector<Type> types = types_of(node.inits);
    std::vector<Type> arguments_types = types;
    arguments_types.insert(arguments_types.begin(), i64(Layout::pack()));
    node.body = region(arguments_types, [&](const std::vector<ValueId>& inside) {
      scalars_.push_back(inside.front());
      visible_.insert(visible_.end(), inside.begin() + 1, inside.end());
      return some(types, depth);
    });
    finish(std::move(node));
  }

  void loop(std::size_t depth) {
    Loop node;
    const ValueId zero = sketch_.constant(ScalarType::Long, Layout::pack(), 0);
    node.inits = {sketch_.mask(Polynomial(Symbol::of(n_)), Op::Gt, 0, Layout::pack()), zero};
    const std::vector<ValueId> more = carried();
    node.inits.insert(node.inits.end(), more.begin(), more.end());
    const std::vector<Type> types = types_of(more);
    node.body = region(types_of(node.inits), [&](const std::vector<ValueId>& inside) {
      const ValueId counter = inside[1];
      scalars_.push_back(counter);
      visible_.insert(visible_.end(), inside.begin() + 2, inside.end());
      std::vector<ValueId> yields = some(types, depth);
      const ValueId next = sketch_.index(Polynomial(Symbol::of(counter)) + 1, Layout::pack());
      yields.insert(yields.begin(), {sketch_.mask(Symbol::of(next), Op::Lt, Symbol::of(n_), Layout::pack()), next});
      return yields;
    });
    finish(std::move(node));
  }

  std::mt19937_64 random_;
  Sketch sketch_;
  std::uint64_t groups_;
  std::size_t operations_;
  ValueId n_ = 0;
  std::vector<ValueId> scalars_;
  std::vector<Layout> layouts_;
  std::vector<ValueId> visible_;
};

}  // namespace lockstep::emit_llvm::trial
