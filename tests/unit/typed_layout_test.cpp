// Layouts: the five rules of seed 000, Fig. 2, on an example and as properties.

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "semantics/typed/layout.hpp"
#include "semantics/typed/parse.hpp"

namespace lockstep::typed {
namespace {

Program parsed(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("t", text);
  auto result = parse(source);
  INFO(text);
  INFO((result ? std::string() : render(*source, result.error())));
  REQUIRE(result.has_value());
  return *result;
}

Layout laid_out(const Program& program, unsigned pack = 1) {
  auto result = layout(program, program.kernel(), pack);
  REQUIRE(result.has_value());
  return *result;
}

const Placement& find(const Layout& layout, const std::string& name) {
  return *std::ranges::find(layout.placements, name, &Placement::name);
}

// A private array and scalars that meet it, a local array, and a second set of variables that meet only each other: the ingredients of
// Fig. 2, with its WG_SIZE of 4.
const std::string figure = R"(.typed
.wg_size 4
.local float l[3]
.kernel f()
.var float a[4], b, c
.var float u, w
.var int i
  i = 1
  a[i] = 2.0f
  b = a[i] + 1.0f
  c = b * b
  st @l[0] = c
  u = 3.0f
  w = u + u
  st @l[1] = w
  stop
)";

/// Straight-line and branching programs over a few variables of two types; every instruction may meet several of them.
std::string random_text(const std::vector<unsigned>& choices) {
  std::size_t used = 0;
  const auto choose = [&](unsigned count) { return used < choices.size() ? choices[used++] % count : 0; };
  std::string out = ".typed\n.wg_size " + std::to_string(1 + choose(5)) + "\n.local int l[2]\n.local float m\n";
  out += ".kernel k(int p, int q)\n.var int x, y, z, v[3]\n.temp int t\n.var float f, g, h[" + std::to_string(1 + choose(3)) + "]\n";
  const std::vector<std::string> ints = {"x", "y", "z", "p", "q", "t"};
  const std::vector<std::string> floats = {"f", "g", "h[0]", "h[x]"};
  const auto integer = [&] { return choose(5) == 0 ? "v[" + ints[choose(6)] + "]" : ints[choose(6)]; };
  const auto real = [&] { return floats[choose(4)]; };
  std::vector<std::string> open;
  unsigned labels = 0;
  for (unsigned n = 1 + choose(25); n > 0; --n) {
    switch (choose(9)) {
      case 0:
        out += integer() + " = " + integer() + " + " + integer() + "\n";
        break;
      case 1:
        out += real() + " = " + real() + " * " + real() + "\n";
        break;
      case 2:
        out += ints[choose(6)] + " = " + std::to_string(choose(9)) + "\n";
        break;
      case 3:
        out += floats[choose(2)] + " = float(" + integer() + ")\n";
        break;
      case 4:
        out += "forget " + std::vector<std::string>{"x", "v", "h", "f"}[choose(4)] + "\n";
        break;
      case 5:
        out += ints[choose(6)] + " = shfl.active(" + ints[choose(6)] + ", " + integer() + ")\n";
        break;
      case 6:
        open.push_back("L" + std::to_string(labels++));
        out += "bz " + integer() + ", " + open.back() + "\n";
        break;
      case 7:
        out += "st @l[" + integer() + "] = " + integer() + "\n";
        break;
      default:
        if (!open.empty() && open.back() == "everywhere") {
          out += "end_everywhere\n";
          open.pop_back();
        } else if (!open.empty() && choose(2) == 0) {
          out += open.back() + ": sync\n";
          open.pop_back();
        } else {
          out += "everywhere\n";
          open.emplace_back("everywhere");
        }
    }
  }
  for (; !open.empty(); open.pop_back()) {
    out += open.back() == "everywhere" ? "end_everywhere\n" : open.back() + ": sync\n";
  }
  return out + "stop\n";
}

using Registers = std::set<RegisterId>;

void collect(const Expr& expression, Registers& found) {
  for (const ExprNode& node : expression.nodes) {
    if (const auto* single = std::get_if<Register>(&node.node)) {
      found.insert(single->id);
    } else if (const auto* element = std::get_if<Element>(&node.node)) {
      found.insert(element->array);
    }
  }
}

/// What an instruction reads (a shuffle's source with it) and what it writes; written anew from program.hpp.
struct Effect {
  Registers reads;
  std::optional<RegisterId> writes;
  bool whole = true;
};

Effect effect_of(const Instruction& instruction) {
  Effect effect;
  const auto write = [&](const Place& place) {
    effect.writes = place.id;
    effect.whole = !place.index;
    if (place.index) {
      collect(*place.index, effect.reads);
    }
  };
  if (const auto* assign = std::get_if<Assign>(&instruction)) {
    write(assign->place);
    collect(assign->value, effect.reads);
  } else if (const auto* store = std::get_if<Store>(&instruction)) {
    collect(store->index, effect.reads);
    collect(store->value, effect.reads);
  } else if (const auto* branch = std::get_if<BranchZero>(&instruction)) {
    collect(branch->condition, effect.reads);
  } else if (const auto* shuffle = std::get_if<Shuffle>(&instruction)) {
    effect.writes = shuffle->dst;
    effect.reads.insert(shuffle->source);
    collect(shuffle->lane, effect.reads);
  } else if (const auto* forget = std::get_if<Forget>(&instruction)) {
    effect.writes = forget->id;
  }
  return effect;
}

/// True if register `r` has a value at `pc` that some item may still read on its own way through the code: a path from a write of it (or
/// the start, for a parameter) to pc, and one from pc to a read, both without anything that makes it new. Depth-first, path by path.
class Needed {
 public:
  explicit Needed(const Program& program) : program_(program) {
    for (const Statement& statement : program.code) {
      effects_.push_back(effect_of(statement.instruction));
    }
  }

