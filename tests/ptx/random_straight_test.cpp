// Random straight-line programs over integers, guards, vectors and parts of registers, against plain C++ that computes each thread by
// itself.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <span>

#include "tests/campaign/run.hpp"
#include "tests/ptx/machine.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr unsigned threads = 48;
constexpr unsigned words = 8;  // registers of each width

/// What one thread has in its registers.
struct Thread {
  std::array<std::uint16_t, words> h{};
  std::array<std::uint32_t, words> r{};
  std::array<std::uint64_t, words> d{};
  std::array<bool, 4> p{};
  bool carry = false;
};

/// An instruction, or several that belong together, and what it does to a thread. The text has the guard in front of each line.
struct Step {
  std::vector<std::string> lines;
  std::function<void(Thread&)> effect;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  unsigned below(unsigned count) { return static_cast<unsigned>(engine_() % count); }
  /// Long and short numbers alike often, of both signs.
  std::uint64_t number() {
    const std::uint64_t short_one = engine_() >> below(64);
    return below(2) == 0 ? short_one : ~short_one;
  }

 private:
  std::mt19937_64 engine_;
};

std::int32_t as_signed(std::uint32_t a) { return static_cast<std::int32_t>(a); }
std::int64_t as_signed(std::uint64_t a) { return static_cast<std::int64_t>(a); }
__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): a using-declaration takes no __extension__
__extension__ typedef __int128 SignedWide;     // NOLINT(modernize-use-using)

/// An operation of two numbers of 32 or 64 bits.
struct Binary {
  std::string_view mnemonic;
  std::uint32_t (*narrow)(std::uint32_t, std::uint32_t);
  std::uint64_t (*wide)(std::uint64_t, std::uint64_t);
};

const std::array<Binary, 14> binaries = {{
    {"add.u", [](std::uint32_t a, std::uint32_t b) { return a + b; }, [](std::uint64_t a, std::uint64_t b) { return a + b; }},
    {"sub.s", [](std::uint32_t a, std::uint32_t b) { return a - b; }, [](std::uint64_t a, std::uint64_t b) { return a - b; }},
    {"mul.lo.s", [](std::uint32_t a, std::uint32_t b) { return a * b; }, [](std::uint64_t a, std::uint64_t b) { return a * b; }},
    {"mul.hi.u", [](std::uint32_t a, std::uint32_t b) { return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32); },
     [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(Wide{a} * b >> 64); }},
    {"mul.hi.s",
     [](std::uint32_t a, std::uint32_t b) { return static_cast<std::uint32_t>(std::int64_t{as_signed(a)} * as_signed(b) >> 32); },
     [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(SignedWide{as_signed(a)} * as_signed(b) >> 64); }},
    {"min.u", [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; },
     [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }},
    {"max.s", [](std::uint32_t a, std::uint32_t b) { return as_signed(a) < as_signed(b) ? b : a; },
     [](std::uint64_t a, std::uint64_t b) { return as_signed(a) < as_signed(b) ? b : a; }},
    {"and.b", [](std::uint32_t a, std::uint32_t b) { return a & b; }, [](std::uint64_t a, std::uint64_t b) { return a & b; }},
    {"or.b", [](std::uint32_t a, std::uint32_t b) { return a | b; }, [](std::uint64_t a, std::uint64_t b) { return a | b; }},
    {"xor.b", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
    // With 0 in place of a divisor of 0, which has no result: both are told to divide by (b | 1).
    {"div.u", [](std::uint32_t a, std::uint32_t b) { return a / b; }, [](std::uint64_t a, std::uint64_t b) { return a / b; }},
    {"rem.u", [](std::uint32_t a, std::uint32_t b) { return a % b; }, [](std::uint64_t a, std::uint64_t b) { return a % b; }},
    {"div.s", [](std::uint32_t a, std::uint32_t b) { return b == ~0U ? 0 - a : static_cast<std::uint32_t>(as_signed(a) / as_signed(b)); },
     [](std::uint64_t a, std::uint64_t b) {
       return b == ~std::uint64_t{0} ? 0 - a : static_cast<std::uint64_t>(as_signed(a) / as_signed(b));
     }},
    {"rem.s", [](std::uint32_t a, std::uint32_t b) { return b == ~0U ? 0 : static_cast<std::uint32_t>(as_signed(a) % as_signed(b)); },
     [](std::uint64_t a, std::uint64_t b) { return b == ~std::uint64_t{0} ? 0 : static_cast<std::uint64_t>(as_signed(a) % as_signed(b)); }},
}};

