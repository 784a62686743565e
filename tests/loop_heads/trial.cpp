#include "tests/loop_heads/trial.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/passes/pipeline.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/infreg/evaluate.hpp"

namespace lockstep::test {

namespace {

constexpr unsigned wg_size = 4;
constexpr unsigned groups = 2;
constexpr std::size_t items = wg_size * groups;
constexpr std::array<std::int32_t, items> numbers = {2, 0, -1, 5, 3, -4, 1, 9};

/// Instructions of a group that a loop may take: all 256 rounds of a uchar are below.
constexpr std::uint64_t most_steps = 8'000;
/// And where the evaluator comes to an end although the interpreter did not.
constexpr std::uint64_t many_steps = 100 * most_steps;
/// Operations of lanes that the evaluator may execute: so many, and more for each instruction that the interpreter needs to come to its
/// end.
constexpr std::uint64_t most_lane_operations = 150'000;
constexpr std::uint64_t lane_operations_a_step = 100;
/// And for the 65,536 rounds that a counted loop may do where nobody is active, of which the interpreter knows nothing.
constexpr std::uint64_t lane_operations_in_vain = 65'536 * 300;

unsigned wg_pack(std::size_t number) { return 1 + static_cast<unsigned>(number % 2); }

bool reads_numbers(const Head& head) { return head.statement.find("a[") != std::string::npos; }

std::string number_text(const Scalar& scalar) {
  return is_signed(scalar.type) ? fmt::format("{}", static_cast<std::int64_t>(scalar.bits)) : fmt::format("{}", scalar.bits);
}

struct Interpreted {
  launch::Outcome outcome;
  std::array<std::uint64_t, items> stored{};
};

Interpreted interpret(const std::shared_ptr<const typed::Program>& program, const Head& head, std::uint64_t steps) {
  launch::Arguments arguments;
  const auto add_buffer = [&](ScalarType type, const void* from) {
    const std::size_t bytes = items * size_of(type);
    arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
    arguments.buffers.push_back({type, items, std::vector<std::byte>(bytes), {items}, {}});
    std::memcpy(arguments.buffers.back().bytes.data(), from, bytes);
  };
  const std::array<std::uint64_t, items> zeros{};
  add_buffer(ScalarType::ULong, zeros.data());
  if (reads_numbers(head)) {
    add_buffer(ScalarType::Int, numbers.data());
  }
  for (const Scalar& scalar : head.scalars) {
    arguments.values.emplace_back(ScalarBits{scalar.bits});
  }
  launch::LaunchOptions options;
  options.groups = groups;
  options.pack = 1;
  options.threads = 1;
  options.races = false;
  options.max_steps = steps;
  auto outcome = launch::run(program, arguments, options);
  if (!outcome) {
    throw std::runtime_error("the launcher refuses: " + outcome.error());
  }
  Interpreted result{std::move(*outcome), {}};
  std::memcpy(result.stored.data(), arguments.buffers.front().bytes.data(), sizeof result.stored);
  return result;
}

struct Evaluated {
  infreg::Outcome outcome;
  std::vector<infreg::Buffer> buffers;
};

Evaluated evaluate(const infreg::Kernel& kernel, const Head& head, std::uint64_t lane_operations) {
  std::vector<infreg::Buffer> buffers;
  std::vector<Argument> arguments = {BufferNumber{0}};
  buffers.push_back(infreg::make_buffer(ScalarType::ULong, items));
  if (reads_numbers(head)) {
    arguments.emplace_back(BufferNumber{1});
    buffers.push_back(infreg::make_buffer(ScalarType::Int, items));
    std::memcpy(buffers.back().bytes.data(), numbers.data(), sizeof numbers);
  }
  for (const Scalar& scalar : head.scalars) {
    arguments.emplace_back(ScalarBits{scalar.bits});
  }
  infreg::EvaluateOptions options;
  options.groups = groups;
  options.limits.lane_operations = lane_operations;
  infreg::Outcome outcome = infreg::evaluate(kernel, arguments, buffers, options);
  return {std::move(outcome), std::move(buffers)};
}

HeadAnswer wrong(std::string kind, std::string sentence) { return {HeadAnswer::Ending::Wrong, std::move(kind), std::move(sentence)}; }

HeadAnswer compared(const Interpreted& interpreted, const Evaluated& evaluated) {
  for (std::size_t k = 0; k < items; ++k) {
    std::uint64_t found = 0;
    std::memcpy(&found, evaluated.buffers.front().bytes.data() + k * sizeof found, sizeof found);
    if (evaluated.buffers.front().poison[k] != 0) {
      return wrong("different", fmt::format("o[{}] is poison instead of {}", k, interpreted.stored[k]));
    }
    if (found != interpreted.stored[k]) {
      return wrong("different", fmt::format("o[{}] is {} instead of {}", k, found, interpreted.stored[k]));
    }
  }
  return {};
}

bool is_long(const Interpreted& interpreted) {
  return interpreted.outcome.fault && interpreted.outcome.fault->kind == launch::FaultKind::StepLimit;
}

/// Of a kernel that the interpreter has tried: what the evaluator makes of it.
HeadAnswer judged(const std::shared_ptr<const typed::Program>& program, const infreg::Kernel& kernel, const Head& head) {
  Interpreted interpreted = interpret(program, head, most_steps);
  if (interpreted.outcome.fault && !is_long(interpreted)) {
    return {HeadAnswer::Ending::Undefined, "", interpreted.outcome.fault->message};
  }
  const std::uint64_t more_operations =
      is_long(interpreted) ? 0 : lane_operations_in_vain + lane_operations_a_step * interpreted.outcome.steps;
  const Evaluated evaluated = evaluate(kernel, head, most_lane_operations + more_operations);
  const bool is_endless = std::holds_alternative<infreg::LimitReached>(evaluated.outcome.end);
  if (is_long(interpreted)) {
    if (is_endless) {
      return {HeadAnswer::Ending::Long, "", ""};
    }
    interpreted = interpret(program, head, many_steps);
    if (is_long(interpreted)) {
      return wrong("ends", "the evaluator comes to an end, and the interpreter does not");
    }
  }
  if (is_endless) {
    return wrong("endless", fmt::format("the interpreter ends after {} instructions, the evaluator not after {} operations of lanes",
                                        interpreted.outcome.steps, evaluated.outcome.lane_operations));
  }
  if (const auto* undefined = std::get_if<infreg::Undefined>(&evaluated.outcome.end)) {
    return wrong("undefined", "the evaluator meets something undefined: " + undefined->sentence);
  }
  return compared(interpreted, evaluated);
}

}  // namespace

std::string kernel_text(const Head& head, std::size_t number) {
  std::string command = fmt::format("lockstep diff head.cl --target infreg --wg-size {} --groups {} --wg-pack {} --arg o={}:zeros", wg_size,
                                    groups, wg_pack(number), items);
  std::string parameters = "__global ulong *o";
  if (reads_numbers(head)) {
    command += fmt::format(" --arg 'a=[{}]'", fmt::join(numbers, ","));
    parameters += ", __global const int *a";
  }
  for (const Scalar& scalar : head.scalars) {
    command += fmt::format(" --arg {}={}", scalar.name, number_text(scalar));
    parameters += fmt::format(", {} {}", info(scalar.type).name, scalar.name);
  }
  return fmt::format(
      "// {}\n"
      "__kernel void k({}) {{\n"
      "  int l = get_local_id(0), g = get_global_id(0);\n"
      "  ulong s = 1;\n"
      "  {}\n"
      "  o[g] = s;\n"
      "}}\n",
      command, parameters, head.statement);
}

HeadAnswer try_head(const Head& head, std::size_t number) {
  const auto source = std::make_shared<const SourceFile>("head.cl", kernel_text(head, number));
  core::Options options;
  options.wg_size = wg_size;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    return wrong("refused", render(*source, program.error().front()));
  }
  const core::Function& function = *program->kernel("k");
  try {
    passes::PipelineOptions lowering;
    lowering.wg_pack = wg_pack(number);
    lowering.verify_each = true;
    const auto kernel = passes::lower(*program, function, lowering);
    if (!kernel) {
      return wrong("refused", kernel.error().front().message);
    }
    return judged(std::make_shared<const typed::Program>(core::translate(*program, function)), *kernel, head);
  } catch (const std::exception& error) {
    return wrong("internal error", error.what());
  }
}

}  // namespace lockstep::test
