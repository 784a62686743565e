// Loops that end for the whole pack at once carry no masks. Which ones, and that random loops leave what the same loops leave that are run
// here, item by item.

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "semantics/infreg/walk.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

constexpr int wg_size = 4;

infreg::Kernel lowered(const std::string& text, unsigned pack = 1) {
  passes::PipelineOptions pipeline;
  pipeline.verify_each = true;
  pipeline.wg_pack = pack;
  return test::lowered(text, wg_size, pipeline);
}

/// Loads and stores under a mask, and choices, in bodies of loops.
std::size_t masks_in_loops(const infreg::Kernel& kernel) {
  std::size_t count = 0;
  for (const infreg::Region& region : kernel.regions) {
    for (const infreg::Operation& operation : region.operations) {
      const auto* loop = std::get_if<infreg::Loop>(&operation.node);
      if (loop == nullptr) {
        continue;
      }
      for (const infreg::Operation& inside : kernel.regions[loop->body].operations) {
        count += infreg::access_mask(inside.node) ? 1U : 0U;
        const auto* select = std::get_if<infreg::Select>(&inside.node);
        count += select != nullptr && kernel.type_of(select->condition).layout == infreg::Layout::item() ? 1U : 0U;
      }
    }
  }
  return count;
}

std::string with(const std::string& loop) {
  return "kernel void k(global float *x, global const float *y, uint n, ulong m, long z, int w) {\n  const size_t l = get_local_id();\n"
         "  float s = 0;\n  " +
         loop + "\n  x[l] = s;\n}\n";
}

// ---- random loops ------------------------------------------------------------------------------------------------------------

struct Item {
  std::uint32_t l = 0;
  std::uint32_t s = 1;             ///< of the item
  std::uint32_t u[3] = {0, 0, 0};  ///< the same for all items
  std::uint32_t g[3] = {};         ///< its cells of memory
};
constexpr std::uint32_t n = 5;

/// What a statement does to control.
enum class Flow : std::uint8_t { On, Break, Continue };
struct Code {
  std::string text;
  std::function<Flow(Item&)> run;
};

class Loops {
 public:
  explicit Loops(unsigned seed) : random_(seed) {}

  Code body() { return block(0, 3 + pick(3)); }

 private:
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }

  Code block(unsigned depth, unsigned count) {
    std::vector<Code> all;
    std::string text;
    for (; count > 0; --count) {
      all.push_back(statement(depth));
      text += all.back().text;
    }
    return {text, [all](Item& item) {
              for (const Code& one : all) {
                if (const Flow flow = one.run(item); flow != Flow::On) {
                  return flow;
                }
              }
              return Flow::On;
            }};
  }

  Code statement(unsigned depth) {
    switch (pick(depth < 2 ? 7 : 5)) {
      case 0:
        return {"s = s * 3u + u0 + l;\n", [](Item& i) {
                  i.s = i.s * 3 + i.u[0] + i.l;
                  return Flow::On;
                }};
      case 1: {
        const unsigned cell = pick(3);
        const std::string to = "g[get_global_id() * 3 + " + std::to_string(cell) + "]";
        return {to + " = " + to + " * 5u + s + u1;\n", [cell](Item& i) {
                  i.g[cell] = i.g[cell] * 5 + i.s + i.u[1];
                  return Flow::On;
                }};
      }
      case 2: {
        const unsigned from = pick(3);
        const Code inside = block(depth, 1);
        return {"if (l > " + std::to_string(from) + ") {\n" + inside.text + "}\n",
                [from, inside](Item& i) { return i.l > from ? inside.run(i) : Flow::On; }};
      }
      case 3: {
        const unsigned which = pick(3);
        const std::string u = "u" + std::to_string(which);
        return {u + " = " + u + " * 2u + 1u;\n", [which](Item& i) {
                  i.u[which] = i.u[which] * 2 + 1;
                  return Flow::On;
                }};
      }
      case 4: {
        if (depth == 0) {
          return {"s ^= 7u;\n", [](Item& i) {
                    i.s ^= 7;
                    return Flow::On;
                  }};
        }
        // Of all items at once, or of some.
        const bool is_break = pick(2) == 0;
        const bool is_alike = pick(3) != 0;
        const unsigned number = pick(4);
        return {"if (" + std::string(is_alike ? "u2" : "s") + " % 4u == " + std::to_string(number) + "u) " +
                    (is_break ? "break" : "continue") + ";\n",
                [=](Item& i) { return (is_alike ? i.u[2] : i.s) % 4 == number ? (is_break ? Flow::Break : Flow::Continue) : Flow::On; }};
      }
      default:
        return loop(depth);
    }
  }

  /// A counter of its own, so that it ends.
  Code loop(unsigned depth) {
    const Code inside = block(depth + 1, 1 + pick(3));
    const std::string c = "c" + std::to_string(next_++);
    const unsigned step = 1 + pick(3);
    const unsigned kind = pick(6);
    const std::string by = std::to_string(step);
    std::string text;
    switch (kind) {
      case 0:
        text = "for (uint " + c + " = 0; " + c + " < n; " + c + " += " + by + "u) {\n" + inside.text + "}\n";
        break;
      case 1:
        text = "{ ulong " + c + " = 0; while (" + c + " < n) {\n" + c + " += " + by + ";\n" + inside.text + "} }\n";
        break;
      case 2:
        text = "{ uint " + c + " = 0; do {\n" + c + " += " + by + "u;\n" + inside.text + "} while (" + c + " < n); }\n";
        break;
      case 3:
        text = "{ uint " + c + " = 0; while (" + c + "++ < n) {\n" + inside.text + "} }\n";
        break;
      case 4:
        text = "for (long " + c + " = n; " + c + " > 0; " + c + " -= " + by + ") {\n" + inside.text + "}\n";
        break;
      default:
        text = "for (uint " + c + " = l; " + c + " < n; " + c + " += " + by + "u) {\n" + inside.text + "}\n";
        break;
    }
    return {text, [=](Item& i) {
              const auto round = [&] { return inside.run(i) != Flow::Break; };
              if (kind == 0 || kind == 5) {
                for (std::uint32_t k = kind == 0 ? 0 : i.l; k < n && round(); k += step) {
                }
              } else if (kind == 1) {
                for (std::uint32_t k = 0; k < n;) {
                  k += step;
                  if (!round()) {
                    break;
                  }
                }
              } else if (kind == 2) {
                std::uint32_t k = 0;
                do {
                  k += step;
                  if (!round()) {
                    break;
                  }
                } while (k < n);
              } else if (kind == 3) {
                for (std::uint32_t k = 0; k++ < n && round();) {
                }
              } else {
                for (std::int64_t k = n; k > 0 && round(); k -= step) {
                }
              }
              return Flow::On;
            }};
  }

  std::mt19937 random_;
  unsigned next_ = 0;
};

}  // namespace

