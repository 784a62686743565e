#include "interpreter/debug/program/stepper.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "interpreter/debug/program/display.hpp"
#include "semantics/base/lane_set_text.hpp"
#include "semantics/musimd/parse.hpp"
#include "tests/unit/random_mus.hpp"

using namespace lockstep;

namespace {

/// A stepper on a text, asked one command at a time.
struct Session {
  explicit Session(const std::string& text, std::uint64_t max_steps = 1'000'000) : source("s.mus", text) {
    auto program = std::make_shared<const musimd::Program>(musimd::parse(source).value());
    stepper = std::make_unique<Stepper>(*Machine::make(std::move(program), {}), source, out, max_steps);
  }
  std::string ask(std::string_view command) {
    out.str("");
    stepper->execute(command);
    return out.str();
  }
  const Machine& machine() const { return stepper->history().machine(); }
  std::uint64_t position() const { return stepper->history().position(); }
  std::string theta() const { return to_text(machine().state().active); }
  std::string pi() const { return sync_text(machine(), machine().state().context.size(), 10); }
  std::string lambda() const { return context_text(machine(), 10); }

  SourceFile source;
  std::ostringstream out;
  std::unique_ptr<Stepper> stepper;
};

std::string fig6() {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/examples/musimd/fig6.mus");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("sets are shown as the paper writes them, with ranges", "[stepper]") {
  const auto set = [](unsigned width, std::initializer_list<unsigned> lanes) {
    LaneSet s(width);
    for (const unsigned t : lanes) {
      s.insert(t);
    }
    return to_text(s);
  };
  CHECK(set(4, {}) == "{}");
  CHECK(set(4, {0, 3}) == "{0,3}");
  CHECK(set(4, {1, 2}) == "{1,2}");
  CHECK(set(4, {0, 1, 2, 3}) == "{0-3}");
  CHECK(set(64, {0, 1, 2, 40, 62, 63}) == "{0-2,40,62,63}");
  CHECK(to_text(LaneSet::all(1024)) == "{0-1023}");
  CHECK(to_text(LaneSet()) == "{}");
}

// Fig. 7 by hand, with E1 and E9: threads 0 and 3 go through, 1 and 2 wait for Done. Steps 1 to 4 come before everywhere (5),
// 6 is v8 = 0; the turns of the loop are 7-15 (Call), 16-20, 21-25, 26-34 (Call), each ending with bz v7; 35 is
// end_everywhere, 36 the store, 37 SS, 38 SI.sync, 39 stop.
TEST_CASE("Θ, Π and Λ of fig6 at every step, forwards and backwards", "[stepper]") {
  const std::string waiting = "[(pc 2 bz, done {}, resume Done, todo {1,2})]";
  const std::string caller = "[(Θ {0,3}, Π " + waiting + ")]";
  const std::string converged = "[(pc 15 bz, done {}, resume Loop, todo {})]";
  struct Row {
    std::string theta, pi, lambda;
  };
  std::vector<Row> rows;
  const auto add = [&](int count, const Row& row) { rows.insert(rows.end(), static_cast<std::size_t>(count), row); };
  add(3, {"{0-3}", "[]", "[]"});          // before ld, ==, bz
  add(2, {"{0,3}", waiting, "[]"});       // before v2 = …, everywhere
  add(10, {"{0-3}", "[]", caller});       // after 5 to 14
  add(20, {"{0-3}", converged, caller});  // after 15 to 34
  add(2, {"{0,3}", waiting, "[]"});       // before st, sync
  add(1, {"{1,2}", "[(pc 2 bz, done {0,3}, resume Done, todo {})]", "[]"});
  add(2, {"{0-3}", "[]", "[]"});  // before stop, and halted
  REQUIRE(rows.size() == 40);
  Session s(fig6());
  const auto check = [&](std::size_t k) {
    INFO("after " << k << " steps");
    REQUIRE(s.position() == k);
    CHECK(s.theta() == rows[k].theta);
    CHECK(s.pi() == rows[k].pi);
    CHECK(s.lambda() == rows[k].lambda);
  };
  for (std::size_t k = 0; k < 40; ++k) {
    check(k);
    s.ask("step");
  }
  CHECK(has(s.ask("step"), "the program has halted"));
  for (std::size_t k = 39; k > 0; --k) {
    check(k);
    s.ask("back");
  }
  check(0);
  CHECK(has(s.ask("back"), "start of the run"));
}

TEST_CASE("a step tells rule, values and changes; back tells the same reversed", "[stepper]") {
  Session s(fig6());
  s.ask("step 2");
  const std::string forth = s.ask("step");
  CHECK(has(forth, "step 3: BD  bz v1, Done\n"));
  CHECK(has(forth, "  Θ {0-3} → {0,3}\n"));
  CHECK(has(forth, "  Π [] → [(pc 2 bz, done {}, resume Done, todo {1,2})]\n"));
  const std::string back = s.ask("back");
  CHECK(has(back, "undone: step 3: BD  bz v1, Done\n"));
  CHECK(has(back, "  Θ {0,3} → {0-3}\n"));
  s.ask("goto 3");
  CHECK(has(s.ask("s"), "v2 := 4 • • 16"));
  CHECK(has(s.ask("goto 11"), "st v4 = v6"));
  CHECK(has(s.ask("s"), "mem[4] := 3, mem[5] := 2, mem[6] := 4, mem[7] := 5"));
  CHECK(has(s.ask("back"), "mem[4] is again 2, mem[5] is again 1, mem[6] is again 3, mem[7] is again 4"));
}

TEST_CASE("next steps over a block, finish leaves it, until finds instructions, labels and rules", "[stepper]") {
  Session s(fig6());
  s.ask("until everywhere");
  CHECK(s.position() == 4);
  s.ask("next");
  CHECK(s.position() == 35);  // behind end_everywhere
  s.ask("goto 12");
  s.ask("finish");
  CHECK(s.position() == 35);
  CHECK(has(s.ask("finish"), "error: control is not inside an everywhere block"));
  s.ask("restart");
  s.ask("until BD");
  CHECK(s.position() == 3);
  s.ask("until Next");
  CHECK(s.position() == 12);
  s.ask("until sync");
  CHECK(s.position() == 36);
  s.ask("until sync");  // the second visit, of threads 1 and 2
  CHECK(s.position() == 37);
  CHECK(s.ask("until nowhere") == "error: 'nowhere' is no label, line, rule or first word of an instruction of this program\n");
}

TEST_CASE("breakpoints of all kinds stop where they should", "[stepper]") {
  const auto stops = [](std::string_view command) {
    Session s(fig6());
    REQUIRE(!has(s.ask(command), "error"));
    std::vector<std::uint64_t> found;
    for (s.ask("continue"); !s.stepper->history().at_end(); s.ask("continue")) {
      found.push_back(s.position());
      REQUIRE(found.size() < 50);
    }
    // Backwards the same ones in reverse.
    std::vector<std::uint64_t> back;
    if (!found.empty() && command.substr(0, 1) != "t") {
      for (s.ask("reverse-continue"); s.position() != 0; s.ask("reverse-continue")) {
        back.push_back(s.position());
      }
      CHECK(std::vector<std::uint64_t>(back.rbegin(), back.rend()) == found);
    }
    return found;
  };
  using V = std::vector<std::uint64_t>;
  CHECK(stops("break Call") == V{7, 26});  // threads 0 and 3 call
  CHECK(stops("tbreak Call") == V{7});
  CHECK(stops("break Loop") == V{6, 15, 20, 25});
  CHECK(stops("break Loop if v8[0] == 2") == V{20});
  CHECK(stops("break rule BD") == V{3});
  CHECK(stops("break rule ST") == V{12, 31, 36});
  CHECK(stops("break rule JP") == V{17, 22});
  CHECK(stops("break if mem[16] == 2") == V{31});
  CHECK(stops("break if v8 == 3") == V{23});
  CHECK(stops("break if depth(context) == 1") == V{5});
  CHECK(stops("break if count(active) < 4") == V{3, 35});
  CHECK(stops("watch v8") == V{6, 13, 18, 23, 32});
  CHECK(stops("watch mem[0]") == V{36});
  CHECK(stops("watch v2[1]").empty());
}

TEST_CASE("the same stops are found forwards and backwards in random programs", "[stepper]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Session s(RandomMus(seed).text(), 2000);
    s.ask("break L12");
    s.ask("break rule BD");
    s.ask("watch v1");
    s.ask("break if any(v0 > 3)");
    std::vector<std::uint64_t> forth;
    for (s.ask("c"); !s.stepper->history().at_end() && s.position() < 2000; s.ask("c")) {
      forth.push_back(s.position());
    }
    std::vector<std::uint64_t> back;
    for (s.ask("rc"); s.position() != 0; s.ask("rc")) {
      back.push_back(s.position());
    }
    if (!forth.empty() && forth.back() == s.stepper->history().machine().steps()) {
      forth.pop_back();
    }
    INFO("seed " << seed);
    REQUIRE(std::vector<std::uint64_t>(back.rbegin(), back.rend()) == forth);
  }
}

