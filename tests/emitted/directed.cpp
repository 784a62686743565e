// Kernels for what random ones hardly ever do: values that loops swap or write in place, buffers that are written while a value lies there,
// rows, cells and rounds that masks leave out, narrow numbers that are widened.

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "semantics/infreg/types.hpp"
#include "semantics/infreg/words.hpp"
#include "tests/emitted/trial.hpp"
#include "tests/unit/bitcast_numbers.hpp"
#include "tests/unit/infreg_evaluate.hpp"

namespace lockstep::emit_avx512::trial {

namespace {

using namespace infreg;
using namespace infreg::sketch;

constexpr std::uint64_t groups = 19;
constexpr Layout items = Layout::item();
constexpr Layout pack = Layout::pack();

/// A kernel on the way, with its arguments.
struct Draft {
  explicit Draft(std::uint32_t wg_size, std::uint32_t wg_pack = 1) : sketch(wg_size, wg_pack) {}

  ValueId scalar(const std::string& name, std::uint64_t number) {
    arguments.emplace_back(ScalarBits{number});
    return sketch.scalar(ScalarType::Long, name);
  }
  /// A buffer of 0, 1, 2 and so on (times 37, so that narrow types meet all their numbers; each buffer begins with another one), that ends
  /// with the last lane of all groups.
  ParameterId buffer(ScalarType type, Layout layout, std::uint64_t more = 0) {
    const std::uint64_t count = lanes_per_group(layout, sketch.kernel.shape) * groups + more;
    Buffer made = make_buffer(type, count);
    const std::size_t size = size_of(type);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t number = type == ScalarType::Bool ? (i + buffers.size()) % 2 : (i + 100 * buffers.size()) * 37;
      std::copy_n(reinterpret_cast<const std::byte*>(&number), size, made.bytes.data() + i * size);
    }
    arguments.emplace_back(BufferNumber{buffers.size()});
    buffers.push_back(std::move(made));
    return sketch.pointer(type, "p" + std::to_string(buffers.size()));
  }
  /// A lane's own element.
  Polynomial own(Layout layout) const {
    if (layout.kind == Layout::Kind::Pack) {
      return 0;
    }
    Polynomial index = Polynomial(wg) * Polynomial(static_cast<std::int64_t>(lanes_per_group(layout, sketch.kernel.shape)));
    if (layout.kind == Layout::Kind::Item) {
      index += Polynomial(wi) * Polynomial(layout.elements);
    }
    return layout.elements > 1 ? index + Polynomial(ix) : index;
  }
  ValueId load(ParameterId from, const Polynomial& index, Layout layout, std::optional<ValueId> mask = {}) {
    const Place place{parameter(from), index, {}};
    return sketch.add(Load{typed(sketch.kernel.parameters[from].scalar, layout), place, access_of(sketch.kernel, place, layout), mask});
  }
  ValueId load(ParameterId from, Layout layout) { return load(from, own(layout), layout); }
  void store(ParameterId to, ValueId value, const Polynomial& more = 0, std::optional<ValueId> mask = {}) {
    const Layout layout = sketch.kernel.type_of(value).layout;
    const Place place{parameter(to), own(layout) + more, {}};
    sketch.effect(Store{place, access_of(sketch.kernel, place, layout), value, mask});
  }
  void keep(ValueId value) {
    const Type type = sketch.kernel.type_of(value);
    store(buffer(type.element.scalar, type.layout), value);
  }
  ValueId add(ScalarType type, ValueId a, ValueId b) { return sketch.op(Op::Add, type, {a, b}); }
  ValueId loaded(ScalarType type, Layout layout) { return load(buffer(type, layout), layout); }

  /// `for variable = from to limit step`, which carries values.
  template <class F>
  std::vector<ValueId> counted(std::int64_t from, std::int64_t limit, std::int64_t step, std::vector<ValueId> inits, F&& body) {
    For node;
    node.from = from;
    node.limit = limit;
    node.step = step;
    node.inits = std::move(inits);
    std::vector<Type> types = {i64(pack)};
    for (const ValueId init : node.inits) {
      types.push_back(sketch.kernel.type_of(init));
    }
    node.body = sketch.region(
        types, [&](const std::vector<ValueId>& in) { return body(in.front(), std::vector<ValueId>(in.begin() + 1, in.end())); });
    return sketch.builder.add_many(std::move(node), {});
  }

