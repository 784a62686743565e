// The commands that move through PTX, forwards and backwards.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/ptx/record.hpp"
#include "interpreter/debug/ptx/stepper.hpp"
#include "interpreter/debug/ptx/waits.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using ptx_machine::Fragment;

void PtxStepper::greet() {
  const ptx_machine::Geometry& geometry = history_.run().options().geometry;
  const auto dims = [](const ptx_machine::Dim3& d) { return fmt::format("{},{},{}", d.x, d.y, d.z); };
  out_ << fmt::format("{}: kernel {}, grid {}, block {}\n", printable(program().source().name()), shortened(program().kernel().name),
                      dims(geometry.grid), dims(geometry.block));
  tell_place();
}

void PtxStepper::tell_place() {
  level_.reset();
  listed_until_ = 0;
  if (history_.interrupted()) {
    out_ << "interrupted\n";
    history_.forget_interrupted();
  }
  const PtxView v = view();
  if (history_.at_end()) {
    if (!history_.fault()) {
      out_ << fmt::format("after {}: all threads have ended\n", counted(history_.position(), "step"));
      return;
    }
    out_ << fmt::format("after {} the run ends:\n{}", counted(history_.position(), "step"),
                        ptx_machine::render(program().module(), *history_.fault()));
  }
  const Fragment* f = v.next();
  if (f == nullptr) {
    info_sync();
    return;
  }
  const PtxProgram::Place place = v.place_of(*f);
  const std::string source = program().source_text(place);
  out_ << fmt::format("at step {}, {}, {}\n", history_.position(), block_text(v, v.block().index()), place_text(place));
  out_ << fmt::format("  {}, Θ {}{}\n", shortened(program().module().functions[f->function].name), to_text(f->lanes),
                      source.empty() ? source : ", compiled from " + source);
}

bool PtxStepper::told_step() {
  if (history_.at_end()) {
    return false;
  }
  const PtxRecord record(view(), warp_);
  const std::size_t known = view().block().open_results().size();
  if (!history_.step()) {
    return false;
  }
  out_ << record.text(view(), history_.position());
  const auto& open = view().block().open_results();
  for (std::size_t k = known; k < open.size(); ++k) {
    out_ << ptx_machine::render(program().module(), open[k]);
  }
  tell_races();
  return true;
}

std::string PtxStepper::undone_text(std::uint64_t step) { return PtxRecord(view(), warp_).undone_text(view(), step); }

std::string PtxStepper::who_text(unsigned lane) { return "thread " + thread_text(view(), lane); }

/// Whether the next fragment is at the beginning of another line than now, of the same call or one further out, and has the thread or a
/// thread of the warp that is looked at if somebody chose one.
PtxStepper::Until PtxStepper::another_line() {
  const Fragment* f = view().next();
  const std::uint32_t line = f == nullptr ? 0 : program().line_of(view().place_of(*f));
  const std::size_t depth = f == nullptr ? SIZE_MAX : f->calls.size();
  const std::uint64_t block = history_.run().number();
  return [this, line, depth, block, warp = warp_, thread = thread_](const PtxHistory& h) {
    const PtxView v(h.run());
    const Fragment* g = v.next();
    if (g == nullptr || !program().is_beginning(v.place_of(*g))) {
      return false;
    }
    if (v.block().index() != block) {
      return true;
    }
    bool has = !warp;
    g->lanes.for_each([&](unsigned lane) { has = has || (thread ? lane == *thread : lane / ptx_machine::warp_threads == *warp); });
    return has && program().line_of(v.place_of(*g)) != line && g->calls.size() <= depth;
  };
}

bool PtxStepper::until(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("until what? For example 'until 12', 'until shfl' or 'until bar.sync'");
  }
  std::vector<bool> wanted(program().places());
  bool any = false;
  for (PtxProgram::Place place = 0; place < program().places(); ++place) {
    std::string text = program().instruction_at(place) == nullptr ? "" : program().instruction_text(place);
    text.erase(0, text.starts_with('@') ? text.find(' ') + 1 : 0);
    const std::string_view word = std::string_view(text).substr(0, text.find_first_of(" ;"));
    wanted[place] = word.starts_with(arguments) && (word.size() == arguments.size() || word[arguments.size()] == '.');
    any = any || wanted[place];
  }
  if (!any) {
    PtxBreakpoint named;
    if (!place_of_break(arguments, named)) {
      return true;
    }
    for (const PtxProgram::Place place : named.pcs) {
      wanted[place] = true;
    }
  }
  if (!cannot_go_on()) {
    forward([&wanted](const PtxHistory& h) {
      const auto place = h.run().next_place();
      return place && wanted[*place];
    });
    tell_place();
  }
  return true;
}

bool PtxStepper::finish(std::string_view) {
  const Fragment* f = looked_at();
  if (f == nullptr || f->calls.empty()) {
    return fail("control is not inside a call");
  }
  const std::size_t depth = f->calls.size();
  const unsigned lane = thread_.value_or(f->lanes.first());
  const std::uint64_t block = history_.run().number();
  if (!cannot_go_on()) {
    forward([=](const PtxHistory& h) {
      const Fragment* now = h.run().number() == block ? PtxView(h.run()).fragment_of(lane) : nullptr;
      return now == nullptr || now->calls.size() < depth;
    });
    tell_place();
  }
  return true;
}

}  // namespace lockstep
