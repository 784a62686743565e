// Lines, and loops over the elements of a layout.
#include <fmt/format.h>

#include <set>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/cuda/writer.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

std::string c_type(Element element) { return element.is_pointer ? "uint64_t" : std::string(emit_c::c_type(element.scalar)); }

std::string Writer::body() {
  aliases_.resize(kernel_.values.size());
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        definitions_[result] = &operation;
      }
    }
  }
  make_tables();
  if (plan_.geometry.vectors == 1) {
    line("[[maybe_unused]] const int wi = slot.lane;");
  }
  ask_alignment();
  declare_private_objects();
  region(kernel_.body);
  return std::move(text_);
}

/// Whether accesses to several elements at once can be so, of all parameters together.
void Writer::ask_alignment() {
  std::set<std::string> pointers;
  for (const OperationId id : plan_.wide) {
    if (const Place* place = accessed_place(kernel_.regions[id.region].operations[id.index].node)) {
      pointers.insert(names_.parameters[std::get<OfParameter>(place->base).id]);
    }
  }
  std::string all;
  for (const std::string& pointer : pointers) {
    all += fmt::format("{}v::is_aligned({})", all.empty() ? "" : " && ", pointer);
  }
  alignment_ = all;
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

std::string Writer::unroll(Layout layout) const { return plan_.is_rolled(layout) ? "LOCKSTEP_ROLLED" : "LOCKSTEP_UNROLL"; }

void Writer::each(Layout layout, const std::function<void(const At&)>& inside) {
  if (layout.kind == Layout::Kind::Pack || plan_.geometry.shape.wg_pack == 1) {
    return each_of_group(layout, At{}, inside);
  }
  At at;
  at.p = "p";
  line(unroll(layout));
  open(fmt::format("for (int p = 0; p < {}; ++p) {{", plan_.geometry.shape.wg_pack));
  each_of_group(layout, at, inside);
  close();
}

void Writer::each_of_group(Layout layout, const At& group, const std::function<void(const At&)>& inside) {
  At at = group;
  unsigned opened = 0;
  const auto loop = [&](const std::string& variable, std::uint64_t count) {
    line(unroll(layout));
    open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", variable, count));
    ++opened;
    return variable;
  };
  if (layout.kind == Layout::Kind::Item && plan_.geometry.vectors > 1) {
    at.vector = loop("vector", plan_.geometry.vectors);
    line(fmt::format("[[maybe_unused]] const int wi = vector * {} + slot.lane;", warp_size));
  }
  if (layout.elements > 1) {
    at.ix = loop("ix", layout.elements);
  }
  inside(at);
  for (; opened > 0; --opened) {
    close();
  }
}

std::string Writer::dimensions(Layout layout) const {
  const unsigned groups = layout.kind == Layout::Kind::Pack ? 1 : plan_.geometry.shape.wg_pack;
  const unsigned vectors = layout.kind == Layout::Kind::Item ? plan_.geometry.vectors : 1;
  std::string result;
  for (const unsigned count : {groups, vectors, layout.elements}) {
    result += count > 1 ? fmt::format("[{}]", count) : "";
  }
  return result;
}

std::string Writer::indices(Layout layout, const At& at) const {
  std::string result;
  if (layout.kind != Layout::Kind::Pack && plan_.geometry.shape.wg_pack > 1) {
    result += fmt::format("[{}]", at.p);
  }
  if (layout.kind == Layout::Kind::Item && plan_.geometry.vectors > 1) {
    result += fmt::format("[{}]", at.vector);
  }
  return result + (layout.elements > 1 ? fmt::format("[{}]", at.ix) : "");
}

}  // namespace lockstep::emit_cuda
