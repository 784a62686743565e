// What the CUDA target's code of the kernels of examples/borg asks of a GPU, beside plain CUDA C++ for them: counted by the PTX machine in
// PTX by clang, per problem; and what a model makes of that (bench/cuda/model.hpp): estimates, and no times. Everybody's results are the
// interpreter's, bit for bit, or there is no row. A problem is a matrix, or an item's of the kernels that work item by item.
// usage: bench_cuda [KERNEL|all [N|all [WG_PACK|auto]]]
//        bench_cuda rows [N|all]    GEMA by how a lane gets its row (bench/cuda/rows_of_items.cu)

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/common.hpp"
#include "bench/cuda/model.hpp"
#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/packs.hpp"
#include "codegen/passes/pipeline.hpp"
#include "differential/compare/compare.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/core/front_end.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/ptx/machine.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::bench;

constexpr unsigned threads_of_peer = 128;
constexpr std::size_t memory_limit = std::size_t{1} << 30;

struct KernelInfo {
  std::string name;
  bool has_groups = true;  ///< a problem is a group's, not an item's
};
const std::array<KernelInfo, 7> kernels = {
    {{"gema"}, {"gemm"}, {"trsv"}, {"ldus"}, {"pade", false}, {"enumerate", false}, {"frcg", false}}};

struct Case {
  KernelInfo kernel;
  std::string real;
  unsigned size = 4;
  std::string pack;
  emit_cuda::Choices choices = {};  ///< of ours

  std::string text() const { return fmt::format("{}, {}, {}", kernel.name, real, size); }
};

/// The launch that everybody does, and what it leaves.
struct Launched {
  differential::ReadKernel read;
  differential::LoadedKernel loaded;
  std::uint64_t groups = 0;
  std::uint64_t problems = 0;
  launch::Arguments before;
  launch::Arguments after;
};

/// Words that `arguments.sh` prints behind `--arg`.
std::vector<std::string> argument_texts(const Case& one, std::uint64_t groups) {
  const std::string command =
      fmt::format("sh {}/examples/borg/arguments.sh {} {} {}", LOCKSTEP_SOURCE_DIR, one.kernel.name, one.size, groups);
  std::string all;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; pipe != nullptr && (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    all.append(buffer.data(), got);
  }
  if (pipe == nullptr || pclose(pipe) != 0) {
    give_up(command);
  }
  std::istringstream words(all);
  std::vector<std::string> texts;
  for (std::string word; words >> word;) {
    if (word == "--arg") {
      words >> texts.emplace_back();
    }
  }
  return texts;
}

template <class T, class E>
T require(std::expected<T, E> result, const std::string& what) {
  if (!result) {
    if constexpr (std::is_same_v<E, std::string>) {
      give_up(fmt::format("{}: {}", what, result.error()));
    }
    give_up(what);
  }
  return std::move(*result);
}

Launched launched(const Case& one) {
  Launched made;
  made.groups = one.kernel.has_groups ? threads_of_peer : 2 * threads_of_peer / one.size;
  const std::string file = fmt::format("borg/{}.cl", one.kernel.name);
  const auto source = std::make_shared<const SourceFile>(file, text_of(file));
  core::Options front_end;
  front_end.wg_size = one.size;
  front_end.defines = {{"REAL", one.real}};
  Diagnostics warnings;
  made.read.program = require(core::read_kernels(source, front_end, warnings), one.text());
  made.read.function = made.read.program.kernel(one.kernel.name);
  made.loaded = differential::load(made.read.program, *made.read.function);
  const auto read = [](const std::string& /*path*/, std::size_t /*most*/) -> std::expected<std::string, std::string> {
    return std::unexpected("no file");
  };
  made.before = require(launch::parse_arguments(*made.loaded.program, argument_texts(one, made.groups), memory_limit, read), one.text());
  made.after = made.before;
  launch::LaunchOptions options;
  options.groups = made.groups;
  const auto outcome = require(launch::run(made.loaded.program, made.after, options), one.text());
  if (outcome.fault) {
    give_up(launch::render(*made.loaded.program, *outcome.fault));
  }
  made.problems = one.kernel.has_groups ? made.groups : made.groups * one.size - 1;  // arguments.sh leaves one out
  return made;
}

