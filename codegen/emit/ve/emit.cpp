#include "codegen/emit/ve/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/ve/choice.hpp"
#include "codegen/emit/ve/entry.hpp"
#include "codegen/emit/ve/support/support.hpp"
#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// How functions of the support header and intrinsics begin.
bool is_of_the_headers(std::string_view word) { return word.starts_with("v_") || word.starts_with("s_") || word.starts_with("_ve"); }

/// What stands in emitted code beside names of the kernel, or is made of them.
bool is_own_word(const std::string& word, const std::string& symbol) {
  static const std::unordered_set<std::string> words = {"p",        "wi",       "ix",     "vl",   "first_group", "num_groups", "group",
                                                        "in_packs", "in_pairs", "so_far", "lane", "answers",     "of_group"};
  const bool is_of_the_kernel = word == symbol || word.starts_with(symbol + "_pack") || word.starts_with(symbol + "_rows") ||
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
  const auto choice = choose(kernel, options);
  if (!choice) {
    return std::unexpected(choice.error());
  }
  const std::string symbol = name_of(kernel);
  const emit_c::Names names = emit_c::names_of(kernel, [&](const std::string& word) { return is_own_word(word, symbol); });
  Emitted emitted;
  unsigned together = 0;
  for (const auto* arranged : {&choice->groups, &choice->rows}) {
    if (*arranged) {
      emitted.stack_bytes = std::max(emitted.stack_bytes, (*arranged)->stack_bytes());
      together = std::max(together, (*arranged)->plan.packs() * (*arranged)->plan.shape.wg_pack);
    }
  }
  if (emitted.stack_bytes > most_stack) {
    return std::unexpected(
        fmt::format("the values of a pack of '{}' take {} bytes of the stack, more than {}", kernel.name, emitted.stack_bytes, most_stack));
  }
  emitted.source = fmt::format("// {}: work groups of {} items; up to {} groups side by side.\n#{} \"{}.ve.h\"\n#{} \"{}\"\n\n",
                               kernel.name, kernel.shape.wg_size, together, "include", kernel.name, "include", support_name);
  emitted.source += constant_objects(kernel, names, symbol);
  const auto add = [&](const Plan& of, bool is_one) {
    const std::string suffix = suffix_of(of, is_one);
    Writer writer(kernel, of, names, symbol, suffix);
    const std::string body = writer.body();
    emitted.source += writer.tables() + pack_function(kernel, names, symbol + suffix, body);
    emitted.explain += is_one ? "" : explain(kernel, of);
  };
  emitted.explain = explain(kernel, *choice);
  if (choice->pairs) {
    add(*choice->pairs, false);
    together *= 2;
  }
  for (const auto* arranged : {&choice->groups, &choice->rows}) {
    if (*arranged) {
      add((*arranged)->plan, false);
    }
    if (*arranged && (*arranged)->one) {
      add(*(*arranged)->one, true);
    }
  }
  emitted.source += entry_point(kernel, names, symbol, *choice);
  emitted.header = emit_c::c_header(kernel, symbol, "in any order, on the calling thread, which has to be in the usual rounding mode");
  emitted.symbol = kernel.name;
  emitted.function = symbol;
  return emitted;
}

unsigned choose_pack(const Kernel& kernel, const EmitOptions& options) {
  return options.layout == LayoutChoice::Rows ? std::max(most_lanes / kernel.shape.wg_size, 1U) : 1;
}

}  // namespace lockstep::emit_ve
