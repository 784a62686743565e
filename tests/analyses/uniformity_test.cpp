// What is the same for all items, and which lanes matter (codegen/passes/kinds.hpp, clean/demand.hpp): every kernel of two statements of a
// small grammar, in which two variables get values that differ from item to item, from group to group, or not at all, under conditions
// that do. A variable that is held once for a group or a pack, though its items differ, gives some item another one's number.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <iostream>
#include <memory>

#include "codegen/passes/pipeline.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "tests/campaign/run.hpp"

namespace lockstep::analyses {

namespace {

constexpr unsigned wg_size = 4;
constexpr unsigned groups = 3;
constexpr unsigned wg_pack = 2;  // so the last pack is not full
constexpr std::size_t items = wg_size * groups;
constexpr std::array<std::int32_t, items> numbers = {2, 0, -1, 5, 3, 1, 1, 9, 0, 2, 7, -2};
constexpr std::int32_t n = 2;
/// Of all kernels, one in so many is tried without LOCKSTEP_FULL.
constexpr unsigned one_in = 20;

std::vector<std::string> conditions() { return {"l < 2", "g < 1", "n < 3", "x < 2", "l == x", "any(x > l)"}; }

std::vector<std::string> statements() {
  const std::array values = {"l",         "g", "n + 1", "x + 1", "y", "a[n]", "a[g]", "a[x & 3]", "shuffle(x, 1)", "shuffle(y, l ^ 1)",
                             "all(x > y)"};
  std::vector<std::string> all;
  for (const char* value : values) {
    all.push_back(fmt::format("x = {};", value));
    all.push_back(fmt::format("y = {};", value));
    for (const std::string& condition : conditions()) {
      all.push_back(fmt::format("if ({}) x = {};", condition, value));
      all.push_back(fmt::format("if ({}) y = 5; else x = {};", condition, value));
      all.push_back(fmt::format("for (int i = 0; i < n; ++i) {{ if ({}) continue; x = {}; }}", condition, value));
      all.push_back(fmt::format("for (int i = 0;; ++i) {{ if (i > 2 || {}) break; x = {}; y += i; }}", condition, value));
      all.push_back(fmt::format("for (int i = 0; i < 2; ++i) {{ y = x; if ({}) break; x = {}; }}", condition, value));
    }
  }
  for (const std::string& condition : conditions()) {
    all.push_back(fmt::format("if ({}) return;", condition));
  }
  return all;
}

std::string kernel_text(const std::string& first, const std::string& second) {
  return fmt::format(
      "// lockstep diff kernel.cl --target infreg --wg-size {} --groups {} --wg-pack {} --arg o={}:zeros --arg 'a=[{}]' --arg n={}\n"
      "__kernel void k(__global int *o, __global const int *a, int n) {{\n"
      "  int l = get_local_id(0), g = get_group_id(0), x = 1, y = 0;\n"
      "  {}\n"
      "  {}\n"
      "  o[get_global_id(0)] = x * 16 + y;\n"
      "}}\n",
      wg_size, groups, wg_pack, items, fmt::join(numbers, ","), n, first, second);
}

enum class Ending { Equal, LeftOut, Wrong };

struct Answer {
  Ending ending = Ending::Equal;
  std::string sentence;
};

/// By the interpreter; nothing if it meets something undefined.
std::optional<launch::Buffer> interpreted(const std::shared_ptr<const typed::Program>& program) {
  launch::Arguments arguments;
  arguments.values = {BufferNumber{0}, BufferNumber{1}, ScalarBits{static_cast<std::uint64_t>(n)}};
  for (int k = 0; k < 2; ++k) {
    arguments.buffers.push_back({ScalarType::Int, items, std::vector<std::byte>(sizeof numbers), {items}, {}});
  }
  std::memcpy(arguments.buffers[1].bytes.data(), numbers.data(), sizeof numbers);
  launch::LaunchOptions options;
  options.groups = groups;
  options.pack = 1;
  options.threads = 1;
  options.max_steps = 10'000;
  const auto outcome = launch::run(program, arguments, options);
  return outcome && !outcome->fault ? std::optional(arguments.buffers[0]) : std::nullopt;
}

Answer tried_plainly(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("kernel.cl", text);
  core::Options options;
  options.wg_size = wg_size;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    return {Ending::Wrong, render(*source, program.error().front())};
  }
  const core::Function& function = *program->kernel("k");
  const auto expected = interpreted(std::make_shared<const typed::Program>(core::translate(*program, function)));
  if (!expected) {
    return {Ending::LeftOut, ""};
  }
  passes::PipelineOptions lowering;
  lowering.wg_pack = wg_pack;
  lowering.verify_each = true;
  const auto kernel = passes::lower(*program, function, lowering);
  if (!kernel) {
    return {Ending::Wrong, kernel.error().front().message};
  }
  std::vector<infreg::Buffer> buffers = {infreg::make_buffer(ScalarType::Int, items), infreg::make_buffer(ScalarType::Int, items)};
  std::memcpy(buffers[1].bytes.data(), numbers.data(), sizeof numbers);
  infreg::EvaluateOptions evaluation;
  evaluation.groups = groups;
  evaluation.limits.lane_operations = 100'000;
  const std::vector<Argument> arguments = {BufferNumber{0}, BufferNumber{1}, ScalarBits{static_cast<std::uint64_t>(n)}};
  const infreg::Outcome outcome = infreg::evaluate(*kernel, arguments, buffers, evaluation);
  if (!std::holds_alternative<infreg::Finished>(outcome.end)) {
    return {Ending::Wrong, "the evaluator does not come to the end"};
  }
  for (std::size_t k = 0; k < items; ++k) {
    if (std::ranges::binary_search(expected->poison, k)) {
      continue;
    }
    const bool is_same = std::memcmp(expected->bytes.data() + 4 * k, buffers[0].bytes.data() + 4 * k, 4) == 0;
    if (!is_same || buffers[0].poison[k] != 0) {
      return {Ending::Wrong, fmt::format("o[{}] is another number", k)};
    }
  }
  return {};
}

/// An exception is a wrong answer as well: the builder of InfReg-IR refuses to take one number of many.
Answer tried(const std::string& text) {
  try {
    return tried_plainly(text);
  } catch (const std::exception& error) {
    return {Ending::Wrong, error.what()};
  }
}

}  // namespace

TEST_CASE("What is held once is the same for all items", "[analyses]") {
  const std::vector<std::string> all = statements();
  generate::Choices choices = generate::from_seed(test::run_seed());
  std::array<std::size_t, 3> endings{};
  for (const std::string& first : all) {
    for (const std::string& second : all) {
      if (!test::full_run() && choices(one_in) != 0) {
        continue;
      }
      const std::string text = kernel_text(first, second);
      const Answer answer = tried(text);
      if (++endings[static_cast<std::size_t>(answer.ending)]; answer.ending == Ending::Wrong && endings[2] <= 3) {
        std::cout << text << answer.sentence << "\n";
      }
    }
  }
  std::cout << "uniformity: " << all.size() * all.size() << " kernels, of which " << endings[0] << " tried and equal, " << endings[1]
            << " undefined, " << endings[2] << " wrong\n";
  CHECK(endings[2] == 0);
  CHECK(endings[0] > 2 * endings[1]);
}

}  // namespace lockstep::analyses