TEST_CASE("passes turn: loops of the whole pack carry no masks", "[passes]") {
  for (const char* const loop : {
           "for (uint j = 0; j < n; j += 2) s += y[j * 4 + l];",
           "for (ulong j = 0; j < m; j++) s += y[j * 4 + l];",
           "for (ulong j = 5; j < m; j += 3) s += y[j + l];",
           "for (long j = 0; j < z; j++) s += y[l + j];",
           "for (long j = z; j > 0; j -= 16) s += y[l + j];",
           "for (int j = 0; j < w; j += 16) s += y[l + j];",
           "uint j = 0; while (j < n) { s += y[l + j]; x[l + j] = s; j += 7; }",
           "for (uint j = 0; j < n; j += 2) for (uint i = 0; i < j; i += 3) s += y[i * 4 + l] * y[j * 4 + l];",
           "for (uint j = 0; y[j] > 0; j += 2) s += y[j + l];",
       }) {
    INFO(loop);
    CHECK(masks_in_loops(lowered(with(loop))) == 0);
    CHECK(masks_in_loops(lowered(with(loop), 3)) == 0);
  }
  // Items leave one by one; the mask of items that never came.
  CHECK(masks_in_loops(lowered(with("for (uint j = l; j < n; j += 2) s += y[j * 4 + l];"))) > 0);
  CHECK(masks_in_loops(lowered(with("if (l > 1) for (uint j = 0; j < n; j += 2) s += y[j * 4 + l];"))) > 0);
}

TEST_CASE("passes turn: random loops against the same loops run here", "[passes]") {
  std::size_t without_masks = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const Code body = Loops(seed).body();
    const std::string text =
        "kernel void k(global uint *g, uint n) {\n  const uint l = get_local_id();\n  uint s = 1, u0 = 0, u1 = 0, u2 = 0;\n" + body.text +
        "  g[get_global_id() * 3] ^= s;\n  g[get_global_id() * 3 + 1] ^= u0 + u1 * 3u + u2 * 5u;\n}\n";
    INFO(text);
    for (const unsigned pack : {1U, 2U}) {
      const infreg::Kernel kernel = lowered(text, pack);
      const std::uint64_t groups = 2;
      std::vector<std::uint32_t> wanted;
      for (std::uint32_t item = 0; item < groups * wg_size; ++item) {
        Item one;
        one.l = item % wg_size;
        for (std::uint32_t cell = 0; cell < 3; ++cell) {
          one.g[cell] = item * 3 + cell;
        }
        body.run(one);
        one.g[0] ^= one.s;
        one.g[1] ^= one.u[0] + one.u[1] * 3 + one.u[2] * 5;
        wanted.insert(wanted.end(), std::begin(one.g), std::end(one.g));
      }
      std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::UInt, wanted.size())};
      for (std::uint32_t cell = 0; cell < wanted.size(); ++cell) {
        std::memcpy(memory[0].bytes.data() + cell * sizeof cell, &cell, sizeof cell);
      }
      infreg::EvaluateOptions options;
      options.groups = groups;
      const auto ran = infreg::sketch::run(kernel, {BufferNumber{0}, ScalarBits{n}}, memory, options);
      REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
      CHECK(infreg::sketch::numbers_of<std::uint32_t>(memory[0]) == wanted);
      without_masks += text.find("n)") != std::string::npos && masks_in_loops(kernel) == 0 ? 1U : 0U;
    }
  }
  CHECK(without_masks > 100);
}
