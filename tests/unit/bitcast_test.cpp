// The same bits as a number of another type, wherever a program is executed. What is expected is what was given: bytes.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "interpreter/debug/kernel/stepper.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/typed/parse.hpp"
#include "tests/unit/bitcast_numbers.hpp"
#include "tests/unit/emit_llvm.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t wg_size = 8;

/// The words one behind the other, filled up with zeros to whole groups.
Bytes bytes_of(const std::vector<std::uint64_t>& words, unsigned size) {
  Bytes bytes((words.size() + wg_size - 1) / wg_size * wg_size * size);
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::memcpy(bytes.data() + k * size, &words[k], size);
  }
  return bytes;
}

launch::Buffer launch_buffer(ScalarType type, Bytes bytes) {
  launch::Buffer buffer;
  buffer.type = type;
  buffer.count = bytes.size() / size_of(type);
  buffer.shape = {buffer.count};
  buffer.bytes = std::move(bytes);
  return buffer;
}

std::shared_ptr<const typed::Program> typed_program(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("t.mus", text);
  auto program = typed::parse(source);
  if (!program) {
    FAIL(render(*source, program.error()));
  }
  return std::make_shared<const typed::Program>(std::move(*program));
}

/// Of all items at once, of one number for all of them, and of an operation's result; back again, through a call and a shuffle.
std::string typed_text(std::string_view from, std::string_view to) {
  return fmt::format(R"(.typed
.wg_size {2}
.kernel k(global {0}* a, global {1}* b, global {0}* c, global {1}* d)
.var {0} x, y[2]
.var {1} z
.var ulong i
        i = group_id * warp_size + local_id
        x = ld a[i]
        st b[i] = as.{1}(x)
        y[1] = x
        z = as.{1}(local_id % 2ul == 0ul ? x : y[1])
        z = call same(z)
        z = shfl.active(z, local_id)
        st c[i] = as.{0}(z)
        x = ld a[group_id * warp_size]
        z = as.{1}(x)
        st d[i] = z
        stop
.function {1} same({1} v)
        ret as.{1}(as.{0}(v))
)",
                     from, to, wg_size);
}

void check_typed(ScalarType from, ScalarType to) {
  const unsigned size = size_of(from);
  const Bytes given = bytes_of(bitcasts::words(size), size);
  const Bytes zeros(given.size());
  launch::Arguments arguments =
      launch_text::arguments({launch_buffer(from, given), launch_buffer(to, zeros), launch_buffer(from, zeros), launch_buffer(to, zeros)});
  launch::LaunchOptions options;
  options.groups = given.size() / size / wg_size;
  const launch::Outcome outcome = launch_text::run(typed_program(typed_text(info(from).name, info(to).name)), arguments, options);
  REQUIRE(!outcome.fault);
  CHECK(arguments.buffers[1].bytes == given);
  CHECK(arguments.buffers[2].bytes == given);
  Bytes of_first_items = given;
  for (std::size_t k = 0; k < of_first_items.size(); ++k) {
    of_first_items[k] = given[k / (wg_size * size) * (wg_size * size) + k % size];
  }
  CHECK(arguments.buffers[3].bytes == of_first_items);
}

template <class F>
void for_each_pair(F&& f) {
  unsigned pairs = 0;
  for (const unsigned size : {1U, 2U, 4U, 8U}) {
    for (const ScalarType from : bitcasts::types_of_size(size)) {
      for (const ScalarType to : bitcasts::types_of_size(size)) {
        INFO(info(from).name << " as " << info(to).name);
        f(from, to);
        ++pairs;
      }
    }
  }
  CHECK(pairs == 4 + 4 + 9 + 9);
}

/// b = bitcast a; c = bitcast b, of items; d = bitcast of a number of the pack.
struct Casts {
  Casts(ScalarType from, ScalarType to, std::uint64_t scalar) : sketch(wg_size, 2) {
    const Polynomial own = Polynomial(wg) * wg_size + Polynomial(wi);
    const Layout items = Layout::item();
    const ValueId x =
        sketch.add(Load{Type{Element::of(from), items}, {parameter(sketch.pointer(from, "a")), own, {}}, Access::Contiguous, {}});
    const ValueId there = sketch.add(Bitcast{x, to});
    sketch.store(sketch.pointer(to, "b"), own, there);
    const ValueId reordered = sketch.add(Reorder{there, items, Reorder::Affine{Polynomial(wg_size - 1) - Polynomial(wi), 0}});
    const ValueId back = sketch.add(Reorder{reordered, items, Reorder::Affine{Polynomial(wg_size - 1) - Polynomial(wi), 0}});
    const ValueId even = sketch.mask(wi, Op::Lt, 4, items);
    sketch.store(sketch.pointer(from, "c"), own, sketch.add(Bitcast{sketch.add(Select{even, there, back}), from}));
    const ValueId constant = sketch.constant(from, Layout::pack(), scalar);
    sketch.store(sketch.pointer(to, "d"), own, sketch.add(Spread{sketch.add(Bitcast{constant, to}), items}));
  }
  Sketch sketch;
};

