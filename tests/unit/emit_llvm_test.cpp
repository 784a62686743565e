// What surrounds a kernel's operations in machine code: memory that nobody may touch, parts of a launch, the control state of floats, other
// machines, threads, and what cannot be compiled.

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <thread>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/llvm/machine.hpp"
#include "codegen/emit/llvm/names.hpp"
#include "tests/unit/emit_llvm.hpp"
#include "tests/unit/emit_llvm_random.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;
using namespace lockstep::emit_llvm;

namespace {

const Layout items = Layout::item();

/// c[i] = a[i] + b[i], `elements` of each item.
Kernel sum_of_two(ScalarType type, std::uint32_t wg_size, std::uint32_t wg_pack, std::uint32_t elements = 1) {
  Sketch s(wg_size, wg_pack);
  s.kernel.name = "sum";
  const Layout layout = Layout::item(elements);
  const Polynomial own = Polynomial(wg) * static_cast<std::int64_t>(wg_size * elements) + Polynomial(wi) * elements + ix;
  std::vector<ValueId> operands;
  for (const char* name : {"a", "b"}) {
    const ParameterId from = s.pointer(type, name);
    operands.push_back(s.add(Load{typed(type, layout), {parameter(from), own, {}}, Access::Contiguous, {}}, name));
  }
  s.store(s.pointer(type, "c"), own, s.op(Op::Add, type, operands));
  return std::move(s.kernel);
}

template <class T>
std::vector<T> run_sum(const Callable& callable, const Kernel& kernel, ScalarType type, const std::vector<T>& a, const std::vector<T>& b,
                       std::uint64_t groups) {
  const std::vector<Buffer> memory = {buffer_of(type, a), buffer_of(type, b), make_buffer(type, a.size())};
  return numbers_of<T>(trial::run(callable, kernel, buffers({0, 1, 2}), memory, groups)[2]);
}

std::uint64_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident;
}

}  // namespace

TEST_CASE("emit llvm: an inactive lane touches no memory", "[emit_llvm]") {
  constexpr std::uint32_t wg_size = 6;
  for (const Access access : {Access::Contiguous, Access::Strided, Access::Gather}) {
    for (const std::int64_t there : {0, 1, 5, 6, 11}) {
      // Items 0 to there - 1 of groups 0 and 1, and their two elements, are all that the buffers have.
      Sketch s(wg_size, 2);
      const Layout layout = Layout::item(2);
      const ParameterId from = s.pointer(ScalarType::Short, "from");
      const ParameterId to = s.pointer(ScalarType::Short, "to");
      const Polynomial number = Polynomial(wg) * wg_size + Polynomial(wi);
      const Place source{parameter(from), number * 2 + ix, {}};
      const Place target{parameter(to), number * 2 + ix, {}};
      const ValueId active = s.mask(number, Op::Lt, there, layout);
      const ValueId value = s.add(Load{typed(ScalarType::Short, layout), source, access, active});
      s.effect(Store{target, access, value, active});
      std::vector<std::int16_t> numbers;
      for (std::int64_t i = 0; i < 2 * there; ++i) {
        numbers.push_back(static_cast<std::int16_t>(100 + i));
      }
      const std::vector<Buffer> memory = {buffer_of(ScalarType::Short, numbers),
                                          make_buffer(ScalarType::Short, static_cast<std::uint64_t>(2 * there))};
      for (const EmitOptions& cut : trial::all_cuts()) {
        const auto callable = compile(s.kernel, cut, 0);
        REQUIRE(callable.has_value());
        for (const bool at_end : {true, false}) {
          CHECK(numbers_of<std::int16_t>(trial::run(*callable, s.kernel, buffers({0, 1}), memory, 2, at_end)[1]) == numbers);
        }
      }
    }
  }
}

