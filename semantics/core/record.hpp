#pragma once
// Structures and unions (C99 6.7.2.1) with their layout as OpenCL C has it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "semantics/core/tree.hpp"

namespace lockstep::core {

struct Member {
  std::string name;
  Type type;
  std::uint64_t offset = 0;  ///< in bytes
  bool is_const = false;     ///< the member itself
  SourceSpan span;           ///< of the name
};

struct Record {
  std::string name;  ///< "struct S"
  bool is_union = false;
  std::vector<Member> members;  ///< at least one
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  unsigned depth = 1;         ///< 1 where no member is a structure
  bool has_union = false;     ///< it is one, or a member has one
  bool has_const = false;     ///< a member is const, or has such a one: it is not assigned as a whole (C99 6.3.2.1)
  std::uint64_t numbers = 0;  ///< in a value, in all; of a union as many as bytes
  std::uint64_t pieces = 0;   ///< members that are no structures, in it and in its members
  /// Of what a pointer leads to that is cast to another type: the numbers that lie there. The only member is one of the new type, as large.
  std::optional<ScalarType> seen_in = {};
};

}  // namespace lockstep::core
