#include "codegen/emit/avx512/entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ranges>
#include <set>

#include "codegen/emit/avx512/apart.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/emit/c/header.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

constexpr std::uint64_t most_on_stack = 256 * 1024;

/// In buffers: as emit_c::c_type, but truth values are bytes.
std::string memory_type(const Parameter& parameter) {
  return parameter.scalar == ScalarType::Bool ? "uint8_t" : std::string(emit_c::c_type(parameter.scalar));
}

/// What the file and its functions call their own, beside packs, single_groups and their variants.
constexpr std::string_view own_names =
    "v W M F64 F32 I64 U64 I32 U32 Stream group first last num_groups middle from to thread threads arguments apart streams environment "
    "constants groups range are_apart int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t omp_get_num_threads "
    "omp_get_thread_num lockstep_avx512";

/// No parameter and no variable may have such a name, wherever it would be hidden.
void reserve_names(Code& code) {
  for (const auto word : std::views::split(own_names, ' ')) {
    code.reserve(std::string_view(word));
  }
  for (const char* function : {"packs", "single_groups"}) {
    for (const char* variant : {"", "_masked", "_apart", "_apart_masked"}) {
      code.reserve(fmt::format("{}{}", function, variant));
    }
  }
}

/// The kernel's parameters in C++, with names that fit.
struct Parameters {
  std::vector<std::string> names;
  std::vector<std::string> types;  ///< of the functions within the file

  explicit Parameters(const Kernel& kernel) {
    Code names_here;
    reserve_names(names_here);
    for (const Parameter& parameter : kernel.parameters) {
      names.push_back(names_here.unique(parameter.name));
      types.push_back(parameter.is_pointer ? fmt::format("{}{}*", parameter.is_const ? "const " : "", memory_type(parameter))
                                           : std::string(emit_c::c_type(parameter.scalar)));
    }
  }
};

/// `TYPE NAME, …`, without the names that the body does not mention.
std::string declarations(const Kernel& kernel, const Parameters& parameters, bool apart,
                         const std::function<bool(std::string_view)>& is_used) {
  std::string text;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    text += fmt::format("{}{}{}, ", is_used(parameters.names[i]) ? "" : "[[maybe_unused]] ",
                        parameters.types[i] + (apart && kernel.parameters[i].is_pointer ? " __restrict " : " "), parameters.names[i]);
  }
  return text;
}

struct Function {
  std::string text;
  bool asked_apart = false;
  bool has_guard = false;     ///< packs in which masks do not hold everywhere are run by another function
  std::set<std::string> far;  ///< conditions that must hold for it
  std::uint64_t bytes = 0;
  std::vector<std::string> choices;
  std::set<ParameterId> streamed;
  bool has_stream = false;
};

std::string call(const std::string& name, const Parameters& parameters, std::string_view rest) {
  return fmt::format("{}({}{}{});", name, fmt::join(parameters.names, ", "), parameters.names.empty() ? "" : ", ", rest);
}

