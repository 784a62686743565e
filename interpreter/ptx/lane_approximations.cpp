// Loops of the functions that PTX only approximates.

#include "interpreter/ptx/lane_cold.hpp"
#include "semantics/ptx/operations/approximations.hpp"

namespace lockstep::ptx_machine {
namespace {

template <Function function>
LaneLoop approximation(const LaneKey& key) {
  return {with_flags(
      []<bool ftz>() -> LaneFunction { return loop<float, float>([](float a) { return approximate_float<function, ftz>(a); }); }, key.ftz)};
}

}  // namespace

namespace cold {

LaneLoop sin_float(const LaneKey& key) { return approximation<Function::Sin>(key); }
LaneLoop cos_float(const LaneKey& key) { return approximation<Function::Cos>(key); }
LaneLoop lg2_float(const LaneKey& key) { return approximation<Function::Log2>(key); }
LaneLoop ex2_float(const LaneKey& key) { return approximation<Function::Exp2>(key); }
LaneLoop tanh_float(const LaneKey& key) { return approximation<Function::Tanh>(key); }
LaneLoop rsqrt_float(const LaneKey& key) {
  if (key.types[0] == Type::F64) {
    return {loop<double, double>([](double a) { return rsqrt_double(a); })};
  }
  return approximation<Function::Rsqrt>(key);
}
LaneLoop rcp_gross(const LaneKey& /*key*/) {
  return {loop<double, double>([](double a) { return ptx::operations::rcp_gross(a); })};
}
LaneLoop rsqrt_gross(const LaneKey& /*key*/) {
  return {loop<double, double>([](double a) { return ptx::operations::rsqrt_gross(a); })};
}

}  // namespace cold
}  // namespace lockstep::ptx_machine
