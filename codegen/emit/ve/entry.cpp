#include "codegen/emit/ve/entry.hpp"

#include <fmt/format.h>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// Whether the text has the word, by itself.
bool mentions(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) {
      return true;
    }
  }
  return false;
}

std::string declaration(const Parameter& parameter, const std::string& name) {
  return fmt::format("{}{} {}{}", parameter.is_pointer && parameter.is_const ? "const " : "", emit_c::c_type(parameter.scalar),
                     parameter.is_pointer ? "*" : "", name);
}

}  // namespace

std::string constant_objects(const Kernel& kernel, const emit_c::Names& names, const std::string& symbol) {
  std::string text;
  for (std::size_t k = 0; k < kernel.objects.size(); ++k) {
    const Object& object = kernel.objects[k];
    if (object.space != AddressSpace::Constant) {
      continue;
    }
    std::string numbers;
    for (const std::uint64_t bits : object.values) {
      numbers += (numbers.empty() ? "" : ", ") + literal(Element::of(object.element), bits);
    }
    text += fmt::format("static const {} {}_constant_{}[{}] = {{{}}};\n", emit_c::c_type(object.element), symbol, names.objects[k],
                        object.count, numbers);
  }
  return text;
}

std::string pack_function(const Kernel& kernel, const emit_c::Names& names, const std::string& function, const std::string& body) {
  std::string parameters;
  const auto add = [&](const std::string& text, std::string_view name) {
    parameters += fmt::format("{}{}{}", parameters.empty() ? "" : ", ", text, mentions(body, name) ? "" : " __attribute__((unused))");
  };
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    add(declaration(kernel.parameters[k], names.parameters[k]), names.parameters[k]);
  }
  add("uint64_t first_group", "first_group");
  add("uint64_t num_groups", "num_groups");
  add("unsigned vl", "vl");
  return fmt::format("static __attribute__((noinline)) void {}({}) {{\n{}}}\n\n", function, parameters, body);
}

std::string suffix_of(const Plan& plan, bool is_one) {
  const char* what = plan.arrangement == Arrangement::Rows ? "_rows" : plan.is_paired ? "_pack_of_pairs" : "_pack";
  return fmt::format("{}{}", what, is_one ? "_one" : "");
}

std::string entry_point(const Kernel& kernel, const emit_c::Names& names, const std::string& symbol, const Choice& choice) {
  std::string parameters;
  std::string arguments;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    parameters += declaration(kernel.parameters[k], names.parameters[k]) + ", ";
    arguments += names.parameters[k] + ", ";
  }
  std::string text = fmt::format("void {}({}size_t num_groups) {{\n", symbol, parameters);
  std::string indent = "  ";
  const auto loop = [&](const Plan& plan, bool is_one, const std::string& first, const std::string& limit) {
    const bool is_rows = plan.arrangement == Arrangement::Rows;
    // Of rows a vector may have fewer groups than a pack.
    const unsigned pack = (is_rows ? 1 : plan.shape.wg_pack) * (plan.is_paired ? 2 : 1);
    const unsigned together = is_rows ? plan.shape.wg_pack : plan.lanes;
    const std::string step = pack == 1 ? fmt::format("{}", together) : fmt::format("{} * {}", together, pack);
    const std::string left = pack == 1 ? limit + " - group" : fmt::format("({} - group) / {}", limit, pack);
    const std::string length = fmt::format("s_length({}, {})", left, together);
    text += fmt::format("{}for (uint64_t group = {}; group < {}; group += {}) {{\n", indent, first, limit, step);
    text += fmt::format("{}  {}{}({}group, num_groups, {});\n{}}}\n", indent, symbol, suffix_of(plan, is_one), arguments,
                        is_rows && plan.shape.wg_size > 1 ? fmt::format("{} * {}", length, plan.shape.wg_size) : length, indent);
  };
  const auto loops = [&](const Arranged& arranged) {
    if (arranged.one) {
      text += fmt::format("{}const uint64_t in_packs = num_groups / {} * {};\n", indent, arranged.plan.shape.wg_pack,
                          arranged.plan.shape.wg_pack);
    }
    const std::string limit = arranged.one ? "in_packs" : "num_groups";
    const bool has_pairs = choice.pairs && arranged.plan.arrangement == Arrangement::Groups;
    if (has_pairs) {
      text += fmt::format("{0}const uint64_t in_pairs = num_groups / {1} * {1};\n", indent, 2 * arranged.plan.shape.wg_pack);
      loop(*choice.pairs, false, "0", "in_pairs");
    }
    loop(arranged.plan, false, has_pairs ? "in_pairs" : "0", limit);
    if (arranged.one) {
      loop(*arranged.one, true, "in_packs", "num_groups");
    }
  };
  if (choice.rows && choice.groups) {
    text += fmt::format("  if (num_groups <= {}) {{\n", choice.rows_up_to);
    indent = "    ";
    loops(*choice.rows);
    text += "    return;\n  }\n";
    indent = "  ";
    loops(*choice.groups);
  } else {
    loops(choice.rows ? *choice.rows : *choice.groups);
  }
  return text + "}\n";
}

}  // namespace lockstep::emit_ve
