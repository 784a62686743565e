// Pointers into one buffer, at all distances between -16 and 16 elements: the interpreter says what kernels do that load through one and
// store through another, the evaluator, LLVM's code and that of the AVX512 target have to do the same.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <map>

#include "codegen/emit/llvm/jit.hpp"
#include "codegen/host/avx512.hpp"
#include "codegen/host/compiler.hpp"
#include "codegen/passes/pipeline.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/ops/bits.hpp"
#include "tests/compile_properties/overlap_kernels.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr unsigned wg_size = 4;
constexpr std::uint64_t groups = 9;  // with WG_PACK 4 and 8 one is left over
constexpr std::uint64_t block = 64;
constexpr std::int64_t most = 16;

/// A kernel, read, with the launches that it is tried on and what they leave.
struct Subject {
  const OverlapKernel* of = nullptr;
  std::string text;
  std::unique_ptr<core::Program> program;
  const core::Function* kernel = nullptr;
  std::shared_ptr<const typed::Program> typed;
  struct Launch {
    std::string name;
    launch::Arguments before;
    std::vector<std::byte> after;
  };
  std::vector<Launch> launches;
};

/// Pointers at these elements of one buffer, which is as long as it has to be.
launch::Arguments pointing_at(ScalarType type, const std::vector<std::uint64_t>& firsts) {
  launch::Arguments arguments;
  launch::Buffer buffer;
  buffer.type = type;
  for (const std::uint64_t first : firsts) {
    arguments.values.emplace_back(BufferNumber{0, first});
    buffer.count = std::max(buffer.count, first + groups * block);
  }
  arguments.values.emplace_back(ScalarBits{4});
  buffer.shape = {buffer.count};
  const std::size_t size = size_of(type);
  buffer.bytes.resize(buffer.count * size);
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    const std::uint64_t number = k * 37 % 1009;
    const double real = static_cast<double>(number);
    std::memcpy(buffer.bytes.data() + k * size, type == ScalarType::Double ? static_cast<const void*>(&real) : &number, size);
  }
  arguments.buffers.push_back(std::move(buffer));
  return arguments;
}

/// The distances of the other pointers from the first one.
std::vector<std::vector<std::int64_t>> distances(std::size_t pointers) {
  std::vector<std::vector<std::int64_t>> result;
  for (std::int64_t b = -most; b <= most; ++b) {
    if (pointers == 2) {
      result.push_back({0, b});
      continue;
    }
    for (const std::int64_t c : {-16, -5, -4, -1, 0, 1, 3, 4, 8, 16}) {
      if (std::max({b, c, std::int64_t{0}}) - std::min({b, c, std::int64_t{0}}) <= most) {
        result.push_back({0, b, c});
      }
    }
  }
  return result;
}

/// Indices of size_t are polynomials for the passes, those of int are numbers like any other.
std::string text_of(const OverlapKernel& of, std::string_view index_type) {
  return fmt::format("__kernel void k({}, int n) {{\n  const {} o = {} * get_group_id(0), l = get_local_id(0);\n  {}\n}}\n", of.parameters,
                     index_type, block, of.body);
}

/// The kernel on all distances, by the interpreter.
Subject subject_of(const OverlapKernel& of, std::string_view index_type) {
  Subject subject;
  subject.of = &of;
  subject.text = text_of(of, index_type);
  const auto source = std::make_shared<const SourceFile>("k.cl", subject.text);
  core::Options options;
  options.wg_size = wg_size;
  Diagnostics warnings;
  auto read = core::read_kernels(source, options, warnings);
  INFO(subject.text << (read ? "" : render(*source, read.error())));
  REQUIRE(read);
  subject.program = std::make_unique<core::Program>(std::move(*read));
  subject.kernel = subject.program->kernel("k");
  REQUIRE(subject.kernel != nullptr);
  subject.typed = std::make_shared<const typed::Program>(core::translate(*subject.program, *subject.kernel));
  const typed::Function& kernel = subject.typed->kernel();
  for (const std::vector<std::int64_t>& distance : distances(kernel.parameter_count - 1)) {
    const std::int64_t least = std::ranges::min(distance);
    std::vector<std::uint64_t> firsts;
    for (const std::int64_t d : distance) {
      firsts.push_back(static_cast<std::uint64_t>(d - least));
    }
    Subject::Launch launch{
        fmt::format("{}: {}", of.name, fmt::join(distance, ", ")), pointing_at(kernel.registers[0].type.scalar, firsts), {}};
    launch::Arguments after = launch.before;
    launch::LaunchOptions launch_options;
    launch_options.groups = groups;
    launch_options.threads = 1;
    const auto outcome = launch::run(subject.typed, after, launch_options);
    INFO(launch.name);
    REQUIRE(outcome);
    REQUIRE(!outcome->fault);
    REQUIRE(outcome->races_between_groups == 0);
    launch.after = std::move(after.buffers[0].bytes);
    subject.launches.push_back(std::move(launch));
  }
  return subject;
}

std::vector<Subject> all_subjects(std::string_view index_type) {
  std::vector<Subject> result;
  for (const OverlapKernel& of : overlap_kernels()) {
    result.push_back(subject_of(of, index_type));
  }
  return result;
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = all_subjects("size_t");
  return all;
}

