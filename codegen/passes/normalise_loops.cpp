// Loops whose condition is asked in each round. Those that are counted are in normalise_counted.cpp.

#include <utility>

#include "codegen/passes/normalise_walk.hpp"
#include "codegen/passes/normaliser.hpp"

namespace lockstep::passes {

void Normaliser::loop(const core::Loop& loop) {
  statements(loop.init);
  if (loop.kind == core::Loop::Kind::For && counted_loop(loop)) {
    return;
  }
  if (loop.hint && loop.hint->rounds != 1) {
    out_.remarks.push_back({Severity::Warning, span_, "this loop is not unrolled: how often it runs is not seen in front of it", {}});
  }
  const LabelId outer = next_label_++;
  const LabelId inner = next_label_++;
  forget_assigned(loop.body);
  if (loop.condition) {
    forget_assigned(*loop.condition);
  }
  if (loop.step) {
    forget_assigned(*loop.step);
  }
  const auto test = [&] {
    if (!loop.condition) {
      return;
    }
    const Operand condition = truth(*loop.condition);
    const auto* constant = std::get_if<Literal>(&condition);
    if (constant == nullptr) {
      emit(If{condition, {}, {Statement{Leave{outer}, span_}}});
    } else if (constant->bits == 0) {
      emit(Leave{outer});
    }
  };
  Body round = inside([&] {
    if (loop.kind != core::Loop::Kind::DoWhile) {
      test();
    }
    frame().breaks.push_back(outer);
    frame().continues.push_back(inner);
    Body body = inside([&] { statements(loop.body); });
    emit(Block{inner, std::move(body)});
    frame().breaks.pop_back();
    frame().continues.pop_back();
    forget_assigned(loop.body);
    if (loop.step) {
      value(*loop.step);
    }
    if (loop.kind == core::Loop::Kind::DoWhile) {
      test();
    }
  });
  Body repeated;
  repeated.push_back({Loop{std::move(round), std::nullopt}, span_});
  emit(Block{outer, std::move(repeated)});
}

}  // namespace lockstep::passes