  bool at(RegisterId r, Label pc) const {
    std::set<Label> seen;
    return read_from(r, pc, seen) && written_before(r).contains(pc);
  }

 private:
  std::vector<Label> next(Label pc) const {
    const Instruction& instruction = program_.code[pc].instruction;
    if (const auto* branch = std::get_if<BranchZero>(&instruction)) {
      return {pc + 1, branch->target};
    }
    return std::holds_alternative<Stop>(instruction) ? std::vector<Label>{} : std::vector<Label>{pc + 1};
  }

  bool read_from(RegisterId r, Label pc, std::set<Label>& seen) const {
    if (!seen.insert(pc).second) {
      return false;
    }
    const Effect& effect = effects_[pc];
    if (effect.reads.contains(r)) {
      return true;
    }
    if (effect.writes == r && effect.whole) {
      return false;
    }
    return std::ranges::any_of(next(pc), [&](Label to) { return read_from(r, to, seen); });
  }

  /// The places that a value of r can reach.
  std::set<Label> written_before(RegisterId r) const {
    std::set<Label> reached;
    std::vector<Label> work;
    const auto go_on = [&](Label pc) {
      for (const Label to : next(pc)) {
        if (reached.insert(to).second) {
          work.push_back(to);
        }
      }
    };
    if (r < program_.kernel().parameter_count) {
      reached.insert(0);
      work.push_back(0);
    }
    for (Label pc = 0; pc < effects_.size(); ++pc) {
      if (effects_[pc].writes == r && !std::holds_alternative<Forget>(program_.code[pc].instruction)) {
        go_on(pc);
      }
    }
    while (!work.empty()) {
      const Label pc = work.back();
      work.pop_back();
      if (!(effects_[pc].writes == r && std::holds_alternative<Forget>(program_.code[pc].instruction))) {
        go_on(pc);
      }
    }
    return reached;
  }

  const Program& program_;
  std::vector<Effect> effects_;
};

std::set<std::uint64_t> lanes_of(const Layout& layout, const Placement& placement) {
  std::set<std::uint64_t> lanes;
  for (std::uint64_t wg = 0; wg < layout.wg_pack; ++wg) {
    for (std::uint64_t wi = 0; wi < (placement.is_local ? 1 : layout.wg_size); ++wi) {
      for (std::uint64_t ix = 0; ix < placement.count; ++ix) {
        lanes.insert(lane_of(layout, placement, wg, wi, ix));
      }
    }
  }
  return lanes;
}

bool share(const Layout& layout, const Placement& a, const Placement& b) {
  const auto lanes = lanes_of(layout, a);
  return a.infreg == b.infreg && std::ranges::any_of(lanes_of(layout, b), [&](std::uint64_t lane) { return lanes.contains(lane); });
}

/// Which everywhere blocks are open at each pc; the programs here are structured.
std::vector<std::vector<Label>> blocks_of(const Program& program) {
  std::vector<std::vector<Label>> blocks;
  std::vector<Label> open;
  for (Label pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& instruction = program.code[pc].instruction;
    blocks.push_back(open);
    if (std::holds_alternative<Everywhere>(instruction)) {
      open.push_back(pc);
    } else if (std::holds_alternative<EndEverywhere>(instruction)) {
      open.pop_back();
    }
  }
  return blocks;
}

}  // namespace

