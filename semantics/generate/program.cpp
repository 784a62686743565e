#include "semantics/generate/program.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace lockstep::generate {

namespace {

constexpr std::int64_t plain_cells = 16;  // from 0: always numbers
constexpr std::int64_t poison_base = 16;  // from here on 8 cells that may be poison
constexpr std::int64_t poison_cells = 8;
constexpr std::int64_t private_base = 32;  // cell 32 + t belongs to thread t
constexpr unsigned plain_variables = 4;
constexpr unsigned poison_variables = 2;
constexpr unsigned deepest = 4;

/// What may be used at a place of the program.
struct Place {
  unsigned depth = 0;
  unsigned blocks = 0;                // how many are open
  unsigned rounds = 1;                // how often the place is reached at the most, by the loops around it
  std::vector<std::string> counters;  // of the loops around it, up to the innermost block
  std::optional<std::string> caller;  // a counter that is now the number of a thread in the mask of the innermost block
};

class Generator {
 public:
  Generator(Choices& choices, const ProgramOptions& options) : choices_(choices), options_(options) {}

  Skeleton make() {
    choose_size();
    Skeleton result;
    result.threads = threads_;
    result.shared.push_back({0, numbers(plain_cells), {}});
    result.shared.push_back({poison_base, numbers(poison_cells), {}});
    if (private_cells_) {
      result.shared.push_back({private_base, numbers(threads_), {}});
    }
    for (unsigned k = 0; k < plain_variables; ++k) {
      result.body.push_back(assign("v" + std::to_string(k), k == 0 ? tid() : leaf({}, false)));
    }
    for (unsigned k = 0; k < poison_variables; ++k) {
      result.body.push_back(assign("p" + std::to_string(k), leaf({}, false)));
    }
    while (statements_left_ > 0) {
      statement(result.body, {});
    }
    return result;
  }

 private:
  unsigned below(unsigned n) { return choices_(n); }
  bool one_in(unsigned n) { return below(n) == n - 1; }

  template <std::size_t N>
  unsigned pick(const std::array<unsigned, N>& from) {
    return from[below(N)];
  }

  void choose_size() {
    const unsigned kind = below(20);
    threads_ = kind < 13       ? pick(std::array{4U, 2U, 3U, 5U, 7U, 8U, 6U, 4U, 1U})
               : kind < 19     ? pick(std::array{32U, 31U, 33U, 16U, 63U, 64U, 65U})
               : below(2) == 0 ? 128U
                               : pick(std::array{127U, 1000U, 1024U});
    threads_ = std::min(threads_, options_.max_threads);
    const unsigned scale = threads_ <= 8 ? 3 : threads_ <= 65 ? 2 : 1;
    statements_left_ = 4 * scale + below(8 * scale * scale);
    rounds_limit_ = scale == 3 ? 27 : scale == 2 ? 9 : 3;
    private_cells_ = below(2) == 0 || (options_.shared_writes && !options_.races);
    reckless_ = options_.undefined && one_in(4);
  }

  std::vector<std::int64_t> numbers(std::int64_t count) {
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
      result.push_back(below(8));
    }
    return result;
  }

  // Terms.

  std::int64_t literal() {
    static constexpr std::array<std::int64_t, 8> edges = {
        -1, 8, 63, 64, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 0x100000000, -7};
    return one_in(6) ? edges[below(edges.size())] : below(5);
  }

  Term plain_variable() { return variable("v" + std::to_string(below(plain_variables))); }
  Term poison_variable() { return variable("p" + std::to_string(below(poison_variables))); }

  Term leaf(const Place& at, bool may_be_poison) {
    if (may_be_poison && below(2) == 0) {
      return poison_variable();
    }
    switch (below(at.depth == 0 && at.rounds == 1 ? 4 : 7)) {
      case 0:
        return number(literal());
      case 1:
        return tid();
      case 2:
        return number(below(4));
      case 3:
        return variables_ready_ ? plain_variable() : number(below(4));
      case 4:
        return at.counters.empty() ? plain_variable() : variable(at.counters[below(static_cast<unsigned>(at.counters.size()))]);
      default:
        return plain_variable();
    }
  }