Step binary(Random& random) {
  const Binary& op = binaries[random.below(binaries.size())];
  const bool divides = op.mnemonic.starts_with("div") || op.mnemonic.starts_with("rem");
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const unsigned b = random.below(words);
  const bool wide = random.below(2) == 0;
  const std::string reg = wide ? "%d" : "%r";
  const unsigned bits = wide ? 64 : 32;
  std::vector<std::string> lines;
  if (divides) {
    lines.push_back(fmt::format("or.b{0} {1}{2}, {1}{2}, 1;", bits, reg, b));
  }
  lines.push_back(fmt::format("{}{} {}{}, {}{}, {}{};", op.mnemonic, bits, reg, d, reg, a, reg, b));
  return {lines, [=](Thread& t) {
            if (wide) {
              t.d[b] |= divides ? 1U : 0U;
              t.d[d] = op.wide(t.d[a], t.d[b]);
            } else {
              t.r[b] |= divides ? 1U : 0U;
              t.r[d] = op.narrow(t.r[a], t.r[b]);
            }
          }};
}

Step immediate(Random& random) {
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const auto number = static_cast<std::uint32_t>(random.number());
  return {{fmt::format("mad.lo.u32 %r{}, %r{}, {}, %r{};", d, a, number, d)}, [=](Thread& t) { t.r[d] += t.r[a] * number; }};
}

Step shift(Random& random) {
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const unsigned n = random.below(70);
  switch (random.below(4)) {
    case 0:
      return {{fmt::format("shl.b32 %r{}, %r{}, {};", d, a, n)}, [=](Thread& t) { t.r[d] = n > 31 ? 0 : t.r[a] << n; }};
    case 1:
      return {{fmt::format("shr.s64 %d{}, %d{}, {};", d, a, n)},
              [=](Thread& t) { t.d[d] = static_cast<std::uint64_t>(as_signed(t.d[a]) >> (n > 63 ? 63 : n)); }};
    case 2:
      return {{fmt::format("shr.u32 %r{}, %r{}, {};", d, a, n)}, [=](Thread& t) { t.r[d] = n > 31 ? 0 : t.r[a] >> n; }};
    default:
      return {{fmt::format("shf.l.wrap.b32 %r{}, %r{}, %r{}, {};", d, a, d, n)}, [=](Thread& t) {
                const std::uint64_t both = std::uint64_t{t.r[d]} << 32 | t.r[a];
                t.r[d] = static_cast<std::uint32_t>(both << (n & 31) >> 32);
              }};
  }
}

/// Parts of registers: put together, taken apart, extended, cut.
Step parts(Random& random) {
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const unsigned b = (a + 1 + random.below(words - 1)) % words;
  switch (random.below(7)) {
    case 0:
      return {{fmt::format("mov.b64 %d{}, {{%r{}, %r{}}};", d, a, b)}, [=](Thread& t) { t.d[d] = std::uint64_t{t.r[b]} << 32 | t.r[a]; }};
    case 1:
      return {{fmt::format("mov.b64 {{%r{}, %r{}}}, %d{};", a, b, d)}, [=](Thread& t) {
                t.r[a] = static_cast<std::uint32_t>(t.d[d]);
                t.r[b] = static_cast<std::uint32_t>(t.d[d] >> 32);
              }};
    case 2:
      return {{fmt::format("mov.b32 %r{}, {{%h{}, %h{}}};", d, a, b)}, [=](Thread& t) { t.r[d] = std::uint32_t{t.h[b]} << 16 | t.h[a]; }};
    case 3:
      return {{fmt::format("mov.b64 {{%h{}, _, %h{}, _}}, %d{};", a, b, d)}, [=](Thread& t) {
                t.h[a] = static_cast<std::uint16_t>(t.d[d]);
                t.h[b] = static_cast<std::uint16_t>(t.d[d] >> 32);
              }};
    case 4:
      return {{fmt::format("cvt.s64.s16 %d{}, %h{};", d, a)},
              [=](Thread& t) { t.d[d] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(t.h[a]))); }};
    case 5:
      return {{fmt::format("cvt.u32.u8 %r{}, %r{};", d, a)}, [=](Thread& t) { t.r[d] = t.r[a] & 0xff; }};
    default:
      return {{fmt::format("cvt.sat.s8.s64 %r{}, %d{};", d, a)}, [=](Thread& t) {
                const std::int64_t x = as_signed(t.d[a]);
                t.r[d] = static_cast<std::uint32_t>(x < -128 ? -128 : x > 127 ? 127 : static_cast<std::int32_t>(x));
              }};
  }
}

