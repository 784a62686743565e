// The commands that show the present state of a PTX launch.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/ptx/stepper.hpp"
#include "interpreter/debug/ptx/waits.hpp"
#include "interpreter/ptx/operands.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using ptx_machine::Fragment;
using ptx_machine::warp_threads;

namespace {

constexpr std::size_t shown_calls = 50;
constexpr std::size_t shown_fragments = 50;

/// In the order of their first threads.
std::vector<const Fragment*> sorted(const std::vector<Fragment>& fragments) {
  std::vector<const Fragment*> result;
  for (const Fragment& f : fragments) {
    result.push_back(&f);
  }
  std::ranges::sort(result, {}, [](const Fragment* f) { return f->lanes.first(); });
  return result;
}

}  // namespace

bool PtxStepper::info(std::string_view arguments) {
  static const Topic topics[] = {{"active", &PtxStepper::info_active}, {"sync", &PtxStepper::info_sync},
                                 {"breaks", &PtxStepper::info_break},  {"watch", &PtxStepper::info_watch},
                                 {"locals", &PtxStepper::info_locals}, {"registers", &PtxStepper::info_locals},
                                 {"shared", &PtxStepper::info_shared}, {"line", &PtxStepper::info_line},
                                 {"races", &PtxStepper::info_races},   {"open", &PtxStepper::info_open}};
  if (arguments == "warps" || arguments == "groups") {
    return warps({});
  }
  return show_topic(topics, arguments, "active, sync, break, watch, locals, shared, line, warps, races or open");
}

bool PtxStepper::mask(std::string_view) {
  info_active();
  return true;
}

void PtxStepper::info_active() {
  const PtxView v = view();
  const Fragment* next = v.next();
  out_ << fmt::format("{}, warp {}: Θ = {}\n", block_text(v, v.block().index()), warp(), next == nullptr ? "{}" : to_text(next->lanes));
  out_ << warp_table(warp(), {});
}

void PtxStepper::info_sync() {
  const PtxView v = view();
  std::string out;
  for (const Fragment* f : sorted(v.block().fragments())) {
    if (f->waiting != ptx_machine::Waiting::No) {
      out += place_text(v.place_of(*f)) + "\n" + waits_text(v, *f, "  ");
    }
  }
  out_ << (out.empty() ? "nobody waits\n" : out);
}

void PtxStepper::info_line() {
  const Fragment* f = looked_at();
  if (f == nullptr) {
    out_ << "the threads that are looked at have ended\n";
    return;
  }
  const PtxProgram::Place place = view().place_of(*f);
  const std::string source = program().source_text(place);
  out_ << fmt::format("line {} of {}, pc {} of {}{}\n", program().line_of(place), printable(program().source().name()), f->pc,
                      shortened(program().module().functions[f->function].name), source.empty() ? source : ", compiled from " + source);
}

void PtxStepper::info_open() {
  const auto& open = view().block().open_results();
  out_ << fmt::format("{} on results that PTX leaves open\n",
                      counted(open.size(), "instruction") + (open.size() == 1 ? " depends" : " depend"));
  for (const ptx_machine::OpenResult& result : open) {
    out_ << ptx_machine::render(program().module(), result);
  }
}

bool PtxStepper::list(std::string_view arguments) {
  constexpr std::uint32_t around = 5;
  const SourceFile& source = program().source();
  const PtxView v = view();
  const Fragment* next = v.next();
  const std::uint32_t here =
      next == nullptr ? program().line_of(program().place(program().kernel_index(), 0)) : program().line_of(v.place_of(*next));
  std::uint64_t begin = listed_until_ != 0 ? listed_until_ : here > around ? here - around : 1;
  if (!arguments.empty()) {
    const auto line = number_in(arguments);
    if (!line || *line == 0 || *line > source.line_count()) {
      return fail(fmt::format("there is no line '{}'; there are {}", shortened(arguments), source.line_count()));
    }
    begin = *line > around ? *line - around : 1;
  }
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(source.line_count() + 1, begin + 2 * around + 1));
  for (auto line = static_cast<std::uint32_t>(begin); line < end; ++line) {
    std::string who;
    for (const Fragment* f : sorted(v.block().fragments())) {
      if (program().line_of(v.place_of(*f)) == line) {
        who += (who.empty() ? "   ← " : ", ") + std::string(f == next ? "Θ " : "") + to_text(f->lanes);
        who += f->waiting == ptx_machine::Waiting::No ? "" : " waiting";
      }
    }
    out_ << fmt::format("{} {:>4}  {}{}\n", next != nullptr && line == here ? "→" : " ", line, printable(source.line_text(line)), who);
  }
  listed_until_ = end > source.line_count() ? 0 : end;
  return true;
}