TEST_CASE("values are shown side by side", "[stepper]") {
  Session s(fig6());
  s.ask("goto 4");
  CHECK(s.ask("print v2") == "thread     0   1   2   3\nΘ          ✓   •   •   ✓\nv2         4   *   *  16\n");
  CHECK(s.ask("print mem[4]") == "mem[4] = 2\n");
  CHECK(s.ask("print mem[0..3]") == "   0: 0 1 1 0\n");
  CHECK(s.ask("p mem[18..21]") == "  18: 4 0 * *\n");
  CHECK(has(s.ask("print mem[3..1]"), "error"));
  CHECK(has(s.ask("print mem[0..9999999]"), "error"));
  CHECK(has(s.ask("print v2 +"), "error: column 5"));
  CHECK(has(s.ask("info sync"), "(pc 2 bz, done {}, resume Done, todo {1,2})"));
  CHECK(s.ask("info context") == "Λ = []\n");
  CHECK(has(s.ask("info rule"), "step 4 was IT/BP"));
}

TEST_CASE("an expression without a value says why where that is not seen", "[stepper]") {
  Session s(fig6());
  CHECK(s.ask("print 1/0") == "1/0 = no value (division by 0)\n");
  CHECK(s.ask("print 2 + 7 % (1 - 1)") == "2 + 7 % (1 - 1) = no value (division by 0)\n");
  CHECK(s.ask("print v0[5 - 1]") == "v0[5 - 1] = no value (there is no such thread)\n");
  CHECK(s.ask("print v0[1]") == "v0[1] = *\n");
  CHECK(s.ask("print mem[99]") == "mem[99] = *\n");
  s.ask("watch 1/v0[0]");  // v0[0] is 0: without a value before the load and behind it
  CHECK(has(s.ask("continue"), "halted"));
}

