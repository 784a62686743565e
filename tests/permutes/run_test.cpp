// The C++ of some thousand reorderings: compiled by this build's compiler in one file, without a warning, and run on this processor's
// vector instructions, if it has them, and on the loops that stand in for them elsewhere.

#include "tests/campaign/run.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "tests/permutes/patterns.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;
using namespace lockstep::test;

namespace {

constexpr std::size_t stride = 64;         // bytes from register to register
constexpr unsigned registers_in_all = 16;  // that the functions are given

struct Sample {
  RegisterKind kind;
  Wanted wanted;
  Sequence sequence;
};

Allowed some_forms(std::mt19937_64& random) {
  Allowed result;
  if (random() % 3 == 0) {
    const std::uint64_t bits = random();
    result = {(bits & 1) != 0,  (bits & 2) != 0,  (bits & 4) != 0,   (bits & 8) != 0,  (bits & 16) != 0,
              (bits & 32) != 0, (bits & 64) != 0, (bits & 128) != 0, (bits & 256) != 0};
  }
  return result;
}

/// An instruction in a kind of register: on lanes of so many bits, with or without a mask.
using Use = std::tuple<RegisterKind, Instruction, unsigned, bool>;

std::vector<Sample> samples() {
  std::mt19937_64 random(run_seed());
  std::vector<Sample> result;
  std::set<Use> seen;
  const unsigned count = full_run() ? 20'000 : 2'000;
  for (unsigned k = 0; k < count + 100'000; ++k) {
    const RegisterKind kind = register_kinds[k % register_kinds.size()];
    const Wanted wanted = random_wanted(kind, k % 16 == 0 ? registers_in_all : 4, random);
    const Sequence sequence = cheapest(kind, wanted, some_forms(random));
    bool is_new = k < count;  // of the others only those that use an instruction as none did before
    for (const Step& step : sequence.steps) {
      is_new = seen.emplace(kind, step.instruction, step.lane_bits, step.into.has_value()).second || is_new;
    }
    if (is_new) {
      result.push_back({kind, wanted, sequence});
    }
  }
  return result;
}

/// A function for each sample: the registers lie `stride` bytes apart.
std::string source_of(const std::vector<Sample>& samples) {
  std::string constants;
  std::string functions;
  std::string table;
  std::map<std::pair<unsigned, std::vector<std::uint32_t>>, std::string> names;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto [kind, wanted, sequence] = samples[k];
    const auto index_name = [&, kind = kind](const IndexVector& index) {
      std::string& name = names[{index.lane_bits, index.lanes}];
      if (name.empty()) {
        name = fmt::format("i{}", names.size());
        constants +=
            fmt::format("const std::uint{}_t {}[{}] = {{{}}};\n", index.lane_bits, name, index.lanes.size(), fmt::join(index.lanes, ", "));
      }
      return fmt::format("get<{}>({})", register_bits_of(kind) == 512 ? "__m512i" : "__m256i", name);
    };
    const auto register_name = [&, kind = kind](unsigned reg) { return fmt::format("get<{}>(in + {})", type_name(kind), reg * stride); };
    functions += fmt::format("void f{}(const unsigned char* in, void* out) {{ (void)in; put(out, {}); }}\n", k,
                             text(sequence, register_name, index_name));
    table += fmt::format("f{}, ", k);
  }
  return "#include \"lockstep_avx512.h\"\n"
         "namespace {\n"
         "template <class R> R get(const void* from) { R r; std::memcpy(&r, from, sizeof r); return r; }\n"
         "template <class R> void put(void* to, const R& r) { std::memcpy(to, &r, sizeof r); }\n" +
         constants + functions +
         "}\n"
         "extern \"C\" { extern void (*const functions[])(const unsigned char*, void*); void (*const functions[])(const unsigned char*, "
         "void*) = {" +
         table + "}; }\n";
}

/// A folder that goes when the test ends.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-permutes-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary folder");
    }
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

using Function = void (*)(const unsigned char*, void*);

/// What lane `lane` of register `reg` holds: no two are the same.
std::uint32_t content(unsigned reg, unsigned lane) { return 1000 + 100 * reg + lane; }

/// The first lane that is wrong, as text, or "".
std::string wrong_lane(const Sample& sample, Function function) {
  const unsigned lanes = lanes_of(sample.kind);
  const unsigned bytes = lane_bits_of(sample.kind) / 8;
  std::array<unsigned char, registers_in_all * stride> in = {};
  for (unsigned reg = 0; reg < registers_in_all; ++reg) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::uint32_t number = content(reg, lane);
      std::memcpy(&in[reg * stride + lane * bytes + (bytes - 4)], &number, 4);  // of 64 bits the upper half
    }
  }
  std::array<unsigned char, stride> out = {};
  function(in.data(), out.data());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::uint32_t number = 0;
    std::memcpy(&number, &out[lane * bytes + (bytes - 4)], 4);
    if (sample.wanted[lane] && number != content(sample.wanted[lane]->reg, sample.wanted[lane]->lane)) {
      return fmt::format("{} {}: {}: lane {} holds {}", name_of(sample.kind), text_of(sample.wanted), explain(sample.sequence), lane,
                         number);
    }
  }
  return "";
}

/// Compiles and runs all samples.
void run_all(const std::vector<Sample>& samples, const std::string& flags) {
  const Folder folder;
  const std::filesystem::path source = folder.path() / "permutes.cpp";
  const std::filesystem::path library = folder.path() / "permutes.so";
  std::ofstream(source) << source_of(samples);
  const std::string command =
      fmt::format("{} -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror {} -I '{}/codegen/emit/avx512/support' -shared -fPIC -o '{}' '{}'",
                  LOCKSTEP_CXX, flags, LOCKSTEP_SOURCE_DIR, library.string(), source.string());
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(loaded != nullptr);
  const auto* const functions = static_cast<const Function*>(dlsym(loaded, "functions"));
  REQUIRE(functions != nullptr);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    CHECK(wrong_lane(samples[k], functions[k]).empty());
  }
  dlclose(loaded);
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace

TEST_CASE("reorderings move what they should on the processor") {
  if (!has_avx512()) {
    WARN("skipped: this processor has no AVX512");
    return;
  }
  run_all(samples(), "-mavx512f -mavx512vl -mavx512dq -mavx512bw");
}

TEST_CASE("reorderings move what they should on the loops that stand in for the processor") {
  run_all(samples(), "-DLOCKSTEP_AVX512_EMULATE -Wno-psabi");
}

TEST_CASE("the samples have every instruction in every kind of register, and every form") {
  std::set<std::pair<RegisterKind, Instruction>> instructions;
  std::set<Form> forms;
  for (const Sample& sample : samples()) {
    forms.insert(sample.sequence.form);
    for (const Step& step : sample.sequence.steps) {
      instructions.emplace(sample.kind, step.instruction);
    }
  }
  CHECK(forms.size() == form_count);
  CHECK(instructions.size() == register_kind_count * instruction_count);
}
