// Lines, loops over the items and elements of a layout, and tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

std::string c_type(Element element) { return element.is_pointer ? "uint64_t" : std::string(emit_c::c_type(element.scalar)); }

std::string bare(const std::string& text) {
  if (text.empty() || text.front() != '(') {
    return text;
  }
  int open = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    open += text[k] == '(' ? 1 : 0;
    open -= text[k] == ')' ? 1 : 0;
    if (open == 0) {
      return text;  // the first parenthesis ends here
    }
  }
  return text.substr(1, text.size() - 2);
}

std::string in_parentheses(const std::string& text) {
  int open = 0;
  bool is_sum = text.starts_with('-');
  for (const char c : text) {
    open += c == '(' || c == '[' ? 1 : 0;
    open -= c == ')' || c == ']' ? 1 : 0;
    is_sum = is_sum || (open == 0 && c == ' ');
  }
  return is_sum ? "(" + text + ")" : text;
}

std::string Writer::c_type(ValueId value) const { return emit_ve::c_type(element_of(value)); }

std::string Writer::body() {
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        definitions_[result] = &operation;
      }
    }
  }
  make_tables();
  declare_objects();
  region(kernel_.body);
  make_lane_tables();
  return std::move(text_);
}

void Writer::line(const std::string& text) { text_ += std::string(2UL * depth_, ' ') + text + "\n"; }

void Writer::open(const std::string& text) {
  line(text);
  ++depth_;
}

void Writer::close(const std::string& text) {
  --depth_;
  line(text);
}

void Writer::each(Layout layout, const std::function<void(const At&)>& inside) {
  At at;
  if (is_rows()) {
    at.wi = "0";
    return each_element(layout, at, inside);
  }
  if (layout.kind == Layout::Kind::Pack || plan_.shape.wg_pack == 1) {
    return each_of_group(layout, At{}, inside);
  }
  at.p = "p";
  open(fmt::format("LOCKSTEP_ROLLED for (int64_t p = 0; p < {}; ++p) {{", plan_.shape.wg_pack));
  each_of_group(layout, at, inside);
  close();
}

void Writer::each_of_group(Layout layout, const At& group, const std::function<void(const At&)>& inside) {
  At at = group;
  const bool has_items = layout.kind == Layout::Kind::Item && plan_.shape.wg_size > 1;
  at.wi = has_items ? "wi" : "0";
  if (has_items) {
    open(fmt::format("LOCKSTEP_ROLLED for (int64_t wi = 0; wi < {}; ++wi) {{", plan_.shape.wg_size));
  }
  each_element(layout, at, inside);
  if (has_items) {
    close();
  }
}

void Writer::each_element(Layout layout, const At& item, const std::function<void(const At&)>& inside) {
  At at = item;
  at.ix = layout.elements > 1 ? "ix" : "0";
  if (layout.elements > 1) {
    open(fmt::format("LOCKSTEP_ROLLED for (int64_t ix = 0; ix < {}; ++ix) {{", layout.elements));
  }
  inside(at);
  if (layout.elements > 1) {
    close();
  }
}

std::string Writer::dimensions(Layout layout) const {
  std::string result;
  const unsigned packs = is_rows() ? 1 : plan_.shape.wg_pack;
  const unsigned items = !is_rows() && layout.kind == Layout::Kind::Item ? plan_.shape.wg_size : 1;
  for (const unsigned count : {packs, items, layout.elements}) {
    result += count > 1 ? fmt::format("[{}]", count) : "";
  }
  return result + fmt::format("[{}]", plan_.lanes);
}

std::string Writer::indices(Layout layout, const At& at) const {
  std::string result = !is_rows() && plan_.shape.wg_pack > 1 ? fmt::format("[{}]", at.p) : "";
  if (!is_rows() && layout.kind == Layout::Kind::Item && plan_.shape.wg_size > 1) {
    result += fmt::format("[{}]", at.wi);
  }
  return result + (layout.elements > 1 ? fmt::format("[{}]", at.ix) : "");
}

std::string Writer::table(const std::string& type, const std::string& what, const std::vector<std::string>& numbers) {
  std::string name = fmt::format("{}{}_{}", symbol_, suffix_, what);
  tables_ += fmt::format("static const {} {}[{}] = {{{}}};\n", type, name, numbers.size(), fmt::join(numbers, ", "));
  return name;
}

void Writer::make_tables() {
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      std::vector<std::string> numbers;
      if (const auto* lanes = std::get_if<ConstantLanes>(&operation.node)) {
        if (is_rows() && lanes->type.layout.kind == Layout::Kind::Item) {
          lane_tables_[operation.results.front()] = table_of_rows(names_.values[operation.results.front()], *lanes);
          continue;
        }
        for (const std::uint64_t bits : lanes->bits) {
          numbers.push_back(literal(lanes->type.element, bits));
        }
        const ValueId result = operation.results.front();
        lane_tables_[result] = table(emit_ve::c_type(lanes->type.element), names_.values[result], numbers);
      } else if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
        const auto* sources = std::get_if<Reorder::Table>(&reorder->pattern);
        if (is_rows()) {
          make_table_of_way(operation.results.front(), *reorder);
        }
        if (sources == nullptr || is_rows()) {
          continue;
        }
        for (const std::uint32_t lane : sources->source) {
          numbers.push_back(std::to_string(lane == Reorder::Table::nowhere ? 0 : lane));
        }
        source_tables_[reorder] = table("uint32_t", names_.values[operation.results.front()], numbers);
      }
    }
  }
}

}  // namespace lockstep::emit_ve
