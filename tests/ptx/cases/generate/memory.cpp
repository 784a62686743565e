// Loads and stores in all state spaces, generic addresses, and fences.

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

/// Sixteen bytes for each of eight threads.
std::vector<Bits> bytes() {
  std::vector<Bits> all;
  Sequence random(11);
  for (int n = 0; n < 128; ++n) {
    all.push_back(random() & 255U);
  }
  return all;
}

Bits little_endian(std::size_t at, unsigned count) {
  static const std::vector<Bits> all = bytes();
  Bits result = 0;
  for (unsigned n = 0; n < count; ++n) {
    result |= all[at + n] << (8 * n);
  }
  return result;
}

Bits extended(std::size_t at, unsigned count) {
  const unsigned unused = 64 - 8 * count;
  return static_cast<Bits>(static_cast<std::int64_t>(little_endian(at, count) << unused) >> unused);
}

/// Loads of all widths, from the thread's sixteen bytes: what is narrower than its register is extended.
CaseText loads(const std::string& form, const std::string& meaning, const std::string& space, const std::string& pointer,
               const std::string& before = "") {
  const std::string ld = "ld" + space;
  Written w(form, {form}, meaning);
  w.block(8).buffer("in", "u8", bytes());
  w.output("out", "u64", 8 * 8, [](Bits k) -> Bits {
    const std::size_t at = 16 * (k / 8);
    switch (k % 8) {
      case 0:
        return little_endian(at, 1);
      case 1:
        return extended(at + 1, 1);
      case 2:
        return little_endian(at + 2, 2);
      case 3:
        return extended(at + 4, 2);
      case 4:
        return little_endian(at + 4, 4);
      case 5:
        return extended(at + 12, 4);
      case 6:
        return little_endian(at + 8, 8);
      default:
        return extended(at + 3, 1) & 0xffffffffU;
    }
  });
  return w.before(before)
      .body("  mad.wide.u32 %rd1, %r0, 64, %rd0;\n  ld.param.u64 %rd2, [in];\n  mad.wide.u32 %rd2, %r0, 16, %rd2;\n" + pointer + "  " + ld +
            ".u8 %rd4, [%rd3];\n  st.global.u64 [%rd1], %rd4;\n  " + ld + ".s8 %rd4, [%rd3+1];\n  st.global.u64 [%rd1+8], %rd4;\n  " + ld +
            ".u16 %rd4, [%rd3+2];\n  st.global.u64 [%rd1+16], %rd4;\n  " + ld +
            ".s16 %rd4, [%rd3+4];\n  st.global.u64 [%rd1+24], %rd4;\n  " + ld +
            ".b32 %rd4, [%rd3+4];\n  st.global.u64 [%rd1+32], %rd4;\n  " + ld +
            ".s32 %rd4, [%rd3+12];\n  st.global.u64 [%rd1+40], %rd4;\n  " + ld +
            ".f64 %fd0, [%rd3+8];\n  st.global.f64 [%rd1+48], %fd0;\n  " + ld +
            ".s8 %r1, [%rd3+3];\n  cvt.u64.u32 %rd4, %r1;\n  st.global.u64 [%rd1+56], %rd4;\n")
      .text();
}

/// Copies the thread's bytes, at %rd2, to %rd3, in a space.
std::string copied(const std::string& space) {
  return "  ld.global.u64 %rd4, [%rd2];\n  st" + space + ".u64 [%rd3], %rd4;\n  ld.global.u64 %rd4, [%rd2+8];\n  st" + space +
         ".u64 [%rd3+8], %rd4;\n";
}
const std::string to_shared = "  mov.u64 %rd3, block_bytes;\n  mad.wide.u32 %rd3, %r0, 16, %rd3;\n" + copied(".shared");
const std::string shared_bytes = ".shared .align 16 .b8 block_bytes[128];\n";

/// Stores of all widths into sixteen bytes of the thread's own; what is wider than the type is cut off.
CaseText stores(const std::string& form, const std::string& meaning, const std::string& space, const std::string& pointer,
                const std::string& back, const std::string& before = "") {
  const std::string st = "st" + space;
  return Written(form, {form}, meaning)
      .block(8)
      .output("out", "u8", 128,
              [](Bits k) -> Bits {
                const Bits number = 0x1122334455667788U + k / 16;
                switch (k % 16) {
                  case 0:
                    return number & 255U;
                  case 1:
                    return 0xff;  // -1
                  case 2:
                  case 3:
                    return number >> (8 * (k % 16 - 2)) & 255U;
                  case 4:
                  case 5:
                  case 6:
                  case 7:
                    return number >> (8 * (k % 16 - 4)) & 255U;
                  default:
                    return number >> (8 * (k % 16 - 8)) & 255U;
                }
              })
      .before(before)
      .body("  mad.wide.u32 %rd1, %r0, 16, %rd0;\n" + pointer +
            "  cvt.u64.u32 %rd4, %r0;\n  add.u64 %rd4, %rd4, 0x1122334455667788;\n  cvt.u32.u64 %r1, %rd4;\n  " + st +
            ".u8 [%rd3], %r1;\n  " + st + ".s8 [%rd3+1], -1;\n  " + st + ".u16 [%rd3+2], %rd4;\n  mov.b32 %f0, %r1;\n  " + st +
            ".f32 [%rd3+4], %f0;\n  " + st + ".b64 [%rd3+8], %rd4;\n" + back)
      .text();
}