TEST_CASE("emit llvm: of two lanes that meet in a cell the higher one wins", "[emit_llvm]") {
  Sketch s(7, 3);
  const ParameterId to = s.pointer(ScalarType::Int, "to");
  const ValueId number = s.index(Polynomial(wg) * 100 + Polynomial(wi) * 10 + ix, Layout::item(3), ScalarType::Int);
  s.store(to, wg, number);
  s.store(to, 5, number, s.mask(wi, Op::Lt, 4, Layout::item(3)));
  trial::agrees(s.kernel, buffers({0}), {make_buffer(ScalarType::Int, 6)}, 5);
}

TEST_CASE("emit llvm: votes of groups that share chunks, and of groups that have many", "[emit_llvm]") {
  for (const auto& [wg_size, wg_pack] : {std::pair(1U, 3U), std::pair(3U, 2U), std::pair(5U, 3U), std::pair(8U, 1U), std::pair(64U, 2U)}) {
    Sketch s(wg_size, wg_pack);
    for (const Layout layout : {items, Layout::item(3), Layout::group(2)}) {
      const Polynomial item = layout.kind == Layout::Kind::Item ? Polynomial(wi) : Polynomial(0);
      const ValueId value = s.mask(Polynomial(wg) * wg * Polynomial(5) + item * Polynomial(7), Op::Lt,
                                   item * item + Polynomial(ix) * Polynomial(3) + Polynomial(6), layout);
      const ValueId voters = s.mask(item + Polynomial(wg), Op::Ne, 4, layout);
      for (const Vote::Kind kind : {Vote::Kind::Any, Vote::Kind::All, Vote::Kind::Popcount, Vote::Kind::Ballot}) {
        if (kind != Vote::Kind::Ballot || layout == items) {
          const ValueId ayes = s.add(Vote{kind, false, value, voters});
          const ScalarType type = s.kernel.type_of(ayes).element.scalar;
          s.store(s.pointer(type, "p" + std::to_string(s.kernel.parameters.size())), wg, ayes);
        }
      }
    }
    std::vector<Buffer> memory;
    std::vector<Argument> arguments;
    for (const Parameter& parameter : s.kernel.parameters) {
      arguments.emplace_back(BufferNumber{memory.size()});
      memory.push_back(make_buffer(parameter.scalar, 7));
    }
    trial::agrees(s.kernel, arguments, memory, 7, trial::all_cuts(), 0);
  }
}

TEST_CASE("emit llvm: a launch may run in parts", "[emit_llvm]") {
  Sketch s(5, 4);
  const ParameterId to = s.pointer(ScalarType::ULong, "to");
  const ValueId groups = s.add(Spread{s.add(NumGroups{}), items});
  const ValueId number = s.op(Op::Add, ScalarType::ULong, {groups, s.index(Polynomial(wg) * 1000 + wi, items, ScalarType::ULong)});
  s.store(to, Polynomial(wg) * 5 + wi, number);
  const auto callable = compile(s.kernel);
  REQUIRE(callable.has_value());
  std::vector<std::uint64_t> memory(11 * 5, 7);
  const std::array<const void*, 1> arguments = {memory.data()};
  const auto expect = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t g = 0; g < 11; ++g) {
      for (std::uint64_t i = 0; i < 5; ++i) {
        CHECK(memory[g * 5 + i] == (g >= first && g < last ? 11 + g * 1000 + i : 7));
      }
    }
  };
  (*callable)(arguments.data(), 4, 4, 11);
  expect(0, 0);
  (*callable)(arguments.data(), 4, 10, 11);
  expect(4, 10);
  (*callable)(arguments.data(), 0, 4, 11);
  (*callable)(arguments.data(), 10, 11, 11);
  expect(0, 11);
}

