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

std::string entry_point(const Kernel& kernel, const emit_c::Names& names, const std::string& symbol, const Plan& plan, const Plan* one) {
  std::string parameters;
  std::string arguments;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    parameters += declaration(kernel.parameters[k], names.parameters[k]) + ", ";
    arguments += names.parameters[k] + ", ";
  }
  std::string text = fmt::format("void {}({}size_t num_groups) {{\n", symbol, parameters);
  const auto loop = [&](const Plan& of, const std::string& function, const std::string& first) {
    const unsigned pack = of.shape.wg_pack;
    const std::string step = pack == 1 ? fmt::format("{}", of.packs()) : fmt::format("{} * {}", of.packs(), pack);
    const std::string limit = pack == 1 ? "num_groups" : "in_packs";
    text += fmt::format("  for (uint64_t group = {}; group < {}; group += {}) {{\n", first, limit, step);
    const std::string left = pack == 1 ? "num_groups - group" : fmt::format("(in_packs - group) / {}", pack);
    text += fmt::format("    {}({}group, num_groups, {});\n  }}\n", function, arguments,
                        of.arrangement == Arrangement::Rows ? std::to_string(of.lanes) : fmt::format("s_length({}, {})", left, of.lanes));
  };
  if (one != nullptr) {
    text += fmt::format("  const uint64_t in_packs = num_groups / {0} * {0};\n", plan.shape.wg_pack);
  }
  loop(plan, symbol + "_pack", "0");
  if (one != nullptr) {
    loop(*one, symbol + "_one", "in_packs");
  }
  return text + "}\n";
}

}  // namespace lockstep::emit_ve
