// The rules of InfReg-IR over a second domain: four runs on different inputs at once, in which a condition may hold in some runs only. As
// with terms, nothing is forked: regions run under conditions and are merged. Each run must end as it does alone.

#include <array>
#include <catch2/catch.hpp>
#include <deque>

#include "semantics/infreg/evaluate_rules.hpp"
#include "semantics/infreg/machine_domain.hpp"
#include "tests/unit/infreg_evaluate.hpp"

namespace lockstep::infreg {
namespace {

constexpr std::size_t runs = 4;

/// In which runs something holds.
struct Runs {
  Runs() = default;
  explicit Runs(bool value) : in(value ? (1U << runs) - 1 : 0) {}
  bool operator[](std::size_t k) const { return ((in >> k) & 1U) != 0; }

  unsigned in = 0;
};
template <class F>
Runs where(F&& f) {
  Runs result;
  for (std::size_t k = 0; k < runs; ++k) {
    result.in |= f(k) ? 1U << k : 0;
  }
  return result;
}
Runs operator!(Runs a) {
  return where([&](std::size_t k) { return !a[k]; });
}
Runs operator&&(Runs a, Runs b) {
  return where([&](std::size_t k) { return a[k] && b[k]; });
}
Runs operator||(Runs a, Runs b) {
  return where([&](std::size_t k) { return a[k] || b[k]; });
}
Runs choose(Runs c, Runs a, Runs b) { return (c && a) || (!c && b); }

template <class T>
using Each = std::array<T, runs>;
template <class F>
auto each(F&& f) {
  Each<decltype(f(std::size_t{}))> result{};
  for (std::size_t k = 0; k < runs; ++k) {
    result[k] = f(k);
  }
  return result;
}

/// A number in every run, with the primitives of scalar.hpp.
struct Numbers {
  Each<std::int64_t> in{};
};
struct Words {
  Each<std::uint64_t> in{};
};
Numbers like(const Numbers&, std::int64_t constant) {
  return {each([&](std::size_t) { return constant; })};
}
Numbers plus(const Numbers& a, const Numbers& b) {
  return {each([&](std::size_t k) { return lockstep::plus(a.in[k], b.in[k]); })};
}
Numbers times(const Numbers& a, const Numbers& b) {
  return {each([&](std::size_t k) { return lockstep::times(a.in[k], b.in[k]); })};
}
Runs less(const Numbers& a, const Numbers& b) {
  return where([&](std::size_t k) { return a.in[k] < b.in[k]; });
}
Runs equal(const Numbers& a, const Numbers& b) {
  return where([&](std::size_t k) { return a.in[k] == b.in[k]; });
}
Numbers choose(Runs c, const Numbers& a, const Numbers& b) {
  return {each([&](std::size_t k) { return c[k] ? a.in[k] : b.in[k]; })};
}
Words choose(Runs c, const Words& a, const Words& b) {
  return {each([&](std::size_t k) { return c[k] ? a.in[k] : b.in[k]; })};
}

/// An operation on numbers in every run.
template <class F>
struct InEach {
  static constexpr int arity = F::arity;
  template <class... W>
  static Words word(const W&... w) {
    return {each([&](std::size_t k) { return F::word(w.in[k]...); })};
  }
  template <class... W>
  static Runs undefined(const W&... w) {
    return where([&](std::size_t k) { return F::undefined(w.in[k]...); });
  }
};

/// A machine for each run gives objects and scalars; lanes and conditions are of all runs at once.
class Together {
 public:
  using Truth = Runs;
  using Number = Numbers;
  using Word = Words;
  using OneLane = LaneOf<Together>;
  using Lanes = std::vector<OneLane>;
  using Base = Each<MachineDomain::Base>;
  using Place = Each<MachineDomain::Place>;

  Together(const Kernel& kernel, const Each<std::vector<Argument>>& arguments, Each<std::vector<Buffer>>& memory) : kernel_(kernel) {
    for (std::size_t k = 0; k < runs; ++k) {
      machines_.emplace_back(kernel, arguments[k], memory[k], options_, progress_[k]);
      machines_.back().begin_pack(0);
    }
    for (ValueId value = 0; value < kernel.values.size(); ++value) {
      values_.emplace_back(lockstep::infreg::lanes(kernel.type_of(value).layout, kernel.shape));
    }
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      if (!kernel.parameters[i].is_pointer) {
        values_[kernel.parameters[i].value][0].word = {each([&](std::size_t k) { return std::get<ScalarBits>(arguments[k][i]).bits; })};
      }
    }
  }

