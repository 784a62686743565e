// Random control flow (branches, indexed branches, calls, early ends) against a plain interpreter of the same graph, thread by thread.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <random>
#include <variant>

#include "tests/campaign/run.hpp"
#include "tests/ptx/machine.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr unsigned threads = 72;
constexpr unsigned most_blocks = 60;  // that a thread goes through

/// How a block of the graph ends.
struct Next {
  unsigned block;
};
struct Branch {  ///< by a bit of the thread's number
  unsigned bit;
  unsigned taken;
  unsigned otherwise;
};
struct Indexed {  ///< by the number modulo the list's length
  std::vector<unsigned> blocks;
};
struct End {};
using Exit = std::variant<Next, Branch, Indexed, End>;

/// x := x * factor + addend, perhaps only where a bit is set; then perhaps a call.
struct Block {
  std::uint32_t factor = 1;
  std::uint32_t addend = 0;
  bool guarded = false;
  unsigned bit = 0;
  bool calls = false;
  Exit exit;
};

std::uint32_t mixed(std::uint32_t x) { return x ^ (x >> 15) ^ (x << 9); }

/// The function that blocks call: halves an even number, else goes on with 3x + 1, up to five times.
std::uint32_t called(std::uint32_t x) {
  for (unsigned k = 0; k < 5; ++k) {
    if (x % 2 == 0) {
      x /= 2;
      if (x % 3 == 0) {
        return x + 7;
      }
    } else {
      x = 3 * x + 1;
    }
  }
  return x;
}
constexpr std::string_view function = R"(
.func (.param .b32 result) walk(.param .b32 from)
{
.reg .pred %q<3>; .reg .b32 %w<4>;
ld.param.u32 %w0, [from];
mov.u32 %w1, 0;
again:
setp.eq.u32 %q0, %w1, 5;
@%q0 bra done;
add.u32 %w1, %w1, 1;
and.b32 %w2, %w0, 1;
setp.ne.u32 %q1, %w2, 0;
@%q1 bra odd;
shr.u32 %w0, %w0, 1;
rem.u32 %w3, %w0, 3;
setp.ne.u32 %q2, %w3, 0;
@%q2 bra again;
add.u32 %w0, %w0, 7;
st.param.b32 [result], %w0;
ret;
odd:
mad.lo.u32 %w0, %w0, 3, 1;
bra again;
done:
st.param.b32 [result], %w0;
ret;
}
)";

std::uint32_t evaluate(const std::vector<Block>& graph, std::uint32_t x) {
  unsigned at = 0;
  for (unsigned steps = 0; steps < most_blocks; ++steps) {
    const Block& block = graph[at];
    if (!block.guarded || (x >> block.bit & 1) != 0) {
      x = x * block.factor + block.addend;
    }
    x = mixed(x);
    x = block.calls ? called(x) : x;
    if (std::holds_alternative<End>(block.exit)) {
      return x;
    }
    if (const auto* next = std::get_if<Next>(&block.exit)) {
      at = next->block;
    } else if (const auto* branch = std::get_if<Branch>(&block.exit)) {
      at = (x >> branch->bit & 1) != 0 ? branch->taken : branch->otherwise;
    } else {
      const auto& list = std::get<Indexed>(block.exit).blocks;
      at = list[x % list.size()];
    }
  }
  return x;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }
  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }

  std::vector<Block> graph() {
    std::vector<Block> blocks(3 + below(8));
    const auto any = [&] { return below(static_cast<unsigned>(blocks.size())); };
    for (Block& block : blocks) {
      block = {number() | 1, number(), below(3) == 0, below(32), below(4) == 0, End{}};
      switch (below(6)) {
        case 0:
          block.exit = Next{any()};
          break;
        case 1: {
          Indexed list;
          for (unsigned k = 1 + below(5); k > 0; --k) {
            list.blocks.push_back(any());
          }
          block.exit = list;
          break;
        }
        case 2:
          break;
        default:
          block.exit = Branch{below(32), any(), any()};
      }
    }
    return blocks;
  }

 private:
  std::mt19937_64 random_;
};