TEST_CASE("emit llvm: big values lie on the heap, and begin as nothing known", "[emit_llvm]") {
  // 64 items with 600 doubles each are 300 KiB.
  Sketch s(64, 2);
  const ParameterId in = s.pointer(ScalarType::Double, "in");
  const ParameterId out = s.pointer(ScalarType::Double, "out");
  const Layout layout = Layout::item(600);
  const Polynomial own = Polynomial(wg) * 38400 + Polynomial(wi) * 600 + ix;
  const ValueId row = s.add(Load{typed(ScalarType::Double, layout), {parameter(in), own, {}}, Access::Contiguous, {}});
  const ValueId turned = s.add(Reorder{row, layout, Reorder::Affine{Polynomial(63) - wi, Polynomial(599) - ix}});
  s.store(out, own, s.op(Op::Mul, ScalarType::Double, {turned, row}));
  std::vector<double> numbers(3 * 38400);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<double>(i) * 0.3;
  }
  trial::agrees(s.kernel, buffers({0, 1}), {buffer_of(ScalarType::Double, numbers), make_buffer(ScalarType::Double, numbers.size())}, 3,
                {EmitOptions{}}, 3);
}

#ifdef __x86_64__
TEST_CASE("emit llvm: whatever the caller's MXCSR is, numbers are IEEE's, and it is the same afterwards", "[emit_llvm]") {
  const Kernel kernel = sum_of_two(ScalarType::Float, 4, 2);
  const auto callable = compile(kernel);
  REQUIRE(callable.has_value());
  constexpr float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> a = {tiny, 1.0F, -1.0F, tiny, 1.0F, std::numeric_limits<float>::max(), 0.0F, 3 * tiny};
  const std::vector<float> b = {tiny, 0x1p-24F, -0x1p-24F, -3 * tiny, 0x1.8p-23F, std::numeric_limits<float>::max(), tiny, tiny};
  const std::vector<float> sums = {2 * tiny, 1.0F, -1.0F, -2 * tiny, 0x1.000004p0F, std::numeric_limits<float>::infinity(), tiny, 4 * tiny};
  const unsigned before = _mm_getcsr();
  constexpr unsigned ftz = 0x8000;
  constexpr unsigned daz = 0x0040;
  for (const unsigned rounding : {0x0000U, 0x2000U, 0x4000U, 0x6000U}) {
    for (const unsigned hostile : {0x1F80U | rounding, 0x1F80U | ftz | daz | rounding, rounding}) {  // the last: every exception traps
      std::vector<float> result(8);
      const std::array<const void*, 3> arguments = {a.data(), b.data(), result.data()};
      _mm_setcsr(hostile);
      (*callable)(arguments.data(), 0, 2, 2);
      const unsigned after = _mm_getcsr();
      _mm_setcsr(before);
      CHECK(after == hostile);
      CHECK(result == sums);
    }
  }
}
#endif

TEST_CASE("emit llvm: the same kernel for other machines", "[emit_llvm]") {
  struct Machine {
    Target target;
    unsigned char elf;  // e_machine
    const char* fused;  // an instruction that multiplies and adds, rounding once
  };
  const std::array machines = {
      Machine{{"x86_64-linux-gnu", "haswell", ""}, 62, "vfmadd"},
      Machine{{"x86_64-linux-gnu", "skylake-avx512", ""}, 62, "%zmm"},
      Machine{{"aarch64-linux-gnu", "", ""}, 183, "fmla"},
      Machine{{"riscv64-linux-gnu", "", ""}, 243, "fmadd.d"},
      Machine{{"riscv64-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c,+v"}, 243, "vfmadd"},
  };
  for (const Machine& machine : machines) {
    INFO(machine.target.triple << " " << machine.target.cpu << " " << machine.target.features);
    Sketch s(4, 2);
    s.kernel.name = "fused";
    const ParameterId a = s.pointer(ScalarType::Double, "a");
    const Place own{parameter(a), Polynomial(wg) * 16 + Polynomial(wi) * 4 + ix, {}};
    const ValueId x = s.add(Load{typed(ScalarType::Double, Layout::item(4)), own, Access::Contiguous, {}});
    s.effect(Store{own, Access::Contiguous, s.op(Op::Fma, ScalarType::Double, {x, x, x}), {}});
    EmitOptions options;
    options.target = machine.target;
    auto module = emit(s.kernel, options);
    REQUIRE(module.has_value());
    const auto assembly = module->assembly(2);
    REQUIRE(assembly.has_value());
    CHECK(assembly->find(machine.fused) != std::string::npos);
    CHECK(assembly->find("fused:") != std::string::npos);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      trial::DefinedKernel random(seed, 4);
      random.make();
      auto other = emit(random.kernel(), options);
      REQUIRE(other.has_value());
      const auto object = other->object(1);
      REQUIRE(object.has_value());
      CHECK(object->substr(0, 4) ==
            "\x7f"
            "ELF");
      CHECK(static_cast<unsigned char>(object->at(18)) == machine.elf);
    }
  }
}

