#include "targets/ve/machine.hpp"

#include "codegen/emit/ve/bits.hpp"
#include "interpreter/ve/counters_text.hpp"
#include "interpreter/ve/launch.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/ve/decode.hpp"
#include "semantics/ve/object.hpp"

namespace lockstep::targets {

using differential::Failure;

namespace {

/// More than any kernel that is compared needs; one that goes on for ever ends here.
constexpr std::uint64_t most_steps = 2'000'000'000;
constexpr std::uint64_t most_object_bytes = std::uint64_t{1} << 30U;
/// Of the stack, for what compilers put there themselves.
constexpr std::uint64_t spare_stack = std::uint64_t{1} << 20U;

ve_machine::Arguments arguments_of(const infreg::Kernel& kernel, const launch::Arguments& before, std::uint64_t groups) {
  ve_machine::Arguments arguments;
  arguments.buffers = before.buffers;
  for (std::size_t k = 0; k < before.values.size(); ++k) {
    if (const auto* buffer = std::get_if<BufferNumber>(&before.values[k])) {
      arguments.values.emplace_back(*buffer);
    } else {
      arguments.values.emplace_back(emit_ve::register_bits(kernel.parameters[k].scalar, std::get<ScalarBits>(before.values[k]).bits));
    }
  }
  arguments.values.emplace_back(groups);
  return arguments;
}

}  // namespace

VeRun run_ve(const std::string& object, const std::string& symbol, const infreg::Kernel& kernel, const launch::Arguments& before,
             std::uint64_t groups, std::uint64_t stack_bytes) {
  const auto decoder = ve::Decoder::make();
  if (!decoder) {
    return {Failure{Failure::Kind::NotRun, decoder.error()}, {}, {}};
  }
  const auto read = ve::read_object("kernel.o", object, most_object_bytes);
  if (!read) {
    return {Failure{Failure::Kind::Uncompiled, "the object that clang has made " + read.error()}, {}, {}};
  }
  const auto function = ve_machine::find_kernel(*read, symbol);
  if (!function) {
    return {Failure{Failure::Kind::Uncompiled, function.error()}, {}, {}};
  }
  ve_machine::Arguments arguments = arguments_of(kernel, before, groups);
  ve_machine::LaunchOptions options;
  options.max_steps = most_steps;
  options.stack_bytes = stack_bytes + spare_stack;
  const auto outcome = ve_machine::run(*read, *decoder, **function, arguments, options);
  if (!outcome) {
    return {Failure{Failure::Kind::Uncompiled, outcome.error()}, {}, {}};
  }
  if (outcome->fault) {
    return {
        Failure{is_limit(outcome->fault->kind) ? Failure::Kind::Limit : Failure::Kind::Undefined, render(*read, *decoder, *outcome->fault)},
        {},
        {}};
  }
  return {std::move(arguments.buffers), counters_text(*outcome), counters_json(*outcome)};
}

}  // namespace lockstep::targets
