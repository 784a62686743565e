// The symbolic execution of kernels against the interpreter, and of InfReg-IR against its evaluator, on inputs that are numbers; and Θ = ∅.

#include <catch2/catch.hpp>
#include <cstring>
#include <optional>

#include "codegen/passes/pipeline.hpp"
#include "interpreter/launch/arguments.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/generate/kernel.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/infreg_domain.hpp"
#include "semantics/prove/questions.hpp"
#include "semantics/prove/refine.hpp"
#include "semantics/prove/trace.hpp"
#include "semantics/prove/typed_run.hpp"
#include "tests/campaign/run.hpp"

using namespace lockstep;

namespace {

/// A generated kernel, read, and its inputs in the two forms.
struct Case {
  core::Program program;
  const core::Function* kernel = nullptr;
  std::shared_ptr<const typed::Program> typed;
  std::uint64_t groups = 1;
  launch::Arguments arguments;
  prove::Inputs inputs;
  std::string text;
};

std::optional<Case> make_case(std::uint64_t seed) {
  generate::Choices choices = generate::from_seed(seed);
  generate::KernelOptions options;
  options.profile = static_cast<generate::Profile>(seed % 3);
  options.undefined = seed % 4 == 3;
  options.statements = 5;
  options.nesting = 3;
  options.wg_size = 1 + static_cast<unsigned>(seed % 4);
  const generate::Kernel kernel = generate::random_kernel(choices, options);
  Case made;
  made.text = core::print(kernel.unit);
  made.groups = kernel.groups;
  core::Options reading;
  reading.wg_size = kernel.wg_size;
  reading.contract = kernel.contract;
  Diagnostics warnings;
  auto program = core::read_kernels(std::make_shared<const SourceFile>("k.cl", made.text), reading, warnings);
  if (!program) {
    return std::nullopt;
  }
  made.program = std::move(*program);
  made.kernel = made.program.kernel("k");
  made.typed = std::make_shared<const typed::Program>(core::translate(made.program, *made.kernel));
  for (const generate::KernelInput& input : kernel.inputs) {
    made.inputs.scalars.push_back(input.is_buffer ? 0 : input.values.front());
    if (!input.is_buffer) {
      made.arguments.values.emplace_back(ScalarBits{input.values.front()});
      continue;
    }
    made.inputs.elements.push_back(input.values);
    launch::Buffer buffer;
    buffer.type = input.type;
    buffer.count = input.values.size();
    buffer.shape = {buffer.count};
    buffer.bytes.resize(buffer.count * size_of(input.type));
    for (std::size_t k = 0; k < input.values.size(); ++k) {
      std::memcpy(buffer.bytes.data() + k * size_of(input.type), &input.values[k], size_of(input.type));
    }
    made.arguments.values.emplace_back(BufferNumber{made.arguments.buffers.size()});
    made.arguments.buffers.push_back(std::move(buffer));
  }
  return made;
}

/// A kernel `k` for groups of two items, as the prover takes it, and its lowering.
struct Lowered {
  typed::Program typed;
  infreg::Kernel kernel;
};
Lowered lowered(const std::string& text) {
  core::Options reading;
  reading.wg_size = 2;
  Diagnostics warnings;
  const auto program = core::read_kernels(std::make_shared<const SourceFile>("k.cl", text), reading, warnings);
  REQUIRE(program.has_value());
  auto kernel = passes::lower(*program, *program->kernel("k"), {});
  REQUIRE(kernel.has_value());
  return {core::translate(*program, *program->kernel("k")), std::move(*kernel)};
}

launch::LaunchOptions options_for(const Case& made) {
  launch::LaunchOptions options;
  options.groups = made.groups;
  options.pack = 1;
  options.threads = 1;
  options.races = false;
  options.max_steps = 3'000;
  options.max_depth = 60;
  return options;
}

bool is_limit(const launch::Fault& fault) {
  using launch::FaultKind;
  return fault.kind == FaultKind::StepLimit || fault.kind == FaultKind::MemoryLimit || fault.kind == FaultKind::DepthLimit;
}

/// The elements of a buffer as the symbolic run has them.
std::vector<std::optional<std::uint64_t>> elements_of(const launch::Buffer& buffer) {
  std::vector<std::optional<std::uint64_t>> elements;
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    const bool is_poison = std::ranges::binary_search(buffer.poison, k);
    elements.push_back(is_poison ? std::nullopt : std::optional(launch::element_bits(buffer, k)));
  }
  return elements;
}