TEST_CASE("emit llvm: the text promises LLVM nothing that is not so", "[emit_llvm]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    trial::DefinedKernel random(seed, 6);
    random.make();
    const auto module = emit(random.kernel());
    REQUIRE(module.has_value());
    const std::string text = module->text();
    for (const char* word : {" nsw", " nuw", " inbounds", " exact", " fast", " contract", " reassoc", " nnan", " undef"}) {
      INFO(word);
      CHECK(text.find(word) == std::string::npos);
    }
    CHECK(text.find("define void @k(") != std::string::npos);
  }
}

TEST_CASE("emit llvm: what cannot be compiled is said", "[emit_llvm]") {
  const Kernel kernel = sum_of_two(ScalarType::Int, 4, 1);
  const auto refusal = [&](Target target, std::optional<unsigned> chunk_lanes = {}) {
    EmitOptions options;
    options.target = std::move(target);
    options.chunk_lanes = chunk_lanes;
    const auto module = emit(kernel, options);
    REQUIRE(!module.has_value());
    return module.error();
  };
  CHECK(refusal({"pdp11-linux", "", ""}).find("LLVM cannot compile for 'pdp11-") != std::string::npos);
  CHECK(refusal({"x86_64-linux-gnu", "z80", ""}) == "'z80' is no processor of 'x86_64-unknown-linux-gnu'");
  CHECK(refusal({"x86_64-linux-gnu", "", "+avx3"}) == "'+avx3' is no feature of 'x86_64-unknown-linux-gnu'");
  for (const char* triple : {"powerpc64-linux-gnu", "powerpc64le-linux-gnu", "mips64el-linux-gnu", "wasm64", "loongarch64-linux-gnu", "bpf",
                             "amdgcn-amd-amdhsa", "i686-linux-gnu", "x86_64-linux-gnux32", "aarch64_be-linux-gnu", "riscv32-linux-gnu"}) {
    INFO(triple);
    CHECK(refusal({triple, "", ""}).find("is not supported: kernels are compiled for x86-64, AArch64 and RISC-V of 64 bits") !=
          std::string::npos);
  }
  const auto needs = [&](const Target& target, const std::string& what) {
    CHECK(refusal(target) ==
          fmt::format("'{}' is not supported with this processor and these features: kernels need {}", resolved(target).triple, what));
  };
  for (const char* features : {"-64bit", "-64bit-mode", "-sse2", "-sse", "+soft-float"}) {
    needs({"x86_64-linux-gnu", "", features}, "64-bit mode and SSE2");
  }
  needs({"x86_64-linux-gnu", "i486", ""}, "64-bit mode and SSE2");
  for (const char* features : {"-neon", "-fp-armv8"}) {
    needs({"aarch64-linux-gnu", "", features}, "floating point and NEON");
  }
  for (const char* features : {"-d", "+f", "-d,-f", "+m,+a,+f,+d,+e"}) {
    needs({"riscv64-linux-gnu", "", features}, "registers of 64 bits, all 32, F and D");
  }
  needs({"riscv64-linux-gnu", "rocket-rv64", ""}, "registers of 64 bits, all 32, F and D");
  EmitOptions reserved;  // a register that arguments are passed in: LLVM itself would print this, and end the process
  reserved.target = {"aarch64-linux-gnu", "", "+reserve-x1"};
  auto without = emit(kernel, reserved);
  REQUIRE(without.has_value());
  CHECK(without->object(1).error().sentence.starts_with("LLVM cannot compile this for 'aarch64-unknown-linux-gnu': "));
  CHECK(refusal({}, 3) == "a chunk of 3 lanes is not possible: it must be a power of two up to 64");
  CHECK(refusal({}, 128) == "a chunk of 128 lanes is not possible: it must be a power of two up to 64");

  Sketch big(1000, 1);
  big.object("huge", ScalarType::Double, AddressSpace::Private, 1'000'000);
  const auto module = emit(big.kernel);
  REQUIRE(!module.has_value());
  CHECK(module.error() == "a pack of 'k' needs 8000000000 bytes of scratch memory, more than 1073741824");
}

