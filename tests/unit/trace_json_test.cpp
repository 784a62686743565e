// The trace as lines of JSON: Fig. 6 by hand from the CREV paper's Fig. 7, and whole runs that are replayed from their lines.
#include "interpreter/observe/trace_json.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;
using nlohmann::json;

namespace {

struct Traced {
  std::unique_ptr<Machine> machine;
  std::string text;
  std::vector<json> lines;

  const json& header() const { return lines.front(); }
  const json& ending() const { return lines.back(); }
  /// The line of step `step`, from 0. Every step of a tool's trace has one line.
  const json& step(std::size_t step) const { return lines.at(step + 1); }
  std::size_t steps() const { return lines.size() - 2; }
};

Traced trace(const std::string& text, MachineOptions options = {}, std::uint64_t limit = 1000,
             TraceJson::Reader reader = TraceJson::Reader::Tool) {
  const SourceFile source("test.mus", text);
  std::ostringstream out;
  TraceJson observer(out, source, reader);
  Traced traced{make_machine(text, std::move(options)), {}, {}};
  traced.machine->attach(observer);
  const Ending ending = traced.machine->run(limit);
  if (!traced.machine->ending()) {
    observer.ended(*traced.machine, ending);
  }
  traced.machine->detach(observer);
  traced.text = out.str();
  CHECK(observer.bytes() == traced.text.size());
  std::istringstream in(traced.text);
  for (std::string line; std::getline(in, line);) {
    INFO(line);
    traced.lines.push_back(json::parse(line));
  }
  REQUIRE(traced.lines.size() >= 2);
  return traced;
}

json parsed(const char* text) { return json::parse(text); }

std::string fig6() {
  std::ifstream in(LOCKSTEP_SOURCE_DIR "/examples/musimd/fig6.mus", std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<unsigned> threads_of(const json& set) {
  std::vector<unsigned> out;
  for (const json& range : set) {
    for (unsigned t = range.at(0); t <= range.at(1).get<unsigned>(); ++t) {
      out.push_back(t);
    }
  }
  return out;
}

/// β and Σ as a reader of the lines would rebuild them.
struct Replay {
  std::map<std::pair<std::string, unsigned>, json> locals;
  std::map<std::int64_t, json> shared;
  std::vector<unsigned> order;

  void write(const json& access) {
    const std::vector<unsigned> threads = threads_of(access.at("threads"));
    REQUIRE(threads.size() == access.at("values").size());
    if (access.contains("variable")) {
      for (std::size_t i = 0; i < threads.size(); ++i) {
        locals[{access.at("variable"), threads[i]}] = access.at("values")[i];
      }
      return;
    }
    REQUIRE(threads.size() == access.at("cells").size());
    for (const unsigned turn : order) {
      for (std::size_t i = 0; i < threads.size(); ++i) {
        if (threads[i] == turn) {
          shared[access.at("cells")[i]] = access.at("values")[i];
        }
      }
    }
  }

  explicit Replay(const Traced& traced) : order(traced.header().at("order").get<std::vector<unsigned>>()) {
    for (const json& local : traced.header().at("initial").at("locals")) {
      write(local);
    }
    for (const json& run : traced.header().at("initial").at("shared")) {
      for (std::size_t i = 0; i < run.at("values").size(); ++i) {
        shared[run.at("base").get<std::int64_t>() + static_cast<std::int64_t>(i)] = run.at("values")[i];
      }
    }
    for (std::size_t i = 0; i < traced.steps(); ++i) {
      for (const json& access : traced.step(i).at("writes")) {
        write(access);
      }
    }
  }
};

json as_json(const Cell& cell) {
  return cell.state == CellState::Number ? json(cell.number) : cell.state == CellState::Poison ? json("poison") : json(nullptr);
}

/// The lines rebuild the machine's last state, and each line goes on from the one before.
void check_replay(const Traced& traced) {
  const Replay replay(traced);
  const Machine& machine = *traced.machine;
  const auto& names = machine.program().variables;
  for (musimd::VarId v = 0; v < names.size(); ++v) {
    for (unsigned t = 0; t < machine.threads(); ++t) {
      const auto found = replay.locals.find({names[v], t});
      INFO(names[v] << " in thread " << t);
      CHECK((found == replay.locals.end() ? json(nullptr) : found->second) == as_json(machine.state().bank.read(v, t)));
    }
  }
  std::map<std::int64_t, json> cells;
  machine.state().shared.for_each([&](std::int64_t address, const Cell& cell) { cells[address] = as_json(cell); });
  CHECK(replay.shared == cells);
  json next = traced.header().at("initial").at("next");
  json active = traced.header().at("initial").at("active_after");
  for (std::size_t i = 0; i < traced.steps(); ++i) {
    CHECK(traced.step(i).at("step") == i + 1);
    CHECK(traced.step(i).at("pc") == next);
    CHECK(traced.step(i).at("active") == active);
    next = traced.step(i).at("next");
    active = traced.step(i).at("active_after");
  }
  CHECK(traced.ending().at("pc") == next);
  CHECK(traced.ending().at("steps") == traced.steps());
  CHECK(threads_of(active) == members(machine.state().active));
}

}  // namespace

TEST_CASE("trace json: the program of Fig. 6", "[trace_json]") {
  const Traced traced = trace(fig6());
  REQUIRE(traced.steps() == 39);
  const json& header = traced.header();
  CHECK(header.at("lockstep") == 1);
  CHECK(header.at("file") == "test.mus");
  CHECK(header.at("threads") == 4);
  CHECK(header.at("order") == parsed("[0,1,2,3]"));
  CHECK(header.at("as_printed") == json::array());
  CHECK(header.at("program").size() == 20);
  CHECK(header.at("program")[6].at("labels") == parsed(R"(["Loop"])"));
  CHECK(header.at("program")[6].at("instruction") == "jmp_mask v8, Call");
  CHECK(header.at("program")[18].at("source") == "Done:   sync                    ;@ rule SS SI.sync");
  CHECK(header.at("initial").at("active_after") == parsed("[[0,3]]"));
  CHECK(header.at("initial").at("locals") == json::array());
  CHECK(header.at("initial").at("shared") == parsed(R"([{"base":0,"values":[0,1,1,0,2,1,3,4,1,5,6,1,2,3,1,7,1,3,4,0]}])"));

  CHECK(traced.step(0).at("rule") == "IT");
  CHECK(traced.step(0).at("root") == "LD");
  CHECK(traced.step(0).at("reads") == parsed(R"([{"cells":[0,1,2,3],"threads":[[0,3]],"values":[0,1,1,0]}])"));
  CHECK(traced.step(0).at("writes") == parsed(R"([{"variable":"v0","threads":[[0,3]],"values":[0,1,1,0]}])"));

  const json& branch = traced.step(2);
  CHECK(branch.at("instruction") == "bz v1, Done");
  CHECK(branch.at("rule") == "BD");
  CHECK_FALSE(branch.contains("root"));
  CHECK_FALSE(branch.contains("labels"));
  CHECK(branch.at("active") == parsed("[[0,3]]"));
  CHECK(branch.at("active_after") == parsed("[[0,0],[3,3]]"));
  CHECK(branch.at("taken") == parsed("[[1,2]]"));
  CHECK(branch.at("reads") == parsed(R"([{"variable":"v1","threads":[[0,3]],"values":[1,0,0,1]}])"));
  CHECK(branch.at("sync") == parsed(R"([{"branch_pc":2,"done":[],"resume_at":18,"todo":[[1,2]]}])"));

  CHECK(traced.step(3).at("writes") == parsed(R"([{"variable":"v2","threads":[[0,0],[3,3]],"values":[4,16]}])"));

  const json& block = traced.step(4);
  CHECK(block.at("rule") == "EB");
  CHECK(block.at("active_after") == parsed("[[0,3]]"));
  CHECK(block.at("sync") == json::array());
  CHECK(block.at("context") ==
        parsed(R"([{"mask":[[0,0],[3,3]],"sync":[{"branch_pc":2,"done":[],"resume_at":18,"todo":[[1,2]]}],"sync_depth":1}])"));

  const json& shuffle = traced.step(7);
  CHECK(shuffle.at("labels") == parsed(R"(["Call"])"));
  CHECK(shuffle.at("root") == "SV");
  CHECK(shuffle.at("reads") == parsed(R"([{"variable":"v8","threads":[[0,3]],"values":[0,0,0,0]},
                                          {"variable":"v2","threads":[[0,0],[3,3]],"values":[4,16]}])"));

  const json& store = traced.step(11);
  CHECK(store.at("writes") == parsed(R"([{"cells":[4,5,6,7],"threads":[[0,3]],"values":[3,2,4,5]}])"));
  CHECK_FALSE(store.contains("taken"));

  CHECK(traced.step(36).at("rule") == "SS");
  CHECK(traced.step(36).at("active_after") == parsed("[[1,2]]"));
  CHECK(traced.step(36).at("sync") == parsed(R"([{"branch_pc":2,"done":[[0,0],[3,3]],"resume_at":18,"todo":[]}])"));
  CHECK(traced.step(37).at("rule") == "SI.sync");
  CHECK(traced.ending() == parsed(R"({"ending":"halted","reason":"","steps":39,"pc":19})"));
  check_replay(traced);
}

TEST_CASE("trace json: the lines rebuild the state", "[trace_json]") {
  MachineOptions descending;
  descending.order = {3, 2, 1, 0};
  check_replay(trace("st 7 = tid\nst tid = 7\nbz tid & 1, L\nst tid / 2 = tid * 3\nL: sync\na = ld tid\nstop", descending));
  check_replay(trace("a = shfl(tid, tid - 1)\nst tid = a\nb = ld tid\nbz tid & 1, L\na = b + 1\nL: sync\nstop"));
  MachineOptions some;
  some.threads = 130;
  some.active = {1, 64, 65, 128};
  check_replay(trace("a = tid\neverywhere\nb = shfl(a, 64)\nend_everywhere\nst a = a\nstop", some));
  check_replay(trace("i = 0\nL: i = i + 1\nst tid = i\nbz i == 50, L\nsync\nstop", {}, 33));
}

TEST_CASE("trace json: values beyond doubles, poison, nothing", "[trace_json]") {
  const std::string text = "a = -9223372036854775808\nst 9223372036854775807 = 9007199254740993\nb = shfl(c, 0)\nc = b\nstop";
  const Traced tool = trace(text);
  CHECK(tool.step(0).at("writes")[0].at("values")[0].get<std::int64_t>() == INT64_MIN);
  CHECK(tool.step(1).at("writes")[0].at("cells")[0].get<std::int64_t>() == INT64_MAX);
  CHECK(tool.step(1).at("writes")[0].at("values")[3].get<std::int64_t>() == 9007199254740993);
  CHECK(tool.step(2).at("reads")[0].at("values") == parsed("[null,null,null,null]"));
  CHECK(tool.step(2).at("root") == "SI.shfl");
  CHECK(tool.step(3).at("reads")[0].at("values") == parsed(R"(["poison","poison","poison","poison"])"));
  // JavaScript would round: a page gets strings.
  const Traced page = trace(text, {}, 1000, TraceJson::Reader::Page);
  CHECK(page.text.find("\"-9223372036854775808\"") != std::string::npos);
  CHECK(page.text.find("\"9223372036854775807\"") != std::string::npos);
  CHECK(page.text.find("\"9007199254740993\"") != std::string::npos);
}

TEST_CASE("trace json: endings", "[trace_json]") {
  const Traced undefined = trace("bz tid < 2, L\na = 1\nL: sync\nb = a + 1\nstop");
  CHECK(undefined.ending().at("ending") == "error");
  CHECK(undefined.ending().at("thread") == 2);
  CHECK(undefined.ending().at("steps") == 4);  // bz, a = 1, sync once for each arm
  CHECK(undefined.ending().at("reason").get<std::string>().find("a is uninitialised") != std::string::npos);
  const Traced stuck = trace("sync");
  CHECK(stuck.steps() == 0);
  CHECK(stuck.ending().at("ending") == "stuck");
  CHECK(trace("L: jmp L", {}, 3).ending() == parsed(R"({"ending":"limit","reason":"the step limit is reached","steps":3,"pc":0})"));
  const Traced runs_off = trace("a = 1");
  CHECK(runs_off.ending().at("ending") == "stuck");
  CHECK(runs_off.ending().at("pc") == 1);
}

TEST_CASE("trace json: the header names the reading of the rules", "[trace_json]") {
  MachineOptions options;
  options.printed = {musimd::Erratum::E3, musimd::Erratum::E10};
  options.threads = 3;
  options.order = {1, 2, 0};
  const Traced traced = trace("stop", options);
  CHECK(traced.header().at("as_printed") == parsed(R"(["E3","E10"])"));
  CHECK(traced.header().at("order") == parsed("[1,2,0]"));
}

TEST_CASE("trace json: a file name that is no UTF-8", "[trace_json]") {
  const SourceFile source("a\xff\"b\n.mus", "stop");
  std::ostringstream out;
  TraceJson observer(out, source);
  const auto machine = make_machine("stop");
  machine->attach(observer);
  machine->run(1);
  const std::string text = out.str();
  CHECK(json::parse(text.substr(0, text.find('\n'))).at("file") == "a\xef\xbf\xbd\"b\n.mus");
}

TEST_CASE("trace json: deep stacks are cut to their innermost entries", "[trace_json]") {
  // Each round of the loop enters another block and never leaves it.
  const Traced traced = trace("L: bz 1, L\neverywhere\njmp L", {}, 600);
  const json& last = traced.step(599);
  CHECK(last.at("context_depth") == 200);
  CHECK(last.at("context").size() == TraceJson::most_entries);
  CHECK(last.at("context").back().at("sync_depth") == 1);
  std::size_t entries = last.at("sync").size();
  for (const json& frame : last.at("context")) {
    entries += frame.at("sync").size();
  }
  CHECK(entries == TraceJson::most_entries);
}

TEST_CASE("trace json: a page is told the premises, each answer once", "[trace_json]") {
  const Traced page = trace("i = 0\nL: i = i + 1\nbz i == 3, L\nsync\nstop", {}, 1000, TraceJson::Reader::Page);
  std::map<std::size_t, json> answers;
  std::vector<std::string> fired;
  for (std::size_t i = 1; i + 1 < page.lines.size(); ++i) {
    const json& line = page.lines[i];
    if (!line.contains("step")) {
      CHECK(answers.emplace(line.at("asked"), line.at("candidates")).second);
      continue;
    }
    if (line.at("pc") == 2) {
      for (const json& candidate : answers.at(line.at("asked"))) {
        if (candidate.at("applies")) {
          fired.push_back(candidate.at("root"));
          CHECK(candidate.at("rule") == line.at("rule"));
        }
      }
    }
  }
  CHECK(fired == std::vector<std::string>{"BT", "BT", "BF"});
  CHECK(page.text.find("<") == std::string::npos);
}