TEST_CASE("the five rules on one fragment", "[typed][layout]") {
  const Program program = parsed(figure);
  const Layout one = laid_out(program, 2);
  // Rule 1: four elements of four items, one item behind the other; the pack repeats the whole.
  const Placement& a = find(one, "a");
  CHECK(lanes_of(one, a).size() == 4 * 4 * 2);
  CHECK(lane_of(one, a, 0, 0, 1) == lane_of(one, a, 0, 0, 0) + 1);
  CHECK(lane_of(one, a, 0, 1, 0) == lane_of(one, a, 0, 0, 0) + 4);
  CHECK(lane_of(one, a, 1, 0, 0) == lane_of(one, a, 0, 0, 0) + one.group_lanes);
  // Rule 2: a local variable is there once for the group.
  CHECK(lanes_of(one, find(one, "l")).size() == 3 * 2);
  // Rule 3: two interaction sets besides the local variable; who meets is aligned and apart.
  CHECK(one.sets.size() == 3);
  CHECK(find(one, "a").set == find(one, "c").set);
  CHECK(find(one, "u").set == find(one, "w").set);
  CHECK(find(one, "a").set != find(one, "u").set);
  CHECK(find(one, "a").infreg != find(one, "b").infreg);
  CHECK(lane_of(one, find(one, "b"), 0, 3, 0) == lane_of(one, a, 0, 3, 0));
  // Different sets stand side by side in one InfReg, or share lanes: u and w are needed only when a and b are not.
  CHECK(find(one, "u").infreg == find(one, "a").infreg);
  // Rule 4: c is made when a is no longer needed, and does not meet it.
  CHECK(share(one, a, find(one, "c")));
  CHECK_FALSE(share(one, a, find(one, "b")));
  // One type for each InfReg.
  CHECK(find(one, "i").infreg != a.infreg);
  // Rule 5: what moves.
  std::vector<std::string> moves;
  for (const Reordering& reordering : one.reorderings) {
    moves.push_back(std::string(name_of(reordering.kind)) + " " + reordering.from + " " + reordering.to);
  }
  CHECK(moves == std::vector<std::string>{"element a[i] b", "local c @l", "local w @l"});
}

TEST_CASE("reorderings are listed by kind", "[typed][layout]") {
  const Program program = parsed(
      ".typed\n.wg_size 4\n.local float l[3]\n.kernel f()\n.var float a[4], b, c\n.var int i, j\n"
      "a[i] = a[i] + a[j] * b\nb = shfl.active(c, i)\nb = a[0]\na[0] = c\nb = ld (@l + i)[j]\nbz a[j] < b, End\nEnd: sync\nstop\n");
  std::vector<std::string> moves;
  for (const Reordering& reordering : laid_out(program).reorderings) {
    moves.push_back(std::to_string(reordering.pc) + " " + std::string(name_of(reordering.kind)) + " " + reordering.from + " " +
                    reordering.to);
  }
  CHECK(moves ==
        std::vector<std::string>{"0 element a[j] a[i]", "0 broadcast b a[i]", "1 shuffle c b", "4 local @l b", "5 element a[j] the mask"});
}

TEST_CASE("what waits for the other arm keeps its lanes", "[typed][layout]") {
  // z is needed in the second arm, so the items that wait hold it while the first arm computes x.
  const std::string text =
      ".typed\n.wg_size 4\n.kernel f(int p)\n.var int x, z\n.temp int t\nz = 1\nbz p, Else\nx = 2\nt = x\njmp Out\nElse: t = 3\n";
  const Layout waiting = laid_out(parsed(text + "t = z\nOut: sync\nstop\n"));
  REQUIRE(waiting.liveness_known);
  CHECK(find(waiting, "x").set == find(waiting, "z").set);
  CHECK_FALSE(share(waiting, find(waiting, "x"), find(waiting, "z")));
}

TEST_CASE("who meets whom", "[typed][layout]") {
  const std::string head = ".typed\n.wg_size 4\n.kernel f()\n.var int x, y\n.temp int t\nx = 1\ny = 2\nt = 3\n";
  const Layout calls = laid_out(parsed(head + "call g(x, y)\nstop\n.function void g(int a, int b)\nret\n"));
  CHECK(find(calls, "x").set != find(calls, "y").set);  // the arguments of a call go to registers of another frame
  CHECK(calls.placements.size() == 2);                  // temporaries have no lanes
  const Layout shuffles = laid_out(parsed(head + "y = shfl.active(x, 0)\nstop\n"));
  CHECK(find(shuffles, "x").set == find(shuffles, "y").set);
}

