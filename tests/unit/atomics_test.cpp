// Atomic functions against loops of plain C++ over the items, and what races with them and what does not.

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "semantics/typed/parse.hpp"
#include "semantics/typed/print.hpp"
#include "semantics/typed/visit.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

struct Ran {
  launch::Arguments arguments;
  launch::Outcome outcome;
};

Ran ran(const std::string& text, unsigned wg_size, std::vector<launch::Buffer> buffers, launch::LaunchOptions options = {}) {
  INFO(text);
  const auto program = launch_text::program(text, wg_size);
  Ran result{launch_text::arguments(std::move(buffers)), {}};
  auto outcome = launch::run(program, result.arguments, options);
  REQUIRE(outcome);
  result.outcome = std::move(*outcome);
  return result;
}

template <class T>
std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return {T{0.5}, T{-2}, L::max(), L::min(), L::denorm_min(), T{1e-3F}, T{3}, -L::infinity()};
  } else {
    return {T{1}, static_cast<T>(-1), L::max(), L::min(), T{100}, T{7}, T{0}, static_cast<T>(L::max() / 3)};
  }
}

/// What an item's call leaves, written here once more.
template <class T>
T next(const std::string& name, T old, T compare, T operand) {
  using U = std::make_unsigned_t<std::conditional_t<std::is_floating_point_v<T>, int, T>>;
  if (name == "xchg") {
    return operand;
  }
  if (name == "min" || name == "fetch_min") {
    return operand < old ? operand : old;
  }
  if (name == "max" || name == "fetch_max") {
    return old < operand ? operand : old;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return name == "fetch_add" ? old + operand : old - operand;
  } else {
    const auto a = static_cast<U>(old);
    const auto b = static_cast<U>(operand);
    const U bits = name == "add"       ? static_cast<U>(a + b)
                   : name == "sub"     ? static_cast<U>(a - b)
                   : name == "inc"     ? static_cast<U>(a + 1)
                   : name == "dec"     ? static_cast<U>(a - 1)
                   : name == "and"     ? static_cast<U>(a & b)
                   : name == "or"      ? static_cast<U>(a | b)
                   : name == "xor"     ? static_cast<U>(a ^ b)
                   : name == "cmpxchg" ? (old == compare ? b : a)
                                       : throw name;
    return static_cast<T>(bits);
  }
}

template <class T>
void check_function(ScalarType type, const std::string& name, const std::string& prefix, const std::string& space) {
  const std::string word(info(type).name);
  const std::vector<T> operands = edges<T>();
  const bool steps = name == "inc" || name == "dec";
  const bool compares = name == "cmpxchg";
  const std::string call = prefix + name + "(p" + (steps ? "" : compares ? ", want[i], x[i]" : ", x[i]") + ")";
  const std::string body = space == "global" ? "  __global " + word + " *p = to;\n  old[i] = " + call + ";\n"
                                             : "  __local " + word + " l[1]; if (i == 0) l[0] = to[0]; barrier(1); __local " + word +
                                                   " *p = l;\n  old[i] = " + call + ";\n  barrier(1); if (i == 0) to[0] = l[0];\n";
  const std::string text = "__kernel void k(__global " + word + " *to, __global const " + word + " *x, __global const " + word +
                           " *want, __global " + word + " *old) {\n  size_t i = get_local_id(0);\n" + body + "}\n";
  for (const T first : operands) {
    std::vector<T> want;
    std::vector<T> found;
    T now = first;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      want.push_back(k % 2 == 0 ? now : static_cast<T>(operands[k]));  // every other one meets what it asks for
      found.push_back(now);
      now = next<T>(name, now, want.back(), operands[k]);
    }
    const Ran done = ran(text, static_cast<unsigned>(operands.size()),
                         {launch_text::buffer(type, std::vector<T>{first}), launch_text::buffer(type, operands),
                          launch_text::buffer(type, want), launch_text::buffer(type, std::vector<T>(operands.size()))});
    CHECK(!done.outcome.fault);
    CHECK(done.outcome.race_count == 0);
    const auto same = [](const std::vector<T>& a, const std::vector<T>& b) {
      return std::ranges::equal(a, b, [](T x, T y) { return x == y || (x != x && y != y); });
    };
    CHECK(same(launch_text::numbers<T>(done.arguments.buffers[3]), found));
    CHECK(same(launch_text::numbers<T>(done.arguments.buffers[0]), {now}));
  }
}

