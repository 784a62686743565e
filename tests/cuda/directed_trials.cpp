#include <fmt/format.h>

#include <algorithm>

#include "tests/cuda/trial.hpp"

namespace lockstep::cuda_trial {

namespace {

/// 0 in what is replaced by the number of items, 1 by the number of groups of a pack.
struct Case {
  std::string what;
  std::string text;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"the cell was another item's in the round before", R"(
  for %j = 0 to 5 step 1 {
    %x : i32[wg {1} x wi {0} x ix 1] = load %a [wi + %j] contiguous
    %i : i32[wg {1} x wi {0} x ix 1] = index { wi + %j*3 }
    %y : i32[wg {1} x wi {0} x ix 1] = add %x, %i
    store %a [wi + %j] contiguous, %y
  })"},
      {"the same of rounds whose number is known late", R"(
  for %j = 0 to %n step 1 {
    %x : i32[wg {1} x wi {0} x ix 1] = load %a [wi + %j] contiguous
    %i : i32[wg {1} x wi {0} x ix 1] = index { wi + %j*3 }
    %y : i32[wg {1} x wi {0} x ix 1] = add %x, %i
    store %a [wi + %j] contiguous, %y
  })"},
      {"rows that reach into the next item's, by a loop within a loop", R"(
  for %i = 0 to 3 step 1 {
    for %j = 0 to 5 step 1 {
      %x : i32[wg {1} x wi {0} x ix 1] = load %a [wi*4 + %j] strided
      %y : i32[wg {1} x wi {0} x ix 1] = index { wi + %j }
      %z : i32[wg {1} x wi {0} x ix 1] = add %x, %y
      store %a [wi*4 + %j] strided, %z
    }
  })"},
      {"rows and columns that stay the item's own", R"(
  for %i = 0 to 3 step 1 {
    %x : i32[wg {1} x wi {0} x ix 4] = load %a [wi*4 + ix] contiguous
    %y : i32[wg {1} x wi {0} x ix 4] = index { wi + ix*%i }
    %z : i32[wg {1} x wi {0} x ix 4] = add %x, %y
    store %a [wi*4 + ix] contiguous, %z
    %w : i32[wg {1} x wi {0} x ix 1] = load %a [wi*4 + %i] strided
    store %a [wi*4 + 3] strided, %w
  })"},
      {"elements of one item each that meet in one cell", R"(
  %x : i32[wg {1} x wi {0} x ix 3] = load %a [wi*3 + ix] contiguous
  %m : i1[wg {1} x wi {0} x ix 3] = mask { wi == ix }
  store %a [0] gather, %x, %m
  %o : i1[wg {1} x wi {0} x ix 3] = mask { wi == 2 - ix }
  store %a [1] gather, %x, %o
  store %a [2 + wi] gather, %x, %o)"},
      {"a loop's variable as a number", R"(
  %zero : i64[wg {1} x wi {0} x ix 1] = constant 0
  %sum : i64[wg {1} x wi {0} x ix 1] = for %j = 0 to 4 step 1 (%so_far = %zero) {
    %one : i64[wg {1} x wi {0} x ix 1] = spread %j
    %two : i64 = add %j, %n
    %three : i64[wg {1} x wi {0} x ix 1] = spread %two
    %more : i64[wg {1} x wi {0} x ix 1] = add %so_far, %one
    %most : i64[wg {1} x wi {0} x ix 1] = add %more, %three
    yield %most
  }
  %s : i32[wg {1} x wi {0} x ix 1] = convert %sum
  store %a [wi] contiguous, %s)"},
      {"elements of indices and masks in another order", R"(
  %i : i32[wg {1} x wi {0} x ix 4] = index { wi*5 + ix*7 }
  %r : i32[wg {1} x wi {0} x ix 3] = reorder %i { (wi, ix) <- (wi, ix + 1) }
  %s : i32[wg {1} x wi {0} x ix 3] = reorder %i { (wi, ix) <- (1, 3 - ix) }
  %m : i1[wg {1} x wi {0} x ix 4] = mask { ix*2 < 4 }
  %t : i1[wg {1} x wi {0} x ix 3] = reorder %m { (wi, ix) <- (wi, ix + 1) }
  %u : i32[wg {1} x wi {0} x ix 3] = select %t, %r, %s
  store %a [wi*3 + ix] contiguous, %u)"},
      {"what an item loads is what was there before another one stores", R"(
  %x : i32[wg {1} x wi {0} x ix 4] = load %a [{0}*4 - 4 - wi*4 + ix] gather
  %one : i32[wg {1} x wi {0} x ix 1] = load %a [wi*4 + 2] strided
  %two : i32[wg {1} x wi {0} x ix 1] = add %one, %one
  store %a [wi*4 + 1] strided, %two
  store %a [{0}*4 - 4 - wi*4 + ix] gather, %x)"},
      {"lanes of a table that nobody asks for send what others want", R"(
  %x : i32[wg {1} x wi {0} x ix 4] = load %a [wi*4 + ix] contiguous
  %r : i32[wg {1} x wi {0} x ix 2] = reorder %x {{ [{2}] }}
  %zero : i32[wg {1} x wi {0} x ix 2] = constant 0
  %m : i1[wg {1} x wi {0} x ix 2] = mask {{ wi != 2 }}
  %y : i32[wg {1} x wi {0} x ix 2] = select %m, %r, %zero
  store %a [wi*2 + ix] contiguous, %y)"},
      {"indices that are negative in part", R"(
  %x : i32[wg {1} x wi {0} x ix 1] = load %a [wi + %n - 4] contiguous
  %y : i32[wg {1} x wi {0} x ix 1] = load %a [8 - %n - wi + {0}] strided
  %z : i32[wg {1} x wi {0} x ix 1] = add %x, %y
  store %a [wi + %n*2] contiguous, %z)"},
      {"values with the names of what is emitted", R"(
  %v : i32[wg {1} x wi {0} x ix 6] = load %a [wi*6 + ix] contiguous
  %stage : i32[wg {1} x wi {0} x ix 6] = add %v, %v
  %wi : i32[wg {1} x wi {0} x ix 6] = reorder %stage { (wi, ix) <- (ix, wi) }
  %zero : i32[wg {1} x wi {0} x ix 6] = constant 0
  %m : i1[wg {1} x wi {0} x ix 6] = mask { wi < 6, ix < 4 }
  %k_pack : i32[wg {1} x wi {0} x ix 6] = select %m, %wi, %zero
  %end_of_j : i32[wg {1} x wi {0} x ix 6], %threadIdx : i32[wg {1} x wi {0} x ix 6] = for %j = 0 to %n step 1 (%p = %k_pack, %q = %v) {
    %next_p : i32[wg {1} x wi {0} x ix 6] = add %p, %q
    yield %q, %next_p
  }
  %template : i32[wg {1} x wi {0} x ix 6] = add %end_of_j, %threadIdx
  store %a [wi*6 + ix] contiguous, %template)"},
      {"carried values that change places", R"(
  %i : i32[wg {1} x wi {0} x ix 2] = index { wi*3 + ix }
  %x : i32[wg {1} x wi {0} x ix 2] = load %a [wi*2 + ix] contiguous
  %y : i32[wg {1} x wi {0} x ix 1] = load %a [wi] contiguous
  %e : i32[wg {1} x wi {0} x ix 2], %f : i32[wg {1} x wi {0} x ix 2], %g : i32[wg {1} x wi {0} x ix 2], %h : i32[wg {1} x wi {0} x ix 1] = for %j = 7 to %n - 1 step -2 (%p = %x, %q = %i, %r = %x, %s = %y) {
    %turned : i32[wg {1} x wi {0} x ix 2] = reorder %q { (wi, ix) <- (wi, 1 - ix) }
    %t : i32[wg {1} x wi {0} x ix 1] = add %s, %y
    yield %q, %r, %turned, %t
  }
  %sum : i32[wg {1} x wi {0} x ix 2] = sub %e, %f
  store %a [wi*2 + ix] contiguous, %sum
  store %a [wi*2 + ix + 150] contiguous, %g
  store %a [wi + 300] contiguous, %h)"},
      {"carried numbers of all groups that are made of one another", R"(
  %first : i64 = index { %n*3 }
  %e : i64, %f : i64 = for %j = 0 to 4 step 1 (%c1 = %n, %c2 = %first) {
    %step : i64 = add %n, %n
    %d1 : i64 = index { %c2 + %step }
    %d2 : i64 = index { %c1*2 + %step }
    yield %d1, %d2
  }
  %both : i64 = mul %e, %f
  %s : i32 = convert %both
  %t : i32 = convert %e
  %all : i32[wg {1} x wi {0} x ix 1] = spread %s
  %more : i32[wg {1} x wi {0} x ix 1] = spread %t
  store %a [wi] contiguous, %all
  store %a [wi + 100] contiguous, %more)"},
      {"all items store into one cell", R"(
  %i : i32[wg {1} x wi {0} x ix 1] = index { wi*7 }
  %k : i32[wg {1} x wi {0} x ix 1] = add %i, %i
  store %a [69] gather, %k
  %x : i32[wg {1} x wi {0} x ix 1] = load %a [wi] contiguous
  store %a [70] gather, %x
  %m : i1[wg {1} x wi {0} x ix 1] = mask { wi < 3 }
  store %a [71] gather, %x, %m
  %y : i32[wg {1} x wi {0} x ix 3] = load %a [wi*3 + ix] contiguous
  store %a [ix + 72] gather, %y)"},
      {"the same element of another item in each lane, through memory", R"(
  %x : i32[wg {1} x wi {0} x ix 6] = load %a [wi*6 + ix] contiguous
  %y : i32[wg {1} x wi {0} x ix 3] = reorder %x { (wi, ix) <- (3 - wi, wi) }
  %zero : i32[wg {1} x wi {0} x ix 3] = constant 0
  %m : i1[wg {1} x wi {0} x ix 3] = mask { wi < 4 }
  %z : i32[wg {1} x wi {0} x ix 3] = select %m, %y, %zero
  store %a [wi*3 + ix] contiguous, %z)"},
      {"the diagonal, and a column that is not among its numbers", R"(
  %x : i32[wg {1} x wi {0} x ix 4] = load %a [wi*4 + ix] contiguous
  %d : i32[wg {1} x wi {0} x ix 4] = reorder %x { (wi, ix) <- (ix, ix) }
  %e : i32[wg {1} x wi {0} x ix 4] = reorder %x { (wi, ix) <- (ix, 2) }
  %f : i32[wg {1} x wi {0} x ix 4] = reorder %x { (wi, ix) <- (1, ix) }
  %g : i32[wg {1} x wi {0} x ix 4] = reorder %x { (wi, ix) <- (1, 3 - ix) }
  %m : i1[wg {1} x wi {0} x ix 4] = mask { ix < 3 }
  %h : i32[wg {1} x wi {0} x ix 4] = reorder %x { (wi, ix) <- (wi, 3 - ix - wi) }
  %n2 : i1[wg {1} x wi {0} x ix 4] = mask { ix + wi <= 3 }
  %zero : i32[wg {1} x wi {0} x ix 4] = constant 0
  %picked : i32[wg {1} x wi {0} x ix 4] = select %n2, %h, %zero
  %chosen : i32[wg {1} x wi {0} x ix 4] = select %m, %picked, %x
  %s : i32[wg {1} x wi {0} x ix 4] = mul %d, %e
  %t : i32[wg {1} x wi {0} x ix 4] = sub %f, %g
  %u : i32[wg {1} x wi {0} x ix 4] = xor %s, %t
  %v : i32[wg {1} x wi {0} x ix 4] = add %u, %chosen
  store %a [wi*4 + ix] contiguous, %v)"},
      {"indices beyond an int", R"(
  %i : i64[wg {1} x wi {0} x ix 1] = index { wi + 2147483647 }
  %k : i64[wg {1} x wi {0} x ix 1] = index { 0 - wi*2147483647 - 2147483647 }
  %l : i64[wg {1} x wi {0} x ix 1] = index { wi*4194305 + %n*4194304 + 4194304 }
  %half : i64[wg {1} x wi {0} x ix 1] = constant 32
  %h : i64[wg {1} x wi {0} x ix 1] = shr %i, %half
  %m : i64[wg {1} x wi {0} x ix 1] = shr %k, %half
  %x : i32[wg {1} x wi {0} x ix 1] = convert %h
  %y : i32[wg {1} x wi {0} x ix 1] = convert %m
  %z : i32[wg {1} x wi {0} x ix 1] = convert %l
  %is : i1[wg {1} x wi {0} x ix 1] = mask { wi + 2147483647 > 2147483648, wi*2147483647 < 6442450942 }
  store %a [wi] contiguous, %x
  store %a [wi + 70] contiguous, %y
  store %a [wi + 140] contiguous, %z
  store %a [wi + 210] contiguous, %z, %is)"},
      {"numbers that are there before anything runs", R"(
  constant %c : i32[4] = [3, -1, 2147483647, -2147483648]
  constant %f : f32[4] = [0.5, -inf, nan(0x7f800001), 1e-40]
  %x : i32[wg {1} x wi {0} x ix 4] = load %c [ix] gather
  store %a [wi*4 + ix] contiguous, %x
  %y : f32[wg {1} x wi {0} x ix 4] = load %f [3 - ix] gather
  %z : i32[wg {1} x wi {0} x ix 4] = bitcast %y
  store %a [wi*4 + ix] contiguous, %z
  %p : ptr = address %c
  %q : i32 = load %p [2] strided
  %r : i32[wg {1} x ix 1] = spread %q
  store %a [300] strided, %r)"},
      {"votes of lanes that do not agree", R"(
  %x : i32[wg {1} x wi {0} x ix 3] = load %a [wi*3 + ix] contiguous
  %zero : i32[wg {1} x wi {0} x ix 3] = constant 0
  %v : i1[wg {1} x wi {0} x ix 3] = lt %x, %zero
  %some : i1[wg {1} x wi {0} x ix 3] = mask { wi < 3, ix > 0 }
  %all : i1[wg {1} x wi {0} x ix 3] = mask { }
  %one : i1[wg {1} x wi {0} x ix 3] = mask { wi == 2, ix == 1 }
  %others : i1[wg {1} x wi {0} x ix 3] = mask { wi != 2 }
  %none : i1[wg {1} x wi {0} x ix 3] = mask { wi < 0 }
  %w : i1[wg {1} x wi {0} x ix 1] = mask { wi*2 < {0} + 1 }
  %h : i1[wg {1} x wi {0} x ix 1] = mask { wi != 1 }
  %g : i1[wg {1} x ix 3] = mask { ix == 2 }
  %k : i1[wg {1} x ix 3] = mask { ix > 0 }
  %v0 : i1[wg {1} x ix 1] = any.group %v, %some
  %v1 : i1[wg {1} x ix 1] = any.group %one, %all
  %v2 : i1[wg {1} x ix 1] = any.group %one, %others
  %v3 : i1[wg {1} x ix 1] = all.group %others, %all
  %v4 : i1[wg {1} x ix 1] = all.group %others, %others
  %v5 : i1[wg {1} x ix 1] = all.group %one, %none
  %v6 : i1[wg {1} x ix 1] = any.group %g, %k
  %v7 : i1[wg {1} x ix 1] = all.group %g, %k
  %n0 : u64[wg {1} x ix 1] = popcount.group %v, %some
  %n1 : u64[wg {1} x ix 1] = popcount.group %others, %all
  %n2 : u64[wg {1} x ix 1] = popcount.group %g, %k
  %n3 : u64[wg {1} x ix 1] = ballot.group %w, %h
  %half : u64[wg {1} x ix 1] = constant 32
  %n4 : u64[wg {1} x ix 1] = shr %n3, %half
  %p0 : i1 = any.pack %one, %all
  %p1 : i1 = all.pack %others, %all
  %p2 : u64 = popcount.pack %others, %some
  %t0 : i32[wg {1} x ix 1] = convert %v0
  %t1 : i32[wg {1} x ix 1] = convert %v1
  %t2 : i32[wg {1} x ix 1] = convert %v2
  %t3 : i32[wg {1} x ix 1] = convert %v3
  %t4 : i32[wg {1} x ix 1] = convert %v4
  %t5 : i32[wg {1} x ix 1] = convert %v5
  %t6 : i32[wg {1} x ix 1] = convert %v6
  %t7 : i32[wg {1} x ix 1] = convert %v7
  %u0 : i32[wg {1} x ix 1] = convert %n0
  %u1 : i32[wg {1} x ix 1] = convert %n1
  %u2 : i32[wg {1} x ix 1] = convert %n2
  %u3 : i32[wg {1} x ix 1] = convert %n3
  %u4 : i32[wg {1} x ix 1] = convert %n4
  %q0 : i32 = convert %p0
  %q1 : i32 = convert %p1
  %q2 : i32 = convert %p2
  store %a [300] strided, %t0
  store %a [301] strided, %t1
  store %a [302] strided, %t2
  store %a [303] strided, %t3
  store %a [304] strided, %t4
  store %a [305] strided, %t5
  store %a [306] strided, %t6
  store %a [307] strided, %t7
  store %a [308] strided, %u0
  store %a [309] strided, %u1
  store %a [310] strided, %u2
  store %a [311] strided, %u3
  store %a [312] strided, %u4
  %r0 : i32[wg {1} x ix 1] = spread %q0
  %r1 : i32[wg {1} x ix 1] = spread %q1
  %r2 : i32[wg {1} x ix 1] = spread %q2
  store %a [313] strided, %r0
  store %a [314] strided, %r1
  store %a [315] strided, %r2
  %each : i32[wg {1} x wi {0} x ix 1] = spread %t1
  store %a [wi + 330] contiguous, %each)"},
      {"threads without an item's work go", R"(
  %i : i64[wg {1} x wi {0} x ix 1] = index { wi*2 }
  %all : i64[wg {1} x wi {0} x ix 1] = spread %n
  %is : i1[wg {1} x wi {0} x ix 1] = lt %i, %all
  %x : i32[wg {1} x wi {0} x ix 4] = load %a [wi*4 + ix] contiguous
  %is_all : i1[wg {1} x wi {0} x ix 4] = spread %is
  for %j = 0 to 3 step 1 {
    %y : i32[wg {1} x wi {0} x ix 1] = reorder %x { (wi, ix) <- (wi, %j) }
    store %a [wi*4 + %j] strided, %y, %is
  }
  store %a [wi*4 + ix] contiguous, %x, %is_all)"},
  };
  return all;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string symbol_of(std::string text) {
  std::ranges::replace(text, ' ', '_');
  std::erase_if(text, [](char c) { return c == '\'' || c == ','; });
  return text;
}

/// Item 1's last two elements for all items but the third.
std::string table(unsigned items) {
  std::string lanes;
  for (unsigned item = 0; item < items; ++item) {
    lanes += (item == 0 ? "" : ", ") + std::string(item == 2 ? "_, _" : "6, 7");
  }
  return lanes;
}

infreg::Buffer numbers() {
  constexpr std::uint64_t count = 800;
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Int, count);
  for (std::uint64_t k = 0; k < count; ++k) {
    put_number(buffer, k, static_cast<std::int32_t>((k + 1) * 2654435761U));
  }
  return buffer;
}

}  // namespace

std::vector<Trial> directed_trials() {
  std::vector<Trial> trials;
  for (const Case& one : cases()) {
    for (const unsigned items : {4U, 12U, 32U, 33U, 64U}) {
      for (const unsigned pack : {1U, 2U}) {
        std::string body = replaced(one.text, "{0}", std::to_string(items));
        body = replaced(body, "%a [", "%a [wg.ix*400 + ");
        body = pack == 1 ? replaced(body, "wg {1} x ", "") : replaced(body, "{1}", std::to_string(pack));
        body = replaced(replaced(replaced(body, "{2}", table(items)), "{{", "{"), "}}", "}");
        Trial& trial = trials.emplace_back();
        trial.name = fmt::format("{}_{}_{}", symbol_of(one.what), items, pack);
        trial.kernel = kernel_of(fmt::format("kernel @k(%a: ptr<i32>{}, %n: i64) wg_size {} wg_pack {} {{{}\n}}\n",
                                             pack == 1 ? " restrict" : "", items, pack, body));
        trial.arguments = {BufferNumber{0}, ScalarBits{5}};
        trial.memory = {numbers()};
        trial.groups = 2;
      }
    }
  }
  return trials;
}

}  // namespace lockstep::cuda_trial