  Term term(const Place& at, bool may_be_poison, unsigned depth) {
    if (depth == 0 || below(3) == 0) {
      return leaf(at, may_be_poison);
    }
    const OpInfo& row = op_table[below(op_table.size())];
    std::vector<Term> operands;
    operands.reserve(static_cast<std::size_t>(row.arity));
    for (int k = 0; k < row.arity; ++k) {
      operands.push_back(term(at, may_be_poison, depth - 1));
    }
    if (may_be_undefined(row.op, ScalarType::Long) && !strikes()) {
      operands[1] = apply(Op::BitOr, {std::move(operands[1]), number(1)});
    }
    return apply(row.op, std::move(operands));
  }

  Term plain(const Place& at) { return term(at, false, 1 + below(2)); }

  /// Whether something undefined is done here.
  bool strikes() { return reckless_ && one_in(12); }

  Term risky(const Place& at) { return one_in(3) ? variable("u0") : term(at, true, 2); }

  Term condition(const Place& at) {
    if (strikes()) {
      return risky(at);
    }
    switch (below(4)) {
      case 0:
        return apply(Op::BitAnd, {below(2) == 0 ? tid() : plain_variable(), number(1 + below(3))});
      case 1:
        return apply(Op::Lt, {tid(), number(1 + below(std::min(threads_, 8U)))});
      default:
        return plain(at);
    }
  }

  /// Rounds of a loop: at most `most`, which is 1 to 3, and not the same in all threads if `divergent`.
  Term rounds(unsigned most, bool divergent) {
    if (!divergent || most == 0) {
      return number(below(most + 1));
    }
    const std::int64_t mask = most == 3 ? 3 : 1;
    Term value = below(2) == 0 ? tid() : apply(Op::BitXor, {tid(), plain_variable()});
    return apply(Op::BitAnd, {std::move(value), number(mask)});
  }

  Term masked(const Place& at, std::int64_t cells) { return apply(Op::BitAnd, {plain(at), number(cells - 1)}); }
  Term own_cell() { return apply(Op::Add, {number(private_base), tid()}); }
  Term neighbour(std::int64_t base, unsigned distance) const {
    return apply(Op::Add, {number(base), apply(Op::Rem, {apply(Op::Add, {tid(), number(distance)}), number(threads_)})});
  }

  // Statements.

  static Statement assign(std::string name, Term value) {
    return {Statement::Kind::Assign, std::move(name), std::move(value), {}, {}, {}, true};
  }

  Statement load(const Place& at) {
    if (strikes()) {
      return {Statement::Kind::Load, plain_variable().name, risky(at), {}, {}, {}, true};
    }
    const unsigned kind = below(4);
    if (kind == 0) {
      return {
          Statement::Kind::Load, poison_variable().name, apply(Op::Add, {number(poison_base), masked(at, poison_cells)}), {}, {}, {}, true};
    }
    Term address =
        kind == 1 && private_cells_ ? (below(2) == 0 ? own_cell() : neighbour(private_base, below(threads_))) : masked(at, plain_cells);
    return {Statement::Kind::Load, plain_variable().name, std::move(address), {}, {}, {}, true};
  }

  Statement store(const Place& at) {
    const auto make = [](Term address, Term value) {
      return Statement{Statement::Kind::Store, {}, std::move(value), std::move(address), {}, {}, true};
    };
    if (strikes()) {
      return make(risky(at), plain(at));
    }
    const unsigned kind = below(4);
    if (private_cells_ && (kind == 0 || !options_.races)) {
      return kind == 3 ? make(number(below(plain_cells)), number(literal())) : make(own_cell(), plain(at));
    }
    if (kind == 1) {
      return make(apply(Op::Add, {number(poison_base), masked(at, poison_cells)}), term(at, true, 1));
    }
    return make(masked(at, plain_cells), plain(at));
  }

  Statement shuffle(const Place& at) {
    const auto make = [](Term to, Term from, Term lane) {
      return Statement{Statement::Kind::Shuffle, std::move(to.name), std::move(lane), std::move(from), {}, {}, true};
    };
    if (at.caller && below(2) == 0) {
      return make(plain_variable(), plain_variable(), variable(*at.caller));
    }
    Term lane;
    switch (below(6)) {
      case 0:
        lane = apply(Op::BitXor, {tid(), number(1)});
        break;
      case 1:
        lane = neighbour(0, below(threads_));
        break;
      case 2:
        lane = number(below(threads_ + 1));
        break;
      case 3:
        lane = tid();
        break;
      case 4:
        lane = apply(Op::BitAnd, {plain(at), number(7)});
        break;
      default:
        lane = term(at, true, 1);
        break;
    }
    const unsigned from = below(4);
    return make(poison_variable(), from == 0 ? poison_variable() : from == 1 ? tid() : plain_variable(), std::move(lane));
  }

