#include "interpreter/debug/ptx/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interpreter/debug/ptx/waits.hpp"
#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/table.hpp"
#include "interpreter/ptx/operands.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using ptx_machine::Fragment;
using ptx_machine::Waiting;

namespace {

LaneSet waiting_lanes(const PtxView& view) {
  LaneSet set(view.threads());
  for (const Fragment& f : view.block().fragments()) {
    if (f.waiting != Waiting::No) {
      set |= f.lanes;
    }
  }
  return set;
}

}  // namespace

std::string parts_text(const PtxView& view) {
  std::vector<const Fragment*> parts;
  for (const Fragment& f : view.block().fragments()) {
    parts.push_back(&f);
  }
  std::ranges::sort(parts, {}, [](const Fragment* f) { return f->lanes.first(); });
  std::string out;
  for (std::size_t k = 0; k < std::min(parts.size(), shown::parts); ++k) {
    out += (k == 0 ? "" : " | ") + to_text(parts[k]->lanes) + (parts[k]->waiting == Waiting::No ? "" : " waiting");
  }
  return parts.empty() ? "ended" : parts.size() > shown::parts ? fmt::format("{} | … {} more", out, parts.size() - shown::parts) : out;
}

PtxRecord::PtxRecord(const PtxView& view, std::optional<unsigned> warp) : lanes_(view.next()->lanes) {
  const Fragment& f = *view.next();
  place_ = view.place_of(f);
  block_ = view.block().index();
  function_ = f.function;
  level_ = f.calls.size();
  does_ = lanes_;
  waiting_ = waiting_lanes(view);
  begin_ = warp.value_or(lanes_.first() / ptx_machine::warp_threads) * ptx_machine::warp_threads;
  end_ = begin_ + view.warp_size(begin_ / ptx_machine::warp_threads);
  parts_ = parts_text(view);
  const ptx::resolved::Instruction* instruction = view.program().instruction_at(place_);
  if (instruction == nullptr) {
    return;
  }
  if (instruction->guard) {
    const ptx_machine::Source predicate{.bytes = 1, .index = instruction->guard->predicate};
    lanes_.for_each([&](unsigned lane) {
      const auto number = view.operand(f, predicate, lane);
      if (!number || (*number != 0) == instruction->guard->negated) {
        does_.erase(lane);
      }
    });
  }
  const ptx_machine::Action& action = view.block().program().code[function_].steps[f.pc].action;
  const std::size_t registers = view.program().module().functions[function_].registers.size();
  for (const ptx_machine::Destination& to : ptx_machine::operands_of(action).destinations) {
    if (to.row < registers) {
      written_.push_back(to.row);
    }
  }
  if (const ptx_machine::Place* access = ptx_machine::place_of(action)) {
    accesses_ = true;
    stores_ = !std::holds_alternative<ptx_machine::Load>(action);
    space_ = access->space;
    type_ = instruction->types[0];
    does_.for_each([&](unsigned lane) {
      const auto base = view.operand(f, access->base, lane);
      for (unsigned k = 0; base && k < access->count && lane >= begin_ && lane < end_; ++k) {
        std::uint64_t address = *base + static_cast<std::uint64_t>(access->offset) + std::uint64_t{k} * access->bytes;
        address = access->base.bytes == 8 ? address : static_cast<std::uint32_t>(address);
        addresses_.emplace_back(lane, address);
      }
    });
  }
}

std::string PtxRecord::header(const PtxView& view) const {
  return fmt::format("{}  {}", to_text(lanes_), view.program().instruction_text(place_));
}

std::string PtxRecord::row(const PtxView& view, std::uint32_t function, std::uint32_t index, std::size_t level, const char* arrow) const {
  std::string out = fmt::format("  {} {}", shortened(view.program().module().functions[function].registers[index].name), arrow);
  bool any = false;
  for (unsigned lane = begin_; lane < end_; ++lane) {
    const Fragment* f = view.fragment_of(lane);
    const bool told = does_.contains(lane) && f != nullptr && f->waiting != Waiting::Collective && f->waiting != Waiting::Barrier;
    out +=
        " " + (told ? text_of(view.read(lane, function, index, view.program().register_type(function, index), level)) : std::string("•"));
    any = any || told;
  }
  return any ? out + "\n" : "";
}

std::string PtxRecord::cells(const PtxView& view, const char* arrow) const {
  if (!accesses_ || addresses_.empty()) {
    return "";
  }
  std::vector<std::string> told;
  for (const auto& [lane, address] : addresses_) {
    std::string text = view.address_text(space_, address, type_);
    if (stores_) {
      const ptx_machine::Object* object = view.run().memory().space.object_at(space_, address);
      const ptx::Type type = object != nullptr && ptx::is_bits(type_) ? view.type_of(*object).value_or(type_) : type_;
      const bool fits = ptx::bits_of(type) == ptx::bits_of(type_);
      text += fmt::format(" {} {}", arrow, text_of(view.at_address(space_, address, fits ? type : type_, lane)));
    }
    if (told.empty() || told.back() != text) {  // often all threads read one number
      told.push_back(std::move(text));
    }
  }
  const std::size_t shown = std::min(told.size(), shown::cells_in_line);
  return fmt::format("  {}{}{}\n", stores_ ? "" : "read ", fmt::join(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     told.size() > shown ? fmt::format(", … {} more", told.size() - shown) : "");
}

std::string PtxRecord::values(const PtxView& view, const char* arrow) const {
  std::string out = cells(view, arrow);
  for (const std::uint32_t index : written_) {
    out += row(view, function_, index, level_, arrow);
  }
  return out;
}

std::string PtxRecord::text(const PtxView& view, std::uint64_t step) const {
  std::string out = fmt::format("step {}: {}\n", step, header(view));
  if (view.block().index() != block_) {
    return out + change_text("together:", parts_, "ended");
  }
  const Fragment* after = view.fragment_of(lanes_.first());
  const std::size_t level = after == nullptr ? level_ : after->calls.size();
  if (after == nullptr || level == level_) {
    out += values(view, ":=");
  } else if (level < level_) {
    const auto& code = view.block().program().code[after->function].steps;
    const auto* call = after->pc == 0 ? nullptr : std::get_if<ptx_machine::Call>(&code[after->pc - 1].action);
    for (std::size_t k = 0; call != nullptr && k < call->call->results.size(); ++k) {
      if (const auto* reg = std::get_if<ptx::resolved::Register>(&call->call->results[k])) {
        out += row(view, after->function, reg->index, level, ":=");
      }
    }
  }
  out += change_text("calls", std::to_string(level_), std::to_string(level));
  const LaneSet waiting = waiting_lanes(view);
  for (const Fragment& f : view.block().fragments()) {
    out += (f.lanes & (waiting - waiting_)).empty() ? "" : waits_text(view, f, "  ");
  }
  const LaneSet go_on = waiting_ - waiting - (LaneSet::all(view.threads()) - view.block().live());
  if (!go_on.empty()) {
    out += fmt::format("  {} go on\n", threads_text(go_on));
  }
  return out + change_text("together:", parts_, parts_text(view));
}

std::string PtxRecord::undone_text(const PtxView& view, std::uint64_t step) const {
  return fmt::format("undone: step {}: {}\n{}", step, header(view), values(view, "is again"));
}

}  // namespace lockstep