bool PtxStepper::explain(std::string_view) {
  const PtxView v = view();
  const Fragment* f = v.next();
  const auto* instruction = f == nullptr ? nullptr : program().instruction_at(v.place_of(*f));
  if (instruction == nullptr) {
    out_ << (f == nullptr ? "nobody takes a step\n" : "the end of a function: its threads return\n");
    info_sync();
    return true;
  }
  out_ << fmt::format("{}\n{}\n", program().instruction_text(v.place_of(*f)), ptx::info(instruction->form).sentence);
  std::vector<std::uint32_t> read;
  for_each_register(*instruction, [&](std::uint32_t index, ptx::OperandRole role, std::optional<ptx::Type>) {
    if (role != ptx::OperandRole::Written && role != ptx::OperandRole::FlagOut && std::ranges::find(read, index) == read.end()) {
      read.push_back(index);
    }
  });
  const unsigned first = warp_.value_or(f->lanes.first() / warp_threads) * warp_threads;
  std::vector<TableRow> rows;
  std::vector<TableRow> wide;
  for (const std::uint32_t index : read) {
    const ptx::resolved::RegisterInfo& reg = program().module().functions[f->function].registers[index];
    (reg.bytes() > 4 ? wide : rows).push_back({reg.name, [=, this](unsigned lane) {
                                                 const ptx::Type type = program().register_type(f->function, index);
                                                 return text_of(v.read(first + lane, f->function, index, type, f->calls.size()));
                                               }});
  }
  const ptx_machine::Action& action = v.block().program().code[f->function].steps[f->pc].action;
  if (const ptx_machine::Place* place = ptx_machine::place_of(action)) {
    rows.push_back({"accesses", [=](unsigned lane) {
                      const auto base = f->lanes.contains(first + lane) ? v.operand(*f, place->base, first + lane) : std::nullopt;
                      return base ? v.address_text(place->space, *base + static_cast<std::uint64_t>(place->offset), instruction->types[0])
                                  : std::string("*");
                    }});
  }
  out_ << warp_tables(first / warp_threads, rows, wide);
  return true;
}

bool PtxStepper::where(std::string_view) {
  tell_place();
  const Fragment* f = looked_at();
  const PtxView v = view();
  if (f != nullptr && f != v.next()) {
    out_ << fmt::format("looking at {}, {}\n", threads_text(f->lanes), place_text(v.place_of(*f)));
  }
  if (v.next() != nullptr) {
    info_sync();
  }
  return true;
}

bool PtxStepper::backtrace(std::string_view) {
  const Fragment* f = looked_at();
  if (f == nullptr) {
    return fail("the threads that are looked at have ended: there are no calls");
  }
  const std::size_t depth = f->calls.size() + 1;
  for (std::size_t n = 0; n < depth; ++n) {
    const std::size_t level = depth - 1 - n;
    if (n < shown_calls || level == 0) {
      const std::uint32_t function = PtxView::function_at(*f, level);
      const PtxProgram::Place place = program().place(function, level < f->calls.size() ? f->calls[level].pc : f->pc);
      const bool looked = level == std::min(level_.value_or(SIZE_MAX), depth - 1);
      out_ << fmt::format("{}#{} {}, {}   {}\n", looked ? "→" : " ", n, shortened(program().module().functions[function].name),
                          place_text(place), to_text(f->lanes));
    } else if (n == shown_calls) {
      out_ << fmt::format("  … {} more\n", depth - shown_calls - 1);
    }
  }
  return true;
}