bool same_element(ScalarType type, const std::optional<std::uint64_t>& a, const std::optional<std::uint64_t>& b) {
  return a.has_value() == b.has_value() && (!a || ops::same_number(type, *a, *b));
}

void require_same(const launch::Buffer& expected, const std::vector<std::optional<std::uint64_t>>& found) {
  const auto elements = elements_of(expected);
  REQUIRE(found.size() == elements.size());
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const auto text = [](const std::optional<std::uint64_t>& bits) { return bits ? std::to_string(*bits) : "poison"; };
    INFO("element " << k << ": " << text(elements[k]) << " and " << text(found[k]));
    REQUIRE(same_element(expected.type, elements[k], found[k]));
  }
}

/// Whether the cell is this element, none being poison, wherever the condition holds.
bool is_element(const prove::Cell& cell, const prove::Given& given, const std::optional<std::uint64_t>& element) {
  const prove::Truth poison = given(cell.poison);
  const prove::Value value = given(cell.value);
  if (poison.known() && (*poison.known() || value.known())) {
    return *poison.known() ? !element : element && same_element(value.type(), *value.known(), element);
  }
  prove::Questions questions({given.condition()}, {}, 60'000);
  const prove::Truth is_so = element ? !poison && prove::same_result(value, prove::Value::number(value.type(), *element)) : poison;
  return questions.ask(is_so) == prove::Answer::Unsatisfiable;
}

std::uint64_t sample() { return test::full_run() ? 3000 : 250; }

}  // namespace

TEST_CASE("kernels on numbers end alike in the prover and in the interpreter", "[proofs][kernels]") {
  unsigned finished = 0;
  unsigned undefined = 0;
  for (std::uint64_t seed = 0; seed < sample(); ++seed) {
    const auto made = make_case(seed);
    if (!made) {
      continue;
    }
    INFO("seed " << seed << "\n" << made->text);
    launch::Arguments arguments = made->arguments;
    const auto outcome = launch::run(made->typed, arguments, options_for(*made));
    REQUIRE(outcome.has_value());
    if (outcome->fault && is_limit(*outcome->fault)) {
      continue;
    }
    const prove::ConcreteRun run = prove::run_on_constants(*made->typed, made->groups, made->inputs);
    REQUIRE((run.end == prove::ConcreteRun::End::Undefined) == outcome->fault.has_value());
    if (outcome->fault) {
      ++undefined;
      continue;
    }
    REQUIRE(run.end == prove::ConcreteRun::End::Finished);
    ++finished;
    for (std::size_t b = 0; b < arguments.buffers.size(); ++b) {
      INFO("buffer " << b);
      require_same(arguments.buffers[b], run.elements[b]);
    }
  }
  CHECK(finished > sample() / 2);
  CHECK(undefined > 0);
}

TEST_CASE("a kernel that is executed by nobody changes nothing, and by all what the interpreter does", "[proofs][kernels]") {
  // Whether anybody is there is unknown, so that every branch takes BD and every sync SS: what proofs do where a condition is not known.
  // What a loop computes stays a choice then, of which functions that nobody knows anything about would give any number.
  const prove::FloatTheory exact(prove::FloatMode::Exact);
  const prove::Truth everybody = prove::Truth::named("everybody");
  const prove::Given all(everybody);
  const prove::Given nobody(!everybody);
  unsigned compared = 0;
  for (std::uint64_t seed = 0; seed < sample(); ++seed) {
    const auto made = make_case(seed);
    if (!made) {
      continue;
    }
    INFO("seed " << seed << "\n" << made->text);
    launch::Arguments arguments = made->arguments;
    const auto outcome = launch::run(made->typed, arguments, options_for(*made));
    REQUIRE(outcome.has_value());
    if (outcome->fault) {
      continue;
    }
    prove::ConcreteLaunch launch = prove::launch_on(*made->typed, made->inputs);
    prove::Explorer explorer(100);
    prove::TypedRunOptions options;
    options.groups = made->groups;
    options.bound = 100'000;
    options.everybody = everybody;
    const prove::TypedRun run = prove::run_typed(*made->typed, launch.arguments, launch.memory, explorer, options);
    REQUIRE(std::holds_alternative<prove::TypedRun::Finished>(run.end));
    REQUIRE(run.beyond.empty());
    REQUIRE(run.undefined.empty());
    ++compared;
    for (std::size_t b = 0; b < arguments.buffers.size(); ++b) {
      const std::vector<prove::Cell>& cells = launch.memory.objects[b + 1].cells;
      const auto expected = elements_of(arguments.buffers[b]);
      for (std::size_t k = 0; k < cells.size(); ++k) {
        INFO("buffer " << b << ", element " << k);
        REQUIRE(is_element(cells[k], all, expected[k]));
        REQUIRE(is_element(cells[k], nobody, made->inputs.elements[b][k]));
      }
    }
  }
  CHECK(compared > sample() / 2);
}

