// Statements of random kernels in which items look at each other: barriers, shuffles, votes, crev. Barriers stand where all items come by.

#include <algorithm>
#include <array>
#include <iterator>

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

/// Between accesses to local memory, so that plain OpenCL needs that flag; in lockstep any one will do.
void KernelMaker::barrier(Statements& out) {
  const bool names_local = below(2) == 0;
  ExprPtr flags = name(names_local ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE");
  if (!names_local && is_plain()) {
    flags = binary(BinaryOp::BitOr, std::move(flags), name("CLK_LOCAL_MEM_FENCE"));
  }
  out.push_back(evaluate(call_of("barrier", std::move(flags))));
}

/// Each item writes its own cell and reads that of another one, with barriers in plain OpenCL; in lockstep none are needed.
void KernelMaker::neighbours(Statements& out) {
  if (!local_ || within_ != Within::Kernel) {
    return assign_scalar(out);
  }
  start_expression();
  effects_ = false;
  const auto own = [&] { return element(name(local_->name), query("get_local_id")); };
  ExprPtr value = value_for(local_->type, 2);
  Statements inside;
  inside.push_back(evaluate(assignment(std::nullopt, own(), std::move(value))));
  barrier(inside);
  ExprPtr other = binary(BinaryOp::Rem, parenthesised(binary(BinaryOp::Add, query("get_local_id"), integer(1 + below(kernel_.wg_size)))),
                         integer(kernel_.wg_size));
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && (is_float(s.type) || !is_float(local_->type))) {
      inside.push_back(evaluate(assignment(std::nullopt, name(s.name), element(name(local_->name), std::move(other)))));
      break;
    }
  }
  barrier(inside);
  out.push_back(block(std::move(inside)));
}

/// A shuffle: to a variable that holds numbers where all items are there, else to one that may hold poison.
void KernelMaker::exchange(Statements& out, const Site& site) {
  if (local_ && within_ == Within::Kernel && one_in(3)) {
    start_expression();
    effects_ = false;
    ExprPtr there = element(name(local_->name), safe_lane());
    if (below(2) == 0) {
      out.push_back(evaluate(assignment(std::nullopt, element(name(local_->name), query("get_local_id")), std::move(there))));
      return;
    }
    out.push_back(evaluate(assignment(std::nullopt, element(name(local_->name), query("get_local_id")), value_for(local_->type, 2))));
    return;
  }
  start_expression();
  effects_ = false;
  if (site.is_uniform && !has_left_) {
    for (const KnownScalar& s : scope_.scalars) {
      if (!s.is_fixed && below(3) == 0) {
        out.push_back(evaluate(assignment(std::nullopt, name(s.name), shuffle_of(exactly(s.type, 2), safe_lane()))));
        return;
      }
    }
  }
  if (scope_.poison.empty()) {
    return assign_scalar(out);
  }
  const KnownScalar target = pick(scope_.poison);
  ExprPtr value = poisonous(target.type, 2).e;
  switch (below(4)) {
    case 0:
      value = call_of("sub_group_shuffle_xor", std::move(value), integer(1 + below(3)));
      break;
    case 1:
      value = call_of("sub_group_broadcast", std::move(value), integer(below(kernel_.wg_size)));
      break;
    default:
      value = shuffle_of(std::move(value), below(2) == 0 ? integer_expression(2).e : safe_lane());
      break;
  }
  out.push_back(evaluate(assignment(std::nullopt, name(target.name), std::move(value))));
}

/// Values that go back and forth between two places of memory, by variables and shuffles: what a compiler may keep in registers, must read
/// before it is written over, and must not compute again from what stands there later.
void KernelMaker::traffic(Statements& out, const Site& site) {
  start_expression();
  effects_ = false;
  std::vector<KnownArray> places;
  for (const KnownArray& a : scope_.arrays) {
    if (a.is_writable && a.extents.size() == 1 && (a.kind == KnownArray::Kind::Whole || a.row.empty())) {
      places.push_back(a);
    }
  }
  if (places.empty()) {
    return assign_scalar(out);
  }
  // Buffers more often than arrays of an item, which are elements of registers once their loops are unrolled.
  std::stable_partition(places.begin(), places.end(), [](const KnownArray& a) { return a.kind == KnownArray::Kind::Own; });
  const KnownArray one = below(4) == 0 ? pick(places) : places.front();
  std::vector<KnownArray> alike;
  std::copy_if(places.begin(), places.end(), std::back_inserter(alike), [&](const KnownArray& a) { return a.type == one.type; });
  const KnownArray other = pick(alike);
  const unsigned at_one = below(one.extents.front());
  const unsigned at_other = below(other.extents.front());
  const auto place = [&](bool first) {
    const KnownArray& array = first ? one : other;
    ExprPtr at = integer(first ? at_one : at_other);
    if (array.kind == KnownArray::Kind::Own) {
      at = binary(BinaryOp::Add, binary(BinaryOp::Mul, global_id(), integer(array.extents.front())), std::move(at));
    }
    return element(name(array.name), std::move(at));
  };
  const std::string kept = fresh("v");
  Statements inside;
  inside.push_back(build::declare(one.type, kept, place(true)));
  const bool may_shuffle = !is_plain() && site.is_uniform && !has_left_ && within_ == Within::Kernel;
  const auto value = [&]() -> ExprPtr {
    switch (below(4)) {
      case 0:
        return value_for(one.type, 1);
      case 1:
        return name(kept);
      default:
        return place(below(2) == 0);
    }
  };
  for (unsigned count = 2 + below(4); count > 0; --count) {
    start_expression();
    effects_ = false;
    ExprPtr moved = may_shuffle && below(2) == 0 ? shuffle_of(place(below(2) == 0), safe_lane()) : value();
    ExprPtr target = below(4) == 0 ? name(kept) : place(below(2) == 0);
    inside.push_back(evaluate(assignment(std::nullopt, std::move(target), std::move(moved))));
  }
  start_expression();
  inside.push_back(evaluate(assignment(std::nullopt, place(below(2) == 0), name(kept))));
  out.push_back(block(std::move(inside)));
}