struct Row {
  Counted counted;
  double compile_seconds = 0;
};

/// Bytes of .shared that the module declares.
std::uint64_t shared_bytes_of(const ptx::resolved::Module& module, const ptx::resolved::Function& kernel) {
  std::uint64_t bytes = 0;
  for (const auto* variables : {&module.variables, &kernel.variables}) {
    for (const ptx::resolved::VariableInfo& variable : *variables) {
      // clang keeps those of all kernels of a file at the module's level, with the kernel's name in front.
      const bool is_own = variables != &module.variables || variable.name.contains(kernel.name);
      bytes += variable.space == ptx::Space::Shared && is_own ? variable.bytes : 0;
    }
  }
  return bytes;
}

/// Runs the PTX and compares.
Row counted(const Launched& launch, const std::string& ptx, const std::string& kernel, std::uint64_t blocks, unsigned threads,
            std::uint64_t last_argument) {
  const targets::PtxModule module = require(targets::read_ptx(ptx, kernel), kernel);
  Row row;
  targets::PtxLaunch options{static_cast<std::uint32_t>(blocks), threads, {last_argument}, true, &row.counted.counts};
  const auto result = targets::run_ptx(module, launch.before, options, ptx_machine::Schedule::LowestPc, 0);
  if (const auto* failure = std::get_if<differential::Failure>(&result)) {
    give_up(fmt::format("{}: {}", kernel, failure->sentence));
  }
  const differential::Reference reference{launch.loaded, launch.groups, launch.before, launch.after};
  if (compare(reference, std::get<std::vector<launch::Buffer>>(result)).different > 0) {
    give_up(fmt::format("{}: other bits than the interpreter's", kernel));
  }
  row.counted.live = ptx_machine::most_live(*module.kernel);
  row.counted.shared_bytes = shared_bytes_of(module.resolved, *module.kernel);
  row.counted.warps_of_block = std::ceil(threads / warp_lanes);
  row.counted.problems = static_cast<double>(launch.problems);
  return row;
}

/// Processor time of programs that have been called, which is clang's alone.
double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Row ours(const Case& one, const Launched& launch, const host::Compiler& clang) {
  passes::PipelineOptions options;
  auto kernel = require(passes::lower(launch.read.program, *launch.read.function, options), one.text());
  options.wg_pack =
      one.pack == "auto" ? emit_cuda::choose_pack(emit_cuda::pack_costs(kernel, one.choices)) : static_cast<unsigned>(std::stoul(one.pack));
  const double start = seconds_of_children() + processor_seconds();
  if (options.wg_pack != 1) {
    kernel = require(passes::lower(launch.read.program, *launch.read.function, options), one.text());
  }
  const auto emitted = emit_cuda::emit(kernel, {.entries = false, .choices = one.choices});
  if (!emitted) {
    give_up(fmt::format("{}: {}", one.text(), emitted.error().sentence));
  }
  const auto text = targets::compile_cuda(*emitted, {clang, 2, "", nullptr});
  if (!text) {
    give_up(text.error().sentence);
  }
  const double seconds = seconds_of_children() + processor_seconds() - start;
  const std::uint64_t packs = launch.groups / options.wg_pack + launch.groups % options.wg_pack;
  const std::uint64_t blocks = (packs + emitted->packs_of_block - 1) / emitted->packs_of_block;
  Row row = counted(launch, *text, emitted->kernel_symbol, blocks, emitted->block_threads, launch.groups);
  row.compile_seconds = seconds;
  return row;
}

std::string file_text(const std::string& name) { return text_of("../bench/cuda/" + name); }

/// PTX of a file of bench/cuda.
std::string compiled(const Case& one, const std::string& file, const host::Compiler& clang) {
  host::CompileRequest request;
  request.source = {file + ".cu", file_text(file + ".cu")};
  request.headers = {{"peers.cuh", file_text("peers.cuh")}};
  request.options = targets::clang_device_options();
  request.options.insert(request.options.end(), {"-ffp-contract=on", "-O3", "-DREAL=" + one.real, fmt::format("-DN={}", one.size)});
  const auto text = host::compile_text(clang, request);
  if (!text) {
    give_up(text.error().sentence);
  }
  return *text;
}