  Sketch sketch;
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
};

/// Three values go round in a loop, which nothing keeps within a sweep: a scalar goes with them.
void rotation(Draft& d, Layout layout) {
  const ValueId count = d.sketch.constant(ScalarType::Long, pack, 0);
  const std::vector<ValueId> inits = {count, d.loaded(ScalarType::Int, layout), d.loaded(ScalarType::Int, layout),
                                      d.loaded(ScalarType::Int, layout)};
  const auto results = d.counted(0, 11, 1, inits, [&](ValueId k, const std::vector<ValueId>& v) {
    return std::vector<ValueId>{d.sketch.index(Polynomial(Symbol::of(v[0])) + Polynomial(Symbol::of(k)), pack), v[2], v[3], v[1]};
  });
  for (const ValueId result : results) {
    d.keep(result);
  }
}

/// The same where each chunk can go round on its own.
void local_rotation(Draft& d) {
  const auto results = d.counted(0, 11, 1, {d.loaded(ScalarType::Int, items), d.loaded(ScalarType::Int, items)},
                                 [](ValueId, const std::vector<ValueId>& v) { return std::vector<ValueId>{v[1], v[0]}; });
  d.keep(results[0]);
  d.keep(results[1]);
}

/// Each round turns the rows around.
void reversed_rows(Draft& d) {
  const Layout layout = Layout::item(8);
  const auto size = std::int64_t{d.sketch.kernel.shape.wg_size};
  const auto results = d.counted(0, 3, 1, {d.loaded(ScalarType::Double, layout)}, [&](ValueId, const std::vector<ValueId>& v) {
    return std::vector<ValueId>{d.sketch.add(Reorder{v[0], layout, Reorder::Affine{Polynomial(size - 1) - Polynomial(wi), ix}})};
  });
  d.keep(results[0]);
}

/// What a loop carries is needed once more when the next one is there.
void needed_later(Draft& d) {
  const Layout layout = Layout::item(8);
  const ParameterId out = d.buffer(ScalarType::Int, layout);
  const ValueId one = d.sketch.constant(ScalarType::Int, layout, 1);
  const auto results = d.counted(0, 3, 1, {d.loaded(ScalarType::Int, layout)}, [&](ValueId, const std::vector<ValueId>& v) {
    const ValueId next = d.add(ScalarType::Int, v[0], one);
    const ValueId reversed = d.sketch.add(Reorder{next, layout, Reorder::Affine{Polynomial(wi), Polynomial(7) - Polynomial(ix)}});
    const ValueId all = d.sketch.add(Vote{Vote::Kind::Any, true, d.sketch.mask(wi, Op::Ge, 0, items), d.sketch.mask(wi, Op::Ge, 0, items)});
    d.keep(d.sketch.add(Convert{all, ScalarType::Int}));
    d.store(out, d.add(ScalarType::Int, v[0], reversed));
    return std::vector<ValueId>{next};
  });
  d.keep(results[0]);
}

/// The buffer that a value was loaded from is written at each round's end.
void written_in_rounds(Draft& d) {
  const ParameterId p = d.buffer(ScalarType::Int, items);
  const ValueId first = d.load(p, items);
  const auto results = d.counted(0, 3, 1, {d.sketch.constant(ScalarType::Int, items, 0), d.sketch.constant(ScalarType::Long, pack, 0)},
                                 [&](ValueId, const std::vector<ValueId>& v) {
                                   const ValueId sum = d.add(ScalarType::Int, v[0], first);
                                   d.store(p, d.sketch.constant(ScalarType::Int, items, 1000));
                                   return std::vector<ValueId>{sum, v[1]};
                                 });
  d.keep(results[0]);
}

/// A round is left out by its number, the last one.
void last_round(Draft& d) {
  const ValueId one = d.sketch.constant(ScalarType::Int, items, 1);
  const ValueId none = d.sketch.constant(ScalarType::Int, items, 0);
  const auto results = d.counted(0, 10, 1, {none}, [&](ValueId k, const std::vector<ValueId>& v) {
    const ValueId other = d.sketch.mask(Symbol::of(k), Op::Ne, 9, items);
    return std::vector<ValueId>{d.add(ScalarType::Int, v[0], d.sketch.add(Select{other, one, none}))};
  });
  d.keep(results[0]);
}

/// A cell that all lanes of a chunk read, or none; the first chunk does not.
void cell_of_late_items(Draft& d) {
  const ValueId n = d.scalar("n", 8);
  const ParameterId p = d.buffer(ScalarType::Int, pack, 20);
  const auto results = d.counted(0, 12, 1, {d.sketch.constant(ScalarType::Int, items, 0)}, [&](ValueId k, const std::vector<ValueId>& v) {
    const ValueId late = d.sketch.mask(wi, Op::Ge, Symbol::of(n), items);
    const ValueId cell = d.load(p, Symbol::of(k), items, late);
    return std::vector<ValueId>{
        d.add(ScalarType::Int, v[0], d.sketch.add(Select{late, cell, d.sketch.constant(ScalarType::Int, items, 0)}))};
  });
  d.keep(results[0]);
}

/// Lanes by a loop's variable that counts by two: within a sweep, and, as a scalar goes with it, not.
void every_other_lane(Draft& d) {
  const ValueId source = d.loaded(ScalarType::Int, items);
  for (const bool with_scalar : {false, true}) {
    std::vector<ValueId> inits = {d.sketch.constant(ScalarType::Int, items, 0)};
    if (with_scalar) {
      inits.push_back(d.sketch.constant(ScalarType::Long, pack, 0));
    }
    const auto results = d.counted(0, 8, 2, inits, [&](ValueId k, std::vector<ValueId> v) {
      v[0] = d.add(ScalarType::Int, v[0], d.sketch.add(Reorder{source, items, Reorder::Affine{Symbol::of(k), 0}}));
      return v;
    });
    d.keep(results[0]);
  }
}

/// Lanes behind the last one, of a value that lies at its buffer's end.
void lanes_behind(Draft& d) {
  const ValueId n = d.scalar("n", 3000);
  const ValueId source = d.loaded(ScalarType::Int, items);
  d.keep(d.sketch.add(Reorder{source, items, Reorder::Affine{Polynomial(wi) + Polynomial(Symbol::of(n)), 0}}));
}

/// What a round takes from an element of its own row, or from another row, must have been read before it is written in place. What the loop
/// begins with is needed once more behind it.
void elimination(Draft& d) {
  const Layout layout = Layout::item(9);
  for (const bool of_other_row : {false, true}) {
    const ValueId first = d.loaded(ScalarType::Int, layout);
    // So many rounds that none is written out, and no row.
    const auto results = d.counted(0, 40, 1, {first}, [&](ValueId, const std::vector<ValueId>& v) {
      const ValueId own = d.sketch.add(Reorder{v[0], layout, Reorder::Affine{wi, 4}});
      const ValueId other = of_other_row ? d.sketch.add(Reorder{v[0], layout, Reorder::Affine{2, ix}}) : v[0];
      return std::vector<ValueId>{d.add(ScalarType::Int, v[0], d.sketch.op(Op::Mul, ScalarType::Int, {own, other}))};
    });
    d.keep(results[0]);
    d.keep(first);
  }
}

/// A lane whose number is known late, of a value that is not finished and made of one that is in registers alone.
void late_lane_of_unfinished(Draft& d) {
  const ValueId n = d.scalar("n", 3);
  const ValueId first = d.loaded(ScalarType::Int, items);
  d.keep(first);
  const ValueId second = d.loaded(ScalarType::Int, items);  // waits for the store, unless buffers are apart
  const ValueId sum = d.add(ScalarType::Int, first, second);
  d.keep(d.add(ScalarType::Int, sum, d.sketch.add(Reorder{sum, items, Reorder::Affine{Symbol::of(n), 0}})));
}

/// What is stored, loaded again from where it lies, and wanted from the last lane.
void loaded_behind_its_store(Draft& d, bool to_a_scalar) {
  const ParameterId buffer = d.buffer(ScalarType::Int, items);
  const ValueId first = d.load(buffer, items);
  d.store(buffer, d.add(ScalarType::Int, first, first));
  const ValueId again = d.load(buffer, items);
  const std::int64_t last = d.sketch.kernel.shape.wg_size - 1;
  if (to_a_scalar) {
    d.keep(d.sketch.add(Reorder{again, d.sketch.kernel.shape.wg_pack == 1 ? Layout::group() : items, Reorder::Affine{last, 0}}));
  } else {
    d.keep(d.add(ScalarType::Int, again, d.sketch.add(Reorder{again, items, Reorder::Affine{Polynomial(last) - Polynomial(wi), 0}})));
  }
}

/// What is made of a loaded value is stored over it, before or after it is wanted from other lanes, or what is wanted there is stored
/// itself.
void stored_where_it_comes_from(Draft& d, bool is_wanted_before) {
  const ParameterId buffer = d.buffer(ScalarType::Int, items);
  const ValueId loaded = d.load(buffer, items);
  const ValueId sum = d.add(ScalarType::Int, loaded, d.loaded(ScalarType::Int, items));
  const std::int64_t last = d.sketch.kernel.shape.wg_size - 1;
  if (!is_wanted_before) {
    d.store(buffer, sum);
  }
  const ValueId turned = d.sketch.add(Reorder{sum, items, Reorder::Affine{Polynomial(last) - Polynomial(wi), 0}});
  if (is_wanted_before) {
    d.store(buffer, turned);
  }
  d.keep(d.add(ScalarType::Int, turned, sum));
}

/// A loop yields what was loaded in front of it; behind the loop other items write there.
void yielded_and_written(Draft& d) {
  const ParameterId buffer = d.buffer(ScalarType::Int, items);
  const ValueId loaded = d.load(buffer, items);
  const ValueId zero = d.sketch.constant(ScalarType::Int, items, 0);
  const auto results = d.counted(0, 11, 1, {zero, zero}, [&](ValueId, const std::vector<ValueId>& v) {
    return std::vector<ValueId>{d.add(ScalarType::Int, v[0], v[1]), loaded};
  });
  const std::int64_t size = d.sketch.kernel.shape.wg_size;
  d.store(buffer, zero, Polynomial(size - 1) - Polynomial(wi) - Polynomial(wi));
  d.keep(results[0]);
}

/// What is computed in front of a loop whose rounds are written out, and taken in one of them.
void taken_in_one_round(Draft& d) {
  const ValueId a = d.loaded(ScalarType::Int, items);
  const ValueId late = d.add(ScalarType::Int, a, a);
  const ValueId one = d.sketch.constant(ScalarType::Int, items, 1);
  const auto results = d.counted(0, 8, 1, {a}, [&](ValueId k, const std::vector<ValueId>& v) {
    const ValueId is_third = d.sketch.mask(Symbol::of(k), Op::Eq, 3, items);
    return std::vector<ValueId>{d.add(ScalarType::Int, d.sketch.add(Select{is_third, late, v[0]}), one)};
  });
  d.keep(results[0]);
}

/// Rows change in place while a loop goes over them, or next to one; each element takes another one of its row.
void rows_next_to_loops(Draft& d, bool within) {
  const Layout layout = Layout::item(16);
  const ValueId other = d.loaded(ScalarType::Int, layout);
  const auto product = [&](ValueId a, ValueId b) { return d.sketch.op(Op::Mul, ScalarType::Int, {a, b}); };
  // So many rounds that they are not written out.
  const auto results = d.counted(0, 40, 1, {d.loaded(ScalarType::Int, layout)}, [&](ValueId, const std::vector<ValueId>& v) {
    const ValueId third = within ? other : d.sketch.add(Reorder{v[0], layout, Reorder::Affine{wi, 3}});
    const auto sums = d.counted(0, 16, 1, {d.sketch.constant(ScalarType::Int, layout, 0)}, [&](ValueId q, const std::vector<ValueId>& w) {
      const ValueId one = within ? d.sketch.add(Reorder{v[0], layout, Reorder::Affine{wi, Symbol::of(q)}}) : w[0];
      return std::vector<ValueId>{d.add(ScalarType::Int, w[0], product(one, other))};
    });
    return std::vector<ValueId>{within ? d.add(ScalarType::Int, sums[0], other)
                                       : d.add(ScalarType::Int, product(v[0], sums[0]), d.add(ScalarType::Int, third, other))};
  });
  d.keep(results[0]);
}

/// A loop over elements of items in which another one stands or not: what is computed in front of them, masks of the rounds, elements of
/// the same row and of others, whose numbers are the round's, in any order; what goes round may be written in place.
void rounds(Draft& d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Layout layout = random() % 3 == 0 ? items : Layout::item(16);
  const auto one_of = [&](const std::vector<ValueId>& values) { return values[random() % values.size()]; };
  // The round's number is below 8; there are at least as many items and, if there are several, elements.
  const auto number = [&](ValueId round) {
    switch (random() % 3) {
      case 0:
        return Polynomial(static_cast<std::int64_t>(random() % 8));
      case 1:
        return Polynomial(7) - Polynomial(Symbol::of(round));
      default:
        return Polynomial(Symbol::of(round));
    }
  };
  const auto moved = [&](ValueId value, ValueId round) {
    const bool own = layout.elements > 1 && random() % 4 != 0;
    const Polynomial element = layout.elements == 1 ? Polynomial(0) : random() % 3 == 0 ? Polynomial(ix) : number(round);
    return d.sketch.add(Reorder{value, layout, Reorder::Affine{own ? Polynomial(wi) : number(round), element}});
  };
  const auto steps = [&](std::vector<ValueId> values, ValueId round, std::uint64_t count) {
    for (; count > 0; --count) {
      const ValueId a = one_of(values);
      const Symbol which = layout.elements > 1 && random() % 2 == 0 ? ix : wi;
      switch (random() % 4) {
        case 0:
          values.push_back(moved(a, round));
          break;
        case 1:
          values.push_back(d.sketch.add(Select{d.sketch.mask(Symbol::of(round), Op::Eq, number(round), layout), a, one_of(values)}));
          break;
        case 2:
          values.push_back(d.sketch.add(Select{d.sketch.mask(which, Op::Gt, number(round), layout), a, one_of(values)}));
          break;
        default:
          values.push_back(d.sketch.op(random() % 2 == 0 ? Op::Add : Op::Mul, ScalarType::Int, {a, one_of(values)}));
      }
    }
    return values;
  };
  const ValueId first = d.loaded(ScalarType::Int, layout);
  const std::vector<ValueId> before = {first, d.loaded(ScalarType::Int, layout), d.add(ScalarType::Int, first, first)};
  const auto inner = [&](std::vector<ValueId> there) {
    const auto sums = d.counted(0, 8, 1, {one_of(there)}, [&](ValueId round, const std::vector<ValueId>& v) {
      std::vector<ValueId> values = there;
      values.push_back(v[0]);
      values = steps(values, round, 1 + random() % 4);
      return std::vector<ValueId>{d.add(ScalarType::Int, values.back(), v[0])};
    });
    there.push_back(sums[0]);
    return there;
  };
  if (random() % 3 == 0) {
    d.keep(inner(before).back());
    return;
  }
  const std::int64_t limit = random() % 2 == 0 ? 8 : 40;  // written out, and not
  const auto results = d.counted(0, limit, 1, {first, before.back()}, [&](ValueId, const std::vector<ValueId>& v) {
    std::vector<ValueId> values = before;
    values.insert(values.end(), v.begin(), v.end());
    const ValueId any_round = d.sketch.constant(ScalarType::Long, pack, random() % 8);
    values = steps(values, any_round, random() % 3);
    values = random() % 3 != 0 ? inner(values) : values;
    values = steps(values, any_round, 1 + random() % 3);
    return std::vector<ValueId>{values.back(), one_of(values)};
  });
  d.keep(results[0]);
  d.keep(results[1]);
}

/// Loads, stores, sums and turned rows in any order, on two buffers of which each item meets its own element or that of the item opposite:
/// what is loaded often lies in a buffer that was, or will be, written.
void traffic(Draft& d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::array<ParameterId, 2> buffers = {d.buffer(ScalarType::Int, items), d.buffer(ScalarType::Int, items)};
  std::vector<ValueId> values = {d.load(buffers[0], items)};
  const auto one = [&] { return values[random() % values.size()]; };
  const std::int64_t size = d.sketch.kernel.shape.wg_size;
  const Polynomial opposite = Polynomial(size - 1) - Polynomial(wi);
  const auto place = [&] { return random() % 4 == 0 ? Polynomial(wg) * Polynomial(size) + opposite : d.own(items); };
  for (int k = 0; k < 12; ++k) {
    const ParameterId buffer = buffers[random() % 2];
    switch (random() % 5) {
      case 0:
        values.push_back(d.load(buffer, place(), items));
        break;
      case 1:
      case 2:
        d.store(buffer, one(), place() - d.own(items));
        break;
      case 3:
        values.push_back(d.add(ScalarType::Int, one(), one()));
        break;
      default: {
        const Polynomial item = random() % 3 == 0 ? Polynomial(size - 1) : opposite;
        values.push_back(d.sketch.add(Reorder{one(), items, Reorder::Affine{item, 0}}));
      }
    }
  }
  d.keep(values.back());
  d.keep(one());
}

/// Two stores to a group's part of a buffer, the second one `distance` elements behind the first: what it stores must stay where they meet.
void stores_at_a_distance(Draft& d, std::uint64_t distance) {
  constexpr std::uint64_t of_a_group = 300;
  const Polynomial n(Symbol::of(d.scalar("n", distance)));
  const ParameterId to = d.buffer(ScalarType::Int, items, of_a_group * groups);
  const ValueId a = d.loaded(ScalarType::Int, items);
  const ValueId b = d.loaded(ScalarType::Int, items);
  const Polynomial first = Polynomial(wg) * Polynomial(static_cast<std::int64_t>(of_a_group)) + Polynomial(wi);
  for (const auto& [value, index] : {std::pair(a, first), std::pair(b, first + n)}) {
    const Place place{parameter(to), index, {}};
    d.sketch.effect(Store{place, access_of(d.sketch.kernel, place, items), value, {}});
  }
}

/// What all items of a group have in common, and all but the first one want.
void wanted_by_some_items(Draft& d) {
  const ValueId of_group = d.loaded(ScalarType::Int, Layout::group());
  const ValueId twice = d.add(ScalarType::Int, of_group, of_group);
  const ValueId of_items = d.sketch.add(Spread{twice, items});
  d.keep(d.sketch.add(Select{d.sketch.mask(wi, Op::Ge, 1, items), of_items, d.sketch.constant(ScalarType::Int, items, 0)}));
}

/// A choice of two numbers that is converted.
void converted_choice(Draft& d) {
  const ValueId a = d.loaded(ScalarType::Int, items);
  const ValueId less = d.sketch.op(Op::Lt, ScalarType::Int, {a, d.sketch.constant(ScalarType::Int, items, 37 * 60)});
  const auto number = [&](std::uint64_t bits) { return d.sketch.constant(ScalarType::Int, items, bits); };
  const ValueId sign = d.sketch.add(Select{less, number(~std::uint64_t{0}), number(1)});
  d.keep(d.sketch.add(Convert{sign, ScalarType::Double}));
  d.keep(d.sketch.add(Convert{sign, ScalarType::Char}));
}

/// Loads and stores of the items before the end of the data, which lies within a group.
void some_items(Draft& d, std::int64_t first) {
  const ValueId n = d.scalar("n", 50);
  const Polynomial number = Polynomial(wg) * Polynomial(std::int64_t{d.sketch.kernel.shape.wg_size}) + Polynomial(wi) + Polynomial(first);
  const ValueId index = d.sketch.index(number, items, ScalarType::ULong);
  const ValueId bound = d.sketch.add(Spread{d.sketch.add(Convert{n, ScalarType::ULong}), items});
  const ValueId is = d.sketch.op(Op::Lt, ScalarType::ULong, {index, bound});
  const ValueId a = d.load(d.buffer(ScalarType::Int, items), d.own(items), items, is);
  d.store(d.buffer(ScalarType::Int, items), d.add(ScalarType::Int, a, a), 0, is);
}

/// More masks than a loop over rows, or elements, is cut at: one for each number of items, and of elements.
void many_masks(Draft& d) {
  const Layout layout = Layout::item(9);
  const auto size = std::int64_t{d.sketch.kernel.shape.wg_size};
  const ValueId a = d.loaded(ScalarType::Int, layout);
  const ValueId b = d.loaded(ScalarType::Int, layout);
  for (const bool of_items : {true, false}) {
    ValueId sum = a;
    for (std::int64_t k = 1; k < (of_items ? size : 9); ++k) {
      const ValueId below = d.sketch.mask(of_items ? wi : ix, Op::Lt, Polynomial(k), layout);
      sum = d.add(ScalarType::Int, sum, d.sketch.add(Select{below, a, b}));
    }
    d.keep(sum);
  }
}

/// Sums over a row of one matrix and a column of another, in rows that leave half a vector: two of them fill whole ones. (Sums of tiny
/// numbers are exact, products would be 0.)
void sums_of_rows_and_columns(Draft& d) {
  const Layout layout = Layout::item(12);
  const ValueId a = d.loaded(ScalarType::Double, layout);
  const ValueId b = d.loaded(ScalarType::Double, layout);
  const auto sums = [&](auto&& second) {
    const auto results =
        d.counted(0, d.sketch.kernel.shape.wg_size, 1, {d.sketch.constant(ScalarType::Double, layout, 0)},
                  [&](ValueId k, const std::vector<ValueId>& v) {
                    const ValueId one = d.sketch.add(Reorder{a, layout, Reorder::Affine{wi, Symbol::of(k)}});
                    return std::vector<ValueId>{d.add(ScalarType::Double, v[0], d.add(ScalarType::Double, one, second(k)))};
                  });
    d.keep(results[0]);
  };
  sums([&](ValueId k) { return d.sketch.add(Reorder{b, layout, Reorder::Affine{Symbol::of(k), ix}}); });
  // A value that lies in an array, lane by lane.
  const ValueId computed = d.add(ScalarType::Double, a, b);
  d.keep(computed);
  d.keep(d.sketch.add(Reorder{computed, layout, Reorder::Affine{wi, Polynomial(11) - Polynomial(ix)}}));
  sums([&](ValueId) { return computed; });
}

/// Narrow numbers whose results are looked at in more bits.
void narrow(Draft& d) {
  for (const ScalarType type : {ScalarType::Char, ScalarType::UChar, ScalarType::Short, ScalarType::UShort}) {
    const ValueId a = d.loaded(type, items);
    const ValueId b = d.loaded(type, items);
    for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::Shl}) {
      d.keep(d.sketch.add(Convert{d.sketch.op(op, type, {a, b}), ScalarType::Long}));
    }
    for (const ScalarType to : {ScalarType::UChar, ScalarType::UShort, ScalarType::Char, ScalarType::Short}) {
      if (to != type) {
        d.keep(d.sketch.add(Convert{d.sketch.add(Convert{a, to}), ScalarType::Long}));
      }
    }
  }
}