  const Lanes& lanes(ValueId value) const { return values_[value]; }
  Lanes& result(ValueId value) { return values_[value]; }
  static OneLane get(const Lanes& lanes, std::uint64_t n) { return lanes[n]; }
  static void set(Lanes& lanes, std::uint64_t n, const OneLane& lane) { lanes[n] = lane; }

  static Runs as_truth(const Words& word) {
    return where([&](std::size_t k) { return word.in[k] != 0; });
  }
  static Numbers as_number(const Words& word) {
    return {each([&](std::size_t k) { return static_cast<std::int64_t>(word.in[k]); })};
  }
  static Words from_truth(Runs truths) {
    return {each([&](std::size_t k) { return std::uint64_t{truths[k]}; })};
  }
  static Words from_number(ScalarType type, const Numbers& number) {
    return {each([&](std::size_t k) { return MachineDomain::from_number(type, number.in[k]); })};
  }
  static Words ballot(const std::vector<Runs>& votes) {
    return {each([&](std::size_t k) {
      std::uint64_t word = 0;
      for (std::size_t item = 0; item < votes.size(); ++item) {
        word |= std::uint64_t{votes[item][k]} << item;
      }
      return word;
    })};
  }
  static Words from_bits(Element, std::uint64_t bits) {
    return {each([&](std::size_t) { return bits; })};
  }
  template <class F>
  static void with_operation(Op op, ScalarType type, F&& f) {
    MachineDomain::with_operation(op, type, [&]<class M>(M) { f(InEach<M>{}); });
  }
  template <class F>
  static void with_conversion(ScalarType from, ScalarType to, F&& f) {
    MachineDomain::with_conversion(from, to, [&]<class M>(M) { f(InEach<M>{}); });
  }
  static Words bitcast(ScalarType to, const Words& word) {
    return {each([&](std::size_t k) { return MachineDomain::bitcast(to, word.in[k]); })};
  }
  template <class F>
  static OneLane pick(const Numbers& index, std::uint32_t count, F&& f) {
    OneLane result{{}, Runs(true)};
    for (std::uint32_t i = 0; i < count; ++i) {
      const Runs is_here = equal(index, like(index, i));
      const OneLane lane = f(i);
      result = {choose(is_here, lane.word, result.word), choose(is_here, lane.poison, result.poison)};
    }
    return result;
  }

  Base parameter(ParameterId id) const {
    return each([&](std::size_t k) { return machines_[k].parameter(id); });
  }
  Base object(ObjectId id) const {
    return each([&](std::size_t k) { return machines_[k].object(id); });
  }
  Words pointer(const Base& base) const {
    return {each([&](std::size_t k) { return machines_[k].pointer(base[k]); })};
  }
  Base base(const Words& pointer) const {
    return each([&](std::size_t k) { return machines_[k].base(pointer.in[k]); });
  }
  static OneLane moved(const Words& p, const Numbers& index, ScalarType element) {
    return joined([&](std::size_t k) { return MachineDomain::moved(p.in[k], index.in[k], element); });
  }
  static OneLane distance(const Words& p, const Words& q, ScalarType element) {
    return joined([&](std::size_t k) { return MachineDomain::distance(p.in[k], q.in[k], element); });
  }
  static OneLane compared(Op op, const Words& p, const Words& q) {
    return joined([&](std::size_t k) { return MachineDomain::compared(op, p.in[k], q.in[k]); });
  }
  Place place(const Base& base, const Numbers& index, ScalarType type, const Where& at) const {
    return each([&](std::size_t k) { return machines_[k].place(base[k], index.in[k], type, at); });
  }
  static Runs exists(const Place& place) {
    return where([&](std::size_t k) { return MachineDomain::exists(place[k]); });
  }
  static Runs writable(const Place& place) {
    return where([&](std::size_t k) { return MachineDomain::writable(place[k]); });
  }
  OneLane read(const Place& place, Runs condition, ScalarType type) const {
    return joined([&](std::size_t k) { return MachineDomain::read(place[k], condition[k] && path_[k], type); });
  }
  void write(const Place& place, Runs condition, ScalarType type, const OneLane& lane) const {
    for (std::size_t k = 0; k < runs; ++k) {
      MachineDomain::write(place[k], condition[k] && path_[k], type, {lane.word.in[k], lane.poison[k]});
    }
  }

  OneLane change(const Place& place, Runs condition, ScalarType type, AtomicOp op, const OneLane& compare, const OneLane& operand) const {
    return joined([&](std::size_t k) {
      return MachineDomain::change(place[k], condition[k] && path_[k], type, op, {compare.word.in[k], compare.poison[k]},
                                   {operand.word.in[k], operand.poison[k]});
    });
  }

