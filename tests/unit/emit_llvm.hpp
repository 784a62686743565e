#pragma once
// For tests of the LLVM target: runs a kernel compiled in this process on buffers between pages that nobody may touch, and compares what it
// leaves with what the evaluator leaves.

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emit/llvm/jit.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/ops/bits.hpp"
#include "tests/unit/infreg_evaluate.hpp"

namespace lockstep::emit_llvm::trial {

/// Memory of `size` bytes that ends right before a page without access, or begins right behind one.
class Guarded {
 public:
  Guarded(std::size_t size, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (size + page - 1) / page * page;
    total_ = inner + 2 * page;
    whole_ = static_cast<std::byte*>(mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(whole_ != MAP_FAILED);
    if (inner != 0) {
      REQUIRE(mprotect(whole_ + page, inner, PROT_READ | PROT_WRITE) == 0);
    }
    data_ = whole_ + page + (at_end ? inner - size : 0);
  }
  Guarded(Guarded&& other) noexcept
      : whole_(std::exchange(other.whole_, nullptr)), data_(std::exchange(other.data_, nullptr)), total_(other.total_) {}
  Guarded& operator=(Guarded&&) = delete;
  ~Guarded() {
    if (whole_ != nullptr) {
      munmap(whole_, total_);
    }
  }
  std::byte* data() const { return data_; }

 private:
  std::byte* whole_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t total_ = 0;
};

/// The buffers after groups first to last - 1 of `groups` have run.
inline std::vector<infreg::Buffer> run(const Callable& callable, const infreg::Kernel& kernel, const std::vector<Argument>& arguments,
                                       std::vector<infreg::Buffer> buffers, std::uint64_t groups, bool at_end = true) {
  std::vector<Guarded> memory;
  for (const infreg::Buffer& buffer : buffers) {
    memory.emplace_back(buffer.bytes.size(), at_end);
    if (!buffer.bytes.empty()) {
      std::memcpy(memory.back().data(), buffer.bytes.data(), buffer.bytes.size());
    }
  }
  std::vector<const void*> pointers;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    pointers.push_back(kernel.parameters[i].is_pointer
                           ? static_cast<const void*>(memory[std::get<BufferNumber>(arguments[i]).number].data())
                           : &std::get<ScalarBits>(arguments[i]).bits);
  }
  callable(pointers.data(), 0, groups, groups);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].bytes.empty()) {
      std::memcpy(buffers[i].bytes.data(), memory[i].data(), buffers[i].bytes.size());
    }
  }
  return buffers;
}

/// The first cell in which `found` differs from `expected` (docs/kernel-language.md: poison matches anything, a NaN any NaN); "" if none
/// does.
inline std::string difference(const std::vector<infreg::Buffer>& expected, const std::vector<infreg::Buffer>& found) {
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const std::size_t size = size_of(expected[b].type);
    for (std::size_t k = 0; k < expected[b].count; ++k) {
      const std::uint64_t wanted = ops::bits_at(expected[b].type, expected[b].bytes.data() + k * size);
      const std::uint64_t got = ops::bits_at(expected[b].type, found[b].bytes.data() + k * size);
      if (expected[b].poison[k] == 0 && !ops::same_number(expected[b].type, wanted, got)) {
        return "buffer " + std::to_string(b) + ", element " + std::to_string(k) + ": " + std::to_string(got) + " instead of " +
               std::to_string(wanted);
      }
    }
  }
  return "";
}

/// Ways to cut a kernel: chunks of all widths, values in SSA form and in memory.
inline std::vector<EmitOptions> all_cuts() {
  std::vector<EmitOptions> cuts;
  for (const unsigned chunk_lanes : {1U, 2U, 4U, 8U, 16U}) {
    for (const unsigned most_ssa_chunks : {64U, 0U}) {
      EmitOptions options;
      options.chunk_lanes = chunk_lanes;
      options.most_ssa_chunks = most_ssa_chunks;
      cuts.push_back(options);
    }
  }
  return cuts;
}

/// Compiles the kernel in each of the ways, and asks that it leaves what the evaluator leaves.
inline void agrees(const infreg::Kernel& kernel, const std::vector<Argument>& arguments, const std::vector<infreg::Buffer>& buffers,
                   std::uint64_t groups, const std::vector<EmitOptions>& cuts = all_cuts(), unsigned level = 1) {
  const std::vector<infreg::Fault> faults = infreg::verify(kernel);
  INFO(infreg::print_marked(kernel, faults));
  REQUIRE(faults.empty());
  std::vector<infreg::Buffer> expected = buffers;
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, expected, {.groups = groups, .limits = {}, .observer = {}});
  if (const auto* undefined = std::get_if<infreg::Undefined>(&outcome.end)) {
    FAIL("the kernel is undefined: " << undefined->sentence);
  }
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  for (const EmitOptions& cut : cuts) {
    INFO("chunks of " << cut.chunk_lanes.value_or(0) << " lanes, at most " << cut.most_ssa_chunks << " in SSA form, level " << level);
    const auto callable = compile(kernel, cut, level);
    if (!callable) {
      FAIL(callable.error().sentence);
    }
    for (const bool at_end : {true, false}) {
      REQUIRE(difference(expected, run(*callable, kernel, arguments, buffers, groups, at_end)) == "");
    }
  }
}

}  // namespace lockstep::emit_llvm::trial
