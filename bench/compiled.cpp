// Kernels compiled by the library (codegen/compile), on one core: against the interpreter, and against PoCL, which compiles OpenCL C by
// LLVM too. All times are processor time; the medians of rounds in which all sides take turns.
//   compiled              the table: ours, and how many times as long the interpreter and PoCL take
//   compiled --packs      how long packs of 1, 2, 4 and 8 groups take, and which one `auto` chooses
//   compiled --forms      packed, strided and by pointers, and blocks gathered into an array instead
//   compiled --cold DIR   how long a fresh process takes from a text to a callable; the second time the cache in DIR has it
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>

#include "bench/common.hpp"
#include "bench/compiled_workloads.hpp"
#include "codegen/compile/compile.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#ifdef LOCKSTEP_HAS_OPENCL
#include "tests/opencl/device.hpp"
#endif

namespace {

using namespace lockstep;
using namespace lockstep::bench;

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// ---- ours -----------------------------------------------------------------------------------------------------------------------

CompileOptions options_for(const Workload& w, unsigned wg_pack = 0) {
  CompileOptions options;
  options.wg_size = w.wg_size;
  options.wg_pack = wg_pack;
  options.defines = w.defines;
  options.fp_contract = false;  // as PoCL is told, so that all leave the same bits
  options.threads = 1;
  options.cache = false;
  return options;
}

CompiledKernel compiled(const Workload& w, const CompileOptions& options) {
  const SourceFile source(w.file, text_of(w.file));
  auto kernel = compile(source, options);
  if (!kernel) {
    give_up(render(source, kernel.error()));
  }
  return *kernel;
}

std::vector<KernelArgument> arguments_of(const Workload& w, launch::Arguments& memory) {
  std::vector<KernelArgument> arguments;
  for (std::size_t k = 0; k < memory.values.size(); ++k) {
    if (const auto* buffer = std::get_if<BufferNumber>(&memory.values[k])) {
      launch::Buffer& b = memory.buffers[buffer->number];
      arguments.emplace_back(KernelArgument::Value(PackedArgument{{b.type, false}, b.bytes.data(), b.count}));
    } else {
      arguments.emplace_back(KernelArgument::Value(NumberArgument{w.types[k], std::get<ScalarBits>(memory.values[k]).bits}));
    }
  }
  return arguments;
}

/// Seconds of one run; `memory` holds the results then.
double run_compiled(const CompiledKernel& kernel, const Workload& w, launch::Arguments& memory) {
  memory = w.arguments;
  const std::vector<KernelArgument> arguments = arguments_of(w, memory);
  const double start = thread_seconds();
  const auto outcome = kernel.run(w.groups, arguments);
  const double seconds = thread_seconds() - start;
  if (!outcome) {
    give_up(outcome.error());
  }
  return seconds;
}

// ---- the interpreter --------------------------------------------------------------------------------------------------------------

std::shared_ptr<const typed::Program> translated(const Workload& w) {
  const auto source = std::make_shared<const SourceFile>(w.file, text_of(w.file));
  core::Options options;
  options.wg_size = w.wg_size;
  options.contract = false;
  options.defines = w.defines;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    give_up(render(*source, program.error()));
  }
  return std::make_shared<const typed::Program>(core::translate(*program, *program->kernel("")));
}

double run_interpreted(const std::shared_ptr<const typed::Program>& program, const Workload& w, launch::Arguments& memory) {
  memory = w.arguments;
  launch::LaunchOptions options;
  options.groups = w.groups;
  options.threads = 1;
  options.races = false;
  const double start = processor_seconds();
  const auto outcome = launch::run(program, memory, options);
  const double seconds = processor_seconds() - start;
  if (!outcome || outcome->fault) {
    give_up(w.name + ": " + (!outcome ? outcome.error() : launch::render(*program, *outcome->fault)));
  }
  return seconds;
}

// ---- PoCL ---------------------------------------------------------------------------------------------------------------------------

bool is_equal(const launch::Arguments& a, const launch::Arguments& b) {
  return std::ranges::equal(a.buffers, b.buffers, {}, &launch::Buffer::bytes, &launch::Buffer::bytes);
}

#ifdef LOCKSTEP_HAS_OPENCL
/// The kernel as OpenCL 1.2 wants it: the id functions have an argument there, and the size of a group is no constant.
std::string opencl_text(const Workload& w) {
  const std::string names =
      "#define get_local_size(...) N\n#define get_local_id(...) get_local_id(0)\n"
      "#define get_group_id(...) get_group_id(0)\n#define get_global_id(...) get_global_id(0)\n";
  return w.opencl.empty() ? names + text_of(w.file) : w.opencl;
}