/// A function that runs the packs of groups `first` to `last` - 1 that are full.
Function function_of(const Kernel& kernel, const Parameters& parameters, const std::string& name, Shape shape, const Plan& plan,
                     Tables& tables) {
  Code code;
  reserve_names(code);
  for (const std::string& parameter : parameters.names) {
    code.reserve(parameter);
  }
  // Narrow numbers are held in 32 bits.
  Lowering lowering(kernel, shape, plan, code, tables, parameters.names);
  lowering.run();
  const std::string body = code.print(2);
  Function result;
  result.asked_apart = lowering.asked_apart();
  result.far = lowering.far();
  result.choices = lowering.choices();
  result.streamed = lowering.streamed();
  result.has_stream = lowering.has_stream();
  std::string arrays;
  for (const Lowering::Array& array : lowering.arrays()) {
    if (!code.is_used(array.name)) {
      continue;
    }
    result.bytes += array.bytes;
    if (array.bytes <= most_on_stack / 8) {
      arrays += fmt::format("  alignas(64) {} {}[{}]{};\n", array.type, array.name, std::max<std::uint64_t>(array.count, 1),
                            array.is_whole ? "" : " = {}");
    } else {
      arrays += fmt::format("  const v::Memory<{0}> {1}_memory({2});\n  {0}* const {1} = {1}_memory.begin();\n", array.type, array.name,
                            array.count);
    }
  }
  // The packs from the first on for which the guard does not hold everywhere.
  std::string before;
  std::string rest;
  result.has_guard = lowering.ends_early();
  if (result.has_guard) {
    Plan masked = plan;
    masked.whole_packs = false;
    const Function others = function_of(kernel, parameters, name + "_masked", shape, masked, tables);
    before = fmt::format("{}\n/// As far as masks hold everywhere; then {}_masked.\n", others.text, name);
    const std::string_view variant = !others.has_stream ? "" : result.has_stream ? "<Stream>" : "<false>";
    rest = fmt::format("  if (last - group >= {}) {{\n    {}\n  }}\n", shape.wg_pack,
                       call(fmt::format("{}_masked{}", name, variant), parameters, "group, last, num_groups"));
    result.bytes = std::max(result.bytes, others.bytes);
    result.asked_apart = result.asked_apart || others.asked_apart;
    result.far.insert(others.far.begin(), others.far.end());
    result.streamed.insert(others.streamed.begin(), others.streamed.end());
  }
  const bool passes_on = !rest.empty();
  result.text = fmt::format(
      "{}{}__attribute__((noinline)) void {}({}int64_t first, int64_t last, {}uint64_t num_groups) {{\n"
      "{}"
      "{}  for ({}; last - group >= {}; group += {}) {{\n"
      "{}"
      "  }}\n"
      "{}"
      "}}\n",
      before, result.has_stream ? "template <bool Stream>\n" : "", name,
      declarations(kernel, parameters, plan.parameters_apart, [&](std::string_view word) { return passes_on || code.is_used(word); }),
      passes_on || code.is_used("num_groups") ? "" : "[[maybe_unused]] ", arrays, passes_on ? "  int64_t group = first;\n" : "",
      passes_on ? "" : "int64_t group = first", shape.wg_pack, shape.wg_pack, body, rest);
  return result;
}

/// The lines behind the first one a step further to the right.
std::string deeper(std::string_view lines) {
  std::string text;
  for (const char c : lines) {
    text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  }
  return text;
}

/// Whether a text has a name, and not only as a part of a longer one.
bool mentions(std::string_view text, std::string_view name) {
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) {
      return true;
    }
  }
  return false;
}

/// Whether the functions need a table, after all that was left out of them.
bool needs(const std::string& functions, const std::string& table) {
  const std::size_t end = table.find("[]");
  const std::size_t begin = table.rfind(' ', end) + 1;
  return mentions(functions, "constants::" + table.substr(begin, end - begin));
}

/// `extern "C" void K(…, size_t num_groups)`: in parallel if the file is compiled with OpenMP.
std::string entry_point(const Kernel& kernel, const std::string& symbol, const Parameters& parameters) {
  std::string declared;
  std::string passed;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    const std::string qualifier = parameter.is_pointer && parameter.is_const ? "const " : "";
    declared +=
        fmt::format("{}{}{} {}, ", qualifier, emit_c::c_type(parameter.scalar), parameter.is_pointer ? "*" : "", parameters.names[i]);
    const bool of_truths = parameter.is_pointer && parameter.scalar == ScalarType::Bool;
    passed += of_truths ? fmt::format("reinterpret_cast<{}>({}), ", parameters.types[i], parameters.names[i]) : parameters.names[i] + ", ";
  }
  const std::uint32_t pack = kernel.shape.wg_pack;
  return fmt::format(
      "extern \"C\" void {0}({1}size_t num_groups);\n"
      "void {0}({1}size_t num_groups) {{\n"
      "#ifdef _OPENMP\n"
      "#pragma omp parallel\n"
      "  {{\n"
      "    const int64_t packs = static_cast<int64_t>(num_groups / {3});\n"
      "    const int64_t threads = omp_get_num_threads();\n"
      "    const int64_t thread = omp_get_thread_num();\n"
      "    const int64_t from = lockstep_avx512::part(packs, thread, threads) * {3};\n"
      "    const int64_t to = thread + 1 == threads ? static_cast<int64_t>(num_groups) : lockstep_avx512::part(packs, thread + 1, threads) "
      "* {3};\n"
      "    {4}_kernel::range({2}from, to, num_groups);\n"
      "  }}\n"
      "#else\n"
      "  {4}_kernel::range({2}0, static_cast<int64_t>(num_groups), num_groups);\n"
      "#endif\n"
      "}}\n",
      symbol, declared, passed, pack, symbol);
}