infreg::Kernel lowered(const Subject& subject, unsigned wg_pack, bool streaming) {
  passes::PipelineOptions options;
  options.wg_pack = wg_pack;
  options.verify_each = true;
  options.streaming = streaming;
  auto kernel = passes::lower(*subject.program, *subject.kernel, options);
  INFO(subject.of->name);
  REQUIRE(kernel);
  return std::move(*kernel);
}

/// Machine code, or the evaluator: changes the only buffer.
using Target = std::function<void(const std::vector<Argument>& arguments, launch::Buffer& buffer)>;

/// Each launch has to leave what the interpreter leaves. All that do not are named.
void same_for_all(const Subject& subject, const std::string& how, const Target& target) {
  std::string wrong;
  for (const Subject::Launch& launch : subject.launches) {
    launch::Buffer buffer = launch.before.buffers[0];
    target(launch.before.values, buffer);
    if (buffer.bytes != launch.after) {
      wrong += fmt::format("{} ({})\n", launch.name, how);
    }
  }
  INFO(subject.text << wrong);
  CHECK(wrong.empty());
}

Target evaluation_of(const infreg::Kernel& kernel) {
  return [&kernel](const std::vector<Argument>& arguments, launch::Buffer& buffer) {
    std::vector<infreg::Buffer> buffers = {{buffer.type, buffer.count, buffer.bytes, std::vector<std::uint8_t>(buffer.count)}};
    infreg::EvaluateOptions options;
    options.groups = groups;
    const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, buffers, options);
    const auto* undefined = std::get_if<infreg::Undefined>(&outcome.end);
    INFO((undefined != nullptr ? undefined->sentence : ""));
    CHECK(std::holds_alternative<infreg::Finished>(outcome.end));
    CHECK(std::ranges::count(buffers[0].poison, 1) == 0);
    buffer.bytes = std::move(buffers[0].bytes);
  };
}

/// `code` takes arguments as MachineCode does (differential/compare/execute.hpp).
template <class Code>
Target machine_code(const Code& code) {
  return [&code](const std::vector<Argument>& arguments, launch::Buffer& buffer) {
    std::vector<const void*> pointers;
    for (const Argument& argument : arguments) {
      if (const auto* points = std::get_if<BufferNumber>(&argument)) {
        pointers.push_back(buffer.bytes.data() + points->first * size_of(buffer.type));
      } else {
        pointers.push_back(&std::get<ScalarBits>(argument).bits);
      }
    }
    code(pointers.data(), 0, groups, groups);
  };
}

struct Way {
  unsigned wg_pack = 1;
  bool streaming = false;
};
constexpr Way ways[] = {{1, false}, {4, false}, {8, false}, {1, true}, {4, true}};

std::string text_of(const Way& way) { return fmt::format("WG_PACK {}{}", way.wg_pack, way.streaming ? ", streaming" : ""); }

}  // namespace

TEST_CASE("Overlaps: the evaluator does what the interpreter does", "[compile]") {
  const auto evaluated = [](const std::vector<Subject>& all) {
    for (const Subject& subject : all) {
      for (const Way& way : ways) {
        const infreg::Kernel kernel = lowered(subject, way.wg_pack, way.streaming);
        same_for_all(subject, "evaluator, " + text_of(way), evaluation_of(kernel));
      }
    }
  };
  evaluated(subjects());
  evaluated(all_subjects("int"));
}

TEST_CASE("Overlaps: LLVM's code does what the interpreter does", "[compile]") {
  for (const Subject& subject : subjects()) {
    for (const Way& way : ways) {
      const infreg::Kernel kernel = lowered(subject, way.wg_pack, way.streaming);
      for (const unsigned level : {0U, 3U}) {
        const auto code = emit_llvm::compile(kernel, {}, level);
        REQUIRE(code);
        same_for_all(subject, fmt::format("LLVM -O{}, {}", level, text_of(way)), machine_code(*code));
      }
    }
  }
}

TEST_CASE("Overlaps: the code of the AVX512 target does what the interpreter does", "[compile]") {
  const auto compiler = host::find_compiler("g++");
  REQUIRE(compiler);
  for (const Way& way : ways) {
    host::CompileRequest request;
    std::string text = "#include \"lockstep_avx512.h\"\n";
    for (std::size_t k = 0; k < subjects().size(); ++k) {
      const auto source = host::source_for_calls(lowered(subjects()[k], way.wg_pack, way.streaming), fmt::format("k{}", k));
      INFO(subjects()[k].of->name);
      REQUIRE(source);
      text += source->text;
    }
    request.source = {"kernels.avx512.cpp", std::move(text)};
    request.headers = host::avx512_support_files();
    request.options = {"-std=c++17", "-O1"};
    const auto library = host::compile_library(*compiler, request);
    INFO((library ? "" : library.error().sentence));
    REQUIRE(library);
    for (std::size_t k = 0; k < subjects().size(); ++k) {
      void* const function = library->find(fmt::format("k{}_call", k));
      REQUIRE(function != nullptr);
      const auto code = reinterpret_cast<host::Avx512Callable::Function>(function);
      same_for_all(subjects()[k], "AVX512, " + text_of(way), machine_code(code));
    }
  }
}
