#include "tests/evaluator/evaluator.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "tests/evaluator/warp.hpp"

namespace lockstep::evaluator {

namespace {

/// The warps of a group as threads of which one runs at a time: each until it waits for the others, or ends.
class TakingTurns : public Meeting {
 public:
  /// Runs `warp(number)` for all warps.
  template <class F>
  void run(unsigned warps, std::uint64_t group, unsigned warp_size, F&& warp) {
    parties_.resize(warps);
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < warps; ++w) {
      threads.emplace_back([this, w, &warp] { live(w, warp); });
    }
    std::exception_ptr failure;
    while (failure == nullptr && take_round(failure)) {
    }
    if (failure == nullptr) {
      failure = missing(group, warp_size);
    }
    over_ = true;
    for (unsigned w = 0; w < warps; ++w) {
      give_turn(w);
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    if (failure != nullptr) {
      std::rethrow_exception(failure);
    }
  }

  Votes wait(unsigned warp, bool some, bool all, SourceSpan span) override {
    std::unique_lock lock(mutex_);
    parties_[warp].vote = {some, all};
    parties_[warp].span = span;
    hand_back(lock, warp);
    return result_;
  }

 private:
  struct Over {};
  struct Party {
    bool done = false;
    Votes vote;
    SourceSpan span;
    std::exception_ptr failure;
  };
  static constexpr unsigned nobody = ~0U;

  template <class F>
  void live(unsigned warp, F& run_warp) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return turn_ == warp; });
    }
    try {
      if (!over_) {
        run_warp(warp);
      }
    } catch (const Over&) {
    } catch (...) {
      parties_[warp].failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    parties_[warp].done = true;
    turn_ = nobody;
    changed_.notify_all();
  }

  void hand_back(std::unique_lock<std::mutex>& lock, unsigned warp) {
    turn_ = nobody;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == warp; });
    if (over_) {
      throw Over{};
    }
  }

  void give_turn(unsigned warp) {
    std::unique_lock lock(mutex_);
    if (parties_[warp].done) {
      return;
    }
    turn_ = warp;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == nobody; });
  }

  /// All warps up to where they wait next. False when there is nothing more to do.
  bool take_round(std::exception_ptr& failure) {
    for (unsigned w = 0; w < parties_.size() && failure == nullptr; ++w) {
      give_turn(w);
      failure = parties_[w].failure;
    }
    if (failure != nullptr || std::any_of(parties_.begin(), parties_.end(), [](const Party& p) { return p.done; })) {
      return false;
    }
    result_ = {false, true};
    for (const Party& party : parties_) {
      result_ = {result_.some || party.vote.some, result_.all && party.vote.all};
    }
    return true;
  }

  /// Some have ended while others wait for them.
  std::exception_ptr missing(std::uint64_t group, unsigned warp_size) const {
    for (unsigned w = 0; w < parties_.size(); ++w) {
      if (!parties_[w].done) {
        return std::make_exception_ptr(Undefined{{FaultKind::BarrierNotReached, group, w * warp_size, parties_[w].span}});
      }
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned turn_ = nobody;
  bool over_ = false;
  std::vector<Party> parties_;
  Votes result_;
};

bool has_barrier(const core::Body& body);

bool has_barrier(const core::Stmt& statement) {
  if (const auto* block = std::get_if<core::Block>(&statement.node)) {
    return has_barrier(block->body);
  }
  if (const auto* branch = std::get_if<core::If>(&statement.node)) {
    return has_barrier(branch->then) || has_barrier(branch->otherwise);
  }
  if (const auto* loop = std::get_if<core::Loop>(&statement.node)) {
    return has_barrier(loop->body);
  }
  if (const auto* choice = std::get_if<core::Switch>(&statement.node)) {
    return std::any_of(choice->sections.begin(), choice->sections.end(), [](const auto& section) { return has_barrier(section.body); });
  }
  return std::holds_alternative<core::Barrier>(statement.node);
}

bool has_barrier(const core::Body& body) {
  return std::any_of(body.begin(), body.end(), [](const core::Stmt& statement) { return has_barrier(statement); });
}

/// Whether warps may have to wait for each other.
bool warps_meet(const core::Program& program) {
  const auto is_group_vote = [](const core::Expr& e) {
    const auto* collective = std::get_if<core::Collective>(&e.node);
    return collective != nullptr && (collective->op == core::CollectiveOp::GroupAny || collective->op == core::CollectiveOp::GroupAll);
  };
  return std::any_of(program.functions.begin(), program.functions.end(), [&](const core::Function& f) {
    return has_barrier(f.body) || std::any_of(f.expressions.begin(), f.expressions.end(), is_group_vote);
  });
}

void run_group(World& world, const core::Function& kernel, std::uint64_t number) {
  const unsigned warps = (world.program.options.wg_size + world.warp_size - 1) / world.warp_size;
  TakingTurns turns;
  Group group{world, number, warps, turns, {}};
  const auto run_warp = [&](unsigned w) { Warp(group, w).run(kernel); };
  if (warps > 1 && warps_meet(world.program)) {
    turns.run(warps, number, world.warp_size, run_warp);
    return;
  }
  for (unsigned w = 0; w < warps; ++w) {
    run_warp(w);
  }
}

std::shared_ptr<Storage> object_of(AddressSpace space, std::size_t count) {
  return std::make_shared<Storage>(Storage{space, count, std::vector<Value>(count)});
}

}  // namespace

Result evaluate(const core::Program& program, const core::Function& kernel, Launch launch) {
  World world{program, launch, launch.warp_size == 0 ? program.options.wg_size : launch.warp_size, {}, {}, 0, 0, false};
  for (const Buffer& buffer : launch.buffers) {
    world.buffers.push_back(object_of(AddressSpace::Global, buffer.cells.size()));
    for (std::size_t k = 0; k < buffer.cells.size(); ++k) {
      world.buffers.back()->elements[k] = {buffer.cells[k].state, buffer.cells[k].bits, nullptr, 0};
    }
  }
  for (const core::Constant& constant : program.constants) {
    world.constants.push_back(object_of(AddressSpace::Constant, constant.values.size()));
    std::transform(constant.values.begin(), constant.values.end(), world.constants.back()->elements.begin(), number);
  }
  Result result;
  try {
    for (std::uint64_t group = 0; group < launch.groups; ++group) {
      run_group(world, kernel, group);
    }
  } catch (const Undefined& undefined) {
    result.fault = undefined.fault;
  } catch (const GaveUp&) {
    result.gave_up = true;
  }
  for (std::size_t b = 0; b < launch.buffers.size(); ++b) {
    Buffer buffer{launch.buffers[b].type, {}};
    for (const Value& value : world.buffers[b]->elements) {
      buffer.cells.push_back({value.state, value.state == State::Number ? value.bits : 0});
    }
    result.buffers.push_back(std::move(buffer));
  }
  result.activations = world.activations;
  result.has_race = world.has_race;
  return result;
}

}  // namespace lockstep::evaluator