/// "threads" or "rows"
Row peer(const Case& one, const Launched& launch, const std::string& file, const host::Compiler& clang) {
  const std::string text = compiled(one, file, clang);
  const bool is_row = file == "rows";
  const bool is_large = one.size == 32 && one.real == "double";  // too much shared memory for as many (rows.cu)
  const std::uint64_t matrices = std::max(1U, threads_of_peer / one.size / (is_large ? 2 : 1));
  const std::uint64_t problems = one.kernel.has_groups ? launch.groups : launch.problems;
  const std::uint64_t of_block = is_row ? matrices : threads_of_peer;
  return counted(launch, text, fmt::format("{}_{}", one.kernel.name, file), (problems + of_block - 1) / of_block,
                 is_row ? static_cast<unsigned>(matrices * one.size) : threads_of_peer, problems);
}

std::string per_problem(std::uint64_t count, const Row& row) {
  const double number = static_cast<double>(count) / row.counted.problems;
  return number == 0 ? "" : number < 10 ? fmt::format("{:.2f}", number) : fmt::format("{:.0f}", number);
}

/// "32.0 in 8.0": sectors and lines.
std::string per_access(const ptx_machine::AccessCount& count) {
  const auto of_each = [&](std::uint64_t all) { return static_cast<double>(all) / static_cast<double>(count.instructions); };
  return count.instructions == 0 ? "" : fmt::format("{:.1f} in {:.1f}", of_each(count.transactions), of_each(count.lines));
}

/// Instructions that the model thinks are issued.
std::uint64_t slots(const Row& row) {
  double all = 0;
  for (std::size_t k = 0; k < ptx_machine::issue_classes; ++k) {
    all += static_cast<double>(row.counted.counts.issued[k]) * cost_of(static_cast<ptx_machine::IssueClass>(k)).slots;
  }
  return static_cast<std::uint64_t>(all);
}

std::uint64_t divisions(const Row& row) {
  using enum ptx_machine::IssueClass;
  return row.counted.counts.of(DivideFloat) + row.counted.counts.of(DivideDouble);
}

std::uint64_t local(const Row& row) { return row.counted.counts.local.loads.instructions + row.counted.counts.local.stores.instructions; }

void print_row(const Case& one, const std::string& who, const Row& row, double ratio) {
  const Estimate h = estimate(row.counted, h100);
  const Estimate t = estimate(row.counted, titan_v);
  const ptx_machine::Counts& counts = row.counted.counts;
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.3f} | {} | {:.3f} | {} | {} |\n", one.kernel.name,
             one.real, one.size, who, per_problem(slots(row), row), per_problem(divisions(row), row),
             per_problem(counts.of(ptx_machine::IssueClass::Shuffle), row),
             per_problem(counts.shared.loads.transactions + counts.shared.stores.transactions, row), per_access(counts.global.loads),
             per_access(counts.global.stores), row.counted.live.words, per_problem(local(row), row), h.warps, h.nanoseconds, h.limit,
             t.nanoseconds, t.limit, ratio == 0 ? "" : fmt::format("{:.2f}", ratio));
  std::fflush(stdout);
}

constexpr std::array<unsigned, 4> sizes = {4, 8, 16, 32};
bool is_wanted(const std::string& size, unsigned n) { return size == "all" || size == std::to_string(n); }

/// GEMA by the ways in which a lane gets its row: what decides whether elements go through lanes.
void print_ways(const std::string& size, const host::Compiler& clang) {
  fmt::print(
      "| REAL | n | way | issued | shfl | shared | ld | st | regs | busy, cycles | H100, ns | limit |\n"
      "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n");
  for (const std::string real : {"double", "float"}) {
    for (const unsigned n : sizes) {
      if (!is_wanted(size, n)) {
        continue;
      }
      const Case one{kernels.front(), real, n, "1"};
      const Launched launch = launched(one);
      const std::string text = compiled(one, "rows_of_items", clang);
      for (const std::string way : {"elements", "wide", "lanes", "shared"}) {
        const Row row = counted(launch, text, "gema_" + way, launch.groups * n / threads_of_peer, threads_of_peer, launch.groups);
        const ptx_machine::Counts& counts = row.counted.counts;
        const Estimate h = estimate(row.counted, h100);
        fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {:.3f} | {} |\n", real, n, way, per_problem(slots(row), row),
                   per_problem(counts.of(ptx_machine::IssueClass::Shuffle), row),
                   per_problem(counts.shared.loads.transactions + counts.shared.stores.transactions, row), per_access(counts.global.loads),
                   per_access(counts.global.stores), row.counted.live.words, h.busy / row.counted.problems, h.nanoseconds, h.limit);
      }
    }
  }
}