/// A matrix of which one row is chosen for, one by a comparison that no bound decides.
void chosen_rows(Draft& d) {
  const Layout layout = Layout::item(8);
  const ValueId n = d.scalar("n", 2);
  const ValueId a = d.loaded(ScalarType::Float, layout);
  const ValueId b = d.loaded(ScalarType::Float, layout);
  const ValueId sum = d.add(ScalarType::Float, a, b);
  d.keep(d.sketch.add(Select{d.sketch.mask(wi, Op::Gt, Symbol::of(n), layout), sum, a}));
  const ValueId product = d.sketch.op(Op::Mul, ScalarType::Float, {a, b});
  d.keep(d.sketch.add(Select{d.sketch.mask(ix, Op::Gt, wi, layout), product, b}));
}

/// Rows that do not fill vectors, on their way past the caches: into a buffer of their own, into one that is read behind the store, and
/// into both halves of one.
void rows_past_the_caches(Draft& d) {
  const Layout layout = Layout::item(20);
  const auto turned = [&](ValueId value, std::int64_t last) {
    return d.sketch.add(Reorder{value, layout, Reorder::Affine{wi, Polynomial(last) - Polynomial(ix)}});
  };
  const ValueId a = d.loaded(ScalarType::Float, layout);
  const ValueId first = turned(a, 19);
  d.keep(first);
  const ParameterId read = d.buffer(ScalarType::Float, layout);
  d.store(read, d.add(ScalarType::Float, first, a));
  d.keep(d.add(ScalarType::Float, d.load(read, layout), first));
  const std::uint64_t count = lanes_per_group(layout, d.sketch.kernel.shape) * groups;
  const ParameterId twice = d.buffer(ScalarType::Float, layout, count);
  d.store(twice, first);
  d.store(twice, d.add(ScalarType::Float, first, first), Polynomial(static_cast<std::int64_t>(count)));
}