TEST_CASE("emit llvm: the header declares the entry point", "[emit_llvm]") {
  Sketch s(8, 2);
  s.kernel.name = "axpy";
  s.kernel.parameters = {{"x", ScalarType::Float, true, true, true, 0}, {"y", ScalarType::Float, true, false, false, 0}};
  s.scalar(ScalarType::UShort, "n");
  const auto header_of = [&] { return emit_c::c_header(s.kernel, emit_c::c_name(s.kernel.name), "one by one"); };
  const std::string header = header_of();
  CHECK(header.find("/* axpy: runs num_groups work groups of 8 items, one by one.\n") != std::string::npos);
  CHECK(header.find("\n   Restrict, so that it shares with no other array what either writes: x. */\n") != std::string::npos);
  CHECK(header.find("void axpy(const float *x, float *y, uint16_t n, size_t num_groups);") != std::string::npos);
  CHECK(header.find("extern \"C\"") != std::string::npos);

  // Names that C and C++ do not take.
  s.kernel.parameters[0].name = "x.1";
  s.kernel.parameters[1].name = "class";
  s.kernel.name = "axpy.v2";
  CHECK(header_of().find("void axpy_v2(const float *, float *, uint16_t n, size_t num_groups) __asm__(\"axpy.v2\");") != std::string::npos);
  s.kernel.name = "new";
  CHECK(header_of().find("void new_(const float *, float *, uint16_t n, size_t num_groups) __asm__(\"new\");") != std::string::npos);

  // Those that the header needs for something else.
  s.kernel.parameters[0].name = "num_groups";
  s.kernel.parameters[1].name = "int32_t";
  s.kernel.name = "uint16_t";
  CHECK(header_of().find("void uint16_t_(const float *, float *, uint16_t n, size_t num_groups) __asm__(\"uint16_t\");") !=
        std::string::npos);
}

TEST_CASE("emit llvm: a program keeps its own functions", "[emit_llvm]") {
  Kernel kernel = sum_of_two(ScalarType::Int, 4, 2);
  for (const char* name : {"memset", "memcpy", "malloc", "free", "abort", "main", "aligned_alloc", "perror", "fma", "fmaf", "exit", "rand",
                           "strlen", "_start", "_exit", "__divti3", "1"}) {
    INFO(name);
    kernel.name = name;
    const auto module = emit(kernel);
    REQUIRE(!module.has_value());
    CHECK(module.error() == wrong_symbol(name));
  }
  CHECK(*wrong_symbol("memset") ==
        "'memset' is a function of the C library: in a program, the kernel would take its place; give the kernel another name");
  CHECK(*wrong_symbol("_start") == "'_start' cannot be the name of a function in a program: it has to begin with a letter");
  for (const char* name : {"gemm", "set", "mem", "f", "int32_t", "a.b", "mainly"}) {
    INFO(name);
    kernel.name = name;
    CHECK(emit(kernel).has_value());
  }
  EmitOptions options;
  options.call_wrapper = true;
  kernel.name = "llvm.fma";
  CHECK(emit(kernel, options).error() == "'llvm.fma': names that begin with llvm. are LLVM's own; give the kernel another name");
}

