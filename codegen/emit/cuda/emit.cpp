#include "codegen/emit/cuda/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/cuda/entry.hpp"
#include "codegen/emit/cuda/limits.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "codegen/emit/cuda/rewriting.hpp"
#include "codegen/emit/cuda/support/support.hpp"
#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/counted.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;
using emit_c::Names;

namespace {

/// What CUDA C++ has in all files, and namespaces that emitted code names.
const std::unordered_set<std::string>& words_outside() {
  static const std::unordered_set<std::string> words = {"threadIdx", "blockIdx", "gridDim", "blockDim", "warpSize", "v", "lockstep_cuda"};
  return words;
}

/// What stands within emitted functions beside names of the kernel. What stands outside of them has `::` in front.
const std::unordered_set<std::string>& own_words() {
  static const std::unordered_set<std::string> words = [] {
    std::unordered_set<std::string> all = {
        "p",           "vector",     "ix",     "wi",     "slot",        "slots",           "slot_of_block", "shared", "stage",
        "first_group", "num_groups", "group",  "pack",   "packs",       "blocks",          "stream",        "found",  "item",
        "element",     "turn",       "part",   "stored", "moved",       "is_aligned",      "rows",          "round",  "piece",
        "first",       "k",          "copies", "error",  "cudaSuccess", "cudaGetLastError"};
    all.insert(words_outside().begin(), words_outside().end());
    return all;
  }();
  return words;
}

/// What the entry point for hosts is called, and what all other names outside of functions begin with: the kernel's name, or, if C++ or
/// emitted code has another use for that, a similar one.
std::string symbol_of(const Kernel& kernel) {
  const std::string name = emit_c::c_name(kernel.name);
  return words_outside().contains(name) ? name + "_" : name;
}

/// As many warps as shared memory is there for.
unsigned warps_of_block(const Kernel& kernel, const Plan& plan) {
  const std::uint64_t bytes = std::max<std::uint64_t>(shared_bytes(kernel, plan) * plan.geometry.slots, 1);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(shared_bytes_of_block / bytes, 1, usual_warps));
}

/// One slot of a warp if shared memory does not suffice for all of them.
Geometry fitting(const Kernel& kernel, const Plan& plan) {
  Geometry geometry = plan.geometry;
  const std::uint64_t bytes = std::max<std::uint64_t>(shared_bytes(kernel, plan), 1);
  geometry.slots = static_cast<unsigned>(std::clamp<std::uint64_t>(shared_bytes_of_block / bytes, 1, geometry.slots));
  return geometry;
}

std::string pack_function(const Kernel& kernel, const Plan& plan, const Names& names, const std::string& symbol, const std::string& suffix,
                          bool has_shared) {
  Writer writer(kernel, plan, names, symbol, suffix);
  const std::string body = writer.body();
  const std::string parameters =
      fmt::format("[[maybe_unused]] v::Slot slot, {}[[maybe_unused]] uint64_t first_group, [[maybe_unused]] uint64_t num_groups{}",
                  pack_parameters(kernel, names), has_shared ? fmt::format(", [[maybe_unused]] ::{}_shared &shared", symbol) : "");
  const std::string head = fmt::format("static __device__ __forceinline__ void {}{}", symbol, suffix);
  if (writer.alignment().empty()) {
    return fmt::format("{}{}({}) {{\n{}}}\n\n", writer.tables(), head, parameters, body);
  }
  // Asked once for all, as a branch at each access keeps loads from being on their way together. No template: nvcc 13.0 comes to no end
  // with that of TRSV.
  const std::string passed = fmt::format("slot, {}first_group, num_groups{}", arguments(names), has_shared ? ", shared" : "");
  return fmt::format(
      "{0}{1}_where(bool is_aligned, {2}) {{\n{3}}}\n"
      "{1}({2}) {{\n  if ({4}) ::{5}_where(true, {6});\n  else ::{5}_where(false, {6});\n}}\n\n",
      writer.tables(), head, parameters, body, writer.alignment(), symbol + suffix, passed);
}

}  // namespace

std::expected<Emitted, Refusal> emit(const Kernel& asked, const EmitOptions& options) {
  const Kernel kernel = rewritten(asked, options.choices);
  const std::string symbol = options.symbol.empty() ? symbol_of(kernel) : options.symbol;
  const Names names = emit_c::names_of(kernel, [](const std::string& word) { return own_words().contains(word); });
  Plan plan = plan_of(kernel, kernel.shape, options.choices);
  if (auto complaint = complaint_about(kernel, plan)) {
    return std::unexpected(std::move(*complaint));
  }
  plan.geometry = fitting(kernel, plan);
  const bool has_tiles =
      plan.geometry.slots > 1 && std::ranges::any_of(plan.tiles, [&](OperationId id) { return id.region == kernel.body; });
  const Launch launch{symbol, plan.geometry, warps_of_block(kernel, plan), plan.stage_bytes, has_tiles};
  const std::string shared = shared_struct(kernel, names, launch);

  Emitted emitted;
  if (options.entries) {
    emitted.source =
        fmt::format("// {}: work groups of {}, {} side by side in a warp.\n#include \"{}.cuda.h\"\n#include \"{}\"\n\n", kernel.name,
                    counted(kernel.shape.wg_size, "item"), plan.geometry.slots * kernel.shape.wg_pack, kernel.name, support_name);
  }
  emitted.source += options.entries ? "namespace v = lockstep_cuda;\n\n" : "";
  emitted.source += constant_objects(kernel, names, launch) + shared;
  emitted.source += pack_function(kernel, plan, names, symbol, "_pack", !shared.empty());
  if (kernel.shape.wg_pack > 1) {
    Choices choices = options.choices;
    choices.staging = choices.tiling = false;  // there is as much shared memory as packs need
    const Plan one = plan_of(kernel, {kernel.shape.wg_size, 1}, choices);
    emitted.source += pack_function(kernel, one, names, symbol, "_one", !shared.empty());
  }
  emitted.source += grid_kernel(kernel, names, launch);
  if (options.entries) {
    emitted.source += host_entries(kernel, names, launch);
    emitted.header = host_header(kernel, names, launch);
  }
  emitted.explain = explain(kernel, plan);
  emitted.entry_symbol = symbol;
  emitted.kernel_symbol = symbol + "_kernel";
  emitted.block_threads = launch.warps * warp_size;
  emitted.packs_of_block = launch.warps * plan.geometry.slots;
  return emitted;
}

}  // namespace lockstep::emit_cuda