template <class T>
void check_integers(ScalarType type) {
  for (const char* name : {"add", "sub", "inc", "dec", "min", "max", "and", "or", "xor", "xchg", "cmpxchg"}) {
    check_function<T>(type, name, "atomic_", "global");
    check_function<T>(type, name, "atom_", "local");
  }
}

constexpr const char* counting = "__kernel void k(__global int *n, __global int *o) { o[get_global_id(0)] = atomic_inc(n); }";

}  // namespace

TEST_CASE("atomics: items change a place one after the other, and find what those before have left", "[core][atomics]") {
  check_integers<std::int32_t>(ScalarType::Int);
  check_integers<std::uint32_t>(ScalarType::UInt);
  check_integers<std::int64_t>(ScalarType::Long);
  check_integers<std::uint64_t>(ScalarType::ULong);
  for (const char* name : {"fetch_add", "fetch_sub", "fetch_min", "fetch_max"}) {
    check_function<float>(ScalarType::Float, name, "atomic_", "global");
    check_function<double>(ScalarType::Double, name, "atomic_", "local");
  }
}

TEST_CASE("atomics: loads, stores, flags and attempts", "[core][atomics]") {
  const std::string text =
      "__kernel void k(__global atomic_int *m, __global int *o) {\n"
      "  int expected = 4;\n"
      "  o[0] = atomic_load(m); atomic_store(m, 5); o[1] = atomic_load_explicit(m, memory_order_acquire, memory_scope_device);\n"
      "  o[2] = atomic_compare_exchange_strong(m, &expected, 9); o[3] = expected;\n"
      "  o[4] = atomic_compare_exchange_weak_explicit(m, &expected, 9, memory_order_acq_rel, memory_order_relaxed); o[5] = expected;\n"
      "  o[6] = atomic_flag_test_and_set(m + 1); o[7] = atomic_flag_test_and_set(&m[1]); atomic_flag_clear(m + 1);\n"
      "  o[8] = atomic_exchange(m, -1); atomic_init(&m[2], 77); o[9] = atomic_fetch_xor(m + 2, 1);\n"
      "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device); }";
  const Ran done =
      ran(text, 1,
          {launch_text::buffer(ScalarType::Int, std::vector<int>{3, 0, 0}), launch_text::buffer(ScalarType::Int, std::vector<int>(10))});
  CHECK(launch_text::numbers<int>(done.arguments.buffers[1]) == std::vector<int>{3, 5, 0, 5, 1, 5, 0, 1, 9, 77});
  CHECK(launch_text::numbers<int>(done.arguments.buffers[0]) == std::vector<int>{-1, 0, 76});
}

TEST_CASE("atomics: groups, warps and items may change one place, and nobody may meet it otherwise", "[core][atomics]") {
  for (const unsigned warp_size : {0U, 1U, 2U}) {
    for (const unsigned pack : {1U, 3U}) {
      launch::LaunchOptions options;
      options.groups = 3;
      options.warp_size = warp_size;
      options.pack = pack;
      const auto numbers = [](std::size_t count) { return launch_text::buffer(ScalarType::Int, std::vector<int>(count)); };
      CHECK(ran(counting, 4, {numbers(1), numbers(12)}, options).outcome.race_count == 0);
      // Of the same place one group after the other is no order; of the same group a barrier is.
      const auto races = [&](const std::string& body, const std::string& parameters = "__global int *n, __global int *o") {
        return ran("__kernel void k(" + parameters + ") { int i = get_local_id(0), g = get_group_id(0);\n" + body + "}", 4,
                   {numbers(4), numbers(12)}, options)
            .outcome.race_count;
      };
      CHECK(races("if (g == 0) atomic_inc(n); if (g == 1 && i == 0) o[0] = n[0];") > 0);
      CHECK(races("if (g == 1) atomic_inc(n); if (g == 0 && i == 0) o[0] = n[0];") > 0);
      CHECK(races("if (g == 2 && i == 3) n[0] = 1; if (g == 0) atomic_inc(n);") > 0);
      CHECK(races("if (g == 0 && i == 3) n[0] = 1; if (g == 2) atomic_inc(n);") > 0);
      CHECK(races("atomic_add(n + g, 1); barrier(2); o[g * 4 + i] = n[g];") == 0);
      CHECK(races("__local int l; if (i == 0) l = 0; barrier(1); atomic_inc(&l); barrier(1); o[g * 4 + i] = l;") == 0);
      const bool several = warp_size != 0;
      CHECK((races("__local int l; if (i == 0) l = 0; atomic_inc(&l);") > 0) == several);
      CHECK((races("__local int l; if (i == 3) l = 0; barrier(1); atomic_inc(&l); if (i == 3) o[g] = l;") > 0) == several);
      CHECK((races("__local int l; if (i == 3) l = 0; barrier(1); if (i == 0) o[g] = l; atomic_inc(&l);") > 0) == several);
    }
  }
}

