// What threads of a warp or a block do together, by the pseudocode of the PTX ISA.

#include <algorithm>
#include <bit>

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

constexpr unsigned threads = 64;
constexpr Bits lanes = 32;

/// A number for each thread, also as PTX makes it: see numbers_body.
Bits number_of(Bits thread) { return (thread * 0x9e3779b1U + 12345) & 0xffffffffU; }
const std::string number_body = "  mad.lo.u32 %r1, %r0, 0x9e3779b1, 12345;\n";

/// The lane from which a shuffle takes, and whether it is in range.
std::pair<Bits, bool> source_of(const std::string& mode, Bits lane, Bits b, Bits c) {
  const Bits segment = (c >> 8U) & 31U;
  const Bits clamp = c & 31U;
  const Bits most = (lane & segment) | (clamp & ~segment & 31U);
  const Bits least = lane & segment;
  const auto offset = static_cast<int>(b & 31U);
  const int j = mode == "up"     ? static_cast<int>(lane) - offset
                : mode == "down" ? static_cast<int>(lane) + offset
                : mode == "bfly" ? static_cast<int>(lane) ^ offset
                                 : static_cast<int>(least | (b & 31U & ~segment));
  const bool in_range = mode == "up" ? j >= static_cast<int>(most) : j <= static_cast<int>(most);
  return {in_range ? static_cast<Bits>(j) : lane, in_range};
}

/// Shuffles by several distances and widths; behind each result stands whether it was in range.
CaseText shuffle(const std::string& mode) {
  struct Operands {
    Bits b;
    Bits c;
  };
  const std::vector<Operands> all = mode == "up"
                                        ? std::vector<Operands>{{1, 0}, {5, 0}, {3, 0x1800}, {31, 0}, {33, 0}, {2, 4}}
                                        : std::vector<Operands>{{1, 0x1f}, {5, 0x1f}, {3, 0x181f}, {31, 0x1f}, {33, 0x1f}, {2, 20}};
  const std::string form = "shfl.sync." + mode + ".i";
  Written w(form, {form}, "shfl.sync." + mode + ": distances and widths, full warps; and whether the source is in range.");
  w.block(threads);
  w.output("out", "u32", threads * all.size() * 2, [&](Bits k) {
    const Bits thread = k / 2 / all.size();
    const Operands& o = all[k / 2 % all.size()];
    const auto [from, in_range] = source_of(mode, thread % lanes, o.b, o.c);
    return k % 2 == 1 ? Bits{in_range} : number_of(thread / lanes * lanes + from);
  });
  std::string body = number_body + "  mad.wide.u32 %rd1, %r0, " + std::to_string(8 * all.size()) + ", %rd0;\n";
  for (std::size_t n = 0; n < all.size(); ++n) {
    body += "  shfl.sync." + mode + ".b32 %r2|%p0, %r1, " + std::to_string(all[n].b) + ", " + std::to_string(all[n].c) + ", 0xffffffff;\n";
    body += "  selp.u32 %r3, 1, 0, %p0;\n  st.global.v2.u32 [%rd1+" + std::to_string(8 * n) + "], {%r2, %r3};\n";
  }
  return w.body(body).text();
}

/// Four of the threads' predicates: by bits of their numbers, all of them, none.
const std::string vote_head = R"(
  and.b32 %r1, %r0, 5;
  setp.eq.u32 %p0, %r1, 4;
  setp.ge.u32 %p1, %r0, 0;
  setp.gt.u32 %p2, %r0, 100;
  setp.lt.u32 %p3, %r0, 40;
)";
bool predicate(Bits which, Bits thread) { return which == 0 ? (thread & 5U) == 4 : which == 1 ? true : which == 2 ? false : thread < 40; }

/// `fold` over the predicates of a warp's threads.
CaseText vote(const std::string& form, const std::string& mode, Bits (*fold)(Bits which, Bits warp)) {
  Written w(form, {form}, form + ": predicates of full warps.");
  w.block(threads);
  w.output("out", "u32", threads * 4, [&](Bits k) { return fold(k % 4, k / 4 / lanes); });
  std::string body = vote_head + "  mad.wide.u32 %rd1, %r0, 16, %rd0;\n";
  for (const std::string n : {"0", "1", "2", "3"}) {
    const std::string at = std::to_string(4 * std::stoi(n));
    body += mode == "ballot" ? "  vote.sync.ballot.b32 %r2, %p" + n + ", 0xffffffff;\n"
                             : "  vote.sync." + mode + ".pred %p4, %p" + n + ", 0xffffffff;\n  selp.u32 %r2, 1, 0, %p4;\n";
    body += "  st.global.u32 [%rd1+" + at + "], %r2;\n";
  }
  return w.body(body).text();
}

