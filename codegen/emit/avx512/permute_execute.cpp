#include "codegen/emit/avx512/permute_execute.hpp"

namespace lockstep::emit_avx512 {

namespace {

using Lanes = std::vector<std::optional<SourceLane>>;

class Machine {
 public:
  explicit Machine(const Sequence& sequence) : sequence_(sequence) {}

  Lanes run() {
    for (const Step& step : sequence_.steps) {
      results_.push_back(run(step));
    }
    return sequence_.result ? value(*sequence_.result) : Lanes(lanes_of(sequence_.kind));
  }

 private:
  Lanes value(const Operand& operand) const {
    if (operand.is_step) {
      return results_.at(operand.number);
    }
    Lanes result;
    for (unsigned j = 0; j < lanes_of(sequence_.kind); ++j) {
      result.emplace_back(SourceLane{operand.number, j});
    }
    return result;
  }

  unsigned index_at(const Step& step, unsigned lane) const {
    return step.index ? sequence_.index_vectors.at(*step.index).lanes.at(lane) : 0;
  }

  Lanes run(const Step& step) const {
    Lanes operands = value(step.first);
    const Lanes second = value(step.second);
    operands.insert(operands.end(), second.begin(), second.end());
    const unsigned all = lanes_of(sequence_.kind);
    const unsigned together = step.lane_bits / lane_bits_of(sequence_.kind);
    Lanes result = step.into ? value(*step.into) : Lanes(all);
    for (unsigned j = 0; j < all / together; ++j) {
      if (step.into && (step.mask >> j & 1) == 0) {
        continue;
      }
      const unsigned from = brought_lane(step.instruction, step.lane_bits, all / together, j, step.immediate, index_at(step, j));
      for (unsigned k = 0; k < together; ++k) {
        result.at(j * together + k) = operands.at(from * together + k);
      }
    }
    return result;
  }

  const Sequence& sequence_;
  std::vector<Lanes> results_;
};

}  // namespace

std::vector<std::optional<SourceLane>> execute(const Sequence& sequence) { return Machine(sequence).run(); }

}  // namespace lockstep::emit_avx512
