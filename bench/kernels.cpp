// Kernels on the PIRCH machine: against Oclgrind, which people use today, on plain OpenCL kernels that both run unchanged; the same kernels
// in groups of different sizes; and the front end. Times are processor time, one thread each, because the machines that this runs on are
// shared. Ours are medians of nine runs, or as many as the table says; Oclgrind's are the median of three runs that take turns with ours,
// but where it takes longer than a few seconds there is one run, and with --quick none.
//   kernels [--quick]
//   kernels --lockstep NAME WARP_SIZE off|on   runs one of them 20 times, for a profiler; races off or on
//   kernels --opencl NAME      runs one of them by OpenCL and prints the seconds; what the first form starts under Oclgrind
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#ifdef LOCKSTEP_HAS_OPENCL
#include "tests/opencl/device.hpp"
#endif

namespace {

using namespace lockstep;
using namespace lockstep::bench;

/// A kernel and what it is run on.
struct Workload {
  std::string name;
  std::string file;  ///< below examples/
  unsigned wg_size = 256;
  std::uint64_t groups = 1;
  launch::Arguments arguments;
  std::vector<ScalarType> types;  ///< of the parameters
  bool is_slow = false;           ///< in Oclgrind
};

void add_floats(Workload& w, std::size_t count) {
  launch::Buffer buffer{ScalarType::Float, count, std::vector<std::byte>(4 * count), {count}, {}};
  for (std::size_t k = 0; k < count; ++k) {
    const float number = static_cast<float>(k * 37 % 1000) * 0.01F - 5;
    std::memcpy(&buffer.bytes[4 * k], &number, 4);
  }
  w.arguments.values.emplace_back(BufferNumber{w.arguments.buffers.size()});
  w.arguments.buffers.push_back(std::move(buffer));
  w.types.push_back(ScalarType::Float);
}

void add_scalar(Workload& w, ScalarType type, std::uint64_t bits) {
  w.arguments.values.emplace_back(ScalarBits{bits});
  w.types.push_back(type);
}

std::uint64_t bits_of(float number) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

Workload vecadd() {
  Workload w{"vecadd 2^20", "core/vecadd.cl", 256, 4096, {}, {}, false};
  for (int k = 0; k < 3; ++k) {
    add_floats(w, std::size_t{1} << 20);
  }
  return w;
}

Workload sgemm(bool tiled) {
  constexpr unsigned n = 256;
  Workload w{
      tiled ? "tiled sgemm 256" : "naive sgemm 256", tiled ? "core/sgemm_tiled.cl" : "core/sgemm_naive.cl", 256, n * n / 256, {}, {}, true};
  for (int k = 0; k < 3; ++k) {
    add_floats(w, std::size_t{n} * n);
  }
  add_scalar(w, ScalarType::UInt, n);
  return w;
}

Workload collatz() {
  Workload w{"collatz 2^14", "core/collatz.cl", 256, 64, {}, {}, true};
  launch::Buffer buffer{ScalarType::UInt, 1 << 14, std::vector<std::byte>(std::size_t{4} << 14), {1 << 14}, {}};
  w.arguments.values.emplace_back(BufferNumber{0});
  w.arguments.buffers.push_back(std::move(buffer));
  w.types.push_back(ScalarType::UInt);
  return w;
}

std::vector<Workload> plain_workloads() {
  std::vector<Workload> all;
  all.push_back(vecadd());
  all.push_back(sgemm(false));
  all.push_back(sgemm(true));
  all.push_back(collatz());
  return all;
}

std::shared_ptr<const typed::Program> translated(const std::string& file, unsigned wg_size, const std::string& real = "float") {
  const auto source = std::make_shared<const SourceFile>(file, text_of(file));
  core::Options options;
  options.wg_size = wg_size;
  options.contract = false;
  options.defines = {{"REAL", real}};
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    give_up(render(*source, program.error()));
  }
  const core::Function* kernel = program->kernel("");
  if (kernel == nullptr) {
    kernel = &*std::find_if(program->functions.begin(), program->functions.end(), [](const core::Function& f) { return f.is_kernel; });
  }
  return std::make_shared<const typed::Program>(core::translate(*program, *kernel));
}

