// Nobody can tell how many host threads there were, nor how groups were packed: all example kernels on small random inputs, most of which
// they are not made for, so that many end in a fault, a race or a limit, which must then be the same one.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

std::vector<std::filesystem::path> example_kernels() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LOCKSTEP_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".cl") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Buffers of 64 small numbers for the pointers, small numbers for the scalars.
launch::Arguments random_arguments(const typed::Program& p, std::mt19937_64& random) {
  launch::Arguments a;
  const typed::Function& kernel = p.kernel();
  for (std::size_t k = 0; k < kernel.parameter_count; ++k) {
    const typed::ValueType& type = kernel.registers[k].type;
    with_type(type.scalar, [&]<class T>(T) {
      const auto number = [&] { return static_cast<T>(type.scalar == ScalarType::Bool ? random() % 2 : random() % 20); };
      if (type.is_pointer) {
        std::vector<T> numbers(64);
        std::generate(numbers.begin(), numbers.end(), number);
        a.values.emplace_back(BufferNumber{a.buffers.size()});
        a.buffers.push_back(launch_text::buffer(type.scalar, numbers));
      } else {
        const T value = number();
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        a.values.emplace_back(ScalarBits{bits});
      }
    });
  }
  return a;
}

/// All that a run has to say, as text.
std::string story(const std::shared_ptr<const typed::Program>& p, launch::Arguments a, const launch::LaunchOptions& options) {
  const launch::Outcome outcome = launch_text::run(p, a, options);
  std::ostringstream out;
  out << outcome.steps << " steps; rules";
  for (const std::uint64_t count : outcome.rule_counts) {
    out << " " << count;
  }
  out << "; " << outcome.race_count << " races; depths " << outcome.most_contexts << " " << outcome.most_frames << " "
      << outcome.most_pending << "\n";
  for (const auto& activations : outcome.crev) {
    out << activations.function << " " << activations.activations << " " << activations.tasks << "\n";
  }
  for (const launch::Race& race : outcome.races) {
    out << launch::render(*p, race);
  }
  if (outcome.fault) {
    out << launch::name_of(outcome.fault->kind) << ": " << launch::render(*p, *outcome.fault);
  }
  for (const launch::Buffer& buffer : a.buffers) {
    for (const std::byte b : buffer.bytes) {
      out << std::to_integer<int>(b) << " ";
    }
    for (const std::uint64_t index : buffer.poison) {
      out << "?" << index;
    }
    out << "\n";
  }
  return out.str();
}

struct Tally {
  unsigned halted = 0;
  unsigned failed = 0;
};

void compare(const std::shared_ptr<const typed::Program>& p, unsigned warp_size, std::mt19937_64& random, Tally& tally) {
  const launch::Arguments a = random_arguments(*p, random);
  launch::LaunchOptions options;
  options.groups = 1 + random() % 6;
  options.warp_size = warp_size;
  options.max_steps = 3000;
  options.max_depth = 50;
  options.pack = 1;
  options.threads = 1;
  const std::string expected = story(p, a, options);
  ++(expected.find("error:") == std::string::npos ? tally.halted : tally.failed);
  for (const unsigned pack : {0U, 2U, 3U}) {
    for (const unsigned threads : {1U, 4U}) {
      options.pack = pack;
      options.threads = threads;
      INFO("pack " << pack << ", " << threads << " threads, " << options.groups << " groups");
      CHECK(story(p, a, options) == expected);
    }
  }
}

}  // namespace

TEST_CASE("host threads and packs change nothing, over all examples", "[launch]") {
  std::mt19937_64 random(3);
  Tally tally;
  for (const std::filesystem::path& file : example_kernels()) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    const auto source = std::make_shared<SourceFile>(file.filename().string(), text.str());
    for (const unsigned wg_size : {4U, 9U}) {
      core::Options options;
      options.wg_size = wg_size;
      options.defines = {{"TILE", wg_size == 4 ? "2" : "3"}};
      Diagnostics warnings;
      const auto read = core::read_kernels(source, options, warnings);
      if (!read) {
        FAIL(render(*source, read.error()));
      }
      for (const core::Function& function : read->functions) {
        if (!function.is_kernel) {
          continue;
        }
        const auto p = std::make_shared<const typed::Program>(core::translate(*read, function));
        for (const unsigned warp_size : {0U, 2U}) {
          INFO(file.filename().string() << ", " << function.name << ", WG_SIZE " << wg_size << ", warps of " << warp_size);
          for (unsigned trial = 0; trial < 4; ++trial) {
            compare(p, warp_size, random, tally);
          }
        }
      }
    }
  }
  CHECK(tally.halted > 80);
  CHECK(tally.failed > 80);
}
