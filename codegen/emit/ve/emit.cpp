#include "codegen/emit/ve/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/ve/entry.hpp"
#include "codegen/emit/ve/plan.hpp"
#include "codegen/emit/ve/support/support.hpp"
#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// How functions of the support header and intrinsics begin.
bool is_of_the_headers(std::string_view word) { return word.starts_with("v_") || word.starts_with("s_") || word.starts_with("_ve"); }

/// What stands in emitted code beside names of the kernel, or is made of them.
bool is_own_word(const std::string& word, const std::string& symbol) {
  static const std::unordered_set<std::string> words = {"p",     "wi",       "ix",     "vl",   "first_group", "num_groups",
                                                        "group", "in_packs", "so_far", "lane", "answers",     "of_group"};
  const bool is_of_the_kernel = word == symbol || word.starts_with(symbol + "_pack") || word.starts_with(symbol + "_one") ||
                                word.starts_with(symbol + "_constant_") || word.starts_with(symbol + "_lane_");
  return words.contains(word) || word.ends_with("_here") || is_of_the_headers(word) || is_of_the_kernel;
}

/// What the entry point is called in C: the kernel's name, or, if C or a header has another use for that, a similar one.
std::string name_of(const Kernel& kernel) {
  const std::string name = emit_c::c_name(kernel.name);
  return is_of_the_headers(name) ? name + "_" : name;
}

/// More than this a call may not need of the stack, even for one pack of groups at a time.
constexpr std::uint64_t most_stack = std::uint64_t{64} << 20U;

}  // namespace

std::expected<Emitted, std::string> emit(const Kernel& kernel, const EmitOptions& options) {
  const std::uint64_t in_rows = std::uint64_t{kernel.shape.wg_size} * kernel.shape.wg_pack;
  if (options.layout == LayoutChoice::Rows && in_rows > most_lanes) {
    return std::unexpected(fmt::format("the {} items of a pack are more than a vector of rows has elements, {}", in_rows, most_lanes));
  }
  const Arrangement arrangement = options.layout == LayoutChoice::Rows ? Arrangement::Rows : Arrangement::Groups;
  const std::string symbol = name_of(kernel);
  const emit_c::Names names = emit_c::names_of(kernel, [&](const std::string& word) { return is_own_word(word, symbol); });
  const Plan plan = plan_of(kernel, kernel.shape, arrangement, options.without);
  const bool has_packs = kernel.shape.wg_pack > 1;
  const std::optional<Plan> one =
      has_packs ? std::optional(plan_of(kernel, {kernel.shape.wg_size, 1}, arrangement, options.without)) : std::nullopt;
  Emitted emitted;
  emitted.stack_bytes = plan.stack_bytes() + (one ? one->stack_bytes() : 0);
  if (emitted.stack_bytes > most_stack) {
    return std::unexpected(
        fmt::format("the values of a pack of '{}' take {} bytes of the stack, more than {}", kernel.name, emitted.stack_bytes, most_stack));
  }
  emitted.source =
      fmt::format("// {}: work groups of {} items; up to {} groups side by side.\n#{} \"{}.ve.h\"\n#{} \"{}\"\n\n", kernel.name,
                  kernel.shape.wg_size, plan.packs() * kernel.shape.wg_pack, "include", kernel.name, "include", support_name);
  emitted.source += constant_objects(kernel, names, symbol);
  const auto add = [&](const Plan& of, const std::string& suffix) {
    Writer writer(kernel, of, names, symbol, suffix);
    const std::string body = writer.body();
    emitted.source += writer.tables() + pack_function(kernel, names, symbol + suffix, body);
  };
  add(plan, "_pack");
  if (one) {
    add(*one, "_one");
  }
  emitted.source += entry_point(kernel, names, symbol, plan, one ? &*one : nullptr);
  emitted.header = emit_c::c_header(kernel, symbol, "in any order, on the calling thread, which has to be in the usual rounding mode");
  emitted.explain = explain(kernel, plan);
  emitted.symbol = kernel.name;
  emitted.function = symbol;
  return emitted;
}

unsigned choose_pack(const Kernel& kernel, const EmitOptions& options) {
  return options.layout == LayoutChoice::Rows ? std::max(most_lanes / kernel.shape.wg_size, 1U) : 1;
}

}  // namespace lockstep::emit_ve
