#pragma once
// The seven kernels of examples/borg as the suite knows them: their names, and what a problem costs at least.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::bench {

enum class KernelId : std::uint8_t { Gema, Gemm, Trsv, Ldus, Pade, Enumerate, Frcg };

struct KernelInfo {
  KernelId id;
  std::string_view name;
  bool is_group_wise;  ///< a group has one problem of its own size; else an item has one
};

inline constexpr std::array<KernelInfo, 7> kernel_table = {{{KernelId::Gema, "gema", true},
                                                            {KernelId::Gemm, "gemm", true},
                                                            {KernelId::Trsv, "trsv", true},
                                                            {KernelId::Ldus, "ldus", true},
                                                            {KernelId::Pade, "pade", false},
                                                            {KernelId::Enumerate, "enumerate", false},
                                                            {KernelId::Frcg, "frcg", false}}};

constexpr const KernelInfo& info(KernelId id) { return kernel_table[static_cast<std::size_t>(id)]; }

std::optional<KernelId> kernel_named(std::string_view name);

/// Float or Double.
using Real = ScalarType;

/// Matrices have these sizes, and groups of item-wise kernels these numbers of items.
inline constexpr std::array<unsigned, 8> sizes = {4, 8, 12, 16, 20, 24, 28, 32};

/// A kernel with what is fixed when it is compiled.
struct Task {
  KernelId kernel = KernelId::Gema;
  Real real = ScalarType::Double;
  unsigned n = 0;  ///< rows of a matrix; 0 of item-wise kernels

  bool operator==(const Task&) const = default;
};

/// "gemm 8 double", "pade float"
std::string title(const Task& task);

/// What a problem costs whoever solves it: bytes, each input read once and each output written once, and operations. Additions,
/// subtractions, multiplications, divisions and comparisons count one each.
struct Cost {
  double bytes = 0;
  double operations = 0;
  double divisions = 0;  ///< of the operations
  double compares = 0;   ///< of the operations

  bool operator==(const Cost&) const = default;
};

/// ENUM's sums are counted once for the whole batch, that is as nothing: they are the same in all problems.
Cost cost_of(const Task& task);

/// The time that a machine needs for each of these: what its limits come to.
struct Rates {
  double traffic = 0;  ///< seconds in which a problem's bytes can be moved, measured with arrays of the same sizes
  double fma = 0;      ///< seconds for a multiplication and addition
  double divide = 0;   ///< seconds for a division
  double compare = 0;  ///< seconds for a comparison
};

/// Which of the machine's limits a time is.
enum class LimitKind : std::uint8_t { Traffic, Fma, Divide, Compare };

struct Roofline {
  double seconds = 0;  ///< for a problem: no program is faster
  LimitKind limit = LimitKind::Traffic;
};

/// The largest of the four times; an operation is half of a multiplication and addition.
Roofline roofline(const Cost& cost, const Rates& rates);

/// "traffic", "fma", "divide", "compare"
std::string_view name_of(LimitKind kind);

}  // namespace lockstep::bench