/// What all items of a group change at once, and find there.
void KernelMaker::counters(Statements& out) {
  static constexpr std::array changes = {"atomic_add", "atomic_sub", "atomic_min", "atomic_max",      "atomic_and",
                                         "atomic_or",  "atomic_xor", "atom_add",   "atomic_fetch_max"};
  const ScalarType type = counters_->type;
  const unsigned extent = counters_->extents.front();
  const std::string& counter = counters_->name;
  Statements inside;
  start_expression();
  effects_ = false;
  for (unsigned k = 0; k < extent; ++k) {
    inside.push_back(evaluate(assignment(std::nullopt, element(name(counter), integer(k)), constant(type))));
  }
  barrier(inside);
  const auto place = [&] {
    ExprPtr index = below(2) == 0 ? integer(below(extent)) : binary(BinaryOp::Rem, query("get_local_id"), integer(extent));
    return unary(UnaryOp::AddressOf, element(name(counter), std::move(index)));
  };
  for (unsigned count = 1 + below(3); count > 0; --count) {
    start_expression();
    effects_ = false;
    ExprPtr changed;
    switch (below(4)) {
      case 0:
        changed = call_of(below(2) == 0 ? "atomic_inc" : "atom_dec", place());
        break;
      case 1:
        changed = call_of("atomic_cmpxchg", place(), exactly(type, 1), exactly(type, 1));
        break;
      default:
        changed = call_of(changes[below(changes.size())], place(), exactly(type, 2));
    }
    std::vector<const KnownScalar*> fitting;
    for (const KnownScalar& s : scope_.scalars) {
      if (!s.is_fixed && !is_float(s.type)) {
        fitting.push_back(&s);
      }
    }
    if (!fitting.empty() && below(2) == 0) {
      changed = assignment(std::nullopt, name(pick(fitting)->name), std::move(changed));
    }
    syntax::Stmt made = evaluate(std::move(changed));
    if (one_in(3)) {
      start_expression();
      made = build::statement(syntax::If{condition(1), boxed(std::move(made)), nullptr});
    }
    inside.push_back(std::move(made));
  }
  barrier(inside);
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && !is_float(s.type)) {
      inside.push_back(evaluate(assignment(BinaryOp::BitXor, name(s.name), element(name(counter), integer(below(extent))))));
      break;
    }
  }
  out.push_back(block(std::move(inside)));
}

void KernelMaker::poison_step(Statements& out) {
  if (scope_.poison.empty()) {
    return assign_scalar(out);
  }
  start_expression();
  effects_ = false;
  const KnownScalar target = pick(scope_.poison);
  out.push_back(evaluate(assignment(std::nullopt, name(target.name), poisonous(target.type, 2).e)));
}

void KernelMaker::group_vote(Statements& out) {
  start_expression();
  effects_ = false;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && !is_float(s.type) && !has_left_ && within_ == Within::Kernel) {
      ExprPtr vote = call_of(below(2) == 0 ? "work_group_any" : "work_group_all", condition(1));
      out.push_back(evaluate(assignment(std::nullopt, name(s.name), std::move(vote))));
      return;
    }
  }
  assign_scalar(out);
}

void KernelMaker::crev_call(Statements& out, const Site& site) {
  std::vector<const KnownTask*> fitting;
  for (const KnownTask& t : tasks_) {
    if (within_ == Within::Kernel ? t.cost * site.rounds * kernel_.wg_size <= 600 : t.level > level_ && t.cost * kernel_.wg_size <= 300) {
      fitting.push_back(&t);
    }
  }
  if (fitting.empty() || within_ == Within::Function) {
    return assign_scalar(out);
  }
  start_expression();
  effects_ = options_.disjoint_calls ? false : effects_;
  const KnownTask task = *pick(fitting);
  cost_ += task.cost * site.rounds * kernel_.wg_size;
  std::vector<ExprPtr> arguments;
  if (within_ == Within::Kernel) {
    arguments.push_back(cast(ScalarType::Int, global_id()));
  } else {
    ExprPtr child = binary(BinaryOp::Mul, name(who_), cast(ScalarType::Int, query("get_local_size")));
    arguments.push_back(binary(BinaryOp::Add, std::move(child), cast(ScalarType::Int, query("get_local_id"))));
  }
  if (task.is_recursive) {
    arguments.push_back(integer(below(2)));
  }
  for (const ScalarType type : task.parameters) {
    arguments.push_back(value_for(type, 2));
  }
  arguments.push_back(name("rows"));
  syntax::Stmt made = evaluate(call(task.name, std::move(arguments), true));
  if (below(3) != 0) {
    start_expression();
    out.push_back(build::statement(syntax::If{condition(2), boxed(std::move(made)), nullptr}));
    return;
  }
  out.push_back(std::move(made));
}

}  // namespace lockstep::generate