/// Loads and stores through a pointer that is one of two.
void chosen_buffer(Draft& d) {
  const ValueId n = d.scalar("n", 3);
  const ParameterId a = d.buffer(ScalarType::Double, items);
  const ParameterId b = d.buffer(ScalarType::Double, items);
  for (const std::int64_t most : {2, 3}) {
    const ValueId chosen = d.sketch.add(Select{d.sketch.mask(Symbol::of(n), Op::Gt, most, pack), d.sketch.add(address_of_parameter(a)),
                                               d.sketch.add(address_of_parameter(b))});
    const Place place{through(chosen), d.own(items), {}};
    const Access access = access_of(d.sketch.kernel, place, items);
    const ValueId number = d.sketch.add(Load{typed(ScalarType::Double, items), place, access, {}});
    d.sketch.effect(Store{place, access, d.add(ScalarType::Double, number, number), {}});
  }
}

/// All items but the first take the numbers of items that do not exist, far behind the group, which nobody wants.
void shuffle_out_of_the_group(Draft& d) {
  const ValueId value = d.loaded(ScalarType::Double, items);
  const ValueId far = d.sketch.index(Polynomial(wi) * 200'000'003, items);
  const ValueId everybody = d.sketch.mask(wi, Op::Ge, 0, items);
  const ValueId taken = d.sketch.add(Shuffle{value, far, everybody});
  d.store(d.buffer(ScalarType::Double, items), taken, 0, d.sketch.mask(wi, Op::Lt, 1, items));
}