std::string text_of(const std::vector<Block>& graph) {
  std::string text = ".version 8.5\n.target sm_80\n.address_size 64\n" + std::string(function) +
                     ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<2>;\n"
                     "mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [a]; mad.wide.u32 %rd0, %r0, 4, %rd0;\n"
                     "ld.global.u32 %r1, [%rd0];\nmov.u32 %r2, 0;\n";
  for (std::size_t k = 0; k < graph.size(); ++k) {
    const Block& block = graph[k];
    text += fmt::format("B{}:\nsetp.eq.u32 %p0, %r2, {};\n@%p0 bra LAST;\nadd.u32 %r2, %r2, 1;\n", k, most_blocks);
    if (block.guarded) {
      text += fmt::format("bfe.u32 %r3, %r1, {}, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 ", block.bit);
    }
    text += fmt::format("mad.lo.u32 %r1, %r1, {}, {};\n", block.factor, block.addend);
    text += "shr.u32 %r3, %r1, 15;\nshl.b32 %r4, %r1, 9;\nxor.b32 %r1, %r1, %r3;\nxor.b32 %r1, %r1, %r4;\n";
    if (block.calls) {
      text += "{ .param .b32 in; .param .b32 out; st.param.b32 [in], %r1; call (out), walk, (in); ld.param.b32 %r1, [out]; }\n";
    }
    if (const auto* next = std::get_if<Next>(&block.exit)) {
      text += fmt::format("bra.uni B{};\n", next->block);
    } else if (const auto* branch = std::get_if<Branch>(&block.exit)) {
      text += fmt::format("bfe.u32 %r3, %r1, {}, 1;\nsetp.eq.u32 %p2, %r3, 1;\n@%p2 bra B{};\n@!%p2 bra B{};\n", branch->bit, branch->taken,
                          branch->otherwise);
    } else if (const auto* indexed = std::get_if<Indexed>(&block.exit)) {
      const auto& list = indexed->blocks;
      text +=
          fmt::format("T{}: .branchtargets B{};\nrem.u32 %r3, %r1, {};\nbrx.idx %r3, T{};\n", k, fmt::join(list, ", B"), list.size(), k);
    } else {
      // An end in the middle of the kernel.
      text += "st.global.u32 [%rd0], %r1;\nret;\n";
    }
  }
  return text + "LAST:\nst.global.u32 [%rd0], %r1;\nexit;\n}\n";
}

}  // namespace

TEST_CASE("random control flow", "[ptx][random]") {
  Maker maker(run_seed());
  const unsigned programs = full_run() ? 2000 : 150;
  std::size_t ends = 0;
  for (unsigned n = 0; n < programs; ++n) {
    const std::vector<Block> graph = maker.graph();
    const std::string text = text_of(graph);
    const PtxFile file = read_ptx("random.ptx", text);
    std::vector<std::uint64_t> numbers(threads);
    for (std::uint64_t& number : numbers) {
      number = maker.number();
    }
    for (const NamedSchedule& schedule : schedules()) {
      INFO("under " << schedule.name << ":\n" << text);
      ptx_machine::Arguments arguments;
      add_buffer(arguments, numbers, 4);
      ptx_machine::LaunchOptions options;
      options.geometry.block = {threads, 1, 1};
      options.schedule = schedule.schedule;
      options.seed = schedule.seed;
      REQUIRE_NOTHROW(run_ptx(file, "", arguments, options));
      for (unsigned t = 0; t < threads; ++t) {
        INFO("thread " << t);
        REQUIRE(element_of(arguments.buffers[0], t, 4) == evaluate(graph, static_cast<std::uint32_t>(numbers[t])));
        ++ends;
      }
    }
  }
  CHECK(ends == std::size_t{programs} * threads * schedules().size());
}