TEST_CASE("how long a value is needed", "[typed][layout]") {
  // Whether x (or the array q, or the parameter p) and y, which z brings together, may have the same lanes.
  const auto shares = [](const std::string& name, const std::string& body) {
    const Layout one = laid_out(parsed(".typed\n.wg_size 4\n.kernel f(int p)\n.var int x, y, z, q[2]\n" + body + "stop\n"));
    REQUIRE(one.liveness_known);
    REQUIRE(find(one, name).set == find(one, "y").set);
    return share(one, find(one, name), find(one, "y"));
  };
  CHECK_FALSE(shares("x", "x = 1\ny = 2\nz = y\nz = z + x\n"));
  CHECK(shares("x", "x = 1\nz = x\ny = 2\nz = z + y\nx = 3\nz = z + x\n"));                              // x becomes new behind y
  CHECK_FALSE(shares("q", "q[0] = 1\ny = 5\nz = y\nq[1] = 2\nz = z + q[0]\n"));                          // but q keeps its other element
  CHECK_FALSE(shares("p", "z = 0\ny = 1\nz = y\nz = z + p\n"));                                          // p is there from the beginning
  CHECK_FALSE(shares("x", "x = 1\ny = 2\nz = y\nz = shfl.active(x, 0)\n"));                              // a shuffle reads its source
  CHECK(shares("x", "x = 1\nz = x\nforget x\ny = 2\nz = z + y\nbz z, L\nx = 3\nL: sync\nz = z + x\n"));  // nothing to keep
}

TEST_CASE("an ill-formed function shares no lanes", "[typed][layout]") {
  const std::string text = ".typed\n.wg_size 2\n.kernel f()\n.var int x, y\nx = 1\ny = 2\n";
  const Layout good = laid_out(parsed(text + "stop\n"));
  CHECK(good.liveness_known);
  CHECK(share(good, find(good, "x"), find(good, "y")));
  const Program bad = parsed(text + "sync\nstop\n");
  CHECK_FALSE(laid_out(bad).liveness_known);
  CHECK_FALSE(share(laid_out(bad), find(laid_out(bad), "x"), find(laid_out(bad), "y")));
  CHECK(text_of(bad, laid_out(bad)).find("no two variables share lanes") != std::string::npos);
}

TEST_CASE("huge layouts are formulas or refused", "[typed][layout]") {
  const Program big = parsed(".typed\n.wg_size 4096\n.kernel f()\n.var int x[2147483647]\nstop\n");
  const Layout one = laid_out(big, 16);
  CHECK(one.lanes() == std::uint64_t{2147483647} * 4096 * 16);
  CHECK(text_of(big, one).find("x[2147483647]") != std::string::npos);
  CHECK(nlohmann::json::parse(json_of(big, one))["lanes"] == one.lanes());
  CHECK(layout(big, big.kernel(), 33).error() == "the layout of 'f' has more than 281474976710656 lanes");
}

TEST_CASE("layouts as text and JSON", "[typed][layout]") {
  const Program program = parsed(".typed\n.wg_size 2\n.local int l\n.kernel f()\n.var int x[2], y\nx[0] = y\nst @l[0] = x[1]\nstop\n");
  const Layout one = laid_out(program);
  CHECK(text_of(program, one) == R"(layout of 'f', WG_SIZE 2, WG_PACK 1: 2 InfRegs of 5 lanes, 5 for each group

InfReg #1  int
  x[2]  lane 2*wi.ix + ix, set 1, live at 0-1
  l     lane 4, local: once for the group, set 2
  lane   0  1  2  3  4
  name   x  x  x  x  l
  wi.ix  0  0  1  1  -
  ix     0  1  0  1  0

InfReg #2  int
  y  lane 2*wi.ix, set 1
  lane   0  1  2  3  4
  name   y  .  y  .  .
  wi.ix  0  .  1  .  .
  ix     0  .  0  .  .

interaction sets
  1: x y
  2: l

reorderings
  t:7:1: local x[1] -> @l
)");
  const auto json = nlohmann::json::parse(json_of(program, one));
  CHECK(json["infregs"][0]["lanes"][3] == nlohmann::json::parse(R"([{"name": "x", "wg.off": 0, "wi.ix": 1, "ix": 1}])"));
  CHECK(json["infregs"][0]["lanes"][4] == nlohmann::json::parse(R"([{"name": "l", "wg.off": 0, "wi.ix": null, "ix": 0}])"));
  CHECK(json["sets"] == nlohmann::json::parse(R"([["x", "y"], ["l"]])"));
  CHECK(json["reorderings"][0]["kind"] == "local");
}

