// The vector intrinsics of clang that read and write memory: strides of every sign, rows, addresses in any order, masks, lengths.

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "tests/ve/trial.hpp"

namespace lockstep::test {

namespace {

constexpr std::size_t memory_words = 2048;
constexpr std::int64_t middle = 1024;  ///< where bases lie, in words

/// What the name of an intrinsic says.
struct Access {
  bool load = false;
  bool by_address = false;  ///< gathers and scatters
  bool in_rows = false;
  char part = 'w';  ///< w 8 bytes, u the upper half, s and z 4 bytes with sign or zeros
  bool masked = false;
  bool pass_through = false;

  unsigned bytes() const { return part == 'w' ? 8 : 4; }
};

Access access_of(const Intrinsic& intrinsic) {
  const std::string& stem = intrinsic.stem;
  Access made;
  made.load = stem.starts_with("vld") || stem.starts_with("vgt");
  made.by_address = stem.starts_with("vgt") || stem.starts_with("vsc");
  made.in_rows = stem.find("2d") != std::string::npos;
  const std::string rest = stem.substr(3);
  made.part = rest.starts_with('u') ? 'u' : !rest.starts_with('l') ? 'w' : stem.find("zx") != std::string::npos ? 'z' : 's';
  made.masked = intrinsic.letters.find('m') != std::string::npos;
  made.pass_through = made.load && intrinsic.letters.ends_with("vl");
  return made;
}

bool is_access(const std::string& stem) {
  return (stem.starts_with("vld") && stem != "vldz") || stem.starts_with("vst") || stem.starts_with("vgt") || stem.starts_with("vsc");
}

/// `void f_NAME(out, vl, stored, memory, stride, offsets, m, values)`: the base is the middle of `memory`, so that distances of both signs
/// stay inside; values are the pass-through, or what is stored.
std::string access_wrapper(const Intrinsic& intrinsic) {
  const Access access = access_of(intrinsic);
  const std::string where = access.by_address ? "_vel_vsfa_vvssl(_vel_vld_vssl(8, offsets, 256), 0, memory + 8192, 256), 0, 0"
                                              : "stride, (void *)(memory + 8192)";
  std::string operands = access.load ? where : "_vel_vld_vssl(8, values, 256), " + where;
  operands += access.masked ? ", mask(m)" : "";
  operands += access.pass_through ? ", _vel_vld_vssl(8, values, 256)" : "";
  const std::string call = "_vel_" + intrinsic.name() + "(" + operands + ", vl)";
  return "void f_" + intrinsic.name() +
         "(unsigned long *out, long vl, long stored, unsigned long memory, long stride, const unsigned long *offsets, const unsigned long "
         "*m, "
         "const unsigned long *values) { " +
         (access.load ? "_vel_vst_vssl(" + call + ", 8, out, stored);" : call + ";") + " }\n";
}

std::uint64_t loaded(const Access& access, const std::byte* from) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, from, access.bytes());
  switch (access.part) {
    case 'u':
      return raw << 32U;
    case 's':
      return raw >= 0x80000000U ? raw | 0xffffffff00000000U : raw;
    default:
      return raw;
  }
}

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}

  void run(const ve::Object& object, const Intrinsic& intrinsic, unsigned length) {
    const Access access = access_of(intrinsic);
    const std::int64_t bytes = access.bytes();
    const auto steps = [&](std::int64_t most) {
      return (static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(2 * most + 1)) - most) * bytes;
    };
    const std::int64_t stride = access.in_rows ? (steps(30) * 65536) + (std::abs(steps(3))) : steps(3);
    Elements offsets(all);
    for (std::uint64_t& offset : offsets) {
      offset = static_cast<std::uint64_t>(steps(500));
    }
    const auto offset_of = [&](unsigned i) {
      return access.by_address ? static_cast<std::int64_t>(offsets[i])
             : access.in_rows  ? (stride >> 16) * (i / 16) + (stride & 0xffff) * (i % 16)
                               : stride * i;
    };
    Elements mask(4);
    for (std::uint64_t& word : mask) {
      word = random_();
    }
    const auto is_active = [&](unsigned i) { return i < length && (!access.masked || (mask[i / 64] >> (63 - i % 64) & 1U) != 0); };
    const Elements memory = words(memory_words);
    const Elements values = words(all);
    const unsigned stored = access.pass_through ? all : access.masked ? 0 : length;
    Called called = call(
        object, "f_" + intrinsic.name(),
        {Elements(all), std::uint64_t{length}, std::uint64_t{stored}, memory, static_cast<std::uint64_t>(stride), offsets, mask, values});
    CAPTURE(intrinsic.name(), length, stride);
    if (called.outcome.fault) {
      FAIL(called.outcome.fault->message);
    }
    if (access.load) {
      for (unsigned i = 0; i < stored; ++i) {
        const auto* from = reinterpret_cast<const std::byte*>(memory.data() + middle) + offset_of(i);
        CAPTURE(i);
        REQUIRE(called.buffers[0][i] == (is_active(i) ? loaded(access, from) : values[i]));
      }
      REQUIRE(called.buffers[1] == memory);
      return;
    }
    Elements expected = memory;
    for (unsigned i = 0; i < length; ++i) {
      if (is_active(i)) {
        const std::uint64_t value = access.part == 'u' ? values[i] >> 32U : values[i];
        std::memcpy(reinterpret_cast<std::byte*>(expected.data() + middle) + offset_of(i), &value, access.bytes());
      }
    }
    REQUIRE(called.buffers[1] == expected);
  }

 private:
  Elements words(std::size_t count) {
    Elements made(count);
    for (std::uint64_t& word : made) {
      word = random_();
    }
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("each vector intrinsic that reads or writes memory does what its name says", "[ve]") {
  if (!has_clang()) {
    return;
  }
  std::string text(wrapper_head);
  std::vector<Intrinsic> some;
  Cases cases(7);
  std::size_t tried = 0;
  const auto run_some = [&] {
    const ve::Object object = object_of(text);
    for (const Intrinsic& intrinsic : some) {
      for (const unsigned length : {0U, 1U, 17U, 255U, 256U}) {
        cases.run(object, intrinsic, length);
      }
    }
    text = wrapper_head;
    some.clear();
  };
  for (const Intrinsic& intrinsic : header_intrinsics()) {
    if (is_access(intrinsic.stem)) {
      ++tried;
      text += access_wrapper(intrinsic);
      some.push_back(intrinsic);
      if (some.size() == 24) {
        run_some();
      }
    }
  }
  run_some();
  CHECK(tried > 100);
}

}  // namespace lockstep::test