  void demand(Runs holds, Cause, const Where& at) {
    for (std::size_t k = 0; k < runs; ++k) {
      if (path_[k] && !holds[k] && !undefined_at[k]) {
        undefined_at[k] = at;
      }
    }
    path_ = path_ && holds;
  }
  void demand(Runs holds, Cause cause, const Where& at, const Place&) { demand(holds, cause, at); }
  template <class F>
  bool under(Runs condition, F&& f) {
    const Runs outer = path_;
    path_ = outer && condition;
    const Runs entered = path_;
    if (entered.in == 0) {
      path_ = outer;
      return false;
    }
    parted += entered.in != outer.in ? 1 : 0;
    f();
    path_ = (outer && !condition) || path_;  // without those that became undefined inside
    return true;
  }
  bool another_round(Runs going, std::uint64_t round) const {
    REQUIRE(round < 1000);
    return (going && path_).in != 0;
  }
  static bool begin(OperationId, std::uint64_t) { return true; }
  bool stopped() const { return path_.in == 0; }
  static void end(OperationId, const Operation&) {}

  Each<std::optional<Where>> undefined_at;
  unsigned parted = 0;  ///< how often only some of the runs went on

 private:
  template <class F>
  static OneLane joined(F&& lane_of) {
    OneLane result;
    for (std::size_t k = 0; k < runs; ++k) {
      const MachineDomain::OneLane lane = lane_of(k);
      result.word.in[k] = lane.word;
      result.poison.in |= lane.poison ? 1U << k : 0;
    }
    return result;
  }

  const Kernel& kernel_;
  EvaluateOptions options_;
  Each<Progress> progress_;
  std::deque<MachineDomain> machines_;
  std::vector<Lanes> values_;
  Runs path_{true};
};

using namespace sketch;

/// Random kernels with all of InfReg-IR's ways to depend on data.
class Writer {
 public:
  Writer(Sketch& s, std::mt19937_64& random) : s_(s), random_(random), size_(s.kernel.shape.wg_size) {
    memory_ = s.pointer(ScalarType::Long, "memory");
    n_ = s.scalar(ScalarType::Long, "n");
    mine_ = s.object("mine", ScalarType::Long, AddressSpace::Private, 3);
    values_ = {s.add(Load{i64(Layout::item()), {parameter(memory_), own_cell(), {}}, Access::Gather, {}}), s.index(wi, Layout::item())};
    masks_ = {s.mask(Polynomial(wi), Op::Lt, Symbol::of(n_), Layout::item()), s.add(Mask{Layout::item(), {}})};
    s.effect(Store{{object(mine_), ix, {}}, Access::Gather, s.index(Polynomial(ix) + wi, Layout::item(3)), {}});
  }

  void fill(int operations, int depth) {
    for (int k = 0; k < operations; ++k) {
      operation(depth);
    }
  }
  void finish() {
    for (const ValueId value : std::vector<ValueId>(values_)) {
      const ParameterId to = s_.pointer(ScalarType::Long, "to" + std::to_string(value));
      s_.store(to, own_cell(), value);
    }
  }

 private:
  Polynomial own_cell() const { return Polynomial(wg) * size_ + wi; }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  ValueId value() { return values_[below(values_.size())]; }
  ValueId mask() { return masks_[below(masks_.size())]; }

  void operation(int depth) {
    switch (below(depth > 0 ? 16 : 11)) {
      case 0:
        values_.push_back(s_.op(Op::Add, ScalarType::Long, {value(), value()}));
        return;
      case 1:
        values_.push_back(s_.op(Op::Rem, ScalarType::Long, {value(), value()}));
        return;
      case 2:
        masks_.push_back(s_.op(Op::Le, ScalarType::Long, {value(), value()}));
        return;
      case 3:
        values_.push_back(s_.add(Select{mask(), value(), value()}));
        return;
      case 4:
        values_.push_back(s_.add(Reorder{value(), Layout::item(), Reorder::Affine{Polynomial(wi) + Symbol::of(n_) - 1, 0}}));
        return;
      case 5:
        values_.push_back(s_.add(Shuffle{value(), small(value()), mask()}));
        return;
      case 6:
        values_.push_back(
            s_.add(Spread{s_.add(Convert{s_.add(Vote{Vote::Kind::Ballot, false, mask(), mask()}), ScalarType::Long}), Layout::item()}));
        return;
      case 7:
        values_.push_back(s_.add(Load{i64(Layout::item()), {parameter(memory_), 0, small(value())}, Access::Gather, mask()}));
        return;
      case 8:
        s_.effect(Store{{parameter(memory_), 1, small(value())}, Access::Gather, value(), mask()});
        return;
      case 9: {
        const ValueId pointers =
            s_.add(Select{mask(), s_.add(Spread{s_.add(address_of_parameter(memory_)), Layout::item()}), s_.add(address_of_object(mine_))});
        values_.push_back(s_.add(
            Load{i64(Layout::item()), {through(pointers), below(4) == 0 ? Polynomial(3) : Polynomial(1), {}}, Access::Gather, mask()}));
        return;
      }
      case 10:
        values_.push_back(s_.index(Polynomial(wi) * Symbol::of(n_) + own_cell(), Layout::item()));
        return;
      case 11:
      case 12:
        conditional(depth);
        return;
      case 13:
      case 14:
        counted(depth);
        return;
      default:
        loop(depth);
        return;
    }
  }

