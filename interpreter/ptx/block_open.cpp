// Results that PTX leaves open: approximations, sums and products that may be contracted, clocks. Here they have a number all the same;
// what depends on it is followed through registers, thread by thread, and through memory, object by object, so that nobody takes a number
// that gets to memory for the one that hardware has.

#include <algorithm>
#include <bit>

#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/operands.hpp"

namespace lockstep::ptx_machine {

namespace {

constexpr std::size_t most_reports = 100;

}  // namespace

std::uint32_t Block::line_of(const Step& step) const { return program_.module.source->place(step.source->place.begin).line; }

/// Whether the operand is open for some of the instruction's threads, which go to open_.
bool Block::gather_open(const Source& source) {
  const auto lanes = lanes_->set.words();
  const std::uint64_t* open = source.pooled ? nullptr : frame_->open(source.index);
  std::uint64_t any = 0;
  for (unsigned w = lanes_->first_word; w < lanes_->end_word; ++w) {
    const std::uint64_t here = lanes[w] & (open != nullptr ? open[w] : source.open ? ~std::uint64_t{0} : 0);
    open_[w] |= here;
    any |= here;
  }
  if (any != 0) {
    open_origin_ = open != nullptr ? frame_->origin(source.index) : line_of(step_of(fragments_[current_]));
  }
  return any != 0;
}

/// The register is open for the threads of open_, and for no others of the instruction.
void Block::give_open(const Destination& to, bool any) {
  std::uint64_t* open = frame_->open(to.row);
  const auto lanes = lanes_->set.words();
  for (unsigned w = lanes_->first_word; w < lanes_->end_word; ++w) {
    open[w] = (open[w] & ~lanes[w]) | (any ? open_[w] & lanes[w] : 0);
  }
  if (any) {
    frame_->origin(to.row) = open_origin_;
  }
}

/// All of the instruction's threads go to open_, or those of `here`; the instruction itself leaves it open. Whether there are any.
bool Block::begin_open(const Step& step, const std::uint64_t* here) {
  std::uint64_t any = 0;
  for (unsigned w = lanes_->first_word; w < lanes_->end_word; ++w) {
    const std::uint64_t lanes = lanes_->set.words()[w] & (here != nullptr ? here[w] : ~std::uint64_t{0});
    open_[w] |= lanes;
    any |= lanes;
  }
  open_origin_ = any != 0 ? line_of(step) : open_origin_;
  return any != 0;
}

/// Before an instruction that has nothing to do with memory: from what it reads to what it writes.
void Block::spread_open(const Step& step) {
  if (place_of(step.action) != nullptr) {
    return;  // spread_open_access, when the objects are known
  }
  if (std::holds_alternative<Collective>(step.action) || std::holds_alternative<Barrier>(step.action)) {
    return;  // when all have come: spread_open_members, release
  }
  std::ranges::fill(open_, 0);
  const Operands operands = operands_of(step.action);
  bool any = false;
  for (const Source& source : operands.sources) {
    any = gather_open(source) || any;
  }
  const auto* compute = std::get_if<Compute>(&step.action);
  if (compute != nullptr && compute->operation.unspecified == Unspecified::Somewhere) {
    std::vector<std::uint64_t> here(padded_ / 64);
    LaneRows rows;
    for (std::size_t k = 0; k < compute->sources.size(); ++k) {
      rows.from[k] = row(compute->sources[k]);
    }
    compute->operation.test(here.data(), rows, padded_);
    any = begin_open(step, here.data()) || any;
  } else if (leaves_open(step.action)) {
    any = begin_open(step, nullptr) || any;
  }
  if (any && std::holds_alternative<IndexedBranch>(step.action)) {
    report_open(OpenResult::What::Decided);
  }
  for (const Destination& to : operands.destinations) {
    give_open(to, any);
  }
}

/// Of threads that do something together: a member's number may be everybody's result.
void Block::spread_open_members(std::uint32_t members, const std::array<Participant, warp_threads>& participants) {
  const auto each = [&](auto&& f) {
    for (std::uint32_t bits = members; bits != 0; bits &= bits - 1) {
      f(participants[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  };
  std::optional<std::uint32_t> from;
  each([&](const Participant& p) {
    if (!p.action->mask) {  // whose members happen to be active together
      from = line_of(step_of(fragments_[current_]));
    }
    for (std::size_t k = 0; k < p.action->operand_count; ++k) {
      const Source& source = p.action->operands[k];
      if (const auto line = source.pooled ? std::nullopt : p.frame->open_from(source.index, p.lane)) {
        from = line;
      }
    }
  });
  each([&](const Participant& p) {
    for (const std::optional<Destination>& to : {p.action->to, p.action->predicate}) {
      if (to) {
        p.frame->set_open(to->row, p.lane, from);
      }
    }
  });
}

/// Between finding out which objects an access is about and doing it.
void Block::spread_open_access(const Step& step) {
  const Operands operands = operands_of(step.action);
  std::ranges::fill(open_, 0);
  bool any = gather_open(place_of(step.action)->base);
  if (any) {
    report_open(OpenResult::What::Address);
  }
  for (const Source& source : operands.sources) {
    any = gather_open(source) || any;
  }
  bool seen = false;  // by whoever reads the buffers
  for_each_lane(*lanes_, [&](unsigned lane) {
    Object& object = object_of_lane(lane);
    std::uint64_t& word = open_[lane / 64];
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    if (!operands.sources.empty() && any && (word & bit) != 0) {
      object.open = true;
      object.origin = open_origin_;
      seen = seen || object.space == ptx::Space::Global;
    } else if (object.open) {
      word |= bit;
      open_origin_ = object.origin;
    }
  });
  if (seen) {
    report_open(OpenResult::What::Stored);
  }
  for (const Destination& to : operands.destinations) {
    give_open(to, true);
  }
}

void Block::report_open(OpenResult::What what) {
  const Fragment& f = fragments_[current_];
  const auto is_known = [&](const OpenResult& r) { return r.function == f.function && r.pc == f.pc && r.what == what; };
  if (open_results_.size() < most_reports && std::ranges::none_of(open_results_, is_known)) {
    open_results_.push_back({what, f.function, f.pc, open_origin_});
  }
}

}  // namespace lockstep::ptx_machine