std::string brought_back(const std::string& space) {
  return "  ld" + space + ".u64 %rd5, [%rd3];\n  st.global.u64 [%rd1], %rd5;\n  ld" + space +
         ".u64 %rd5, [%rd3+8];\n  st.global.u64 [%rd1+8], %rd5;\n";
}

/// Vector accesses of both kinds: what is loaded is stored in another order of its elements.
CaseText vectors(const std::string& form, const std::string& meaning, const std::string& load_space, const std::string& store_space,
                 const std::string& pointers, const std::string& back, const std::string& before = "") {
  const std::string ld = "ld" + load_space;
  const std::string st = "st" + store_space;
  Written w(form, {form}, meaning);
  w.block(8).buffer("in", "u8", bytes());
  w.output("out", "u64", 8 * 6, [](Bits k) -> Bits {
    const std::size_t at = 16 * (k / 6);
    switch (k % 6) {
      case 0:  // both halves exchanged
        return little_endian(at + 8, 8);
      case 1:
        return little_endian(at, 8);
      case 2:  // four words in reverse order
        return little_endian(at + 12, 4) | little_endian(at + 8, 4) << 32U;
      case 3:
        return little_endian(at + 4, 4) | little_endian(at, 4) << 32U;
      case 4:  // two words of 16 bits, four bytes in reverse order
        return little_endian(at + 2, 2) | little_endian(at, 2) << 16U |
               (little_endian(at + 7, 1) | little_endian(at + 6, 1) << 8U | little_endian(at + 5, 1) << 16U |
                little_endian(at + 4, 1) << 24U)
                   << 32U;
      default:
        return little_endian(at + 12, 4) | little_endian(at + 8, 4) << 32U;
    }
  });
  return w.before(before)
      .body("  mad.wide.u32 %rd1, %r0, 48, %rd0;\n  ld.param.u64 %rd2, [in];\n  mad.wide.u32 %rd2, %r0, 16, %rd2;\n" + pointers + "  " +
            ld + ".v2.u64 {%rd6, %rd7}, [%rd2];\n  " + st + ".v2.u64 [%rd3], {%rd7, %rd6};\n  " + ld +
            ".v4.f32 {%f0, %f1, %f2, %f3}, [%rd2];\n  " + st + ".v4.f32 [%rd3+16], {%f3, %f2, %f1, %f0};\n  " + ld +
            ".v2.u16 {%h0, %h1}, [%rd2];\n  " + st + ".v2.u16 [%rd3+32], {%h1, %h0};\n  " + ld +
            ".v4.u8 {%h0, %h1, %h2, %h3}, [%rd2+4];\n  " + st + ".v4.u8 [%rd3+36], {%h3, %h2, %h1, %h0};\n  " + ld +
            ".v2.b32 {%r1, %r2}, [%rd2+8];\n  " + st + ".v2.b32 [%rd3+40], {%r2, %r1};\n" + back)
      .text();
}

std::string brought_back_48(const std::string& space) {
  std::string text;
  for (int n = 0; n < 6; ++n) {
    const std::string at = std::to_string(8 * n);
    text += "  ld" + space + ".u64 %rd5, [%rd3+" + at + "];\n  st.global.u64 [%rd1+" + at + "], %rd5;\n";
  }
  return text;
}