Bits ballot(Bits which, Bits warp) {
  Bits mask = 0;
  for (Bits lane = 0; lane < lanes; ++lane) {
    mask |= Bits{predicate(which, warp * lanes + lane)} << lane;
  }
  return mask;
}
Bits all_of(Bits which, Bits warp) { return ballot(which, warp) == 0xffffffffU ? 1 : 0; }
Bits any_of(Bits which, Bits warp) { return ballot(which, warp) != 0 ? 1 : 0; }

/// The lower and the upper half of a warp come by different instructions, each with its mask.
CaseText redux(const std::string& operation) {
  const std::string form = "redux.sync." + operation + ".i";
  const auto number = [](Bits thread) { return number_of(thread); };
  const auto fold = [&](Bits first, Bits count, bool is_signed) {
    Bits result = number(first);
    for (Bits t = first + 1; t < first + count; ++t) {
      const Bits x = number(t);
      const bool less = is_signed ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(result) : x < result;
      result = operation == "add" ? result + x : (operation == "min") == less ? x : result;
    }
    return result & 0xffffffffU;
  };
  Written w(form, {form}, form + ": of full warps, of u32 and s32, and of both halves of a warp, in different places.");
  w.block(threads);
  w.output("out", "u32", threads * 3, [&](Bits k) {
    const Bits thread = k / 3;
    const Bits warp = thread / lanes * lanes;
    return k % 3 == 0 ? fold(warp, lanes, false) : k % 3 == 1 ? fold(warp, lanes, true) : fold(thread / 16 * 16, 16, false);
  });
  return w
      .body(number_body + "  mad.wide.u32 %rd1, %r0, 12, %rd0;\n  redux.sync." + operation + ".u32 %r2, %r1, 0xffffffff;\n  redux.sync." +
            operation +
            ".s32 %r3, %r1, 0xffffffff;\n  and.b32 %r4, %r0, 16;\n  setp.ne.u32 %p0, %r4, 0;\n  @%p0 bra Upper;\n  redux.sync." +
            operation + ".u32 %r5, %r1, 0x0000ffff;\n  bra Join;\nUpper:\n  redux.sync." + operation +
            ".u32 %r5, %r1, 0xffff0000;\nJoin:\n  st.global.u32 [%rd1], %r2;\n  st.global.u32 [%rd1+4], %r3;\n  st.global.u32 [%rd1+8], "
            "%r5;\n")
      .text();
}

CaseText match(bool all) {
  const std::string form = all ? "match.all.sync.i" : "match.any.sync.i";
  const auto group = [](Bits which, Bits thread) -> Bits { return which == 0 ? thread % 5 : which == 1 ? 7 : thread / 16; };
  Written w(form, {form},
            all ? "match.all: the mask where all threads have one number, else 0, and a predicate."
                : "match.any: the threads with the same number; of 32 and 64 bits.");
  w.block(threads);
  w.output("out", "u32", threads * 3, [&](Bits k) {
    const Bits thread = k / 3;
    Bits mask = 0;
    for (Bits lane = 0; lane < lanes; ++lane) {
      mask |= Bits{group(k % 3, thread / lanes * lanes + lane) == group(k % 3, thread)} << lane;
    }
    return !all || mask == 0xffffffffU ? mask ^ (all ? 1U : 0U) : 0;  // match.all: with the predicate in place of bit 0
  });
  std::string body =
      "  mad.wide.u32 %rd1, %r0, 12, %rd0;\n  rem.u32 %r1, %r0, 5;\n  mov.u32 %r2, 7;\n  shr.u32 %r3, %r0, 4;\n  cvt.u64.u32 %rd2, %r3;\n  "
      "shl.b64 %rd2, %rd2, 40;\n";
  for (const auto& [operand, type, at] : {std::tuple("%r1", "b32", "0"), std::tuple("%r2", "b32", "4"), std::tuple("%rd2", "b64", "8")}) {
    body += all ? std::string("  match.all.sync.") + type + " %r4|%p0, " + operand +
                      ", 0xffffffff;\n  selp.u32 %r5, 1, 0, %p0;\n  xor.b32 %r4, %r4, %r5;\n"
                : std::string("  match.any.sync.") + type + " %r4, " + operand + ", 0xffffffff;\n";
    body += std::string("  st.global.u32 [%rd1+") + at + "], %r4;\n";
  }
  return w.body(body).text();
}

CaseText barrier_sum(const std::string& form, const std::string& meaning, unsigned count, const std::string& barrier) {
  return Written(form, {form}, meaning)
      .block(count)
      .output("out", "u32", count, [count](Bits k) { return number_of(count - 1 - k); })
      .before(".shared .align 4 .b8 exchange[" + std::to_string(4 * count) + "];\n")
      .body(number_body + "  mov.u32 %r2, exchange;\n  mad.lo.u32 %r3, %r0, 4, %r2;\n  st.shared.u32 [%r3], %r1;\n" + barrier +
            "  sub.u32 %r4, " + std::to_string(count - 1) +
            ", %r0;\n  mad.lo.u32 %r3, %r4, 4, %r2;\n  ld.shared.u32 %r5, [%r3];\n  st.global.u32 [%rd1], %r5;\n")
      .text();
}

