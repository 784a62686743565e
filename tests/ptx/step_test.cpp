// Going through PTX step by step ends where a run ends, and every step backwards leads to the state that was there before.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "interpreter/debug/ptx/history.hpp"
#include "interpreter/debug/ptx/record.hpp"
#include "semantics/base/lane_set_text.hpp"
#include "tests/ptx/corpus.hpp"

using namespace lockstep;
using namespace lockstep::test;
using namespace lockstep::ptx_cases;

namespace {

std::shared_ptr<const PtxProgram> program_of(const PtxFile& file, const std::string& kernel) {
  const auto& functions = file.resolved.functions;
  const ptx::resolved::Function& found =
      kernel.empty() ? *std::ranges::find_if(functions, &ptx::resolved::Function::entry) : *file.resolved.function(kernel);
  return std::make_shared<const PtxProgram>(file.module, file.resolved, static_cast<std::uint32_t>(&found - functions.data()));
}

std::string hex(const std::byte* bytes, const std::uint8_t* written, std::uint64_t count) {
  std::string text;
  for (std::uint64_t k = 0; k < count; ++k) {
    text += written == nullptr || written[k] != 0 ? fmt::format("{:02x}", static_cast<unsigned>(bytes[k])) : "__";
  }
  return text;
}

/// The registers and variables of a fragment's threads in one of its calls: those that have been written.
std::string frame_text(const PtxRun& run, const ptx_machine::Fragment& f, std::size_t level) {
  const std::uint32_t function = level < f.calls.size() ? f.calls[level].function : f.function;
  const ptx_machine::Frame& frame = *run.block().frame(level, function);
  std::string text = fmt::format("  call {} of {}\n", level, function);
  for (std::uint32_t r = 0; r < run.program().module().functions[function].registers.size(); ++r) {
    f.lanes.for_each([&](unsigned lane) {
      if ((frame.defined(r)[lane / 64] >> (lane % 64) & 1U) != 0) {
        text += fmt::format(" {}.{}={}", r, lane, hex(frame.row(r) + std::size_t{lane} * frame.row_bytes(r), nullptr, frame.row_bytes(r)));
      }
    });
  }
  for (std::size_t v = 0; v < frame.objects.size(); ++v) {
    const ptx_machine::Object& object = run.memory().space[frame.objects[v]];
    if (!frame.written[v].empty()) {
      f.lanes.for_each([&](unsigned lane) {
        const std::uint64_t at = lane * object.stride;
        text += fmt::format(" v{}.{}={}", v, lane, hex(object.data + at, object.written + at, object.bytes));
      });
    }
  }
  return text + "\n";
}

/// All of the state that a program can tell from another one, and what decides how it goes on.
std::string state_of(const PtxRun& run) {
  const ptx_machine::Block& block = run.block();
  std::string text = fmt::format("position {}, block {}, ended {}, steps {}, thread steps {}, open {}, live {}, fault {}\n", run.position(),
                                 run.number(), run.ended(), block.steps(), block.thread_steps(), block.open_results().size(),
                                 to_text(block.live()), run.fault() ? run.fault()->message : "none");
  for (const ptx_machine::Fragment& f : block.fragments()) {
    text += fmt::format("{} {} at {}.{}, waits {} at {}, stamp {}", &f == block.next_fragment() ? "next" : "", to_text(f.lanes), f.function,
                        f.pc, static_cast<int>(f.waiting), f.barrier, f.stamp);
    for (const ptx_machine::CallRecord& call : f.calls) {
      text += fmt::format(", called at {}.{}", call.function, call.pc);
    }
    for (const ptx_machine::Reconvergence& parting : f.partings) {
      text += fmt::format(", meets {} at {} in {}", parting.split, parting.pc, parting.depth);
    }
    text += "\n";
    for (std::size_t level = 0; level <= f.calls.size(); ++level) {
      text += frame_text(run, f, level);
    }
    if (f.waiting == ptx_machine::Waiting::Collective) {
      f.lanes.for_each([&](unsigned lane) { text += fmt::format(" mask {:x}", block.waiting_mask(lane)); });
    }
  }
  for (unsigned id = 0; id < 16; ++id) {
    const auto& barrier = block.barrier(id);
    text += barrier.expected == 0
                ? ""
                : fmt::format("barrier {}: {} {} {} {}\n", id, to_text(barrier.arrived), barrier.count, barrier.expected, barrier.yes);
  }
  for (std::uint32_t k = 0; k < run.memory().space.size(); ++k) {
    const ptx_machine::Object& object = run.memory().space[k];
    if (object.stride == 0) {
      text += fmt::format("{}: {} {} {}\n", object.name, object.open, object.unwritten, hex(object.data, object.written, object.bytes));
    }
  }
  return text;
}

/// A launch of a case, to be gone through.
PtxHistory history_of(const PtxFile& file, const Case& given, const NamedSchedule& schedule, std::size_t budget, bool races) {
  ptx_machine::LaunchOptions options = options_of(given, schedule);
  options.races = races;
  return PtxHistory(program_of(file, given.kernel), arguments_of(given), options, budget);
}

/// Those in which threads part, wait and call.
std::vector<std::string> larger_files() {
  std::vector<std::string> files = ptx_files_in("tests/ptx/faults");
  const std::vector<std::string> more = ptx_files_in("tests/ptx/steps");
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

std::vector<std::string> all_files() {
  std::vector<std::string> files = case_files();
  const std::vector<std::string> more = larger_files();
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

}  // namespace

TEST_CASE("stepping to the end is a run", "[ptx][step]") {
  for (const std::string& name : all_files()) {
    const Case given = read_case(name);
    const PtxFile file = read_ptx_file(name);
    for (const NamedSchedule& schedule : schedules()) {
      INFO(name << " under " << schedule.name);
      ptx_machine::Arguments arguments = arguments_of(given);
      const auto program = program_of(file, given.kernel);
      const auto run = ptx_machine::run(program->module(), program->kernel(), arguments, options_of(given, schedule));
      REQUIRE(run.has_value());
      PtxHistory history = history_of(file, given, schedule, PtxHistory::default_budget_bytes, true);
      while (history.step()) {
      }
      CHECK(history.at_end());
      CHECK(history.run().block().steps() == run->steps);
      CHECK(history.run().block().thread_steps() == run->thread_steps);
      CHECK(history.race_count() == run->race_count);
      CHECK(history.races().size() == run->races.size());
      CHECK(history.run().block().open_results().size() == run->open.size());
      CHECK((history.fault() ? render(program->module(), *history.fault()) : "") == (run->fault ? render(file.resolved, *run->fault) : ""));
      for (std::size_t k = 0; k < arguments.buffers.size(); ++k) {
        CHECK(history.run().arguments().buffers[k].bytes == arguments.buffers[k].bytes);
      }
    }
  }
}

TEST_CASE("back is where it was, from every step", "[ptx][step]") {
  constexpr std::size_t most = 250;
  std::size_t visited = 0;
  std::size_t turn = 0;
  const std::vector<std::string> larger = larger_files();
  for (const std::string& name : all_files()) {
    const Case given = read_case(name);
    const PtxFile file = read_ptx_file(name);
    const bool is_large = std::ranges::find(larger, name) != larger.end();
    ++turn;
    for (std::size_t s = 0; s < schedules().size(); ++s) {
      if (!is_large && s != turn % schedules().size()) {
        continue;  // of the many small cases one schedule each
      }
      INFO(name << " under " << schedules()[s].name);
      PtxHistory history = history_of(file, given, schedules()[s], 1, false);  // all but the first start of a block are dropped
      std::vector<std::string> states = {state_of(history.run())};
      while (states.size() < most && history.step()) {
        states.push_back(state_of(history.run()));
      }
      states.back() = state_of(history.run());  // at the end, with the fault, if there is one
      for (std::size_t k = states.size(); k-- > 0;) {
        history.go_to(k);
        INFO("back to " << k);
        REQUIRE(state_of(history.run()) == states[k]);
      }
      for (std::size_t k = 0; is_large && k < states.size(); ++k) {  // k steps there, and k back
        for (std::size_t step = 0; step < k; ++step) {
          REQUIRE(history.step());
        }
        INFO("there and back " << k);
        REQUIRE(state_of(history.run()) == states[k]);
        history.go_to(0);
        REQUIRE(state_of(history.run()) == states[0]);
      }
      visited += states.size();
    }
  }
  CHECK(visited > 5'000);
}

TEST_CASE("starts of blocks that are kept lead to the same states", "[ptx][step]") {
  for (const std::string& name : ptx_files_in("tests/ptx/steps")) {
    const Case given = read_case(name);
    const PtxFile file = read_ptx_file(name);
    for (const NamedSchedule& schedule : schedules()) {
      INFO(name << " under " << schedule.name);
      PtxHistory roomy = history_of(file, given, schedule, PtxHistory::default_budget_bytes, false);
      PtxHistory tight = history_of(file, given, schedule, 1, false);
      roomy.go_to(UINT64_MAX);
      tight.go_to(UINT64_MAX);
      CHECK(roomy.kept_count() == given.grid[0] * given.grid[1] * given.grid[2]);
      CHECK(tight.kept_count() == 1);
      for (std::uint64_t k = roomy.position() + 1; k-- > 0;) {
        const std::uint64_t there = k * 37 % (roomy.position() + 1);  // forwards and backwards
        roomy.go_to(there);
        tight.go_to(there);
        INFO("at " << there);
        REQUIRE(state_of(roomy.run()) == state_of(tight.run()));
      }
    }
  }
}

TEST_CASE("a step's record says which variable was accessed by its name", "[ptx][step]") {
  const PtxFile file =
      read_ptx("named.ptx",
               ".version 8.5\n.target sm_80\n.address_size 64\n.global .u32 g[2] = {5, 7};\n.entry k()\n{\n.reg .b32 %r<3>;\n"
               ".shared .u32 s[4];\nld.global.u32 %r1, [g+4];\nst.shared.u32 [s+8], %r1;\nret;\n}\n");
  ptx_machine::LaunchOptions options;
  options.geometry = {{1, 1, 1}, {1, 1, 1}};
  PtxHistory history(program_of(file, "k"), {}, options, PtxHistory::default_budget_bytes);
  const auto step = [&] {
    const PtxRecord record(PtxView(history.run()), std::nullopt);
    REQUIRE(history.step());
    return record.text(PtxView(history.run()), 0);
  };
  CHECK(step() == "step 0: {0}  ld.global.u32 %r1, [g+4];\n  read g[1]\n  %r1 := 7\n");
  CHECK(step() == "step 0: {0}  st.shared.u32 [s+8], %r1;\n  s[2] := 7\n");
}