  /// 0 to 7, or rarely a little more than memory has.
  ValueId small(ValueId of) {
    const std::int64_t mask_bits = below(8) == 0 ? 31 : 7;
    return s_.op(Op::BitAnd, ScalarType::Long, {of, s_.index(mask_bits, Layout::item())});
  }
  ValueId decision() { return s_.add(Vote{below(2) == 0 ? Vote::Kind::Any : Vote::Kind::All, true, mask(), mask()}); }

  /// A region that yields a value of items; what is defined in it goes out of sight.
  template <class F>
  RegionId inner(const std::vector<Type>& arguments, int depth, F&& yields) {
    const std::vector<ValueId> values = values_;
    const std::vector<ValueId> masks = masks_;
    const RegionId region = s_.region(arguments, [&](const std::vector<ValueId>& given) {
      if (!given.empty()) {
        values_.push_back(given.back());
      }
      fill(3, depth - 1);
      return yields(given);
    });
    values_ = values;
    masks_ = masks;
    return region;
  }
  void conditional(int depth) {
    const ValueId condition = decision();
    const auto yields = [&](const auto&) { return std::vector<ValueId>{value()}; };
    const RegionId then = inner({}, depth, yields);
    values_.push_back(s_.builder.add_many(If{condition, then, inner({}, depth, yields)}, {}).front());
  }
  void counted(int depth) {
    const ValueId init = value();
    const Polynomial limit = below(2) == 0 ? Polynomial(2) : Polynomial(Symbol::of(n_));
    const bool down = below(2) == 0;
    const RegionId body =
        inner({i64(Layout::pack()), i64(Layout::item())}, depth, [&](const auto&) { return std::vector<ValueId>{value()}; });
    const For node = down ? For{limit, 0, -1, {init}, body} : For{0, limit, 1, {init}, body};
    values_.push_back(s_.builder.add_many(node, {}).front());
  }
  void loop(int depth) {
    const Layout pack = Layout::pack();
    const ValueId init = value();
    const auto positive = [&](ValueId count) { return s_.mask(Symbol::of(count), Op::Gt, 0, pack); };
    const ValueId count = s_.index(Symbol::of(n_), pack);
    const RegionId body = inner({i1(pack), i64(pack), i64(Layout::item())}, depth, [&](const std::vector<ValueId>& given) {
      const ValueId next = s_.index(Polynomial(Symbol::of(given[1])) - 1, pack);
      const ValueId go_on = s_.op(Op::BitAnd, ScalarType::Bool, {positive(next), decision()});
      return std::vector<ValueId>{go_on, next, value()};
    });
    values_.push_back(s_.builder.add_many(Loop{{positive(count), count, init}, body}, {}).back());
  }

