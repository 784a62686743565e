#include "codegen/emit/avx512/permute_merge.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/emit/avx512/permute_cost.hpp"
#include "codegen/emit/avx512/permute_forms.hpp"

namespace lockstep::emit_avx512 {

namespace {

/// All ways to divide so many sources into single ones and pairs are compared; more than that go in pairs, as they appear.
constexpr unsigned max_compared = 8;

/// What one or two of the sources bring.
struct Part {
  std::uint32_t sources = 0;  ///< their bits
  std::uint32_t lanes = 0;    ///< the lanes that they bring, as bits
  Single way;

  bool uses_index() const { return way.index_vector.has_value(); }
};

Part part_of(const Pattern& pattern, std::uint32_t sources, const Allowed& allowed) {
  const Pattern wanted = restricted(pattern, sources);
  Part result{sources, 0, cheapest_single(wanted, allowed)};
  for (unsigned j = 0; j < wanted.lanes; ++j) {
    if (wanted.wants(j)) {
      result.lanes |= 1U << j;
    }
  }
  return result;
}

/// Whether the part's instruction can leave the other lanes as they are. That of two index tables cannot: it has no operand for them. In
/// 256 bits a blend behind it costs less than a mask.
bool merges_itself(const Part& part, const Pattern& pattern) {
  return pattern.register_bits() == 512 && part.way.step && !part.way.step->into && part.way.step->lane_bits == pattern.lane_bits &&
         part.way.step->instruction != Instruction::PermuteTwo;
}

/// What the part costs as the first one, or merged into others; without its index vector, which all parts share: each lane of it belongs
/// to one part.
double first_cycles(const Part& part) { return part.way.cycles - (part.uses_index() ? index_vector_cycles : 0); }
double merged_cycles(const Part& part, const Pattern& pattern) {
  const Step move{.instruction = Instruction::Move, .into = Operand{}};
  const double mask = pattern.register_bits() == 512 ? mask_cycles : 0;
  return first_cycles(part) + (merges_itself(part, pattern) ? mask : cycles(move, pattern.register_bits()));
}

/// The parts of the cheapest division, the first one first. Dynamic programming: a state says which sources are done, whether there is a
/// first part, and whether there is an index vector.
class Division {
 public:
  Division(const Pattern& pattern, const Allowed& allowed) : pattern_(pattern), allowed_(allowed), states_(4U << pattern.sources) {}

  std::vector<Part> run() {
    const std::uint32_t all = (1U << pattern_.sources) - 1;
    states_[0].cycles = 0;
    for (std::uint32_t done = 0; done != all; ++done) {
      const auto next = static_cast<unsigned>(std::countr_one(done));
      if (std::none_of(&states_[4 * done], &states_[4 * done] + 4, [](const State& s) { return s.cycles < unreached; })) {
        continue;
      }
      for (unsigned other = next; other < pattern_.sources; ++other) {
        const std::uint32_t sources = 1U << next | 1U << other;
        if ((done & sources) == 0 && sources != all) {
          extend(done, part(sources));
        }
      }
    }
    return parts_behind(all);
  }

 private:
  static constexpr double unreached = std::numeric_limits<double>::infinity();
  static constexpr unsigned has_first = 1;
  static constexpr unsigned has_index = 2;

  struct State {
    double cycles = unreached;
    std::size_t before = 0;
    std::size_t part = 0;
  };

  std::size_t part(std::uint32_t sources) {
    const auto at = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.sources == sources; });
    if (at != parts_.end()) {
      return static_cast<std::size_t>(at - parts_.begin());
    }
    parts_.push_back(part_of(pattern_, sources, allowed_));
    return parts_.size() - 1;
  }

  void extend(std::uint32_t done, std::size_t number) {
    const Part& part = parts_[number];
    for (unsigned flags = 0; flags < 4; ++flags) {
      const std::size_t from = 4 * done + flags;
      const double index = part.uses_index() && ((flags & has_index) == 0) ? index_vector_cycles : 0;
      const unsigned then = flags | (part.uses_index() ? has_index : 0);
      const std::size_t to = 4 * std::size_t{done | part.sources};
      if ((flags & has_first) == 0) {
        reach(to + (then | has_first), {states_[from].cycles + index + first_cycles(part), from, number});
      }
      reach(to + then, {states_[from].cycles + index + merged_cycles(part, pattern_), from, number});
    }
  }

