// The entry points for hosts, compiled by a compiler of this machine over a runtime of our own (runtime.h), each launch being a grid of
// fibers: against the evaluator.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

#include "codegen/emit/cuda/support/support.hpp"
#include "codegen/host/compiler.hpp"
#include "semantics/base/files.hpp"
#include "tests/cuda/trial.hpp"
#include "tests/unit/emit_llvm.hpp"

using namespace lockstep;

namespace {

/// What a launch is without a GPU.
std::string without_launches(const std::string& source) {
  static const std::regex launch(R"((::\w+_kernel)<<<(.*), (\d+), 0, stream>>>\((.*)\);)");
  return std::regex_replace(
      source, launch, "stand_in::blocks = $2;\n  (void)stream;\n  lockstep_cuda_host::run_grid(stand_in::blocks, $3, [&] { $1($4); });");
}

/// `call`: the entry point, with pointers to arrays or to numbers, and how many elements an array has. The runtime's so-many-th call fails,
/// if the number is not negative. `left` becomes the number of allocations that are left behind, `blocks` that of the grid's blocks.
std::string driver(const infreg::Kernel& kernel, const std::string& entry) {
  std::string arguments;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const infreg::Parameter& parameter = kernel.parameters[k];
    const std::string type = parameter.scalar == ScalarType::Int ? "int32_t" : "int64_t";
    arguments += parameter.is_pointer
                     ? fmt::format("static_cast<{}{} *>(arguments[{}]), counts[{}], ", parameter.is_const ? "const " : "", type, k, k)
                     : fmt::format("*static_cast<{} *>(arguments[{}]), ", type, k);
  }
  return fmt::format(
      "extern \"C\" int call(void *const *arguments, const size_t *counts, size_t groups, int failing, int *left, unsigned *blocks) {{\n"
      "  stand_in::calls_until_failure = failing;\n"
      "  stand_in::blocks = 0;\n"
      "  const int error = {}({}groups);\n"
      "  stand_in::calls_until_failure = -1;\n"
      "  *left = stand_in::allocations;\n"
      "  *blocks = stand_in::blocks;\n"
      "  return error;\n}}\n",
      entry, arguments);
}

std::string text(unsigned items, unsigned pack) {
  const std::string layout = fmt::format("{}wi {} x ix 1", pack == 1 ? "" : fmt::format("wg {} x ", pack), items);
  return fmt::format(R"(kernel @sums(%in: ptr<i32> const, %n: i64, %out: ptr<i32>) wg_size {0} wg_pack {1} {{
  local %s : i32[{0}]
  %x : i32[{2}] = load %in [wg.ix*{0} + wi] contiguous
  store %s [wi] contiguous, %x
  %y : i32[{2}] = load %s [{3} - wi] strided
  %i : i32[{2}] = index {{ %n + wi }}
  %z : i32[{2}] = add %y, %i
  store %out [wg.ix*{0} + wi] contiguous, %z
}}
)",
                     items, pack, layout, items - 1);
}

using Call = int(void* const*, const std::size_t*, std::size_t, int, int*, unsigned*);

/// With the entry point of the kernel, on so many groups.
void check(const host::Compiler& compiler, unsigned items, unsigned pack) {
  constexpr std::uint64_t most_groups = 90;
  const infreg::Kernel kernel = cuda_trial::kernel_of(text(items, pack));
  const auto emitted = emit_cuda::emit(kernel);
  REQUIRE(emitted);
  const auto runtime = read_file(LOCKSTEP_SOURCE_DIR "/tests/cuda/runtime.h", [](std::string_view) { return ByteLimit{1 << 20, ""}; });
  REQUIRE(runtime);
  host::CompileRequest request;
  request.source = {"driver.cpp", fmt::format("#include \"runtime.h\"\n#include \"{}\"\n#include \"sums.cu\"\n{}",
                                              emit_cuda::host_support_name, driver(kernel, emitted->entry_symbol))};
  request.headers = {{"runtime.h", *runtime},
                     {"sums.cu", without_launches(emitted->source)},
                     {"sums.cuda.h", emitted->header},
                     {std::string(emit_cuda::support_name), std::string(emit_cuda::support_text())},
                     {std::string(emit_cuda::host_support_name), std::string(emit_cuda::host_support_text())}};
  request.options = {"-std=c++17", "-O0", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror"};
  const auto library = host::compile_library(compiler, request);
  if (!library) {
    FAIL(library.error().sentence);
  }
  auto* const call = reinterpret_cast<Call*>(library->find("call"));
  REQUIRE(call != nullptr);

  std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Int, most_groups * items),
                                        infreg::make_buffer(ScalarType::Int, most_groups * items)};
  for (std::uint64_t k = 0; k < memory[0].count; ++k) {
    cuda_trial::put_number(memory[0], k, static_cast<std::int64_t>(k * 7919 % 1009));
  }
  std::int64_t n = 5;
  for (const std::uint64_t groups : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{pack}, std::uint64_t{61}, most_groups}) {
    std::vector<infreg::Buffer> expected = memory;
    const std::vector<Argument> values = {BufferNumber{0}, ScalarBits{5}, BufferNumber{1}};
    infreg::evaluate(kernel, values, expected, {.groups = groups, .limits = {}, .observer = {}});
    bool has_ended_well = false;
    for (int failing = -1; failing < 0 || (groups == pack && !has_ended_well); ++failing) {
      INFO(items << " items, packs of " << pack << ", " << groups << " groups, call " << failing << " fails");
      REQUIRE(failing < 30);
      std::vector<infreg::Buffer> found = memory;
      const std::array<void*, 3> arguments = {found[0].bytes.data(), &n, found[1].bytes.data()};
      const std::array<std::size_t, 3> counts = {found[0].count, 0, found[1].count};
      int left = -1;
      unsigned blocks = 0;
      const int error = call(arguments.data(), counts.data(), groups, failing, &left, &blocks);
      CHECK(left == 0);
      has_ended_well = error == 0;
      if (failing < 0 || has_ended_well) {
        CHECK(error == 0);
        const std::uint64_t packs = groups / pack + groups % pack;  // what is left over are groups of their own
        CHECK(blocks == (packs + emitted->packs_of_block - 1) / emitted->packs_of_block);
        CHECK(emit_llvm::trial::difference(expected, found).empty());
      }
    }
  }
}

}  // namespace

TEST_CASE("entry points for hosts leave what the evaluator leaves, and after an error no memory", "[cuda]") {
  const auto compiler = host::find_compiler();
  if (!compiler) {
    std::cout << "skipped: " << compiler.error() << '\n';
    return;
  }
  check(*compiler, 4, 1);
  check(*compiler, 12, 2);
  check(*compiler, 40, 3);
}