Step bits(Random& random) {
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const unsigned from = random.below(40);
  const unsigned length = random.below(40);
  switch (random.below(5)) {
    case 0:
      return {{fmt::format("popc.b64 %r{}, %d{};", d, a)}, [=](Thread& t) { t.r[d] = static_cast<std::uint32_t>(std::popcount(t.d[a])); }};
    case 1:
      return {{fmt::format("clz.b32 %r{}, %r{};", d, a)},
              [=](Thread& t) { t.r[d] = static_cast<std::uint32_t>(std::countl_zero(t.r[a])); }};
    case 2:
      return {{fmt::format("bfe.u32 %r{}, %r{}, {}, {};", d, a, from, length)}, [=](Thread& t) {
                std::uint32_t field = 0;
                for (unsigned k = 0; k < length && from + k < 32; ++k) {
                  field |= (t.r[a] >> (from + k) & 1) << k;
                }
                t.r[d] = field;
              }};
    case 3:
      return {{fmt::format("bfi.b32 %r{}, %r{}, %r{}, {}, {};", d, a, d, from, length)}, [=](Thread& t) {
                const std::uint32_t field = t.r[a];
                for (unsigned k = 0; k < length && from + k < 32; ++k) {
                  t.r[d] = (t.r[d] & ~(1U << (from + k))) | (field >> k & 1) << (from + k);
                }
              }};
    default: {
      const auto selector = static_cast<std::uint32_t>(random.number());
      return {{fmt::format("prmt.b32 %r{}, %r{}, %r{}, {};", d, a, d, selector)}, [=](Thread& t) {
                const std::uint64_t bytes = std::uint64_t{t.r[d]} << 32 | t.r[a];
                std::uint32_t result = 0;
                for (unsigned k = 0; k < 4; ++k) {
                  const unsigned which = selector >> (4 * k) & 15;
                  const auto byte = static_cast<std::uint8_t>(bytes >> (8 * (which & 7)));
                  const std::uint32_t put = (which & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
                  result |= put << (8 * k);
                }
                t.r[d] = result;
              }};
    }
  }
}

Step predicates(Random& random) {
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const unsigned b = random.below(words);
  const unsigned p = random.below(4);
  const unsigned q = (p + 1) % 4;
  const unsigned c = random.below(4);
  switch (random.below(4)) {
    case 0:
      return {{fmt::format("setp.lt.s32 %p{}|%p{}, %r{}, %r{};", p, q, a, b)}, [=](Thread& t) {
                t.p[p] = as_signed(t.r[a]) < as_signed(t.r[b]);
                t.p[q] = !t.p[p];
              }};
    case 1:
      return {{fmt::format("setp.ge.xor.u64 %p{}, %d{}, %d{}, !%p{};", p, a, b, c)},
              [=](Thread& t) { t.p[p] = (t.d[a] >= t.d[b]) != !t.p[c]; }};
    case 2:
      return {{fmt::format("selp.b32 %r{}, %r{}, %r{}, %p{};", d, a, b, p)}, [=](Thread& t) { t.r[d] = t.p[p] ? t.r[a] : t.r[b]; }};
    default:
      return {{fmt::format("and.pred %p{}, %p{}, !%p{};", p, p, c)}, [=](Thread& t) { t.p[p] = t.p[p] && !t.p[c]; }};
  }
}

/// A sum of 64 bits in two words.
Step carries(Random& random) {
  const unsigned low = random.below(words);
  const unsigned high = (low + 1) % words;
  const unsigned a = random.below(words);
  const unsigned b = random.below(words);
  return {{fmt::format("add.cc.u32 %r{}, %r{}, %r{};", low, low, a), fmt::format("addc.u32 %r{}, %r{}, %r{};", high, high, b)},
          [=](Thread& t) {
            const std::uint64_t sum = std::uint64_t{t.r[low]} + t.r[a];
            t.r[low] = static_cast<std::uint32_t>(sum);
            t.r[high] += t.r[b] + static_cast<std::uint32_t>(sum >> 32);
          }};
}

/// Bytes of local memory: written in one width, read in others.
Step memory(Random& random) {
  const unsigned d = random.below(words);
  const unsigned a = random.below(words);
  const unsigned at = random.below(8);
  switch (random.below(3)) {
    case 0:
      return {{fmt::format("st.local.v2.b32 [cell], {{%r{}, %r{}}};", a, d), fmt::format("ld.local.s8 %r{}, [cell+{}];", d, at)},
              [=](Thread& t) {
                const std::uint64_t cell = std::uint64_t{t.r[d]} << 32 | t.r[a];
                t.r[d] = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(cell >> (8 * at))));
              }};
    case 1:
      return {{fmt::format("st.local.u64 [cell], %d{};", a), fmt::format("st.local.u8 [cell+{}], %r{};", at, d),
               fmt::format("ld.local.v4.u16 {{%h0, %h1, %h2, %h3}}, [cell];")},
              [=](Thread& t) {
                const std::uint64_t cell = (t.d[a] & ~(std::uint64_t{0xff} << (8 * at))) | std::uint64_t{t.r[d] & 0xff} << (8 * at);
                for (unsigned k = 0; k < 4; ++k) {
                  t.h[k] = static_cast<std::uint16_t>(cell >> (16 * k));
                }
              }};
    default:
      return {
          {fmt::format("st.shared.v4.b16 [%rd3], {{%h{0}, %h{1}, %h{1}, %h{0}}};", a, d), fmt::format("ld.shared.b64 %d{}, [%rd3];", d)},
          [=](Thread& t) {
            const std::uint64_t low = std::uint64_t{t.h[d]} << 16 | t.h[a];
            const std::uint64_t high = std::uint64_t{t.h[a]} << 16 | t.h[d];
            t.d[d] = high << 32 | low;
          }};
  }
}

