#include "interpreter/ptx/counts.hpp"

#include <algorithm>
#include <bit>

#include "interpreter/ptx/geometry.hpp"

namespace lockstep::ptx_machine {

namespace {

using ptx::Kind;
using ptx::Space;
using ptx::Type;

bool is_wide(Type type) { return ptx::bits_of(type) > 32; }

/// Of a function of each thread's operands. Comparisons and conversions have the type of what they read behind that of the result.
IssueClass class_of_function(const ptx::resolved::Instruction& instruction) {
  const std::string_view mnemonic = ptx::info(instruction.form).mnemonic;
  const Type type = instruction.types.empty() ? Type::B32 : instruction.types[0];
  const bool is_any_double = std::ranges::any_of(instruction.types, [](Type one) { return one == Type::F64; });
  if (mnemonic == "setp" || mnemonic == "set" || mnemonic == "testp") {
    return is_any_double ? IssueClass::CompareDouble : IssueClass::Compare;
  }
  if (mnemonic == "selp" || mnemonic == "slct") {
    return is_wide(type) ? IssueClass::Select64 : IssueClass::Select;
  }
  if (mnemonic == "cvt") {
    return is_any_double ? IssueClass::ConvertDouble : IssueClass::Convert;
  }
  if (type == Type::Pred) {
    return IssueClass::Predicate;
  }
  const bool is_division = mnemonic == "div" || mnemonic == "rem" || mnemonic == "rcp" || mnemonic == "sqrt" || mnemonic == "rsqrt";
  if (!ptx::is_float(type)) {
    return is_division ? IssueClass::DivideInteger : is_wide(type) ? IssueClass::Integer64 : IssueClass::Integer;
  }
  if (type == Type::F64) {
    return is_division ? IssueClass::DivideDouble : IssueClass::Double;
  }
  return type != Type::F32 ? IssueClass::Half : is_division ? IssueClass::DivideFloat : IssueClass::Float;
}

}  // namespace

std::string_view name_of(IssueClass one) {
  static constexpr std::array<std::string_view, issue_classes> names = {
      "integer",        "integer64", "half",      "float",     "double",  "divide_float",   "divide_double", "divide_integer", "compare",
      "compare_double", "select",    "select64",  "predicate", "convert", "convert_double", "move",          "control",        "shuffle",
      "vote",           "meeting",   "parameter", "load",      "store",   "atomic",         "other"};
  return names[static_cast<std::size_t>(one)];
}

IssueClass issue_class(const ptx::resolved::Instruction& instruction) {
  switch (ptx::info(instruction.form).kind) {
    case Kind::Compute:
      return class_of_function(instruction);
    case Kind::Move:
    case Kind::ConvertAddress:
    case Kind::IsSpace:
      return IssueClass::Move;
    case Kind::Load: {
      const Space space = ptx::space_of(instruction.modifiers);
      return space == Space::Param || space == Space::Const ? IssueClass::Parameter : IssueClass::Load;
    }
    case Kind::Store:
      return ptx::space_of(instruction.modifiers) == Space::Param ? IssueClass::Parameter : IssueClass::Store;
    case Kind::Atomic:
      return IssueClass::Atomic;
    case Kind::Branch:
    case Kind::IndexedBranch:
    case Kind::Call:
    case Kind::Return:
    case Kind::Exit:
    case Kind::Trap:
      return IssueClass::Control;
    case Kind::Shuffle:
      return IssueClass::Shuffle;
    case Kind::Vote:
    case Kind::Match:
    case Kind::ActiveMask:
    case Kind::Redux:
    case Kind::Elect:
      return IssueClass::Vote;
    case Kind::BarrierSync:
    case Kind::BarrierArrive:
    case Kind::BarrierReduce:
    case Kind::WarpBarrier:
    case Kind::Fence:
      return IssueClass::Meeting;
    case Kind::Nothing:
    case Kind::Refused:
      break;
  }
  return IssueClass::Other;
}

void Counter::access(std::span<const Touch> touches, unsigned size, bool writes, bool reads) {
  for (std::size_t first = 0; first < touches.size();) {
    std::size_t end = first;
    while (end < touches.size() && touches[end].thread / warp_threads == touches[first].thread / warp_threads) {
      note_sectors(touches[end], size, writes, reads);
      ++end;
    }
    access_of_warp(touches.subspan(first, end - first), size, writes);
    first = end;
  }
}

namespace {

/// Passes that an access of a warp to shared memory needs: in one, each bank gives or takes one of its words, to as many threads as want
/// it.
std::uint64_t passes(std::span<const Counter::Touch> touches, unsigned size, std::vector<std::uint64_t>& words) {
  constexpr unsigned banks = 32;
  constexpr unsigned word = 4;
  words.clear();
  for (const Counter::Touch& touch : touches) {
    const std::uint64_t address = touch.object->address + touch.byte;
    for (std::uint64_t w = address / word; w <= (address + size - 1) / word; ++w) {
      words.push_back(w);
    }
  }
  std::ranges::sort(words);
  const auto repeated = std::ranges::unique(words);
  words.erase(repeated.begin(), repeated.end());
  std::array<std::uint64_t, banks> wanted{};
  for (const std::uint64_t w : words) {
    ++wanted.at(w % banks);
  }
  return std::ranges::max(wanted);
}

/// Where a thread's byte of local memory lies: the same word of all threads of a warp side by side.
std::uint64_t interleaved(const Counter::Touch& touch) {
  return touch.byte / 4 * 4 * warp_threads + touch.thread % warp_threads * 4 + touch.byte % 4;
}

}  // namespace

void Counter::access_of_warp(std::span<const Touch> touches, unsigned size, bool writes) {
  const Space space = touches.front().object->space;
  Counts::Accesses* of = space == Space::Global   ? &counts_.global
                         : space == Space::Shared ? &counts_.shared
                         : space == Space::Local  ? &counts_.local
                                                  : nullptr;
  if (of == nullptr) {
    return;
  }
  AccessCount& count = writes ? of->stores : of->loads;
  count.instructions += 1;
  count.bytes += std::uint64_t{size} * touches.size();
  if (space == Space::Shared) {
    count.transactions += passes(touches, size, sectors_);
    return;
  }
  sectors_.clear();
  for (const Touch& touch : touches) {
    if (space == Space::Local) {
      for (unsigned byte = 0; byte < size; byte += 4) {
        sectors_.push_back(interleaved({touch.thread, touch.object, touch.byte + byte}) / sector_bytes);
      }
      continue;
    }
    const std::uint64_t address = touch.object->address + touch.byte;
    for (std::uint64_t s = address / sector_bytes; s <= (address + size - 1) / sector_bytes; ++s) {
      sectors_.push_back(s);
    }
  }
  std::ranges::sort(sectors_);
  const auto repeated = std::ranges::unique(sectors_);
  sectors_.erase(repeated.begin(), repeated.end());
  count.transactions += sectors_.size();
  const auto line_of = [](std::uint64_t sector) { return sector / (line_bytes / sector_bytes); };
  for (std::size_t k = 0; k < sectors_.size(); ++k) {
    count.lines += k == 0 || line_of(sectors_[k]) != line_of(sectors_[k - 1]) ? 1U : 0U;
  }
  if (space == Space::Global) {
    std::ranges::for_each(sectors_, [&](std::uint64_t sector) { note_distance(touches.front().thread / warp_threads, sector, writes); });
  }
}

void Counter::note_distance(std::uint64_t warp, std::uint64_t sector, bool writes) {
  if (touched_.size() <= warp) {
    touched_.resize(warp + 1);
  }
  Touched& touched = touched_[warp];
  const auto [before, is_new] = touched.when.try_emplace(sector, touched.now);
  if (!is_new && !writes) {
    ++counts_.again[static_cast<std::size_t>(std::bit_width(touched.now - before->second))];
  }
  before->second = touched.now++;
}

void Counter::note_sectors(const Touch& touch, unsigned size, bool writes, bool reads) {
  const Object& object = *touch.object;
  if (object.space != Space::Global) {
    return;
  }
  if (seen_.size() <= object.number) {
    seen_.resize(object.number + 1);
  }
  Seen& seen = seen_[object.number];
  seen.read.resize(object.bytes / sector_bytes + 1);
  seen.written.resize(object.bytes / sector_bytes + 1);
  const auto note = [&](std::vector<bool>& of, std::uint64_t& count) {
    for (std::uint64_t s = touch.byte / sector_bytes; s <= (touch.byte + size - 1) / sector_bytes; ++s) {
      count += of[s] ? 0U : 1U;
      of[s] = true;
    }
  };
  if (reads) {
    note(seen.read, counts_.sectors_read);
  }
  if (writes) {
    note(seen.written, counts_.sectors_written);
  }
}

}  // namespace lockstep::ptx_machine
