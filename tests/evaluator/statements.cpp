#include <algorithm>

#include "tests/evaluator/warp.hpp"

namespace lockstep::evaluator {

namespace {

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

void remove(Mask& mask, const Mask& others) {
  for (std::size_t t = 0; t < mask.size(); ++t) {
    mask[t] = mask[t] && !others[t];
  }
}

}  // namespace

bool is_empty(const Mask& mask) { return std::find(mask.begin(), mask.end(), true) == mask.end(); }

void join(Mask& mask, const Mask& others) {
  for (std::size_t t = 0; t < mask.size(); ++t) {
    mask[t] = mask[t] || others[t];
  }
}

std::size_t element_count(const core::Type& type) {
  std::size_t count = 1;
  if (type.is_array()) {
    for (const std::uint64_t extent : type.extents) {
      count *= extent;
    }
  }
  return count;
}

Warp::Warp(Group& group, unsigned number)
    : group_(group),
      world_(group.world),
      number_(number),
      first_item_(number * group.world.warp_size),
      lanes_(std::min(group.world.warp_size, group.world.program.options.wg_size - first_item_)) {}

Exits Warp::no_exits() const { return {Mask(lanes_, false), Mask(lanes_, false), Mask(lanes_, false)}; }

std::shared_ptr<Storage> Warp::make_private(const core::Type& type) const {
  const std::size_t count = element_count(type);
  return std::make_shared<Storage>(Storage{AddressSpace::Private, count, std::vector<Value>(count * lanes_)});
}

std::shared_ptr<Storage> Warp::variable(Frame& frame, core::VarId id) {
  const core::Variable& declared = frame.function->variables[id];
  if (declared.space != AddressSpace::Local) {
    return frame.variables[id];
  }
  std::shared_ptr<Storage>& shared = group_.locals[{frame.function, id}];
  if (shared == nullptr) {
    const std::size_t count = element_count(declared.type);
    shared = std::make_shared<Storage>(Storage{AddressSpace::Local, count, std::vector<Value>(count)});
  }
  return shared;
}

Values Warp::enter(const core::Function& function, const std::vector<Values>& arguments, const Mask& active) {
  if (++depth_ > world_.launch.max_depth) {
    throw GaveUp{};
  }
  Frame frame;
  frame.function = &function;
  frame.result = Values(lanes_);
  for (const core::Variable& variable : function.variables) {
    frame.variables.push_back(make_private(variable.type));
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    for (unsigned t = 0; t < lanes_; ++t) {
      if (active[t]) {
        frame.variables[k]->elements[t] = arguments[k][t];
      }
    }
  }
  Mask going = active;
  Exits exits = no_exits();
  body(frame, function.body, going, exits);
  --depth_;
  return frame.result;
}

void Warp::run(const core::Function& kernel) {
  std::vector<Values> passed;
  for (const Argument& argument : world_.launch.arguments) {
    const auto* buffer = std::get_if<BufferNumber>(&argument);
    passed.emplace_back(lanes_, buffer != nullptr
                                    ? Value{State::Number, 0, world_.buffers[buffer->number], static_cast<Offset>(buffer->first)}
                                    : number(std::get<ScalarBits>(argument).bits));
  }
  enter(kernel, passed, all());
}

void Warp::body(Frame& frame, const core::Body& statements, Mask& active, Exits& exits) {
  for (const core::Stmt& next : statements) {
    if (is_empty(active)) {
      return;
    }
    statement(frame, next, active, exits);
  }
}

void Warp::statement(Frame& frame, const core::Stmt& statement, Mask& active, Exits& exits) {
  tick();
  const auto leave = [&](Mask& to) {
    join(to, active);
    active = Mask(lanes_, false);
  };
  std::visit(
      Cases{[&](const core::Evaluate& s) { effect(frame, s.expression, active); },
            [&](const core::Declare& s) { declare(frame, s, active, statement.span); },
            [&](const core::Block& s) { body(frame, s.body, active, exits); }, [&](const core::If& s) { branch(frame, s, active, exits); },
            [&](const core::Loop& s) { loop(frame, s, active, exits); }, [&](const core::Switch& s) { choose(frame, s, active, exits); },
            [&](const core::Break&) { leave(exits.broken); }, [&](const core::Continue&) { leave(exits.continued); },
            [&](const core::Return& s) {
              if (s.value) {
                const Values values = value(frame, *s.value, active);
                for (unsigned t = 0; t < lanes_; ++t) {
                  if (active[t]) {
                    frame.result[t] = values[t];
                  }
                }
              }
              leave(exits.returned);
            },
            [&](const core::CrevCall& s) { serve(frame, s, active); },
            [&](const core::Barrier& s) { barrier(active, s.fences, statement.span); }},
      statement.node);
}

void Warp::declare(Frame& frame, const core::Declare& declaration, const Mask& active, SourceSpan span) {
  const core::Variable& declared = frame.function->variables[declaration.variable];
  if (declared.space == AddressSpace::Local) {
    return;
  }
  const std::shared_ptr<Storage> object = frame.variables[declaration.variable];
  for (unsigned t = 0; t < lanes_; ++t) {
    for (std::size_t k = 0; active[t] && k < object->count; ++k) {
      object->elements[t * object->count + k] = Value{};
    }
  }
  for (std::size_t k = 0; k < declaration.values.size(); ++k) {
    const Values values = value(frame, declaration.values[k], active);
    store(Places(lanes_, Place{object, static_cast<Offset>(k), false}), values, active, span);
  }
}

void Warp::branch(Frame& frame, const core::If& branch, Mask& active, Exits& exits) {
  Mask then = truth(frame, branch.condition, active);
  Mask otherwise = active;
  remove(otherwise, then);
  body(frame, branch.then, then, exits);
  body(frame, branch.otherwise, otherwise, exits);
  active = then;
  join(active, otherwise);
}

void Warp::loop(Frame& frame, const core::Loop& loop, Mask& active, Exits& exits) {
  body(frame, loop.init, active, exits);
  Mask done(lanes_, false);
  const auto test = [&] {
    if (loop.condition && !is_empty(active)) {
      const Mask stays = truth(frame, *loop.condition, active);
      Mask leaves = active;
      remove(leaves, stays);
      join(done, leaves);
      active = stays;
    }
  };
  bool first = true;
  while (!is_empty(active)) {
    tick();
    if (loop.kind != core::Loop::Kind::DoWhile || !first) {
      test();
    }
    first = false;
    Exits inside = no_exits();
    body(frame, loop.body, active, inside);
    join(active, inside.continued);
    join(done, inside.broken);
    join(exits.returned, inside.returned);
    if (loop.step && !is_empty(active)) {
      value(frame, *loop.step, active);
    }
  }
  active = done;
}

void Warp::choose(Frame& frame, const core::Switch& choice, Mask& active, Exits& exits) {
  const Values values = value(frame, choice.value, active);
  const auto goes_to = [&](const core::SwitchSection& section, unsigned t) {
    return std::find(section.values.begin(), section.values.end(), values[t].bits) != section.values.end();
  };
  Mask unmatched = active;
  const bool decides = std::any_of(choice.sections.begin(), choice.sections.end(),
                                   [](const core::SwitchSection& section) { return !section.values.empty(); });
  for (unsigned t = 0; t < lanes_; ++t) {
    if (decides && active[t] && values[t].state == State::Poison) {
      fail(FaultKind::PoisonBranch, t, choice.sections.front().span);  // whose labels are asked for first
    }
    unmatched[t] = active[t] && std::none_of(choice.sections.begin(), choice.sections.end(),
                                             [&](const core::SwitchSection& section) { return goes_to(section, t); });
  }
  const Mask choosers = active;
  Mask inside(lanes_, false);
  Exits leaving = no_exits();
  bool has_default = false;
  for (const core::SwitchSection& section : choice.sections) {
    has_default = has_default || section.is_default;
    for (unsigned t = 0; t < lanes_; ++t) {
      inside[t] = inside[t] || (choosers[t] && goes_to(section, t)) || (section.is_default && unmatched[t]);
    }
    body(frame, section.body, inside, leaving);
  }
  active = inside;
  join(active, leaving.broken);
  if (!has_default) {
    join(active, unmatched);
  }
  join(exits.continued, leaving.continued);
  join(exits.returned, leaving.returned);
}

/// CREV paper, Fig. 8 and Algorithm 5 with erratum E11: all lanes of the warp serve each caller in turn, with that caller's arguments.
void Warp::serve(Frame& frame, const core::CrevCall& call, const Mask& active) {
  const core::Function& function = world_.program.functions[call.function];
  const std::vector<Values> passed = arguments(frame, call.arguments, active);
  for (unsigned caller = 0; caller < lanes_; ++caller) {
    if (!active[caller]) {
      continue;
    }
    ++world_.activations;
    std::vector<Values> broadcast;
    broadcast.reserve(passed.size());
    for (const Values& values : passed) {
      broadcast.emplace_back(lanes_, values[caller]);
    }
    enter(function, broadcast, all());
  }
}

/// All memory, but where each item is a warp, as OpenCL has it.
void Warp::barrier(const Mask& active, const Fences& fences, SourceSpan span) {
  if (group_.warps == 1) {
    return;
  }
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      fail(FaultKind::DivergentBarrier, t, span);
    }
  }
  group_.meeting.wait(number_, false, true, span);
  const bool is_machine = world_.warp_size != 1;
  local_interval_ += is_machine || fences.local ? 1U : 0U;
  global_interval_ += is_machine || fences.global ? 1U : 0U;
}

}  // namespace lockstep::evaluator