constexpr std::array kinds = {binary, binary, immediate, shift, parts, bits, predicates, carries, memory};

/// A step, perhaps under a guard; the guard's value is taken before the step, which may write it.
struct Guarded {
  Step step;
  bool guarded = false;
  unsigned p = 0;
  bool negated = false;
};

std::vector<Guarded> program(Random& random) {
  std::vector<Guarded> steps;
  for (unsigned n = 0; n < 40; ++n) {
    steps.push_back({kinds[random.below(kinds.size())](random), random.below(3) == 0, random.below(4), random.below(2) == 0});
  }
  return steps;
}

/// A kernel that loads every thread's registers, computes, mixes predicates and halves into the others, and stores them.
std::string text_of(std::span<const Guarded> steps) {
  std::string text =
      ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
      ".reg .pred %p<5>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %d<8>; .reg .b64 %rd<5>;\n"
      ".local .align 8 .b8 cell[8];\n.shared .align 8 .b8 cells[384];\n"
      "mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b];\n"
      "mad.wide.u32 %rd1, %r0, 64, %rd1; mad.wide.u32 %rd0, %r0, 32, %rd0;\n"
      "mov.u64 %rd3, cells; mad.wide.u32 %rd3, %r0, 8, %rd3;\n"
      "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd0]; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd0+16];\n";
  for (unsigned k = 0; k < words; k += 2) {
    text += fmt::format("ld.global.v2.u64 {{%d{}, %d{}}}, [%rd1+{}];\n", k, k + 1, 8 * k);
  }
  for (unsigned k = 0; k < words; ++k) {
    text += fmt::format("cvt.u16.u32 %h{0}, %r{0};\n", k);
  }
  for (unsigned k = 0; k < 4; ++k) {
    text += fmt::format("setp.gt.u32 %p{}, %r{}, %r{};\n", k, k, k + 4);
  }
  for (const Guarded& each : steps) {
    text += each.guarded ? fmt::format("mov.pred %p4, {}%p{};\n", each.negated ? "!" : "", each.p) : "";
    for (const std::string& line : each.step.lines) {
      text += (each.guarded ? "@%p4 " : "") + line + "\n";
    }
  }
  for (unsigned k = 0; k < 4; ++k) {
    text += fmt::format("selp.u32 %r8, {0}, 0, %p{1};\nxor.b32 %r{1}, %r{1}, %r8;\n", 1U << (7 * k), k);
  }
  for (unsigned k = 0; k < words; ++k) {
    text += fmt::format("cvt.u32.u16 %r8, %h{0};\nxor.b32 %r{0}, %r{0}, %r8;\n", k);
  }
  text += "st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r3}; st.global.v4.u32 [%rd0+16], {%r4, %r5, %r6, %r7};\n";
  for (unsigned k = 0; k < words; k += 2) {
    text += fmt::format("st.global.v2.u64 [%rd1+{}], {{%d{}, %d{}}};\n", 8 * k, k, k + 1);
  }
  return text + "ret;\n}\n";
}