TEST_CASE("emit llvm: in this process a kernel and its parts may have any name", "[emit_llvm]") {
  const std::vector<std::int32_t> numbers = {1, 2, 3, 4};
  for (const char* name : {"memset", "aligned_alloc", "main", "abort", "int32_t", "_start", "1", "a.b"}) {
    INFO(name);
    Kernel kernel = sum_of_two(ScalarType::Int, 4, 1);
    kernel.name = name;
    const auto callable = compile(kernel, {}, 3);
    REQUIRE(callable.has_value());
    CHECK(run_sum(*callable, kernel, ScalarType::Int, numbers, numbers, 1) == std::vector<std::int32_t>{2, 4, 6, 8});
  }
  // A constant array that is called like one of the functions, or like a table of numbers of lanes.
  for (const char* name : {"call", "range", "pack", "one", "message", "wi.item.3x2", "table.wi.item.3x2"}) {
    Sketch s(5, 2);
    const ObjectId numbers_of_name = s.object(name, ScalarType::Int, AddressSpace::Constant, 3, {70, 80, 90});
    const ParameterId to = s.pointer(ScalarType::Int, "to");
    const Place constant{object(numbers_of_name), ix, {}};
    const ValueId value = s.add(Load{typed(ScalarType::Int, Layout::item(3)), constant, Access::Gather, {}});
    const ValueId item = s.index(Polynomial(wi) * wi, Layout::item(3), ScalarType::Int);
    s.store(to, Polynomial(wg) * 15 + Polynomial(wi) * 3 + ix, s.op(Op::Add, ScalarType::Int, {value, item}));
    EmitOptions in_memory;
    in_memory.chunk_lanes = 2;
    in_memory.most_ssa_chunks = 0;
    trial::agrees(s.kernel, buffers({0}), {make_buffer(ScalarType::Int, 45)}, 3, {EmitOptions(), in_memory}, 1);
  }
}

TEST_CASE("emit llvm: threads compile and run side by side", "[emit_llvm]") {
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      right[t] = true;
      for (std::int32_t round = 0; round < 4; ++round) {
        const auto wg_size = static_cast<std::uint32_t>(t + 1);
        const Kernel kernel = sum_of_two(ScalarType::Int, wg_size, 2, 3);
        const auto callable = compile(kernel, {}, 0);
        std::vector<std::int32_t> a(wg_size * 3 * 5, round);
        std::vector<std::int32_t> c(a.size());
        const std::array<const void*, 3> arguments = {a.data(), a.data(), c.data()};
        if (callable) {
          (*callable)(arguments.data(), 0, 5, 5);
        }
        right[t] = right[t] && c == std::vector<std::int32_t>(a.size(), 2 * round);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(right == std::array<bool, 4>{true, true, true, true});
}

TEST_CASE("emit llvm: a kernel that is gone leaves no memory behind", "[emit_llvm]") {
  const Kernel kernel = sum_of_two(ScalarType::Int, 4, 1);
  EmitOptions options;
  options.call_wrapper = true;
  auto module = emit(kernel, options);
  REQUIRE(module.has_value());
  const auto object = module->object(1);
  REQUIRE(object.has_value());
  const std::vector<std::int32_t> numbers = {1, 2, 3, 4};
  const auto use = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const auto callable = load(*object, "sum");
      REQUIRE(callable.has_value());
      REQUIRE(run_sum(*callable, kernel, ScalarType::Int, numbers, numbers, 1) == std::vector<std::int32_t>{2, 4, 6, 8});
    }
  };
  use(50);
  const std::uint64_t before = resident_pages();
  use(1000);
#ifndef __SANITIZE_ADDRESS__                // which keeps freed memory for a while, and looks for leaks itself
  CHECK(resident_pages() < before + 1000);  // each has at least a page of code
#else
  CHECK(before > 0);
#endif
}