bool PtxStepper::look_at_frame(std::string_view arguments) {
  const Fragment* f = looked_at();
  if (arguments.empty()) {
    level_.reset();
    return backtrace({});
  }
  const auto n = number_in(arguments);
  const std::size_t depth = f == nullptr ? 0 : f->calls.size() + 1;
  if (!n || *n >= depth) {
    return fail(depth == 0 ? "the threads that are looked at have ended: there are no calls"
                           : fmt::format("there is no call '{}'; backtrace shows 0 to {}", shortened(arguments), depth - 1));
  }
  level_ = depth - 1 - static_cast<std::size_t>(*n);
  return backtrace({});
}

bool PtxStepper::warps(std::string_view) {
  const PtxView v = view();
  out_ << fmt::format("{} of {}: {}, {}\n", block_text(v, v.block().index()), history_.run().count(), counted(v.threads(), "thread"),
                      counted(v.warps(), "warp"));
  const auto all = sorted(v.block().fragments());
  for (std::size_t k = 0; k < std::min(all.size(), shown_fragments); ++k) {
    const Fragment& f = *all[k];
    out_ << fmt::format("{} {}: {}, {}\n", &f == v.next() ? "→" : " ", to_text(f.lanes),
                        shortened(program().module().functions[f.function].name), place_text(v.place_of(f)));
    out_ << waits_text(v, f, "      ");
  }
  if (all.size() > shown_fragments) {
    out_ << fmt::format("  … {} more\n", all.size() - shown_fragments);
  }
  const LaneSet ended = LaneSet::all(v.threads()) - v.block().live();
  out_ << (ended.empty() ? "" : fmt::format("  {}: ended\n", to_text(ended)));
  return true;
}

bool PtxStepper::look_at_warp(std::string_view arguments) {
  const PtxView v = view();
  if (arguments.empty()) {
    warp_.reset();
    thread_.reset();
    out_ << "looking at the warp that runs\n";
    return true;
  }
  const auto w = number_in(arguments);
  if (!w || *w >= v.warps()) {
    return fail(fmt::format("there is no warp '{}'; a block has warps 0 to {}", shortened(arguments), v.warps() - 1));
  }
  warp_ = static_cast<unsigned>(*w);
  thread_.reset();
  level_.reset();
  for (const Fragment* f : sorted(v.block().fragments())) {
    LaneSet here(v.threads());
    for (unsigned lane = first_lane(); lane < first_lane() + v.warp_size(*warp_); ++lane) {
      if (f->lanes.contains(lane)) {
        here.insert(lane);
      }
    }
    out_ << (here.empty() ? "" : fmt::format("warp {}, {}, {}\n", *w, to_text(here), place_text(v.place_of(*f))));
  }
  info_active();
  return true;
}

bool PtxStepper::look_at_thread(std::string_view arguments) {
  if (arguments.empty() || arguments == "all") {
    thread_.reset();
    out_ << "looking at all threads of the warp\n";
    return true;
  }
  // As it stands behind `in thread`.
  const std::string text = fmt::format("0 in thread {}", arguments);
  const auto named = PtxExpression::parse(text, scope());
  if (!named || !named->thread() || named->block() || named->warp()) {
    const unsigned last = view().threads() - 1;
    return fail(fmt::format("there is no thread '{}'; a block has threads 0 to {}", shortened(arguments), thread_text(view(), last)));
  }
  thread_ = named->thread();
  warp_ = *thread_ / warp_threads;
  level_.reset();
  const PtxView v = view();
  const Fragment* f = v.fragment_of(*thread_);
  if (f == nullptr) {
    out_ << fmt::format("thread {} has ended\n", thread_text(v, *thread_));
  } else {
    out_ << fmt::format("thread {}, {}, {}\n", thread_text(v, *thread_),
                        f == v.next()                            ? "active"
                        : f->waiting == ptx_machine::Waiting::No ? "ready"
                                                                 : "waiting",
                        place_text(v.place_of(*f)));
    out_ << waits_text(v, *f, "  ");
  }
  return true;
}

}  // namespace lockstep
