// write_samples FOLDER COUNT SEED: random programs and kernels as files, each with the arguments of `lockstep` that run it. What two builds
// of the command say of them is compared by scripts/same_answers.sh.
//
// FOLDER/NUMBER.mus or FOLDER/NUMBER.cl, and FOLDER/NUMBER.args: a line for each run, of arguments behind the file's name.

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "semantics/core/print.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/generate/kernel.hpp"
#include "semantics/generate/program.hpp"
#include "semantics/musimd/print.hpp"
#include "semantics/ops/apply.hpp"

namespace {

using namespace lockstep;

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

/// Untyped programs, one of four ill-formed: states, messages, rules, traces, in two orders of the threads.
void write_program(const std::filesystem::path& stem, std::uint64_t seed) {
  generate::Choices choices = generate::from_seed(seed);
  generate::ProgramOptions options;
  options.max_threads = 96;
  musimd::Program program = generate::emit(generate::random_program(choices, options));
  if (choices(4) == 0) {
    program = generate::with_changed_control(std::move(program), choices);
  }
  write(stem.string() + ".mus", musimd::print(program));
  write(stem.string() + ".args", "--max-steps 4000\n--max-steps 4000 --json --order descending\n--max-steps 300 --trace=json --quiet\n");
}

std::string argument(const generate::KernelInput& input) {
  std::string values;
  for (const std::uint64_t bits : input.values) {
    values += (values.empty() ? "" : ",") + ops::text_of(input.type, bits);
  }
  return fmt::format(" --arg {}={}", input.name, input.is_buffer ? "[" + values + "]" : values);
}

/// Kernels, some with undefined behaviour and races: results, first faults, counts of rules, as one warp and in warps of several.
void write_kernel(const std::filesystem::path& stem, std::uint64_t seed) {
  generate::Choices choices = generate::from_seed(seed);
  generate::KernelOptions options;
  options.profile = static_cast<generate::Profile>(choices(3));
  options.undefined = choices(2) == 0;
  options.sweeps = choices(2) == 0;
  options.heads = choices(2) == 0;
  const generate::Kernel kernel = generate::random_kernel(choices, options);
  write(stem.string() + ".cl", core::print(kernel.unit));
  std::string run = fmt::format("--wg-size {} --groups {} --max-steps 200000 --threads 1{}", kernel.wg_size, kernel.groups,
                                kernel.contract ? "" : " --fp-contract=off");
  for (const generate::KernelInput& input : kernel.inputs) {
    run += argument(input);
  }
  write(stem.string() + ".args",
        fmt::format("{0}\n{0} --json\n{0} --json --warp-size {1} --schedule random:{2}\n{0} --warp-size {1} --schedule fair\n", run,
                    1 + choices(kernel.wg_size), seed % 1000));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: write_samples FOLDER COUNT SEED\n";
    return 2;
  }
  try {
    const std::filesystem::path folder = arguments[1];
    const std::uint64_t first = std::strtoull(arguments[3], nullptr, 10) * 1'000'003;
    std::filesystem::create_directories(folder);
    for (std::uint64_t k = 0; k < std::strtoull(arguments[2], nullptr, 10); ++k) {
      const std::filesystem::path stem = folder / std::to_string(k);
      k % 2 == 0 ? write_program(stem, first + k) : write_kernel(stem, first + k);
    }
  } catch (const std::exception& error) {
    std::cerr << "write_samples: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
