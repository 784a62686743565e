// Every operation and conversion of every type in machine code, against the definitions of scalar_reference.hpp.

#include <catch2/catch.hpp>
#include <random>

#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"
#include "tests/unit/emit_llvm.hpp"
#include "tests/unit/scalar_reference.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;
using namespace lockstep::emit_llvm;

namespace {

constexpr std::uint32_t wg_size = 5;
constexpr std::uint32_t wg_pack = 3;
constexpr std::size_t count = 2500;  // numbers of each operand

const Polynomial own = Polynomial(wg) * wg_size + Polynomial(wi);
const Layout items = Layout::item();

/// The operations that elements of the type have.
std::vector<Op> operations_of(ScalarType type) {
  std::vector<Op> result;
  for (std::size_t i = 0; i < op_count; ++i) {
    const auto op = static_cast<Op>(i);
    const bool of_truth = op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor || op == Op::Eq || op == Op::Ne;
    if (is_elementwise(op) && ops::takes(op, type) && (type != ScalarType::Bool || of_truth)) {
      result.push_back(op);
    }
  }
  return result;
}

template <class T>
std::vector<T> numbers(ScalarType type, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) {
    const T number = scalar_reference::number<T>(random);
    if constexpr (std::is_integral_v<T>) {
      result.push_back(type == ScalarType::Bool ? static_cast<T>(number & 1) : number);
    } else {
      result.push_back(number);
    }
  }
  return result;
}

/// result[i] = op(a[i], b[i], c[i]) for all operations of the type at once.
struct AllOperations {
  explicit AllOperations(ScalarType type) : sketch(wg_size, wg_pack), ops(operations_of(type)) {
    std::vector<ValueId> operands;
    for (const char* name : {"a", "b", "c"}) {
      const ParameterId from = sketch.pointer(type, name);
      operands.push_back(sketch.add(Load{typed(type, items), {parameter(from), own, {}}, Access::Contiguous, {}}, name));
    }
    for (const Op op : ops) {
      const auto arity = static_cast<std::ptrdiff_t>(info(op).arity);
      const ValueId result = sketch.op(op, type, {operands.begin(), operands.begin() + arity});
      results.push_back(sketch.kernel.type_of(result).element.scalar);
      sketch.store(sketch.pointer(results.back(), std::string(info(op).name)), own, result);
    }
  }

  Sketch sketch;
  std::vector<Op> ops;
  std::vector<ScalarType> results;
};

template <class T>
void check_operations(ScalarType type, const EmitOptions& options, unsigned level) {
  AllOperations all(type);
  const Kernel& kernel = all.sketch.kernel;
  const std::vector<T> a = numbers<T>(type, 1);
  const std::vector<T> b = numbers<T>(type, 2);
  const std::vector<T> c = numbers<T>(type, 3);
  std::vector<Buffer> memory = {buffer_of(type, a), buffer_of(type, b), buffer_of(type, c)};
  std::vector<Argument> arguments = buffers({0, 1, 2});
  for (const ScalarType result : all.results) {
    arguments.emplace_back(BufferNumber{memory.size()});
    memory.push_back(make_buffer(result, count));
  }
  const auto callable = compile(kernel, options, level);
  REQUIRE(callable.has_value());
  const std::vector<Buffer> after = trial::run(*callable, kernel, arguments, memory, count / wg_size);
  for (std::size_t k = 0; k < all.ops.size(); ++k) {
    const std::size_t size = size_of(all.results[k]);
    for (std::size_t i = 0; i < count; ++i) {
      std::optional<scalar_reference::Answer> answer = scalar_reference::operation<T>(all.ops[k], a[i], b[i], c[i], 0);
      if (!answer) {
        continue;  // poison: anything
      }
      std::uint64_t bits = 0;
      std::memcpy(&bits, after[3 + k].bytes.data() + i * size, size);
      answer->size = static_cast<unsigned>(size);
      if (!scalar_reference::is<T>(*answer, bits)) {
        FAIL(info(all.ops[k]).name << " of " << info(type).name << " " << +a[i] << ", " << +b[i] << ", " << +c[i] << " gives " << bits
                                   << " instead of " << answer->bits << " in chunks of " << *options.chunk_lanes);
      }
    }
  }
  SUCCEED();
}

/// Conversions to every type at once.
template <class From>
void check_conversions(ScalarType from, const EmitOptions& options) {
  Sketch sketch(wg_size, wg_pack);
  const ParameterId source = sketch.pointer(from, "source");
  const ValueId value = sketch.add(Load{typed(from, items), {parameter(source), own, {}}, Access::Contiguous, {}});
  const std::vector<From> given = numbers<From>(from, 4);
  std::vector<Buffer> memory = {buffer_of(from, given)};
  std::vector<Argument> arguments = buffers({0});
  for (const ScalarInfo& to : scalar_table) {
    sketch.store(sketch.pointer(to.type, "as_" + std::string(to.name)), own, sketch.add(Convert{value, to.type}));
    arguments.emplace_back(BufferNumber{memory.size()});
    memory.push_back(make_buffer(to.type, count));
  }
  const auto callable = compile(sketch.kernel, options, 0);
  REQUIRE(callable.has_value());
  const std::vector<Buffer> after = trial::run(*callable, sketch.kernel, arguments, memory, count / wg_size);
  for (const ScalarInfo& to : scalar_table) {
    with_type(to.type, [&]<class To>(To found) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto answer = scalar_reference::conversion<To>(given[i], to.type == ScalarType::Bool);
        std::memcpy(&found, after[1 + static_cast<std::size_t>(to.type)].bytes.data() + i * sizeof found, sizeof found);
        if (answer && !scalar_reference::is<To>(*answer, scalar_reference::bits_of(found))) {
          FAIL(info(from).name << " " << +given[i] << " to " << to.name << " gives " << +found << " in chunks of " << *options.chunk_lanes);
        }
      }
    });
  }
  SUCCEED();
}

constexpr unsigned all_chunk_lanes[] = {1, 2, 4, 8, 16};

}  // namespace

TEST_CASE("emit llvm: every operation of every type, in chunks of every width", "[emit_llvm]") {
  for (const ScalarInfo& type : scalar_table) {
    with_type(type.type, [&]<class T>(T) {
      for (const unsigned chunk_lanes : all_chunk_lanes) {
        EmitOptions options;
        options.chunk_lanes = chunk_lanes;
        check_operations<T>(type.type, options, 0);
      }
    });
  }
}

TEST_CASE("emit llvm: operations keep their bits when everything is optimised, and when nothing is", "[emit_llvm]") {
  for (const unsigned level : {0U, 3U}) {
    EmitOptions options;
    options.chunk_lanes = 8;
    check_operations<float>(ScalarType::Float, options, level);
    check_operations<double>(ScalarType::Double, options, level);
    check_operations<std::int8_t>(ScalarType::Char, options, level);
    check_operations<std::int64_t>(ScalarType::Long, options, level);
  }
}

TEST_CASE("emit llvm: every conversion, in chunks of every width", "[emit_llvm]") {
  for (const ScalarInfo& type : scalar_table) {
    with_type(type.type, [&]<class T>(T) {
      for (const unsigned chunk_lanes : all_chunk_lanes) {
        EmitOptions options;
        options.chunk_lanes = chunk_lanes;
        check_conversions<T>(type.type, options);
      }
    });
  }
}