/// Loads and stores of all lanes in a row, and one store that leaves some out.
void some_in_a_row(Draft& d) {
  const ValueId n = d.scalar("n", 3);
  const ValueId a = d.loaded(ScalarType::Double, items);
  const ValueId b = d.loaded(ScalarType::Double, items);
  d.keep(d.add(ScalarType::Double, a, b));
  d.store(d.buffer(ScalarType::Double, items), a, 0, d.sketch.mask(wi, Op::Lt, Symbol::of(n), items));
}

/// The same bits as numbers of all types of a size, NaNs of all kinds among them. What becomes a float is moved, and comes back: the bits
/// of integers are compared.
void bitcasts(Draft& d, unsigned size) {
  const std::vector<ScalarType> types = lockstep::bitcasts::types_of_size(size);
  const std::vector<std::uint64_t> words = lockstep::bitcasts::words(size, 200);
  const ScalarType integer = types.front();
  const auto last = std::int64_t{d.sketch.kernel.shape.wg_size} - 1;
  for (const ScalarType from : types) {
    const ParameterId p = d.buffer(from, items);
    std::vector<std::byte>& bytes = d.buffers.back().bytes;
    for (std::size_t k = 0; k < bytes.size() / size; ++k) {
      std::memcpy(bytes.data() + k * size, &words[k % words.size()], size);
    }
    const ValueId x = d.load(p, items);
    for (const ScalarType to : types) {
      const ValueId there = d.sketch.add(Bitcast{x, to});
      const ValueId reversed = d.sketch.add(Reorder{there, items, Reorder::Affine{Polynomial(last) - Polynomial(wi), 0}});
      const ValueId some = d.sketch.add(Select{d.sketch.mask(wi, Op::Gt, 3, items), there, reversed});
      d.keep(is_float(to) ? d.sketch.add(Bitcast{some, integer}) : some);
      // Of numbers that all lanes have alike, and of some for each lane.
      const std::uint64_t number = size == 8 ? 0x7ff0000000000123 : size == 4 ? 0x7f800123 : 0x23;
      const ValueId one = d.sketch.add(Bitcast{d.sketch.constant(from, pack, number), to});
      d.keep(d.sketch.add(Bitcast{d.sketch.add(Spread{one, items}), integer}));
      d.keep(d.sketch.add(Bitcast{d.sketch.add(Bitcast{d.sketch.constant(from, items, number), to}), integer}));
      ConstantLanes lanes{typed(from, items), std::vector<std::uint64_t>(static_cast<std::size_t>(last) + 1, number)};
      lanes.bits.back() = 1;
      d.keep(d.sketch.add(Bitcast{d.sketch.add(Bitcast{d.sketch.add(lanes), to}), integer}));
    }
  }
}

}  // namespace

