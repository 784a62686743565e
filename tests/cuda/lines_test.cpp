// What tiles ask of a GPU, by the PTX machine: lines of memory, and passes over the banks of shared memory.

#include <catch2/catch.hpp>
#include <iostream>
#include <string>
#include <tuple>

#include "codegen/emit/cuda/plan.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/ptx/machine.hpp"
#include "tests/cuda/trial.hpp"

using namespace lockstep;

namespace {

/// How many elements of a row the store's tile has.
unsigned width_of(const infreg::Kernel& kernel) {
  const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape);
  REQUIRE(plan.tiles.size() == 2);
  return plan.runs[kernel.body].back().width;
}

/// What the code of a kernel that copies asks for, in a launch of as many groups as fill warps.
ptx_machine::Counts counts_of(const infreg::Kernel& kernel, std::uint64_t groups, const host::Compiler& clang, bool tiling,
                              ScalarType type) {
  cuda_trial::Trial trial;
  trial.name = "copy";
  trial.kernel = kernel;
  trial.choices.tiling = tiling;
  trial.groups = groups;
  for (int k = 0; k < 2; ++k) {
    trial.memory.push_back(infreg::make_buffer(type, std::uint64_t{1} << 15));
    for (std::uint64_t n = 0; n < trial.memory.back().count; ++n) {
      cuda_trial::put_number(trial.memory.back(), n, static_cast<std::int64_t>(n % 1001));
    }
  }
  trial.arguments = {BufferNumber{0}, BufferNumber{1}, ScalarBits{0}};
  REQUIRE(!emit_into(trial));
  const auto ptx = targets::compile_cuda(trial.emitted, {clang, 2, "", nullptr});
  REQUIRE(ptx);
  REQUIRE(wrong_with(trial, *ptx).text().empty());
  launch::Arguments arguments;
  arguments.values = trial.arguments;
  for (const infreg::Buffer& buffer : trial.memory) {
    arguments.buffers.push_back({buffer.type, buffer.count, buffer.bytes, {buffer.count}, {}});
  }
  const auto module = targets::read_ptx(*ptx, trial.emitted.kernel_symbol);
  REQUIRE(module);
  ptx_machine::Counts counts;
  const targets::PtxLaunch launch{1, trial.emitted.block_threads, {groups}, true, &counts};
  REQUIRE(!std::holds_alternative<differential::Failure>(targets::run_ptx(*module, arguments, launch, ptx_machine::Schedule::LowestPc, 0)));
  return counts;
}

}  // namespace

TEST_CASE("lanes move lines, and meet no other in a bank of shared memory", "[cuda]") {
  const auto clang = targets::find_clang("clang-19 -w");
  if (!clang) {
    std::cout << "skipped: " << clang.error() << '\n';
    return;
  }
  for (const auto& [name, type, bytes] : {std::tuple("f32", ScalarType::Float, 4U), std::tuple("f64", ScalarType::Double, 8U)}) {
    for (const unsigned items : {8U, 16U, 32U}) {
      for (const unsigned row : {48U, 64U, 96U, 128U, 160U, 192U, 224U, 256U}) {  // bytes
        const unsigned elements = row / bytes;
        const std::uint64_t groups = 2 * 4 * 32 / items;  // two for each slot of a block
        const std::uint64_t all = groups * items * row;
        const infreg::Kernel kernel = cuda_trial::copying(items, elements, static_cast<int>(elements), name);
        INFO(items << " rows of " << elements << " " << name);
        const unsigned part = width_of(kernel) * bytes;
        const ptx_machine::Counts tiled = counts_of(kernel, groups, *clang, true, type);
        // Nothing is asked for twice, and each access of a warp takes 512 bytes in four lines.
        for (const ptx_machine::AccessCount* one : {&tiled.global.loads, &tiled.global.stores}) {
          CHECK(one->instructions == all / 512);
          CHECK(one->bytes == all);
          // A part of a row may end within a sector.
          CHECK(one->transactions >= all / 32);
          CHECK(one->transactions <= (part % 32 == 0 ? all / 32 : 4 * all / 32 / 3));
          CHECK(one->lines >= all / 128);
          CHECK(one->lines <= (part == row ? all / 128 : 3 * all / 128));  // parts of rows may lie across the ends of lines
        }
        for (const ptx_machine::AccessCount* one : {&tiled.shared.loads, &tiled.shared.stores}) {
          CHECK(one->instructions == 2 * all / 512);
          CHECK(one->bytes == 2 * all);
          CHECK(one->transactions == 2 * all / 128);
        }
        const ptx_machine::Counts rows = counts_of(kernel, groups, *clang, false, type);
        CHECK(rows.global.loads.lines >= 3 * tiled.global.loads.lines / 2);
        CHECK(rows.shared.loads.instructions == 0);
      }
    }
  }
}