/// `extern "C" void K_call(…)`: groups first to last - 1.
std::string call_wrapper(const Kernel& kernel, const std::string& symbol, const Parameters& parameters) {
  std::string passed;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (!parameter.is_pointer) {
      const bool of_truth = parameter.scalar == ScalarType::Bool;
      passed += fmt::format("v::scalar(static_cast<const {}*>(arguments[{}])){}, ", of_truth ? "uint8_t" : emit_c::c_type(parameter.scalar),
                            i, of_truth ? " != 0" : "");
    } else if (parameter.is_const) {
      passed += fmt::format("static_cast<{}>(arguments[{}]), ", parameters.types[i], i);
    } else {
      passed += fmt::format("static_cast<{}>(const_cast<void*>(arguments[{}])), ", parameters.types[i], i);
    }
  }
  return fmt::format(
      "extern \"C\" void {0}_call(const void* const* arguments, uint64_t first, uint64_t last, uint64_t num_groups);\n"
      "void {0}_call({2}const void* const* arguments, uint64_t first, uint64_t last, uint64_t num_groups) {{\n"
      "  namespace v = lockstep_avx512;\n"
      "  {0}_kernel::range({1}static_cast<int64_t>(first), static_cast<int64_t>(last), num_groups);\n"
      "}}\n",
      symbol, passed, kernel.parameters.empty() ? "[[maybe_unused]] " : "");
}

/// `streams`: whether the call's data is so large that stores go past the caches and loads are announced.
std::string streams_text(const Kernel& kernel, const Parameters& parameters, const std::set<ParameterId>& streamed,
                         Nontemporal nontemporal) {
  std::vector<std::string> conditions;
  for (const ParameterId id : streamed) {
    conditions.push_back(fmt::format("v::address({}) % 64 == 0", parameters.names[id]));
  }
  if (nontemporal != Nontemporal::On) {
    // What one group loads and stores, loops counted once.
    std::uint64_t each = 0;
    for (const Region& region : kernel.regions) {
      for (const Operation& operation : region.operations) {
        const auto* store = std::get_if<Store>(&operation.node);
        const Place* place = accessed_place(operation.node);
        if (place != nullptr && std::holds_alternative<OfParameter>(place->base)) {
          const Type& type = kernel.type_of(store != nullptr ? store->value : operation.results.front());
          each += size_of(type.element.scalar) * lanes_per_group(type.layout, kernel.shape);
        }
      }
    }
    conditions.push_back(fmt::format("v::u(last - first) * {}u > {}u", each, stream_from));
  }
  return fmt::format("  const bool streams = {};\n", conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && ")));
}

/// `bool are_apart(…, first, last)`.
std::string are_apart_text(const Kernel& kernel, const Parameters& parameters, const Apart& apart, const std::set<std::string>& far) {
  std::string all = apart.condition;
  for (const std::string& one : far) {
    all += "\n      && " + one;
  }
  const std::string body = fmt::format("  {}{}return {};\n", fmt::join(apart.buffers, "\n  "), apart.buffers.empty() ? "" : "\n  ", all);
  const auto group = [&](const char* name) { return fmt::format("{}int64_t {}", mentions(body, name) ? "" : "[[maybe_unused]] ", name); };
  return fmt::format(
      "\n/// Whether in groups first to last - 1 no store meets another buffer, nor what lies elsewhere in its own.\n"
      "bool are_apart({}{}, {}) {{\n{}}}\n",
      declarations(kernel, parameters, false, [&](std::string_view name) { return mentions(body, name); }), group("first"), group("last"),
      body);
}

/// `void groups(…)`, which does `calls`, and what calls it: masks may keep the last groups from what lies behind a buffer, which is not
/// known beforehand, so that buffers that do not seem apart are asked about once more, without the last pack.
struct InTwo {
  std::string function;
  std::string calls;
};

InTwo in_two(const Kernel& kernel, const Parameters& parameters, const std::string& calls, bool has_stream) {
  const std::string_view streams = has_stream ? "streams, " : "";
  const std::uint32_t pack = kernel.shape.wg_pack;
  const std::string ask_again = call("are_apart", parameters, "first, middle");
  return {
      .function = fmt::format("\n/// Groups first to last - 1, first being that of a pack.\n"
                              "void groups({}int64_t first, int64_t last, uint64_t num_groups, {}bool apart) {{\n{}}}\n",
                              declarations(kernel, parameters, false, [](std::string_view) { return true; }),
                              has_stream ? "bool streams, " : "", calls),
      .calls = fmt::format("  bool apart = {0}\n"
                           "  int64_t middle = last;\n"
                           "  if (!apart && last - first > {1}) {{\n"
                           "    middle = last - (last - first - 1) % {1} - 1;\n"
                           "    apart = {2}\n"
                           "  }}\n"
                           "  {3}\n"
                           "  if (middle < last) {{\n"
                           "    {4}\n"
                           "  }}\n",
                           call("are_apart", parameters, "first, last"), pack, ask_again,
                           call("groups", parameters, fmt::format("first, middle, num_groups, {}apart", streams)),
                           call("groups", parameters, fmt::format("middle, last, num_groups, {}false", streams))),
  };
}

}  // namespace