TEST_CASE("InfReg-IR on numbers ends alike in the prover and in its evaluator", "[proofs][kernels]") {
  unsigned compared = 0;
  for (std::uint64_t seed = 0; seed < sample(); ++seed) {
    const auto made = make_case(seed);
    if (!made) {
      continue;
    }
    INFO("seed " << seed << "\n" << made->text);
    passes::PipelineOptions lowering;
    lowering.wg_pack = 1 + static_cast<unsigned>(seed / 3 % 2);
    const auto kernel = passes::lower(made->program, *made->kernel, lowering);
    if (!kernel) {
      continue;  // it recurses
    }
    std::vector<infreg::Buffer> buffers;
    for (const launch::Buffer& each : made->arguments.buffers) {
      buffers.push_back({each.type, each.count, each.bytes, std::vector<std::uint8_t>(each.count, 0)});
    }
    infreg::EvaluateOptions options;
    options.groups = made->groups;
    options.limits.lane_operations = 200'000;
    const infreg::Outcome outcome = infreg::evaluate(*kernel, made->arguments.values, buffers, options);
    if (std::holds_alternative<infreg::LimitReached>(outcome.end)) {
      continue;
    }
    const prove::ConcreteLaunch launch = prove::launch_on(*made->typed, made->inputs);
    std::vector<prove::MemoryObject> memory(launch.memory.objects.begin() + 1,
                                            launch.memory.objects.begin() + static_cast<std::ptrdiff_t>(launch.memory.first_of_program));
    prove::Explorer explorer(100);
    prove::InfregRunOptions symbolic;
    symbolic.groups = made->groups;
    symbolic.rounds = 10;
    const prove::InfregRun run = prove::run_infreg(*kernel, launch.arguments, memory, explorer, symbolic);
    REQUIRE(run.demands.empty() == std::holds_alternative<infreg::Finished>(outcome.end));
    if (!run.demands.empty()) {
      continue;
    }
    ++compared;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      for (std::uint64_t k = 0; k < buffers[b].count; ++k) {
        INFO("buffer " << b << ", element " << k);
        const prove::Cell& cell = memory[b].cells[k];
        REQUIRE(cell.poison.known() == (buffers[b].poison[k] != 0));
        if (buffers[b].poison[k] == 0) {
          const std::uint64_t bits = ops::bits_at(buffers[b].type, buffers[b].bytes.data() + k * size_of(buffers[b].type));
          REQUIRE(cell.value.known().has_value());
          REQUIRE(ops::same_number(buffers[b].type, *cell.value.known(), bits));
        }
      }
    }
  }
  CHECK(compared > sample() / 3);
}

TEST_CASE("what the passes make of kernels whose groups do not race does not race either", "[proofs][kernels]") {
  unsigned compared = 0;
  for (std::uint64_t seed = 0; seed < 2 * sample(); ++seed) {
    const auto made = make_case(seed);
    if (!made || made->groups == 1) {
      continue;
    }
    INFO("seed " << seed << "\n" << made->text);
    launch::Arguments arguments = made->arguments;
    launch::LaunchOptions with_races = options_for(*made);
    with_races.races = true;
    const auto outcome = launch::run(made->typed, arguments, with_races);
    REQUIRE(outcome.has_value());
    if (outcome->fault || outcome->races_between_groups != 0) {
      continue;
    }
    for (const unsigned pack : {1U, 2U}) {
      passes::PipelineOptions lowering;
      lowering.wg_pack = pack;
      const auto kernel = passes::lower(made->program, *made->kernel, lowering);
      if (!kernel) {
        continue;  // it recurses
      }
      INFO("WG_PACK " << pack << "\n" << infreg::print(*kernel));
      const auto offence =
          prove::offence_of(*made->typed, &*kernel, made->groups, made->inputs, std::vector<bool>(made->inputs.scalars.size(), false));
      REQUIRE_FALSE(offence.has_value());
      ++compared;
    }
  }
  CHECK(compared > sample() / 10);
}

