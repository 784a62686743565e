#include "semantics/core/sema/absent.hpp"

#include <algorithm>
#include <array>

namespace lockstep::core::sema {
namespace {

struct Absent {
  std::string_view name;
  std::string_view instead;
};

constexpr auto absent = std::to_array<Absent>({
#define ABSENT(name, instead) {name, instead},
#include "semantics/core/sema/absent.def"
#undef ABSENT
});

}  // namespace

std::string_view instead_of(std::string_view name) {
  const auto fits = [&](const Absent& row) {
    return row.name.ends_with('*') ? name.starts_with(row.name.substr(0, row.name.size() - 1)) : name == row.name;
  };
  const auto* const found = std::ranges::find_if(absent, fits);
  return found == absent.end() ? std::string_view() : found->instead;
}

}  // namespace lockstep::core::sema