std::vector<Trial> directed_trials() {
  std::vector<Trial> result;
  const auto add_with = [&](std::uint32_t wg_size, std::uint32_t wg_pack, LayoutChoice layout, std::span<const unsigned> lanes,
                            auto&& fill) {
    // With groups side by side it does not count how many chunks registers may hold.
    for (const unsigned most_chunks : layout == LayoutChoice::Groups ? std::vector{16U} : std::vector{16U, 1U}) {
      for (const unsigned chunk_lanes : lanes) {
        Draft draft(wg_size, wg_pack);
        fill(draft);
        Trial trial;
        trial.seed = 1'000'000'000 + result.size();
        trial.kernel = draft.sketch.kernel;
        trial.arguments = draft.arguments;
        trial.buffers = draft.buffers;
        trial.groups = groups;
        trial.options.most_chunks = most_chunks;
        trial.options.chunk_lanes = chunk_lanes;
        trial.options.layout = layout;
        trial.options.nontemporal = chunk_lanes == 16 ? Nontemporal::On : Nontemporal::Auto;
        result.push_back(std::move(trial));
      }
    }
  };
  static constexpr std::array chunks = {8U, 16U};
  const auto add = [&](std::uint32_t wg_size, std::uint32_t wg_pack, auto&& fill) {
    add_with(wg_size, wg_pack, LayoutChoice::Rows, chunks, fill);
    add_with(wg_size, 8, LayoutChoice::Groups, std::span(chunks).first(1), fill);
    add_with(wg_size, 16, LayoutChoice::Groups, std::span(chunks).last(1), fill);
  };
  add(5, 2, [](Draft& d) { rotation(d, items); });
  add(20, 1, [](Draft& d) { rotation(d, items); });
  add(3, 2, [](Draft& d) { rotation(d, Layout::item(12)); });
  add(20, 2, local_rotation);
  add(7, 1, reversed_rows);
  add(6, 1, needed_later);
  add(24, 1, written_in_rounds);
  add(24, 1, last_round);
  add(32, 1, cell_of_late_items);
  add(24, 1, every_other_lane);
  add(24, 1, lanes_behind);
  add(19, 2, narrow);
  add(6, 1, chosen_rows);
  add(5, 2, some_in_a_row);
  add(24, 1, some_in_a_row);
  add(6, 1, many_masks);
  add(5, 2, rows_past_the_caches);
  add(8, 1, rows_past_the_caches);
  add(24, 1, chosen_buffer);
  add(6, 2, shuffle_out_of_the_group);
  add(40, 1, shuffle_out_of_the_group);
  for (const unsigned distance : {0U, 3U, 17U, 39U, 40U, 200U}) {
    add(40, 1, [distance](Draft& d) { stores_at_a_distance(d, distance); });
  }
  add(20, 2, converted_choice);
  for (const unsigned size : {1U, 4U, 8U}) {
    add(20, 1, [size](Draft& d) { bitcasts(d, size); });
  }
  add_with(3456, 1, LayoutChoice::Rows, std::span(chunks).last(1), [](Draft& d) { bitcasts(d, 2); });  // 19 groups: all numbers
  add(2, 2, wanted_by_some_items);
  for (const std::int64_t first : {0, 7, -30}) {
    add(6, 4, [first](Draft& d) { some_items(d, first); });
    add(24, 1, [first](Draft& d) { some_items(d, first); });
  }
  for (const bool which : {false, true}) {
    for (const std::uint32_t wg_size : {1U, 20U}) {
      add(wg_size, 1, [which](Draft& d) { loaded_behind_its_store(d, which); });
      add(wg_size, 2, [which](Draft& d) { loaded_behind_its_store(d, which); });
      add(wg_size, 2, [which](Draft& d) { stored_where_it_comes_from(d, which); });
    }
  }
  add(300, 1, taken_in_one_round);
  for (const bool within : {false, true}) {
    add(16, 1, [within](Draft& d) { rows_next_to_loops(d, within); });
  }
  add(20, 1, yielded_and_written);
  add(12, 2, yielded_and_written);
  const std::uint32_t seeds = std::getenv("LOCKSTEP_FULL") != nullptr ? 100 : 6;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    add(seed % 2 == 0 ? 20 : 12, 1 + seed % 3, [seed](Draft& d) { traffic(d, seed); });
    add(seed % 4 == 0 ? 300 : 8 + seed % 9, 1 + seed % 2, [seed](Draft& d) { rounds(d, seed); });
  }
  // These change variables, and compute the same in them in each round that is written out.
  for (const std::uint64_t seed : {14U, 49U}) {
    add(static_cast<std::uint32_t>(8 + seed % 9), 1, [seed](Draft& d) { rounds(d, seed); });
  }
  add(6, 2, late_lane_of_unfinished);
  add(5, 1, elimination);
  add(20, 2, elimination);
  add(9, 1, sums_of_rows_and_columns);
  add(12, 2, sums_of_rows_and_columns);
  return result;
}

}  // namespace lockstep::emit_avx512::trial