/// The number of a type with these bits, as constants have it.
std::uint64_t extended(ScalarType type, std::uint64_t word) {
  const unsigned spare = 64 - 8 * size_of(type);
  return is_signed(type) && !is_float(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(word << spare) >> spare) : word;
}

template <class Run>
void check_kernels(ScalarType from, ScalarType to, std::uint64_t scalar, Run&& run) {
  const unsigned size = size_of(from);
  const Bytes given = bytes_of(bitcasts::words(size), size);
  const Casts casts(from, to, extended(from, scalar));
  std::vector<Buffer> memory;
  for (const ScalarType type : {from, to, from, to}) {
    memory.push_back(make_buffer(type, given.size() / size));
  }
  memory[0].bytes = given;
  const std::vector<Buffer> after = run(casts.sketch.kernel, buffers({0, 1, 2, 3}), memory, given.size() / size / wg_size);
  CHECK(after[1].bytes == given);
  CHECK(after[2].bytes == given);
  Bytes constants(given.size());
  for (std::size_t k = 0; k < constants.size(); k += size) {
    std::memcpy(constants.data() + k, &scalar, size);
  }
  CHECK(after[3].bytes == constants);
}

/// A signalling NaN where there is one.
std::uint64_t odd_word(unsigned size) { return size == 8 ? 0xfff0000000000123U : size == 4 ? 0xff800123U : size == 2 ? 0x8123U : 0x83U; }

}  // namespace

TEST_CASE("bitcast: typed programs", "[bitcast]") { for_each_pair(check_typed); }

TEST_CASE("bitcast: who steps through a program sees where it stores", "[bitcast]") {
  const auto program = typed_program(R"(.typed
.wg_size 2
.kernel k(global int* a, float x)
        st a[as.uint(x) + uint(local_id)] = 7
        stop
)");
  const launch::Arguments arguments =
      launch_text::arguments({launch_buffer(ScalarType::Int, Bytes(16))}, {2});  // the float with the bits of 2
  std::ostringstream out;
  auto stepper = KernelStepper::make(*program, arguments, {}, out);
  REQUIRE(stepper.has_value());
  (*stepper)->execute("step");
  INFO(out.str());
  CHECK(out.str().find("a[2] := 7, a[3] := 7") != std::string::npos);
}

TEST_CASE("bitcast: the evaluator of InfReg-IR", "[bitcast]") {
  for_each_pair([](ScalarType from, ScalarType to) {
    check_kernels(from, to, odd_word(size_of(from)), [](const Kernel& kernel, const auto& arguments, auto memory, std::uint64_t groups) {
      EvaluateOptions options;
      options.groups = groups;
      const Ran ran = run(kernel, arguments, memory, options);
      REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
      return memory;
    });
  });
}

TEST_CASE("bitcast: poison stays poison in its lane", "[bitcast]") {
  Sketch s(4);
  const ValueId number = s.constant(ScalarType::Float, Layout::item(), 0x7f800001);
  const ValueId some =
      s.add(Select{s.mask(wi, Op::Eq, 2, Layout::item()), s.add(Poison{Type{Element::of(ScalarType::Float), Layout::item()}}), number});
  const ValueId cast = s.add(Bitcast{some, ScalarType::Int});
  const Ran ran = finish(s);
  CHECK(ran.last(cast).lanes() == std::vector<std::optional<std::uint64_t>>{0x7f800001, 0x7f800001, std::nullopt, 0x7f800001});
}

TEST_CASE("bitcast: LLVM, without optimisation and with all of it", "[bitcast][emit_llvm]") {
  for (const unsigned level : {0U, 3U}) {
    for_each_pair([&](ScalarType from, ScalarType to) {
      for (const unsigned chunk_lanes : {1U, 8U}) {
        check_kernels(from, to, odd_word(size_of(from)),
                      [&](const Kernel& kernel, const auto& arguments, auto memory, std::uint64_t groups) {
                        emit_llvm::EmitOptions options;
                        options.chunk_lanes = chunk_lanes;
                        const auto callable = emit_llvm::compile(kernel, options, level);
                        REQUIRE(callable.has_value());
                        return emit_llvm::trial::run(*callable, kernel, arguments, memory, groups);
                      });
      }
    });
  }
}