TEST_CASE("a breakpoint's place is told once", "[stepper]") {
  Session s(fig6());
  CHECK(s.ask("break") == "breakpoint 1: line 9: v0 = ld tid\n");
  CHECK(s.ask("break 11") == "breakpoint 2: line 11: bz v1, Done\n");
  CHECK(s.ask("break Loop") == "breakpoint 3: Loop, line 15: Loop: jmp_mask v8, Call\n");
  CHECK(s.ask("break 13 if tid == 0") == "breakpoint 4: 13 if tid == 0, line 13: everywhere\n");
  CHECK(s.ask("info break") == "1: line 9\n2: line 11\n3: Loop\n4: 13 if tid == 0\n");
}

TEST_CASE("watches are listed in the order of their numbers", "[stepper]") {
  Session s(fig6());
  s.ask("watch tid");
  s.ask("watch mem[4]");
  s.ask("watch tid + 1");
  const std::string listed = s.ask("info watch");
  const std::size_t first = listed.find("1: tid ");
  const std::size_t second = listed.find("2: mem[4] = 2\n");
  const std::size_t third = listed.find("3: tid + 1 ");
  REQUIRE(third != std::string::npos);
  CHECK(first < second);
  CHECK(second < third);
}

TEST_CASE("a long command can be ended, forwards and backwards", "[stepper]") {
  struct GivesUp : Patience {
    bool goes_on(std::uint64_t) override { return --questions > 0; }
    void over() override { ++moves; }
    int questions = 3;
    int moves = 0;
  } patience;
  Session s("i = 0\nLoop: i = i + 1\njmp Loop\n", UINT64_MAX);
  s.stepper->set_patience(patience);
  for (const char* command : {"continue", "break if i[0] < 0", "until stop", "until SP", "step 99999999", "goto 99999999", "next"}) {
    const std::uint64_t before = s.position();
    patience.questions = 3;
    const std::string answer = s.ask(command);
    INFO(command << ": " << answer);
    if (std::string_view(command) == "next" || std::string_view(command).starts_with("break") || has(answer, "error")) {
      continue;
    }
    CHECK(has(answer, "interrupted\nat step "));
    CHECK(s.position() > before);
    CHECK(s.position() < before + 1'000'000);
    CHECK(!has(s.ask("where"), "interrupted"));
  }
  const std::uint64_t here = s.position();
  patience.questions = 1;
  CHECK(has(s.ask("reverse-continue"), "interrupted\nat step "));
  CHECK(s.position() <= here);
  patience.questions = 1'000'000;
  CHECK(has(s.ask("goto 7"), "at step 7, line 2: Loop: i = i + 1"));
  CHECK(s.ask("print i[0]") == "i[0] = 3\n");
  CHECK(patience.moves > 5);
}