double run_opencl(test::OpenClDevice& device, const Workload& w, launch::Arguments& memory) {
  memory = w.arguments;
  std::string defines = fmt::format("-D N={}", w.wg_size);
  for (const auto& [name, value] : w.defines) {
    defines += fmt::format(" -D {}={}", name, value);
  }
  return device.run(opencl_text(w), defines, w.name, memory, w.types, w.wg_size, w.groups, 2);
}
#endif

// ---- the tables ---------------------------------------------------------------------------------------------------------------------

std::vector<Workload> all_workloads() {
  std::vector<Workload> all;
  for (const unsigned n : {8U, 16U, 32U}) {
    for (const char* name : {"gema", "gemm", "ldus", "trsv"}) {
      all.push_back(matrix_kernel(name, ScalarType::Double, n, 65536 / (n * n)));
    }
  }
  for (const char* name : {"pade", "enumerate", "frcg"}) {
    all.push_back(item_kernel(name, ScalarType::Double, 64, std::string(name) == "enumerate" ? 16 : 128));
  }
  for (Workload& w : core_kernels()) {
    all.push_back(std::move(w));
  }
  return all;
}

void against_others() {
  constexpr int rounds = 7;
#ifdef LOCKSTEP_HAS_OPENCL
  auto device = test::OpenClDevice::find("Portable Computing Language");
  fmt::print("{}\n", device ? device->name() : "there is no PoCL");
#endif
  fmt::print("{:12} {:>7} {:>6} {:>6} {:>14} {:>14} {:>10} {:>6}\n", "kernel", "items", "groups", "pack", "ours, us", "interpreter", "PoCL",
             "bits");
  for (const Workload& w : all_workloads()) {
    const CompiledKernel kernel = compiled(w, options_for(w));
    const auto program = translated(w);
    launch::Arguments ours;
    launch::Arguments theirs;
    std::vector<double> seconds;
    std::vector<double> interpreted;
    std::vector<double> pocl;
    bool is_same = true;
    run_compiled(kernel, w, ours);
    for (int round = 0; round < rounds; ++round) {
      for (int k = 0; k < 5; ++k) {
        seconds.push_back(run_compiled(kernel, w, ours));
      }
      if (round < 3) {
        interpreted.push_back(run_interpreted(program, w, theirs));
        is_same = is_same && is_equal(ours, theirs);
      }
#ifdef LOCKSTEP_HAS_OPENCL
      if (device) {
        pocl.push_back(run_opencl(*device, w, theirs));
        is_same = is_same && is_equal(ours, theirs);
      }
#endif
    }
    const double own = median(seconds);
    fmt::print("{:12} {:>7} {:>6} {:>6} {:>14.1f} {:>14.0f} {:>10} {:>6}\n", w.name, w.wg_size, w.groups, kernel.wg_pack(), 1e6 * own,
               median(interpreted) / own, pocl.empty() ? "-" : fmt::format("{:.2f}", median(pocl) / own), is_same ? "equal" : "DIFFER");
    std::fflush(stdout);
  }
}

/// The loss of the model's choice against the best pack is a factor from 1.
void packs() {
  constexpr int rounds = 9;
  fmt::print("ns for a group. kernel type items | pack 1, 2, 4, 8 | chosen, and how many times the best pack's time it takes\n");
  std::vector<double> losses;
  std::vector<double> losses_of_one;
  std::vector<Workload> all;
  for (const ScalarType real : {ScalarType::Float, ScalarType::Double}) {
    for (const char* name : {"gema", "gemm", "ldus", "trsv"}) {
      for (const unsigned n : {4U, 8U, 12U, 16U, 24U, 32U}) {
        all.push_back(matrix_kernel(name, real, n, std::max(16U, 16384 / (n * n))));
      }
    }
    for (const char* name : {"pade", "enumerate", "frcg"}) {
      for (const unsigned n : {4U, 8U, 16U, 32U}) {
        all.push_back(item_kernel(name, real, n, std::string(name) == "enumerate" ? 16 : 64));
      }
    }
  }
  for (const Workload& w : all) {
    std::vector<CompiledKernel> kernels;
    std::vector<std::vector<double>> seconds(4);
    for (unsigned k = 0; k < 4; ++k) {
      kernels.push_back(compiled(w, options_for(w, 1U << k)));
    }
    for (int round = 0; round < rounds; ++round) {
      for (unsigned k = 0; k < 4; ++k) {
        launch::Arguments memory;
        run_compiled(kernels[k], w, memory);
        seconds[k].push_back(run_compiled(kernels[k], w, memory));
      }
    }
    std::vector<double> times;
    for (unsigned k = 0; k < 4; ++k) {
      times.push_back(1e9 * *std::ranges::min_element(seconds[k]) / static_cast<double>(w.groups));
    }
    CompileOptions chosen = options_for(w, 0);
    chosen.level = 0;  // only the choice is wanted
    const unsigned pack = compiled(w, chosen).wg_pack();
    const double best = *std::ranges::min_element(times);
    losses.push_back(times[static_cast<unsigned>(std::countr_zero(pack))] / best);
    losses_of_one.push_back(times[0] / best);
    fmt::print("{:10} {:6} {:>3} | {:9.1f} {:9.1f} {:9.1f} {:9.1f} | {} {:.2f}\n", w.name,
               info(w.types[w.name == "enumerate" ? 1 : 0]).name, w.wg_size, times[0], times[1], times[2], times[3], pack, losses.back());
    std::fflush(stdout);
  }
  const auto mean = [](const std::vector<double>& factors) {
    double sum = 0;
    for (const double factor : factors) {
      sum += std::log(factor);
    }
    return std::exp(sum / static_cast<double>(factors.size()));
  };
  fmt::print("geometric mean of the losses: chosen {:.3f}, worst {:.2f}; always 1: {:.3f}, worst {:.2f}\n", mean(losses),
             *std::ranges::max_element(losses), mean(losses_of_one), *std::ranges::max_element(losses_of_one));
}

