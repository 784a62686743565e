#pragma once
// The typed types that the translation itself needs.

#include "semantics/typed/program.hpp"

namespace lockstep::core::translation {

constexpr typed::ValueType scalar(ScalarType type) { return {type, false, AddressSpace::Private}; }

inline constexpr typed::ValueType int_type = scalar(ScalarType::Int);
inline constexpr typed::ValueType uint_type = scalar(ScalarType::UInt);
inline constexpr typed::ValueType long_type = scalar(ScalarType::Long);
inline constexpr typed::ValueType ulong_type = scalar(ScalarType::ULong);

}  // namespace lockstep::core::translation