CaseText barrier_reduction(const std::string& operation) {
  const std::string form = "bar.red." + operation + ".pred";
  return Written(form, {form}, form + ": over the predicates of all threads of a block, three of them.")
      .block(threads)
      .output("out", "u32", threads * 3,
              [&](Bits k) -> Bits {
                // thread < 63, thread >= 0, thread > 100
                return operation == "and" ? (k % 3 == 1 ? 1 : 0) : (k % 3 == 2 ? 0 : 1);
              })
      .body(
          "  mad.wide.u32 %rd1, %r0, 12, %rd0;\n  setp.lt.u32 %p0, %r0, 63;\n  setp.ge.u32 %p1, %r0, 0;\n  setp.gt.u32 %p2, %r0, 100;\n  "
          "bar.red." +
          operation + ".pred %p3, 0, %p0;\n  bar.red." + operation + ".pred %p4, 0, %p1;\n  bar.red." + operation +
          ".pred %p5, 1, 64, !%p2;\n  bar.red." + operation +
          ".pred %p6, 0, %p2;\n  selp.u32 %r1, 1, 0, %p3;\n  selp.u32 %r2, 1, 0, %p4;\n  selp.u32 %r3, 1, 0, %p6;\n  selp.u32 %r4, 0, 2, "
          "%p5;\n"
          "  add.u32 %r3, %r3, %r4;\n  st.global.u32 [%rd1], %r1;\n  st.global.u32 [%rd1+4], %r2;\n  st.global.u32 [%rd1+8], %r3;\n")
      .text();
}

/// Which threads are active together is not specified. Those that come by are, and nobody else.
CaseText active() {
  return Written(
             "activemask.i", {"activemask.i"},
             "activemask: which threads run together is not specified; the thread itself does, and those that have gone elsewhere do not.")
      .block(threads)
      .output("out", "u32", threads, [](Bits k) -> Bits { return k % 2 == 0 ? 1 : 3; })
      .body(R"(
  mov.u32 %r1, %laneid;
  and.b32 %r2, %r0, 1;
  setp.eq.u32 %p0, %r2, 0;
  mov.u32 %r5, 1;
  @%p0 bra Even;
  activemask.b32 %r3;
  shr.u32 %r4, %r3, %r1;
  and.b32 %r4, %r4, 1;
  and.b32 %r6, %r3, 0x55555555;
  setp.eq.u32 %p1, %r6, 0;
  selp.u32 %r6, 2, 0, %p1;
  add.u32 %r5, %r4, %r6;
Even:
  st.global.u32 [%rd1], %r5;
)")
      .text();
}

CaseText old_ballot() {
  return Written("vote.ballot.i", {"vote.ballot.i"},
                 "vote.ballot without a mask: of those that run together. Which these are is not specified; a thread's own bit is its "
                 "predicate.")
      .target("6.0", "sm_60")
      .block(threads)
      .output("out", "u32", threads, [](Bits k) { return Bits{(k & 5U) == 4}; })
      .body(vote_head +
            "  mov.u32 %r1, %laneid;\n  vote.ballot.b32 %r2, %p0;\n  shr.u32 %r2, %r2, %r1;\n  and.b32 %r2, %r2, 1;\n  st.global.u32 "
            "[%rd1], %r2;\n")
      .text();
}

}  // namespace

std::vector<CaseText> collective_cases() {
  std::vector<CaseText> cases;
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    cases.push_back(shuffle(mode));
  }
  cases.push_back(vote("vote.sync.all.pred", "all", all_of));
  cases.push_back(vote("vote.sync.any.pred", "any", any_of));
  cases.push_back(vote("vote.sync.ballot.i", "ballot", ballot));
  for (const std::string operation : {"add", "min", "max"}) {
    cases.push_back(redux(operation));
  }
  cases.push_back(match(false));
  cases.push_back(match(true));
  cases.push_back(barrier_sum(
      "bar.sync", "bar.sync: what a thread has stored is there for all others behind the barrier; one of all threads, one of a number.", 96,
      "  bar.sync 0;\n  bar.sync 3, 96;\n"));
  cases.push_back(barrier_sum("bar.warp.sync", "bar.warp.sync: what a thread has stored is there for those of its warp.", 32,
                              "  bar.warp.sync 0xffffffff;\n"));
  cases.push_back(barrier_reduction("and"));
  cases.push_back(barrier_reduction("or"));
  cases.push_back(active());
  cases.push_back(old_ballot());
  return cases;
}

}  // namespace lockstep::ptx_cases