TEST_CASE("explain names the candidates and the premise that decides", "[stepper]") {
  Session s(fig6());
  s.ask("goto 2");
  const std::string text = s.ask("explain");
  CHECK(has(text, "e = v1     1   0   0   1"));
  CHECK(has(text, "✗ BT (Fig. 4)"));
  s.ask("goto 3");
  CHECK(has(s.ask("explain"), "e = 4 * (tid + 1)   4   •   •  16\n"));
  CHECK(has(text, "✗ BT.4"));
  CHECK(has(text, "✗ BF.4"));
  CHECK(has(text, "✓ BD (Fig. 4)"));
  Session stuck("v0 = 1\nsync\n");
  CHECK(has(stuck.ask("continue"), "stuck: no rule applies"));
  CHECK(has(stuck.ask("explain"), "✗ SS.2"));
  CHECK(has(stuck.ask("back"), "undone: step 1"));
  CHECK(has(stuck.ask("goto 1"), "stuck"));
}

TEST_CASE("what is typed wrong is said and nothing happens", "[stepper]") {
  Session s(fig6());
  CHECK(has(s.ask("stpe"), "did you mean 'step'?"));
  CHECK(has(s.ask("xyzzy"), "'help' lists the commands"));
  CHECK(has(s.ask("re"), "'re' may be reverse-continue, restart"));
  CHECK(has(s.ask("step x"), "'x' is not a number"));
  CHECK(has(s.ask("step -1"), "is not a number"));
  CHECK(has(s.ask("finish 3"), "takes no arguments"));
  CHECK(has(s.ask("break Loop unless 1"), "expected 'if'"));
  CHECK(has(s.ask("break rule XX"), "there is no rule 'XX'"));
  CHECK(has(s.ask("break 100000"), "no instruction at or behind line"));
  CHECK(has(s.ask("break if"), "error: if what?"));
  CHECK(has(s.ask("break Loop if"), "error: if what?"));
  CHECK(has(s.ask("watch"), "watch what?"));
  CHECK(has(s.ask("delete 7"), "no breakpoint or watch"));
  CHECK(has(s.ask("info"), "info about what? active, "));
  CHECK(has(s.ask("info nothing"), "there is no 'info nothing', but active, "));
  CHECK(s.ask("info actve") == "error: there is no 'info actve'; did you mean 'info active'?\n");
  CHECK(has(s.ask("\x1b[A"), "there is no command '?[A'"));
  CHECK(!has(s.ask("until \x1b[A"), "\x1b"));
  CHECK(!has(s.ask("break \x1b[A"), "\x1b"));
  CHECK(!has(s.ask("print \x1b[A"), "\x1b"));
  CHECK(has(s.ask("list 0"), "there is no line"));
  CHECK(s.ask("").empty());
  CHECK(s.ask("# a comment").empty());
  CHECK(has(s.ask(std::string(100'000, 'z')), "error"));
  CHECK(s.position() == 0);
  CHECK(s.stepper->execute("quit") == false);
}
