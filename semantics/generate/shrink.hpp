#pragma once
// From a program that fails to a small one that fails still.

#include <cstddef>
#include <functional>

#include "semantics/generate/skeleton.hpp"

namespace lockstep::generate {

/// How often a shrinker asks its predicate at the most.
inline constexpr std::size_t max_shrink_tries = 3000;

/// Makes a structured program smaller while `still_fails` says yes (it does so of `skeleton` itself): removes statements, puts
/// bodies in place of what is around them, lowers loop counts and numbers, puts parts of expressions in place of the whole, and
/// takes threads and cells away. Every program that it asks about is well-formed by construction, like the first.
Skeleton shrink(Skeleton skeleton, const std::function<bool(const Skeleton&)>& still_fails);

/// The same for code without structure: removes instructions and simplifies expressions. What it asks about may be ill-formed.
musimd::Program shrink(musimd::Program program, const std::function<bool(const musimd::Program&)>& still_fails);

}  // namespace lockstep::generate