/// What the kernel does to one thread's numbers.
void evaluate(std::span<const Guarded> steps, Thread& t) {
  for (unsigned k = 0; k < words; ++k) {
    t.h[k] = static_cast<std::uint16_t>(t.r[k]);
  }
  for (unsigned k = 0; k < 4; ++k) {
    t.p[k] = t.r[k] > t.r[k + 4];
  }
  for (const Guarded& each : steps) {
    if (!each.guarded || t.p[each.p] != each.negated) {
      each.step.effect(t);
    }
  }
  for (unsigned k = 0; k < 4; ++k) {
    t.r[k] ^= t.p[k] ? 1U << (7 * k) : 0;
  }
  for (unsigned k = 0; k < words; ++k) {
    t.r[k] ^= t.h[k];
  }
}

/// The numbers of all threads, one thread behind the other.
struct Numbers {
  std::vector<std::uint64_t> narrow;
  std::vector<std::uint64_t> wide;
};

/// What differs between the machine under a schedule and the evaluation; nothing if nothing does.
std::string difference(std::span<const Guarded> steps, const Numbers& numbers, const NamedSchedule& schedule) {
  ptx_machine::Arguments arguments;
  add_buffer(arguments, numbers.narrow, 4);
  add_buffer(arguments, numbers.wide, 8);
  ptx_machine::LaunchOptions options;
  options.geometry.block = {threads, 1, 1};
  options.schedule = schedule.schedule;
  options.seed = schedule.seed;
  try {
    run_ptx(read_ptx("random.ptx", text_of(steps)), "", arguments, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  for (unsigned t = 0; t < threads; ++t) {
    Thread thread;
    for (unsigned k = 0; k < words; ++k) {
      thread.r[k] = static_cast<std::uint32_t>(numbers.narrow[t * words + k]);
      thread.d[k] = numbers.wide[t * words + k];
    }
    evaluate(steps, thread);
    for (unsigned k = 0; k < words; ++k) {
      const std::uint64_t r = element_of(arguments.buffers[0], t * words + k, 4);
      const std::uint64_t d = element_of(arguments.buffers[1], t * words + k, 8);
      if (r != thread.r[k] || d != thread.d[k]) {
        return fmt::format("thread {}: %r{} is {:#x}, not {:#x}, or %d{} {:#x}, not {:#x}", t, k, r, thread.r[k], k, d, thread.d[k]);
      }
    }
  }
  return "";
}

}  // namespace

TEST_CASE("random straight-line programs", "[ptx][random]") {
  Random random(run_seed());
  const unsigned programs = full_run() ? 3000 : 150;
  for (unsigned n = 0; n < programs; ++n) {
    const std::vector<Guarded> steps = program(random);
    Numbers numbers;
    for (unsigned k = 0; k < threads * words; ++k) {
      numbers.narrow.push_back(random.number() & 0xffffffff);
      numbers.wide.push_back(random.number());
    }
    for (const NamedSchedule& schedule : schedules()) {
      std::string found = difference(steps, numbers, schedule);
      if (!found.empty()) {
        // The shortest beginning of the program that shows it.
        std::size_t count = 0;
        while (difference(std::span(steps).first(count), numbers, schedule).empty()) {
          ++count;
        }
        found = fmt::format("under {}: {}\n{}", schedule.name, difference(std::span(steps).first(count), numbers, schedule),
                            text_of(std::span(steps).first(count)));
      }
      REQUIRE(found == "");
    }
  }
}