struct Mean {
  double logarithms = 0;
  double least = 1e300;
  unsigned count = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "all";
  const std::string size = argc > 2 ? argv[2] : "all";
  const std::string pack = argc > 3 ? argv[3] : "auto";
  const bool is_kernel = wanted == "all" || std::ranges::any_of(kernels, [&](const KernelInfo& one) { return wanted == one.name; });
  const bool is_size = size == "all" || std::ranges::any_of(sizes, [&](unsigned n) { return is_wanted(size, n); });
  emit_cuda::Choices choices;
  const auto refused = argc > 4 ? targets::store_without(choices, argv[4]) : std::nullopt;
  if ((!is_kernel && wanted != "rows") || !is_size || refused) {
    fmt::print(stderr, "usage: bench_cuda [all|gema|gemm|trsv|ldus|pade|enumerate|frcg|rows [all|4|8|16|32 [WG_PACK [WITHOUT,...]]]]\n");
    return 2;
  }
  const host::Compiler clang = require(targets::find_clang(""), "clang");
  if (wanted == "rows") {
    print_ways(size, clang);
    return 0;
  }
  fmt::print(
      "Per problem, of a warp: instructions issued, divisions, shuffles, passes of shared memory; sectors of a load and a store, and\n"
      "the lines in which they lie; 32-bit registers live; accesses to local memory. Estimated: warps of a multiprocessor, ns a problem, "
      "the\n"
      "limit; ours over the better peer (H100).\n\n");
  fmt::print(
      "| kernel | REAL | n | who | issued | div | shfl | shared | ld | st | regs | local | warps | H100, ns | limit | TITAN V, ns | limit "
      "| ratio |\n|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|---|--:|\n");
  std::vector<std::pair<std::string, Mean>> means;
  double slowest = 0;
  for (const KernelInfo& kernel : kernels) {
    if (wanted != "all" && wanted != kernel.name) {
      continue;
    }
    Mean& mean = means.emplace_back(kernel.name, Mean()).second;
    for (const std::string real : {"double", "float"}) {
      for (const unsigned n : sizes) {
        if (!is_wanted(size, n)) {
          continue;
        }
        const Case one{kernel, real, n, pack, choices};
        const Launched launch = launched(one);
        const Row own = ours(one, launch, clang);
        slowest = std::max(slowest, own.compile_seconds);
        std::vector<std::pair<std::string, Row>> peers = {{"threads", peer(one, launch, "threads", clang)}};
        if (kernel.has_groups) {
          peers.emplace_back("rows", peer(one, launch, "rows", clang));
        }
        double best = 1e300;
        for (const auto& [name, row] : peers) {
          best = std::min(best, estimate(row.counted, h100).nanoseconds);
        }
        const double ratio = best / estimate(own.counted, h100).nanoseconds;
        print_row(one, "ours", own, ratio);
        for (const auto& [name, row] : peers) {
          print_row(one, name, row, 0);
        }
        mean.logarithms += std::log(ratio);
        mean.least = std::min(mean.least, ratio);
        ++mean.count;
      }
    }
  }
  fmt::print("\n| kernel | ours over the better peer, geometric mean | least |\n|---|--:|--:|\n");
  for (const auto& [name, mean] : means) {
    fmt::print("| {} | {:.2f} | {:.2f} |\n", name, std::exp(mean.logarithms / std::max(mean.count, 1U)), mean.least);
  }
  fmt::print("\nEmitting and compiling by clang took {:.2f} s of processor time at most.\n", slowest);
}