double wall_milliseconds(const std::function<void()>& work) {
  timespec start{};
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  work();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return 1e3 * static_cast<double>(end.tv_sec - start.tv_sec) + 1e-6 * static_cast<double>(end.tv_nsec - start.tv_nsec);
}

/// From the text to a callable, or from the cache if it has it: a process does some things only once, so that each is a process of its own.
void library(const std::string& folder) {
  const Workload w = matrix_kernel("ldus", ScalarType::Double, 32, 256);
  const SourceFile source(w.file, text_of(w.file));
  CompileOptions options = options_for(w);
  options.cache = true;
  options.cache_directory = folder;
  bool is_cached = false;
  const double first = wall_milliseconds([&] { is_cached = compile(source, options)->is_from_cache(); });
  const double second = wall_milliseconds([&] { compile(source, options); });
  fmt::print("ldus, 32 items, double: a callable after {:.2f} ms ({}), once more in this process {:.2f} ms\n", first,
             is_cached ? "from the cache" : "from the text", second);
}

/// The three forms of arguments, and gathering blocks into an array for a launch instead.
void forms() {
  for (const unsigned n : {4U, 8U, 16U, 32U}) {
    const Workload w = matrix_kernel("ldus", ScalarType::Double, n, 65536 / (n * n));
    const CompiledKernel kernel = compiled(w, options_for(w));
    const std::size_t block = std::size_t{n} * n;
    const std::size_t stride = block + 8;
    const auto* input = reinterpret_cast<const double*>(w.arguments.buffers[0].bytes.data());
    std::vector<double> records(w.groups * stride);
    std::vector<double> packed(w.groups * block);
    std::vector<double*> pointers;
    for (std::size_t g = 0; g < w.groups; ++g) {
      pointers.push_back(&records[g * stride]);
    }
    std::vector<double> gathered(std::max<std::size_t>(8, 2048 / block) * block);
    const auto by_gathering = [&] {
      const std::size_t chunk = gathered.size() / block;
      for (std::size_t first = 0; first < w.groups; first += chunk) {
        const std::size_t count = std::min<std::size_t>(chunk, w.groups - first);
        for (std::size_t k = 0; k < count; ++k) {
          std::copy_n(pointers[first + k], block, &gathered[k * block]);
        }
        (void)kernel(count, gathered);
        for (std::size_t k = 0; k < count; ++k) {
          std::copy_n(&gathered[k * block], block, pointers[first + k]);
        }
      }
    };
    const std::vector<std::function<void()>> ways = {[&] { (void)kernel(w.groups, packed); },
                                                     [&] { (void)kernel(w.groups, strided(records, stride)); },
                                                     [&] { (void)kernel(w.groups, each(pointers)); }, by_gathering};
    std::vector<double> least(ways.size(), 1e300);
    for (int round = 0; round < 25; ++round) {
      for (std::size_t k = 0; k < ways.size(); ++k) {
        std::copy_n(input, packed.size(), packed.data());
        for (std::size_t g = 0; g < w.groups; ++g) {
          std::copy_n(input + g * block, block, pointers[g]);
        }
        const double start = thread_seconds();
        ways[k]();
        least[k] = std::min(least[k], thread_seconds() - start);
      }
    }
    const double groups = static_cast<double>(w.groups);
    fmt::print("ldus, {:2} items, double, ns for a group: packed {:.0f}, strided {:.0f}, by pointers {:.0f}, gathered {:.0f}\n", n,
               1e9 * least[0] / groups, 1e9 * least[1] / groups, 1e9 * least[2] / groups, 1e9 * least[3] / groups);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    against_others();
  } else if (words[0] == "--packs") {
    packs();
  } else if (words[0] == "--forms") {
    forms();
  } else if (words[0] == "--cold" && words.size() == 2) {
    library(words[1]);
  } else {
    give_up("usage: compiled [--packs | --forms | --cold DIR]");
  }
  return 0;
}