TEST_CASE("atomics: two accesses race if one writes and not both are atomic; a comparison that fails reads", "[core][atomics]") {
  struct Access {
    const char* text;
    bool writes;
    bool is_atomic;
  };
  // `n` is 5: the last of these compares in vain, that in front of it does not.
  const std::vector<Access> accesses = {{"o[i] = 5 - n[0]", false, false},
                                        {"n[0] = 5", true, false},
                                        {"atomic_and(n, 5)", true, true},
                                        {"o[i] = atomic_cmpxchg(n, 5, 5)", true, true},
                                        {"o[i] = atomic_cmpxchg(n, 6, 7)", false, true}};
  const auto meet = [](const Access& a, const Access& b) { return (a.writes || b.writes) && !(a.is_atomic && b.is_atomic); };
  for (const bool in_groups : {false, true}) {
    for (std::size_t k = 0; k < accesses.size() * accesses.size() * accesses.size(); ++k) {
      const std::array<const Access*, 3> of = {&accesses[k % 5], &accesses[k / 5 % 5], &accesses[k / 25]};
      const std::string text =
          std::string("__kernel void k(__global int *n, __global int *o) { int i = get_global_id(0); switch (i) { case 0: ") + of[0]->text +
          "; break; case 1: " + of[1]->text + "; break; default: " + of[2]->text + "; } }";
      launch::LaunchOptions options;
      options.groups = in_groups ? 3 : 1;
      options.warp_size = 1;
      const auto done = ran(
          text, in_groups ? 1 : 3,
          {launch_text::buffer(ScalarType::Int, std::vector<int>{5}), launch_text::buffer(ScalarType::Int, std::vector<int>(3))}, options);
      const bool expected = meet(*of[0], *of[1]) || meet(*of[0], *of[2]) || meet(*of[1], *of[2]);
      CAPTURE(text, in_groups);
      CHECK((done.outcome.race_count != 0) == expected);
    }
  }
}

TEST_CASE("atomics: a plain read among comparisons that fail is not forgotten", "[core][atomics]") {
  // Every order of one read and four comparisons in vain, and then a change: the read races with it, and nothing else does.
  for (unsigned reader = 0; reader <= 5; ++reader) {
    for (const bool in_groups : {false, true}) {
      const std::string text =
          "__kernel void k(__global int *n, __global int *o) { int i = get_global_id(0);\n"
          "  if (i == " +
          std::to_string(reader) + ") o[0] = n[0]; else if (i < 5) atomic_cmpxchg(n, 6, 7); else atomic_inc(n); }";
      launch::LaunchOptions options;
      options.groups = in_groups ? 6 : 1;
      options.warp_size = 1;
      const auto done = ran(
          text, in_groups ? 1 : 6,
          {launch_text::buffer(ScalarType::Int, std::vector<int>(1)), launch_text::buffer(ScalarType::Int, std::vector<int>(1))}, options);
      CAPTURE(reader, in_groups);
      CHECK((done.outcome.race_count != 0) == (reader < 5));
    }
  }
}

