#pragma once
// Random CoRe kernels: well-formed and well-typed by construction, with the inputs that they are run on. They end, and unless
// they are asked to, they meet no undefined behaviour.

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/core/syntax.hpp"
#include "semantics/generate/choices.hpp"

namespace lockstep::generate {

/// What a kernel may contain.
enum class Profile : std::uint8_t {
  Plain,     ///< plain OpenCL C: independent items, barriers where all items come by, operations that OpenCL defines exactly
  Lockstep,  ///< and shuffles, votes, recursion, reading what other items of the group have written, all of our own names
  Crev,      ///< and calls by crev
  Parity     ///< nothing but one call of an r-function: `if (get_local_id() == C) { crev r(…); }`, with uniform arguments
};

struct KernelOptions {
  Profile profile = Profile::Lockstep;
  bool undefined = false;         ///< in some kernels, now and then, something that may be undefined behaviour
  bool disjoint_calls = false;    ///< activations of one crev call touch cells of their own only
  unsigned statements = 8;        ///< about as many, without those of loops and arms
  unsigned nesting = 4;           ///< of branches and loops
  unsigned expression_depth = 3;  ///< of what statements compute
  unsigned functions = 4;         ///< fewer than so many, from 1; those for crev apart
  bool recursion = true;          ///< of functions, in all profiles but Plain
  bool sweeps = false;  ///< loops over whole arrays as well, and of lanes over each other's values: those that compilers take apart
  bool heads = false;   ///< loops whose heads have any form, and indices by arithmetic that wraps
  /// Nothing that OpenCL leaves undefined although it is defined here, and no contraction: a signed operation never overflows. Of Plain.
  bool portable = false;
  unsigned max_wg_size = 40;
  unsigned wg_size = 0;  ///< exactly that; 0: up to max_wg_size
  unsigned groups = 0;   ///< exactly that; 0: one to three
};

/// What a parameter of the kernel gets.
struct KernelInput {
  std::string name;
  ScalarType type = ScalarType::Int;
  bool is_buffer = false;
  std::vector<std::uint64_t> values;  ///< bits, as core::Literal; one for a scalar
};

struct Kernel {
  core::syntax::TranslationUnit unit;  ///< with one kernel, `k`
  unsigned wg_size = 1;
  std::uint64_t groups = 1;
  bool contract = true;
  std::vector<KernelInput> inputs;  ///< in the order of the parameters
};

/// A kernel; takes some hundreds of choices.
Kernel random_kernel(Choices& choices, const KernelOptions& options);

Kernel copy(const Kernel& kernel);

}  // namespace lockstep::generate