  Statement simple(const Place& at) {
    switch (below(8)) {
      case 0:
        return assign(poison_variable().name, term(at, true, 2));
      case 1:
        return load(at);
      case 2:
      case 3:
        if (options_.shared_writes) {
          return store(at);
        }
        break;
      case 4:
      case 5:
        if (options_.shuffles) {
          return shuffle(at);
        }
        break;
      default:
        break;
    }
    return assign(plain_variable().name, plain(at));
  }

  std::string counter() { return "c" + std::to_string(counters_++); }

  std::vector<Statement> sequence(const Place& at) {
    std::vector<Statement> body;
    Place inside = at;
    ++inside.depth;
    for (unsigned count = 1 + below(3); count > 0 && statements_left_ > 0; --count) {
      statement(body, inside);
    }
    if (body.empty()) {
      body.push_back(simple(inside));
    }
    return body;
  }

  Statement branch(const Place& at) {
    Statement s{below(2) == 0 ? Statement::Kind::If : Statement::Kind::IfElse, {}, condition(at), {}, {}, {}, true};
    s.body = sequence(at);
    if (s.kind == Statement::Kind::IfElse) {
      s.otherwise = sequence(at);
    }
    return s;
  }

  Statement loop(const Place& at) {
    const unsigned most = std::min(3U, rounds_limit_ / at.rounds);
    Statement s{below(2) == 0 ? Statement::Kind::While : Statement::Kind::Repeat, counter(), {}, {}, {}, {}, true};
    s.value = rounds(most, below(3) != 0);
    Place inside = at;
    inside.rounds *= std::max(most, 1U);
    inside.counters.push_back(s.name);
    s.body = sequence(inside);
    return s;
  }

  Place in_block(const Place& at) {
    Place inside = at;
    ++inside.blocks;
    inside.counters.clear();
    inside.caller.reset();
    return inside;
  }

  Statement block(const Place& at) {
    Statement s{Statement::Kind::Block, {}, {}, {}, {}, {}, true};
    s.body = sequence(in_block(at));
    if (options_.mask_tests && one_in(4)) {
      Place inside = in_block(at);
      inside.depth += 2;
      s.body.push_back(mask_if(inside, strikes() ? risky(inside) : number(below(threads_ + 1)), std::nullopt));
    }
    return s;
  }

  Statement mask_if(const Place& at, Term thread, std::optional<std::string> caller) {
    Place inside = at;
    inside.caller = std::move(caller);
    Statement s{Statement::Kind::MaskIf, {}, std::move(thread), {}, {}, {}, true};
    s.body = sequence(inside);
    return s;
  }

  /// Fig. 8 of the CREV paper: all threads help thread 0, thread 1, … in turn, if it was active.
  Statement calls(const Place& at) {
    const unsigned most = std::min({threads_, 4U, rounds_limit_ / at.rounds});
    Statement loop{Statement::Kind::Repeat, counter(), number(most), {}, {}, {}, below(3) == 0};
    Place inside = in_block(at);
    inside.depth += 1;
    inside.rounds *= most;
    inside.counters.push_back(loop.name);
    loop.body.push_back(mask_if(inside, variable(loop.name), loop.name));
    Statement s{Statement::Kind::Block, {}, {}, {}, {}, {}, true};
    s.body.push_back(std::move(loop));
    return s;
  }

  void statement(std::vector<Statement>& out, const Place& at) {
    variables_ready_ = true;
    if (statements_left_ > 0) {
      --statements_left_;
    }
    const unsigned kind = at.depth < deepest ? below(16) : 0;
    const bool loops = at.rounds < rounds_limit_;
    if (kind >= 14 && options_.blocks) {
      out.push_back(kind == 15 && options_.mask_tests && loops ? calls(at) : block(at));
    } else if (kind >= 11 && kind < 14 && loops) {
      out.push_back(loop(at));
    } else if (kind >= 7) {
      out.push_back(branch(at));
    } else {
      out.push_back(simple(at));
    }
  }

  Choices& choices_;
  ProgramOptions options_;
  unsigned threads_ = 1;
  unsigned statements_left_ = 0;
  unsigned rounds_limit_ = 1;
  bool private_cells_ = false;
  bool reckless_ = false;
  bool variables_ready_ = false;
  unsigned counters_ = 0;
};

}  // namespace

Skeleton random_program(Choices& choices, const ProgramOptions& options) { return Generator(choices, options).make(); }

}  // namespace lockstep::generate