TEST_CASE("atomics: numbers of another type than the buffer's are changed as what the pointer says", "[core][atomics]") {
  const Ran done = ran(
      "__kernel void k(__global float *f, __global uint *u, __global int *o) { int i = get_local_id(0);\n"
      "  o[i] = atomic_add((__global int *)f, 3); atomic_max((volatile __global int *)(f + 1), -i); atomic_min((__global int *)u, -i);\n"
      "  atomic_or((__global int *)f + 2, 1 << i); f[3] = 1; }",
      4,
      {launch_text::buffer(ScalarType::Float, std::vector<float>{1.5F, -0.0F, 0, 0}),
       launch_text::buffer(ScalarType::UInt, std::vector<std::uint32_t>{2}), launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
  const auto bits = std::bit_cast<std::int32_t>(1.5F);
  CHECK(launch_text::numbers<int>(done.arguments.buffers[2]) == std::vector<int>{bits, bits + 3, bits + 6, bits + 9});
  CHECK(launch_text::numbers<std::int32_t>(done.arguments.buffers[0]) ==
        std::vector<std::int32_t>{bits + 12, 0, 15, std::bit_cast<std::int32_t>(1.0F)});
  CHECK(launch_text::numbers<std::int32_t>(done.arguments.buffers[1]) == std::vector<std::int32_t>{-3});
}

TEST_CASE("atomics: groups that take turns mix their changes", "[core][atomics]") {
  const auto left = [](std::uint64_t order, unsigned pack) {
    launch::LaunchOptions options;
    options.groups = 4;
    options.order = order;
    options.pack = pack;
    const Ran done = ran("__kernel void k(__global int *n) { int i = get_local_id(0); atomic_add(n, i + 1); atomic_max(n, 30 * i); }", 4,
                         {launch_text::buffer(ScalarType::Int, std::vector<int>(1))}, options);
    return launch_text::numbers<int>(done.arguments.buffers[0]).front();
  };
  CHECK(left(0, 0) == 120);  // 10, 90, and three times 10 more
  CHECK(left(0, 2) == 120);
  CHECK(left(3, 0) == 120);
  CHECK(left(2, 2) == 110);  // 20, 90, and 20 more
  CHECK(left(2, 3) == 100);  // 30, 90, and 10 more
  CHECK(left(2, 4) == 90);
}

TEST_CASE("atomics: what is not there cannot be changed", "[core][atomics]") {
  const auto fault = [](const std::string& body) {
    const Ran done = ran("__kernel void k(__global int *n) { __local int l[2]; __local uint u;\n" + body + "}", 2,
                         {launch_text::buffer(ScalarType::Int, std::vector<int>{1, 2})});
    return done.outcome.fault ? done.outcome.fault->message : "";
  };
  CHECK(fault("atomic_inc(&l[get_local_id(0)]);") == "'l[0]' is read before anything is stored there");
  CHECK(fault("if (get_local_id(0) == 1) atomic_or(&u, 1);") == "'u' is read before anything is stored there");
  CHECK(fault("atomic_store(&l[get_local_id(0)], 3); n[0] = l[1];").empty());
  CHECK(fault("n[0] = atomic_xchg(&l[1], 3);") == "'l[1]' is read before anything is stored there");
  CHECK(fault("atomic_inc(n + 1 + get_local_id(0));") == "index 2 is outside of 'n', which has 2 elements");
  CHECK(fault("atomic_inc(&n[get_local_id(0)]);").empty());
}

TEST_CASE("atomics: the order that is asked for changes who finds what, and nothing else", "[core][atomics]") {
  const auto found = [](std::uint64_t order) {
    launch::LaunchOptions options;
    options.groups = 2;
    options.order = order;
    const Ran done = ran(
        counting, 3, {launch_text::buffer(ScalarType::Int, std::vector<int>(1)), launch_text::buffer(ScalarType::Int, std::vector<int>(6))},
        options);
    CHECK(launch_text::numbers<int>(done.arguments.buffers[0]).front() == 6);
    return launch_text::numbers<int>(done.arguments.buffers[1]);
  };
  CHECK(found(0) == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(found(1) == std::vector<int>{5, 4, 3, 2, 1, 0});
  bool is_another = false;
  for (std::uint64_t order = 2; order < 12; ++order) {
    std::vector<int> tickets = found(order);
    is_another = is_another || (tickets != found(0) && tickets != found(1));
    std::ranges::sort(tickets);
    CHECK(tickets == found(0));
  }
  CHECK(is_another);
}

TEST_CASE("atomics: whether the order matters", "[core][atomics]") {
  const auto order = [](const std::string& body) {
    return typed::atomic_order(*launch_text::program(
        "__kernel void k(__global int *n, __global float *f, __global uint *u, __global int *m) { " + body + " }", 2));
  };
  CHECK(order("n[get_global_id(0)] = 1;") == typed::AtomicOrder::None);
  CHECK(order("atomic_add(n, 2); atomic_sub(n, 3); atomic_inc(n + 1);") == typed::AtomicOrder::Free);
  CHECK(order("atomic_max(n, 2); atomic_max(n, 3);") == typed::AtomicOrder::Free);
  CHECK(order("atomic_add(n, 2); atomic_max(n, 3);") == typed::AtomicOrder::Matters);
  CHECK(order("atomic_and(n, 2); atomic_or(n, 3);") == typed::AtomicOrder::Matters);
  CHECK(order("atomic_add(n, 2); atomic_max(m, 3); atomic_or(u, 1u);") == typed::AtomicOrder::Free);
  // What may lead to either buffer meets both, and what points to numbers of the same size all of them.
  CHECK(order("__global int *p = get_local_id(0) ? n : m; atomic_add(n, 2); atomic_max(m, 3); atomic_add(p, 1);") ==
        typed::AtomicOrder::Matters);
  CHECK(order("__global int *p = n; if (get_local_id(0)) p = m; atomic_min(p, 2); atomic_min(u, 3u);") == typed::AtomicOrder::Matters);
  CHECK(order("atomic_add(get_local_id(0) ? n : m, 2); atomic_max(n, 3);") == typed::AtomicOrder::Matters);
  CHECK(order("n += 1; atomic_add(n, 2); n = m; atomic_max(m, 3);") == typed::AtomicOrder::Matters);
  CHECK(order("atomic_min(n, 2); __local long l[1]; l[0] = 0; atomic_fetch_max(l, 3l);") == typed::AtomicOrder::Free);
  CHECK(order("n[1] = atomic_add(n, 2);") == typed::AtomicOrder::Matters);
  CHECK(order("atomic_xchg(n, (int)get_local_id(0));") == typed::AtomicOrder::Matters);
  CHECK(order("atomic_fetch_add(f, 1.0f);") == typed::AtomicOrder::Matters);
}

TEST_CASE("atomics: typed programs as text", "[typed][atomics]") {
  const std::string text =
      ".typed\n.wg_size 2\n.local uint l[2]\n.kernel k(global int* n, global float* f)\n.var int a\n.var uint u\n.var float x\n"
      "  a = atomic.add(n[0], 3)\n  atomic.sub(n[local_id], a)\n  a = atomic.compare(n[1], a, 7)\n  st @l[local_id] = 1u\n"
      "  atomic.xor(@l[0], 5u)\n  u = atomic.max(@l[1], 9u)\n  x = atomic.exchange(f[0], 2.0f)\n  atomic.min(f[0], x)\n  stop\n";
  const auto source = std::make_shared<SourceFile>("atomics.mus", text);
  const auto program = typed::parse(source);
  REQUIRE(program);
  const std::string printed = typed::print(*program);
  const auto again = typed::parse(std::make_shared<SourceFile>("again.mus", printed));
  REQUIRE(again);
  CHECK(typed::same(*program, *again));
  const auto refusal = [](const std::string& line) {
    const auto wrong = typed::parse(std::make_shared<SourceFile>("wrong.mus",
                                                                 ".typed\n.wg_size 2\n.constant int c[1]: 1\n.kernel k(global int* n, "
                                                                 "global short* s, global float* f)\n.var int a\n.var uint u\n  " +
                                                                     line + "\n  stop\n"));
    return wrong ? "" : wrong.error().front().message;
  };
  CHECK(refusal("atomic.add(n[0], 3, 4)") == "'atomic.add' takes an element of memory and one value");
  CHECK(refusal("a = atomic.compare(n[0], 3)") == "'atomic.compare' takes an element of memory and two values");
  CHECK(refusal("atomic.add(s[0], 3s)") == "'atomic.add' is not there for 'short'");
  CHECK(refusal("atomic.xor(f[0], 3.0f)") == "'atomic.xor' is not there for 'float'");
  CHECK(refusal("u = atomic.add(n[0], 3)") == "'atomic.add' writes a register that is a 'int'");
  CHECK(refusal("atomic.add(n[0], 3u)") == "the element has the type 'int', this has 'uint'; a conversion is written 'int(…)'");
  CHECK(refusal("atomic.add(@c[0], 3)").starts_with("'atomic.add' changes what threads share, 'global' or 'local' memory"));
}