struct Timed {
  double seconds = 0;
  std::uint64_t steps = 0;
};

Timed timed(const std::shared_ptr<const typed::Program>& program, const Workload& w, unsigned warp_size, bool races) {
  launch::Arguments arguments = w.arguments;
  launch::LaunchOptions options;
  options.groups = w.groups;
  options.threads = 1;
  options.warp_size = warp_size;
  options.races = races;
  const double start = processor_seconds();
  const auto outcome = launch::run(program, arguments, options);
  const double seconds = processor_seconds() - start;
  if (!outcome || outcome->fault || outcome->race_count != 0) {
    give_up(w.name + ": " + (!outcome ? outcome.error() : outcome->fault ? launch::render(*program, *outcome->fault) : "a race"));
  }
  return {seconds, outcome->steps};
}

int run_often(const std::string& name, unsigned warp_size, bool races) {
  for (const Workload& w : plain_workloads()) {
    if (w.name == name) {
      const auto program = translated(w.file, w.wg_size);
      double least = 1e300;
      for (int k = 0; k < 20; ++k) {
        least = std::min(least, timed(program, w, warp_size, races).seconds);
      }
      fmt::print("{} {:.4f} s at the least\n", name, least);
      return 0;
    }
  }
  return 2;
}

/// The seconds that Oclgrind takes; 0 without Oclgrind.
double oclgrind_seconds([[maybe_unused]] const Workload& w, [[maybe_unused]] bool races) {
#ifdef LOCKSTEP_HAS_OPENCL
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      fmt::format("oclgrind --num-threads 1 {} '{}' --opencl '{}' 2>/dev/null", races ? "--data-races" : "", self, w.name);
  if (FILE* pipe = popen(command.c_str(), "r"); pipe != nullptr) {
    double seconds = 0;
    const int read = std::fscanf(pipe, "%lf", &seconds);
    pclose(pipe);
    return read == 1 ? seconds : 0;
  }
#endif
  return 0;
}

int run_by_opencl([[maybe_unused]] const std::string& name) {
#ifdef LOCKSTEP_HAS_OPENCL
  for (Workload& w : plain_workloads()) {
    if (w.name == name) {
      const std::string text = text_of(w.file);
      const std::size_t at = text.find("__kernel void ") + std::strlen("__kernel void ");
      const std::string kernel = text.substr(at, text.find('(', at) - at);
      auto device = test::OpenClDevice::find("Oclgrind");
      if (!device) {
        give_up("there is no Oclgrind");
      }
      fmt::print("{}\n", device->run(text, "", kernel, w.arguments, w.types, w.wg_size, w.groups));
      return 0;
    }
  }
#endif
  return 2;
}

void against_oclgrind(bool quick) {
  fmt::print("Processor seconds, one thread. ours: bounds and uninitialised checks on. Ratios are Oclgrind / ours.\n");
  fmt::print("{:16} {:9} {:>10} {:>12} {:>12} {:>8} {:>8}\n", "kernel", "races", "Oclgrind", "lockstep", "--model ocl", "ratio", "ratio");
  for (const Workload& w : plain_workloads()) {
    const auto program = translated(w.file, w.wg_size);
    for (const bool races : {false, true}) {
      std::vector<double> theirs;
      std::vector<double> group;
      std::vector<double> item;
      for (int round = 0; round < 3; ++round) {
        if (!(quick && w.is_slow) && (round == 0 || !w.is_slow)) {
          theirs.push_back(oclgrind_seconds(w, races));
        }
        for (int k = 0; k < 3; ++k) {
          group.push_back(timed(program, w, 0, races).seconds);
          item.push_back(timed(program, w, 1, races).seconds);
        }
      }
      const double them = median(theirs);
      fmt::print("{:16} {:9} {:10.3f} {:12.4f} {:12.4f} {:8.1f} {:8.1f}\n", w.name, races ? "on" : "off", them, median(group), median(item),
                 them / median(group), them / median(item));
      std::fflush(stdout);
    }
  }
}