CaseText constants() {
  return Written("ld.const", {"ld.const"}, "ld.const: arrays with initialisers, of which the rest is 0, and the address of a variable.")
      .block(8)
      .output("out", "u64", 8 * 3,
              [](Bits k) -> Bits {
                const Bits thread = k / 3;
                const std::vector<Bits> primes = {2, 3, 5, 7, 11};
                return k % 3 == 0   ? (thread < 5 ? primes[thread] : 0)
                       : k % 3 == 1 ? (thread % 2 == 0 ? 0x3ff8000000000000 : 0xc000000000000000)
                                    : 11;
              })
      .before(
          ".const .align 4 .u32 primes[8] = {2, 3, 5, 7, 11};\n.const .f64 numbers[2] = {1.5, 0dC000000000000000};\n.const .u64 fifth = "
          "primes+16;\n")
      .body(R"(
  mad.wide.u32 %rd1, %r0, 24, %rd0;
  mov.u64 %rd2, primes;
  mad.wide.u32 %rd2, %r0, 4, %rd2;
  ld.const.u32 %rd3, [%rd2];
  st.global.u64 [%rd1], %rd3;
  and.b32 %r1, %r0, 1;
  mov.u64 %rd2, numbers;
  mad.wide.u32 %rd2, %r1, 8, %rd2;
  ld.const.f64 %fd0, [%rd2];
  st.global.f64 [%rd1+8], %fd0;
  ld.const.u64 %rd2, [fifth];
  ld.const.u32 %rd3, [%rd2];
  st.global.u64 [%rd1+16], %rd3;
)")
      .text();
}

CaseText parameters() {
  return Written("ld.param", {"ld.param"}, "ld.param: scalars of all widths, and a part of one.")
      .block(2)
      .scalar("a", "u8", 0xfe)
      .scalar("b", "s16", 0x8001)
      .scalar("c", "u32", 0x89abcdef)
      .scalar("d", "f32", 0x40490fdb)
      .scalar("e", "u64", 0x0123456789abcdef)
      .scalar("f", "f64", 0xc005bf0a8b145769)
      .output("out", "u64", 16,
              [](Bits k) -> Bits {
                const std::vector<Bits> all = {0xfe,   0xffffffffffff8001, 0x89abcdef, 0x40490fdb, 0x0123456789abcdef, 0xc005bf0a8b145769,
                                               0x89ab, 0xffffffff89abcdef};
                return all[k % 8];
              })
      .body(R"(
  mad.wide.u32 %rd1, %r0, 64, %rd0;
  ld.param.u8 %rd2, [a];
  st.global.u64 [%rd1], %rd2;
  ld.param.s16 %rd2, [b];
  st.global.u64 [%rd1+8], %rd2;
  ld.param.u32 %rd2, [c];
  st.global.u64 [%rd1+16], %rd2;
  ld.param.f32 %f0, [d];
  mov.b32 %r1, %f0;
  cvt.u64.u32 %rd2, %r1;
  st.global.u64 [%rd1+24], %rd2;
  ld.param.u64 %rd2, [e];
  st.global.u64 [%rd1+32], %rd2;
  ld.param.f64 %fd0, [f];
  st.global.f64 [%rd1+40], %fd0;
  ld.param.u16 %rd2, [c+2];
  st.global.u64 [%rd1+48], %rd2;
  ld.param.s32 %rd2, [e];
  st.global.u64 [%rd1+56], %rd2;
)")
      .text();
}

/// A variable of a space: what is stored through its address in that space is loaded through the generic one, and the other way round.
CaseText generic(const std::string& space) {
  const std::string form = "cvta." + space + ".i";
  const std::string global_index = space == "global" ? "  mad.wide.u32 %rd2, %r0, 4, %rd2;\n" : "";
  const std::string variable = space == "global" ? ".global .align 4 .u32 variable[8];\n" : "";
  const std::string own = space == "local"    ? "  .local .align 4 .u32 variable[2];\n"
                          : space == "shared" ? "  .shared .align 4 .u32 variable[8];\n"
                                              : "";
  const std::string index = space == "shared" ? "  mad.wide.u32 %rd2, %r0, 4, %rd2;\n" : "";
  return Written(form, {form}, form + ": what is stored in the space is loaded through the generic address, and the other way round.")
      .block(8)
      .output("out", "u32", 16, [](Bits k) -> Bits { return k % 2 == 0 ? 100 + k / 2 : 200 + k / 2; })
      .before(variable)
      .body(
          own + "  mad.wide.u32 %rd1, %r0, 8, %rd0;\n  mov.u64 %rd2, variable;\n" + global_index + index + "  cvta." + space +
          ".u64 %rd3, %rd2;\n  add.u32 %r1, %r0, 100;\n  st." + space +
          ".u32 [%rd2], %r1;\n  ld.u32 %r2, [%rd3];\n  st.global.u32 [%rd1], %r2;\n  add.u32 %r1, %r0, 200;\n  st.u32 [%rd3], %r1;\n  ld." +
          space + ".u32 %r2, [%rd2];\n  st.global.u32 [%rd1+4], %r2;\n")
      .text();
}