std::expected<Emitted, std::string> emit_file(const Kernel& kernel, const std::string& symbol, const Plan& plan,
                                              const EmitOptions& options) {
  const Parameters parameters(kernel);
  Tables tables;
  std::string functions;
  Emitted result;
  std::uint64_t bytes = 0;
  std::set<ParameterId> streamed;
  std::set<std::string> far;
  bool has_stream = false;
  bool has_guard = false;
  const auto all_named = [](std::string_view) { return true; };
  const Shape single{kernel.shape.wg_size, 1};
  const std::optional<Apart> apart = apart_condition(kernel, parameters.names);
  const auto add = [&](const std::string& name, Shape shape, Plan plan_here, const std::string& comment) -> std::string {
    if (plan_here.arrangement == Arrangement::Rows && are_items_alone(kernel, shape, plan.chunk_lanes, plan_here.most_chunks)) {
      plan_here.arrangement = Arrangement::Items;
    }
    const Function safe = function_of(kernel, parameters, name, shape, plan_here, tables);
    functions += fmt::format("\n{}{}", comment, safe.text);
    bytes = std::max(bytes, safe.bytes);
    result.explain += fmt::format("{}: {} lanes a chunk, {}{} bytes of memory beside registers\n", name, plan.chunk_lanes,
                                  plan_here.arrangement == Arrangement::Groups ? "groups side by side, " : "", safe.bytes);
    for (const std::string& choice : safe.choices) {
      result.explain += fmt::format("  {}\n", choice);
    }
    streamed.insert(safe.streamed.begin(), safe.streamed.end());
    has_stream = has_stream || safe.has_stream;
    has_guard = has_guard || safe.has_guard;
    const std::string_view all = "first, last, num_groups";
    const auto called = [&](const Function& function, const std::string& function_name) {
      return !function.has_stream
                 ? call(function_name, parameters, all)
                 : fmt::format("if (streams) {{\n      {}\n    }} else {{\n      {}\n    }}",
                               call(function_name + "<true>", parameters, all), call(function_name + "<false>", parameters, all));
    };
    if (!safe.asked_apart || !apart) {
      return called(safe, name);
    }
    Plan bold = plan_here;
    bold.parameters_apart = true;
    const Function fast = function_of(kernel, parameters, name + "_apart", shape, bold, tables);
    functions += fmt::format("\n/// The same where no store meets another buffer, nor what lies elsewhere in its own.\n{}", fast.text);
    far.insert(fast.far.begin(), fast.far.end());
    streamed.insert(fast.streamed.begin(), fast.streamed.end());
    has_stream = has_stream || fast.has_stream;
    return fmt::format("if (apart) {{\n    {}\n  }} else {{\n    {}\n  }}", called(fast, name + "_apart"), called(safe, name));
  };
  const std::uint32_t pack = kernel.shape.wg_pack;
  std::string calls = "  " +
                      add("packs", kernel.shape, plan,
                          fmt::format("/// {}groups first to last - 1{}.\n", pack > 1 ? fmt::format("Packs of {} ", pack) : "The ",
                                      pack > 1 ? ", as far as they fill packs" : "")) +
                      "\n";
  if (pack > 1) {
    Plan of_rows = plan;
    if (plan.arrangement == Arrangement::Groups) {
      of_rows.arrangement = Arrangement::Rows;
      of_rows.most_chunks = options.most_chunks;
    }
    const std::string rest = add("single_groups", single, of_rows, "/// One group at a time: those behind the last full pack.\n");
    calls += fmt::format("  first = last - (last - first) % {};\n  if (first < last) {{\n    {}\n  }}\n", pack, deeper(rest));
  }
  if (bytes > most_scratch_bytes) {
    return std::unexpected(fmt::format("a pack of '{}' needs {} bytes of memory, more than {}", kernel.name, bytes, most_scratch_bytes));
  }
  const std::string streams = has_stream ? streams_text(kernel, parameters, streamed, options.nontemporal) : "";
  const std::string fence = streamed.empty() ? "" : "  if (streams) {\n    v::stream_fence();\n  }\n";
  if (calls.find("if (apart)") != std::string::npos) {
    functions += are_apart_text(kernel, parameters, *apart, far);
    if (has_guard) {
      const InTwo two = in_two(kernel, parameters, calls, has_stream);
      functions += two.function;
      calls = two.calls;
    } else {
      calls = fmt::format("  const bool apart = {}\n{}", call("are_apart", parameters, "first, last"), calls);
    }
  }
  std::string text = fmt::format("// {}: {} items a group, {} group{} a pack, {} lanes a chunk.\n", kernel.name, kernel.shape.wg_size, pack,
                                 pack == 1 ? "" : "s", plan.chunk_lanes);
  if (options.include_support) {
    text += "#include \"lockstep_avx512.h\"\n";
    text += "#ifdef _OPENMP\n#include <omp.h>\n#endif\n";
  }
  text += fmt::format(
      "\nnamespace {{\nnamespace {}_kernel {{\n\nnamespace v = lockstep_avx512;\n[[maybe_unused]] constexpr int W = {};\nusing M = "
      "v::Mask<W>;\n",
      symbol, plan.chunk_lanes);
  for (const auto& [name, type] : {std::pair("F64", "double"), std::pair("F32", "float"), std::pair("I64", "int64_t"),
                                   std::pair("U64", "uint64_t"), std::pair("I32", "int32_t"), std::pair("U32", "uint32_t")}) {
    text += fmt::format("using {} = v::Vec<{}, W>;\n", name, type);
  }
  if (!tables.texts.empty()) {
    text += "\nnamespace constants {\n";
    for (const std::string& table : tables.texts) {
      text += needs(functions, table) ? table + "\n" : "";
    }
    text += "}  // namespace constants\n";
  }
  text += functions;
  text += fmt::format(
      "\n/// Groups first to last - 1, first being that of a pack.\nvoid range({}int64_t first, int64_t last, uint64_t num_groups) {{\n"
      "  const v::FloatingPoint environment;\n{}{}{}}}\n",
      declarations(kernel, parameters, false, all_named), streams, calls, fence);
  text += fmt::format("\n}}  // namespace {}_kernel\n}}  // namespace\n\n", symbol);
  text += options.call_wrapper ? call_wrapper(kernel, symbol, parameters) : entry_point(kernel, symbol, parameters);
  result.source = std::move(text);
  Kernel renamed = kernel;
  renamed.name = symbol;
  result.header = emit_c::c_header(renamed, emit_c::c_name(symbol),
                                   "on the calling thread, or on all threads of OpenMP if the source is compiled with it");
  return result;
}

}  // namespace lockstep::emit_avx512