TEST_CASE("layouts keep the rules", "[typed][layout]") {
  unsigned sharing = 0;
  const bool passed = rc::check("layout properties", [&](const std::vector<unsigned>& choices, unsigned seed) {
    std::vector<unsigned> more = choices;
    for (std::size_t i = 0; i < 20 * choices.size(); ++i) {
      seed = seed * 1664525U + 1013904223U;
      more.push_back(seed >> 8U);
    }
    const std::string text = random_text(more);
    const auto parsed_text = parse(std::make_shared<const SourceFile>("t", text));
    RC_ASSERT(parsed_text.has_value());
    const Program& program = *parsed_text;
    const auto result = layout(program, program.kernel(), 1 + seed % 3);
    RC_ASSERT(result.has_value());
    const Layout& one = *result;

    // Every element of every item and group has one lane, in an InfReg of its type, and the lane says so.
    for (std::size_t p = 0; p < one.placements.size(); ++p) {
      const Placement& placement = one.placements[p];
      RC_ASSERT(one.infregs.at(placement.infreg).type == placement.type);
      RC_ASSERT(lanes_of(one, placement).size() == (placement.is_local ? 1 : one.wg_size) * placement.count * one.wg_pack);
      std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> seen;
      for (std::uint64_t lane = 0; lane < one.lanes(); ++lane) {
        for (const LaneMeaning& meaning : meaning_of(one, one.infregs[placement.infreg], lane)) {
          if (meaning.placement == p) {
            RC_ASSERT(meaning.wi_ix.has_value() != placement.is_local);
            RC_ASSERT(lane_of(one, placement, meaning.wg_off, meaning.wi_ix.value_or(0), meaning.ix) == lane);
            RC_ASSERT(seen.insert({meaning.wg_off, meaning.wi_ix.value_or(0), meaning.ix}).second);
          }
        }
      }
      RC_ASSERT(seen.size() == lanes_of(one, placement).size());
    }

    // Those that meet in an instruction are apart, and aligned: equal lanes belong to equal items.
    std::map<RegisterId, std::size_t> placed;
    for (std::size_t p = 0; p < one.placements.size(); ++p) {
      if (!one.placements[p].is_local) {
        placed[one.placements[p].id] = p;
      }
    }
    for (const Statement& statement : program.code) {
      const Effect effect = effect_of(statement.instruction);
      Registers together = effect.reads;
      if (effect.writes) {
        together.insert(*effect.writes);
      }
      for (const RegisterId r : together) {
        for (const RegisterId s : together) {
          if (r >= s || !placed.contains(r) || !placed.contains(s)) {
            continue;
          }
          const Placement& a = one.placements[placed[r]];
          const Placement& b = one.placements[placed[s]];
          RC_ASSERT(!share(one, a, b));
          RC_ASSERT(a.set == b.set);
          RC_ASSERT(a.infreg != b.infreg);
          for (std::uint64_t wi = 0; wi < one.wg_size; ++wi) {
            RC_ASSERT(lane_of(one, a, 0, wi, 0) == lane_of(one, b, 0, wi, 0));
          }
        }
      }
    }

    // No two variables that hold needed values at one place share a lane; inside an everywhere block that is also asked of what the
    // others hold outside.
    const Needed needed(program);
    const auto blocks = blocks_of(program);
    for (std::size_t p = 0; p < one.placements.size(); ++p) {
      for (std::size_t q = p + 1; q < one.placements.size(); ++q) {
        const Placement& a = one.placements[p];
        const Placement& b = one.placements[q];
        if (!share(one, a, b)) {
          continue;
        }
        ++sharing;
        RC_ASSERT(!a.is_local && !b.is_local);
        const auto holds = [&](const Placement& placement, Label pc) {
          const Effect effect = effect_of(program.code[pc].instruction);
          return needed.at(placement.id, pc) || effect.writes == placement.id;
        };
        for (Label pc = 0; pc < program.code.size(); ++pc) {
          RC_ASSERT(!(needed.at(a.id, pc) && needed.at(b.id, pc)));
          for (Label inside = 0; inside < program.code.size(); ++inside) {
            const bool woken = std::ranges::any_of(
                blocks[inside], [&](Label block) { return std::ranges::find(blocks[pc], block) == blocks[pc].end() && block != pc; });
            RC_ASSERT(!(woken && ((needed.at(a.id, pc) && holds(b, inside)) || (needed.at(b.id, pc) && holds(a, inside)))));
          }
        }
      }
    }
  });
  CHECK(passed);
  CHECK(sharing > 0);
}

}  // namespace lockstep::typed