  void reach(std::size_t state, const State& how) {
    if (how.cycles < states_[state].cycles) {
      states_[state] = how;
    }
  }

  std::vector<Part> parts_behind(std::uint32_t all) const {
    const std::size_t without_index = 4 * std::size_t{all} + has_first;
    std::size_t at = states_[without_index].cycles <= states_[without_index + has_index].cycles ? without_index : without_index + has_index;
    std::vector<std::size_t> numbers;
    for (; at >= 4; at = states_[at].before) {
      numbers.push_back(states_[at].part);
      if ((at & has_first) != 0 && (states_[at].before & has_first) == 0) {
        std::swap(numbers.front(), numbers.back());
      }
    }
    std::vector<Part> result;
    for (const std::size_t number : numbers) {
      result.push_back(parts_[number]);
    }
    return result;
  }

  const Pattern& pattern_;
  const Allowed& allowed_;
  std::vector<State> states_;
  std::vector<Part> parts_;
};

std::vector<Part> in_pairs_as_they_appear(const Pattern& pattern, const Allowed& allowed) {
  std::vector<Part> result;
  for (unsigned first = 0; first < pattern.sources; first += 2) {
    result.push_back(part_of(pattern, (3U << first) & ((1U << pattern.sources) - 1), allowed));
  }
  return result;
}

/// Puts parts together, one behind the other.
class Merger {
 public:
  Merger(RegisterKind kind, const Pattern& pattern) : pattern_(pattern) {
    result_.kind = kind;
    result_.form = Form::Merge;
  }

  void add(const Part& part) {
    std::optional<Step> step = part.way.step;
    if (part.uses_index()) {
      add_index(part);
    }
    if (result_.result && step && merges_itself(part, pattern_)) {
      step->into = result_.result;
      step->mask = part.lanes;
    }
    Operand brought = reused(part);
    if (step) {
      brought = push(*step);
    }
    if (!result_.result || (step && merges_itself(part, pattern_))) {
      result_.result = brought;
      return;
    }
    result_.result = push(
        {.instruction = Instruction::Move, .lane_bits = pattern_.lane_bits, .first = brought, .into = result_.result, .mask = part.lanes});
  }

  Sequence finished() {
    result_.cycles = cycles(result_);
    return std::move(result_);
  }

 private:
  Operand reused(const Part& part) const { return pattern_.operand(static_cast<unsigned>(std::countr_zero(part.sources))); }

  Operand push(const Step& step) {
    result_.steps.push_back(step);
    result_.masks += step.into && pattern_.register_bits() == 512 ? 1U : 0U;
    return {true, static_cast<unsigned>(result_.steps.size() - 1)};
  }

  /// Into the one index vector, at the lanes of the part.
  void add_index(const Part& part) {
    if (result_.index_vectors.empty()) {
      result_.index_vectors.push_back(*part.way.index_vector);
      return;
    }
    for (unsigned j = 0; j < pattern_.lanes; ++j) {
      if ((part.lanes >> j & 1) != 0) {
        result_.index_vectors.front().lanes[j] = part.way.index_vector->lanes[j];
      }
    }
  }

  const Pattern& pattern_;
  Sequence result_;
};

}  // namespace

double cycles(const Sequence& sequence) {
  double result = index_vector_cycles * static_cast<double>(sequence.index_vectors.size());
  for (const Step& step : sequence.steps) {
    result += cycles(step, register_bits_of(sequence.kind));
  }
  return result;
}

std::optional<Sequence> cheapest_merge(RegisterKind kind, const Pattern& pattern, const Allowed& allowed) {
  if (pattern.sources < 2) {
    return std::nullopt;
  }
  Merger merger(kind, pattern);
  const bool compare = pattern.sources <= max_compared;
  for (const Part& part : compare ? Division(pattern, allowed).run() : in_pairs_as_they_appear(pattern, allowed)) {
    merger.add(part);
  }
  return merger.finished();
}

}  // namespace lockstep::emit_avx512