CaseText to_global() {
  return Written("cvta.to.global.i", {"cvta.to.global.i"},
                 "cvta.to.global: there and back it is the same address; a parameter's address is generic.")
      .block(8)
      .buffer("in", "u32", {3, 1, 4, 1, 5, 9, 2, 6})
      .output("out", "u32", 8, [](Bits k) -> Bits { return std::vector<Bits>{3, 1, 4, 1, 5, 9, 2, 6}[k] + 1; })
      .body(R"(
  ld.param.u64 %rd2, [in];
  cvta.to.global.u64 %rd3, %rd2;
  cvta.global.u64 %rd4, %rd3;
  cvta.to.global.u64 %rd5, %rd4;
  setp.eq.u64 %p0, %rd5, %rd3;
  selp.u32 %r1, 1, 0, %p0;
  mad.wide.u32 %rd5, %r0, 4, %rd5;
  ld.global.u32 %r2, [%rd5];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%rd1], %r2;
)")
      .text();
}

CaseText fences() {
  return Written("membar", {"membar"}, "membar: of a block, the device and the system; what a thread has stored before it loads after it.")
      .block(8)
      .output("out", "u32", 8, [](Bits k) -> Bits { return 7 + 3 * k; })
      .body(R"(
  st.global.u32 [%rd1], %r0;
  membar.cta;
  ld.global.u32 %r1, [%rd1];
  mad.lo.u32 %r1, %r1, 3, 7;
  membar.gl;
  st.global.u32 [%rd1], %r1;
  membar.sys;
)")
      .text();
}

CaseText waits() {
  return Written("nanosleep.i", {"nanosleep.i"}, "nanosleep: by a number and by a register; nothing changes.")
      .block(8)
      .output("out", "u32", 8, [](Bits k) -> Bits { return k; })
      .body(R"(
  nanosleep.u32 0;
  nanosleep.u32 %r0;
  st.global.u32 [%rd1], %r0;
)")
      .text();
}

}  // namespace

std::vector<CaseText> memory_cases() {
  const std::string own_local = "  .local .align 16 .b8 own[48];\n  mov.u64 %rd3, own;\n";
  const std::string own_shared = "  mov.u64 %rd3, block_bytes;\n  mad.wide.u32 %rd3, %r0, 16, %rd3;\n";
  const std::string own_shared_48 = "  mov.u64 %rd3, block_bytes;\n  mad.wide.u32 %rd3, %r0, 48, %rd3;\n";
  const std::string widths = ": all widths; what is narrower than its register is extended by zeros or its sign.";
  std::vector<CaseText> cases;
  cases.push_back(loads("ld", "ld of generic addresses" + widths, "", to_shared + "  cvta.shared.u64 %rd3, %rd3;\n", shared_bytes));
  cases.push_back(loads("ld.global", "ld.global" + widths, ".global", "  mov.u64 %rd3, %rd2;\n"));
  cases.push_back(loads("ld.shared", "ld.shared" + widths, ".shared", to_shared, shared_bytes));
  cases.push_back(loads("ld.local", "ld.local" + widths, ".local", own_local + copied(".local")));
  cases.push_back(stores("st", "st to generic addresses: all widths.", "", "  mov.u64 %rd3, %rd1;\n", ""));
  cases.push_back(stores("st.global", "st.global: all widths.", ".global", "  mov.u64 %rd3, %rd1;\n", ""));
  cases.push_back(stores("st.shared", "st.shared: all widths.", ".shared", own_shared, brought_back(".shared"), shared_bytes));
  cases.push_back(stores("st.local", "st.local: all widths.", ".local", own_local, brought_back(".local")));
  cases.push_back(vectors("ld.v", "ld of vectors at generic addresses.", "", ".global", "  mov.u64 %rd3, %rd1;\n", ""));
  cases.push_back(vectors("ld.global.v", "ld.global of vectors.", ".global", ".global", "  mov.u64 %rd3, %rd1;\n", ""));
  cases.push_back(vectors("st.v", "st of vectors to generic addresses.", ".global", "", "  mov.u64 %rd3, %rd1;\n", ""));
  cases.push_back(vectors("st.global.v", "st.global of vectors.", ".global", ".global", "  mov.u64 %rd3, %rd1;\n", ""));
  cases.push_back(vectors("st.shared.v", "st.shared of vectors.", ".global", ".shared", own_shared_48, brought_back_48(".shared"),
                          ".shared .align 16 .b8 block_bytes[384];\n"));
  cases.push_back(constants());
  cases.push_back(parameters());
  cases.push_back(generic("global"));
  cases.push_back(generic("shared"));
  cases.push_back(generic("local"));
  cases.push_back(to_global());
  cases.push_back(fences());
  cases.push_back(waits());
  return cases;
}

}  // namespace lockstep::ptx_cases