  Sketch& s_;
  std::mt19937_64& random_;
  std::int64_t size_;
  ParameterId memory_ = 0;
  ValueId n_ = 0;
  ObjectId mine_ = 0;
  std::vector<ValueId> values_;
  std::vector<ValueId> masks_;
};

/// How runs have ended, and how often only some of them went on.
struct Ends {
  unsigned parted = 0;
  unsigned finished = 0;
  unsigned undefined = 0;
};

/// One pack of the kernel for all runs together, and for each alone.
void compare(const Kernel& kernel, const Each<std::vector<Argument>>& arguments, const Each<std::vector<Buffer>>& memory, Ends& ends) {
  Each<std::vector<Buffer>> together = memory;
  Each<std::vector<Buffer>> alone = memory;
  Together domain(kernel, arguments, together);
  Evaluation(kernel, domain, kernel.shape.wg_pack).run_pack(0);
  ends.parted += domain.parted;
  for (std::size_t k = 0; k < runs; ++k) {
    const Outcome outcome = evaluate(kernel, arguments[k], alone[k], {.groups = kernel.shape.wg_pack, .limits = {}, .observer = {}});
    INFO("run " << k);
    if (const auto* end = std::get_if<Undefined>(&outcome.end)) {
      ++ends.undefined;
      REQUIRE(domain.undefined_at[k]);
      CHECK(domain.undefined_at[k]->operation == end->operation);
      CHECK(domain.undefined_at[k]->lane.wg == end->group);
      CHECK(domain.undefined_at[k]->lane.ix == end->element);
      CHECK((!end->item || domain.undefined_at[k]->lane.wi == *end->item));
      continue;
    }
    ++ends.finished;
    REQUIRE(std::holds_alternative<Finished>(outcome.end));
    REQUIRE_FALSE(domain.undefined_at[k]);
    for (std::size_t b = 0; b < alone[k].size(); ++b) {
      const Seen expected{numbers_of<std::uint64_t>(alone[k][b]), alone[k][b].poison};
      const Seen found{numbers_of<std::uint64_t>(together[k][b]), together[k][b].poison};
      CHECK(found.lanes() == expected.lanes());
    }
  }
}

}  // namespace

TEST_CASE("infreg evaluate: runs that part and meet again end as they do alone") {
  std::mt19937_64 random(21);
  Ends ends;
  for (int round = 0; round < 300; ++round) {
    Sketch s(static_cast<std::uint32_t>(1 + random() % 4), static_cast<std::uint32_t>(1 + random() % 2));
    Writer writer(s, random);
    writer.fill(12, 2);
    writer.finish();
    INFO(print_marked(s.kernel, verify(s.kernel)));
    REQUIRE(verify(s.kernel).empty());
    Each<std::vector<Buffer>> memory;
    Each<std::vector<Argument>> arguments;
    for (std::size_t k = 0; k < runs; ++k) {
      for (const Parameter& p : s.kernel.parameters) {
        if (p.is_pointer) {
          arguments[k].emplace_back(BufferNumber{memory[k].size()});
          memory[k].push_back(make_buffer(ScalarType::Long, memory[k].empty() ? 24 : 8));
        } else {
          arguments[k].emplace_back(ScalarBits{random() % 4});
        }
      }
      for (std::size_t cell = 0; cell < 24; ++cell) {
        const std::uint64_t number = random() % 10;
        std::memcpy(&memory[k][0].bytes[cell * 8], &number, 8);
        memory[k][0].poison[cell] = random() % 40 == 0 ? 1 : 0;
      }
    }
    compare(s.kernel, arguments, memory, ends);
  }
  CHECK(ends.parted > 300);
  CHECK(ends.finished > 300);
  CHECK(ends.undefined > 100);
}

TEST_CASE("infreg evaluate: a counted loop that has ended in one run does not begin again while it goes on in others") {
  constexpr std::int64_t step = std::int64_t{1} << 62;
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  const Each<std::pair<std::int64_t, std::int64_t>> bounds = {{{0, 1}, {lowest, highest}, {5, 5}, {-1, step}}};
  const Layout pack = Layout::pack();
  Sketch s(1);
  const ParameterId to = s.pointer(ScalarType::Long, "to");
  const ValueId from = s.scalar(ScalarType::Long, "from");
  const ValueId limit = s.scalar(ScalarType::Long, "limit");
  const ValueId zero = s.index(0, pack);
  const RegionId body = s.region({i64(pack), i64(pack)}, [&](const std::vector<ValueId>& given) {
    return std::vector<ValueId>{s.index(Polynomial(Symbol::of(given[1])) + 1, pack)};
  });
  s.store(to, 0, s.builder.add_many(For{Symbol::of(from), Symbol::of(limit), step, {zero}, body}, {}).front());
  Each<std::vector<Argument>> arguments;
  Each<std::vector<Buffer>> memory;
  for (std::size_t k = 0; k < runs; ++k) {
    arguments[k] = buffers({0});
    arguments[k].push_back(scalar(static_cast<std::uint64_t>(bounds[k].first)).front());
    arguments[k].push_back(scalar(static_cast<std::uint64_t>(bounds[k].second)).front());
    memory[k] = {make_buffer(ScalarType::Long, 1)};
  }
  Ends ends;
  compare(s.kernel, arguments, memory, ends);
  CHECK(ends.finished == runs);
  CHECK(ends.parted > 0);
}

}  // namespace lockstep::infreg