TEST_CASE("races between groups are found in InfReg-IR, and named by both operations", "[proofs][kernels]") {
  const std::string text = "__kernel void k(__global int *y) { y[get_global_id(0)] = 1; }\n";
  core::Options reading;
  reading.wg_size = 2;
  Diagnostics warnings;
  const auto program = core::read_kernels(std::make_shared<const SourceFile>("k.cl", text), reading, warnings);
  REQUIRE(program.has_value());
  const typed::Program typed = core::translate(*program, *program->kernel("k"));
  prove::Inputs inputs;
  inputs.scalars = {0};
  inputs.elements = {std::vector<std::uint64_t>(6, 0)};
  const auto offence = [&](const std::string& body, bool read_only = false) {
    auto kernel =
        infreg::parse(std::make_shared<const SourceFile>("k.ir", "kernel @k(%y: ptr<i32>) wg_size 2 wg_pack 2 {\n" + body + "}\n"));
    REQUIRE(kernel.has_value());
    return prove::offence_of(typed, &*kernel, 3, inputs, {read_only});
  };
  const std::string own =
      "  %c : i32[wg 2 x wi 2 x ix 1] = constant 1\n"
      "  store %y [wg.ix*2 + wi] contiguous, %c\n";
  CHECK_FALSE(offence(own).has_value());
  CHECK_FALSE(offence(own, true).has_value());  // the kernel stores there itself
  // Group 0 reads what group 1, of its pack, writes.
  const std::string mask = "  %first : i1[wg 2 x wi 2 x ix 1] = mask { wg.ix == 0 }\n";
  const auto in_pack = offence(mask + "  %l : i32[wg 2 x wi 2 x ix 1] = load %y [wi + 2] contiguous, %first\n" + own);
  REQUIRE(in_pack.has_value());
  CHECK(in_pack->index == 2);
  CHECK(in_pack->first.group == 0);
  CHECK_FALSE(in_pack->first.how == prove::Touching::Writes);
  CHECK(in_pack->second->group == 1);
  CHECK(in_pack->second->how == prove::Touching::Writes);
  // The pack writes what group 2, which is alone, writes; and a store that nobody executes is none.
  const std::string beyond = "  store %y [wi + 4] contiguous, %c, %first\n";
  const auto across = offence(mask + own + beyond);
  REQUIRE(across.has_value());
  CHECK(across->second->group == 2);
  CHECK_FALSE(offence("  %none : i1[wg 2 x wi 2 x ix 1] = constant 0\n" + own + "  store %y [wi + 4] contiguous, %c, %none\n").has_value());
}

TEST_CASE("a loop that no size bounds is proved up to the bound, and says so", "[proofs][kernels]") {
  const std::string text =
      "__kernel void k(__global const int *a, __global int *o, uint n) {\n"
      "  uint i = 0;\n"
      "  while (i < n) i = i + 1;\n"
      "  o[get_global_id(0)] = a[0] + (int)i;\n"
      "}\n";
  const auto [typed, kernel] = lowered(text);
  prove::RefineOptions options;
  options.bound = 3;
  const auto proof = prove::refine(typed, &kernel, options);
  REQUIRE(proof.has_value());
  CHECK(proof->kind == prove::Refinement::Kind::RefinesUpToBound);
  CHECK(proof->bound_met);
  options.parameters.resize(3);
  options.parameters[2].bits = 7;  // the rounds are certain then
  const auto of_seven = prove::refine(typed, &kernel, options);
  REQUIRE(of_seven.has_value());
  CHECK(of_seven->kind == prove::Refinement::Kind::Refines);
  CHECK_FALSE(of_seven->bound_met);
}

TEST_CASE("a proof within units of work ends the same way each time, and asks no clock", "[proofs][kernels]") {
  const std::string text =
      "__kernel void k(__global int *x, __global const int *y, uint n) {\n"
      "  uint i = get_global_id(0);\n"
      "  for (uint j = 0; j < n; ++j) if (y[j] > 0) x[i] += (x[y[j] & 1] * y[j]) % 7;\n"
      "}\n";
  const auto [typed, kernel] = lowered(text);
  prove::RefineOptions options;
  options.bound = 4;
  for (const std::uint64_t units : {100U, 3'000U, 20'000U, 200'000U}) {
    options.allowance.units = units;
    const auto once = prove::refine(typed, &kernel, options);
    prove::Truth::named("a term from elsewhere") && prove::Truth::named("and another one");
    const auto again = prove::refine(typed, &kernel, options);
    REQUIRE(once.has_value());
    REQUIRE(again.has_value());
    CHECK(once->kind == again->kind);
    CHECK(once->what == again->what);
    CHECK(once->units == again->units);
    CHECK(once->questions == again->questions);
    if (units == 100U) {
      CHECK(once->kind == prove::Refinement::Kind::Unknown);
      CHECK(once->spent == prove::Spent::Units);
    }
  }
}
