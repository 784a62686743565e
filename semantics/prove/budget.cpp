#include "semantics/prove/budget.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <z3.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "semantics/prove/context.hpp"

namespace lockstep::prove {

namespace {

/// Between two looks at the clock lie some microseconds, between two at memory less than a millisecond.
constexpr std::uint64_t units_between_looks = 32;
constexpr std::uint64_t units_between_looks_at_memory = 2048;

/// What Z3 does in a millisecond where it is slow, as with products of 64 bits.
constexpr std::uint64_t units_of_a_ms = 500;

thread_local std::uint64_t own_units = 0;

std::uint64_t all_units() { return own_units + z3_units(); }

/// Bytes of this process in memory; Z3's alone where nobody tells.
std::uint64_t memory_in_use() {
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    unsigned long size = 0;
    unsigned long resident = 0;
    pages = std::fscanf(file, "%lu %lu", &size, &resident) == 2 ? resident : 0;
    std::fclose(file);
  }
  return pages == 0 ? Z3_get_estimated_alloc_size() : pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Z3 ends its searches beyond so many bytes of its own; 0: never.
void limit_memory_of_z3(std::uint64_t bytes) {
  const auto most = std::uint64_t{std::numeric_limits<unsigned>::max()};
  Z3_global_param_set("memory_high_watermark", fmt::format("{}", std::min(bytes, most)).c_str());
}

template <class T>
std::optional<T> lesser(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

thread_local void* present_state = nullptr;

}  // namespace

Budget::State* Budget::present() { return static_cast<State*>(present_state); }

Budget::Budget(const Allowance& allowance) : outer_(present()) {
  state_.units_before = all_units();
  state_.allowance.until = allowance.until;
  if (allowance.units) {
    state_.allowance.units = state_.units_before + *allowance.units;
  }
  if (allowance.memory) {
    state_.allowance.memory = memory_in_use() + *allowance.memory;
    limit_memory_of_z3(Z3_get_estimated_alloc_size() + *allowance.memory);
  }
  if (outer_ != nullptr) {
    state_.allowance.until = lesser(state_.allowance.until, outer_->allowance.until);
    state_.allowance.units = lesser(state_.allowance.units, outer_->allowance.units);
    state_.allowance.memory = lesser(state_.allowance.memory, outer_->allowance.memory);
  }
  present_state = &state_;
}

Budget::~Budget() {
  present_state = outer_;
  if (state_.allowance.memory && (outer_ == nullptr || !outer_->allowance.memory)) {
    limit_memory_of_z3(0);
  }
}

std::optional<Spent> Budget::spent() {
  State* state = present();
  if (state == nullptr) {
    return std::nullopt;
  }
  const Allowance& allowance = state->allowance;
  if (allowance.units && all_units() > *allowance.units) {
    return Spent::Units;
  }
  if (allowance.until && Clock::now() > *allowance.until) {
    return Spent::Time;
  }
  if (allowance.memory && own_units >= state->next_look_at_memory) {
    state->next_look_at_memory = own_units + units_between_looks_at_memory;
    if (memory_in_use() > *allowance.memory) {
      state->next_look_at_memory = 0;  // it stays so
      return Spent::Memory;
    }
  }
  return std::nullopt;
}

void Budget::check(std::uint64_t units) {
  own_units += units;
  State* state = present();
  if (state == nullptr || own_units < state->next_look) {
    return;
  }
  state->next_look = own_units + units_between_looks;
  if (const auto what = spent()) {
    throw OutOfBudget{*what};
  }
}

void Budget::reserve(std::uint64_t count, std::uint64_t bytes_each) {
  constexpr std::uint64_t few = 65'536;
  if (count <= few) {
    return;
  }
  check(count);
  const State* state = present();
  if (state != nullptr && state->allowance.memory) {
    const std::uint64_t used = memory_in_use();
    const std::uint64_t left = *state->allowance.memory > used ? *state->allowance.memory - used : 0;
    if (count > left / bytes_each) {
      throw OutOfBudget{Spent::Memory};
    }
  }
}

Budget::Question Budget::question(unsigned ms) {
  const State* state = present();
  Question result;
  if (state == nullptr || !state->allowance.units) {
    result.ms = std::max(ms, 1U);
  } else {
    const std::uint64_t used = all_units();
    const std::uint64_t left = *state->allowance.units > used ? *state->allowance.units - used : 0;
    const std::uint64_t most = std::min<std::uint64_t>(ms * units_of_a_ms, std::numeric_limits<unsigned>::max());
    result.units = static_cast<unsigned>(std::clamp<std::uint64_t>(left, 1, std::max<std::uint64_t>(most, 1)));
  }
  if (state != nullptr && state->allowance.until) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*state->allowance.until - Clock::now()).count();
    const auto most = static_cast<std::int64_t>(result.ms.value_or(std::numeric_limits<int>::max()));
    result.ms = static_cast<unsigned>(std::clamp<std::int64_t>(left, 1, most));
  }
  return result;
}

std::uint64_t Budget::units() const { return all_units() - state_.units_before; }

}  // namespace lockstep::prove