Workload saxpy(unsigned wg_size) {
  constexpr unsigned n = 1U << 19;
  Workload w{"saxpy", "core/saxpy.cl", wg_size, n / wg_size, {}, {}, false};
  add_scalar(w, ScalarType::Float, bits_of(0.5F));
  add_floats(w, n);
  add_floats(w, n);
  add_scalar(w, ScalarType::UInt, n);
  return w;
}

/// Systems of wg_size equations, diagonally dominant; as many as make about as many thread-operations at every size.
Workload ldus(unsigned wg_size) {
  const std::uint64_t groups = std::max<std::uint64_t>(1, std::uint64_t{1000000} / (std::uint64_t{wg_size} * wg_size));
  Workload w{"ldus", "borg/ldus.cl", wg_size, groups, {}, {}, false};
  add_floats(w, groups * wg_size * wg_size);
  for (std::uint64_t row = 0; row < groups * wg_size; ++row) {
    const float diagonal = 20.0F * static_cast<float>(wg_size);
    std::memcpy(&w.arguments.buffers[0].bytes[4 * (row * wg_size + row % wg_size)], &diagonal, 4);
  }
  return w;
}

void group_sizes() {
  fmt::print("\nThread-operations a second (steps x items of a warp), in millions; medians of five rounds\n");
  fmt::print("{:16} {:9} {:>8} {:>8} {:>8} {:>8} {:>14}\n", "kernel", "races", "4", "8", "32", "256", "4 against 256");
  for (Workload (*const make)(unsigned) : {saxpy, ldus}) {
    for (const bool races : {false, true}) {
      std::vector<double> speeds;
      std::string name;
      for (const unsigned wg_size : {4U, 8U, 32U, 256U}) {
        const Workload w = make(wg_size);
        const auto program = translated(w.file, wg_size);
        std::vector<double> rounds;
        for (int round = 0; round < 5; ++round) {
          const Timed t = timed(program, w, 0, races);
          rounds.push_back(1e-6 * static_cast<double>(t.steps) * wg_size / t.seconds);
        }
        speeds.push_back(median(rounds));
        name = w.name;
      }
      fmt::print("{:16} {:9} {:8.0f} {:8.0f} {:8.0f} {:8.0f} {:14.2f}\n", name, races ? "on" : "off", speeds[0], speeds[1], speeds[2],
                 speeds[3], speeds[0] / speeds[3]);
      std::fflush(stdout);
    }
  }
}

void front_end() {
  fmt::print("\nFront end: reading, types, translation; the median of 15 rounds, the slowest examples\n");
  std::vector<std::pair<double, std::string>> files;
  for (const char* folder : {"borg", "crev", "core"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(LOCKSTEP_SOURCE_DIR) + "/examples/" + folder)) {
      if (entry.path().extension() == ".cl") {
        const std::string file = std::string(folder) + "/" + entry.path().filename().string();
        std::vector<double> seconds;
        for (int round = 0; round < 15; ++round) {
          const double start = processor_seconds();
          translated(file, 32);
          seconds.push_back(processor_seconds() - start);
        }
        files.emplace_back(median(seconds), file);
      }
    }
  }
  std::sort(files.rbegin(), files.rend());
  for (std::size_t k = 0; k < 3 && k < files.size(); ++k) {
    fmt::print("{:24} {:5} bytes {:8.1f} ms\n", files[k].second, text_of(files[k].second).size(), 1e3 * files[k].first);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--opencl") {
    return run_by_opencl(words[1]);
  }
  if (words.size() == 4 && words[0] == "--lockstep") {
    return run_often(words[1], static_cast<unsigned>(std::stoul(words[2])), words[3] == "on");
  }
  group_sizes();
  front_end();
  fmt::print("\n");
  against_oclgrind(words == std::vector<std::string>{"--quick"});
  return 0;
}
