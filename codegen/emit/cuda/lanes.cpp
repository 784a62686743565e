// What goes from lane to lane: reorderings, shuffles, votes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/emit/cuda/rows.hpp"
#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

std::string Writer::table(const std::string& type, const std::string& what, const std::vector<std::string>& numbers) {
  std::string name = fmt::format("{}{}_{}", symbol_, suffix_, what);
  tables_ += fmt::format("__device__ const {} {}[{}] = {{{}}};\n", type, name, numbers.size(), fmt::join(numbers, ", "));
  return "::" + name;
}

Element Writer::table_element(const ConstantLanes& lanes) {
  const Element element = lanes.type.element;
  if (std::ranges::all_of(lanes.bits, [&](std::uint64_t bits) { return is_usual(element, bits); })) {
    return element;
  }
  return Element::of(element.scalar == ScalarType::Float ? ScalarType::UInt : ScalarType::ULong);
}

/// Tables have numbers for lanes without items too.
void Writer::make_tables() {
  const std::uint64_t items = padded().wg_size;
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      if (const auto* lanes = std::get_if<ConstantLanes>(&operation.node)) {
        const Element element = table_element(*lanes);
        std::vector<std::string> numbers;
        for (const std::uint64_t bits : lanes->bits) {
          numbers.push_back(literal(element, bits));
        }
        if (lanes->type.layout.kind == Layout::Kind::Item) {
          numbers.resize(items * lanes->type.layout.elements, literal(element, 0));
        }
        const ValueId result = operation.results.front();
        lane_tables_[result] = table(c_type(element), names_.values[result], numbers);
      } else if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
        const auto* sources = std::get_if<Reorder::Table>(&reorder->pattern);
        if (sources == nullptr) {
          continue;
        }
        // What is the same for all lanes is so for those that nobody asks for, too: they send it.
        const std::uint32_t elements = reorder->layout.elements;
        const std::vector<std::uint32_t>& wanted = sources->source;
        std::vector<std::string> any(elements, "0");
        for (std::size_t k = wanted.size(); k-- > 0;) {
          any[k % elements] = wanted[k] == Reorder::Table::nowhere ? any[k % elements] : std::to_string(wanted[k]);
        }
        std::vector<std::string> numbers;
        for (std::size_t k = 0; k < (reorder->layout.kind == Layout::Kind::Item ? items : 1) * elements; ++k) {
          const bool is_there = k < wanted.size() && wanted[k] != Reorder::Table::nowhere;
          numbers.push_back(is_there ? std::to_string(wanted[k]) : any[k % elements]);
        }
        source_tables_[reorder] = table("int", names_.values[operation.results.front()], numbers);
      }
    }
  }
}

/// Where an element of the result comes from. What is the same in all lanes is written so.
Writer::Source Writer::source_of(const Reorder& reorder, const At& at) const {
  const Layout from = kernel_.type_of(reorder.source).layout;
  const bool has_items = from.kind == Layout::Kind::Item;
  if (const auto* affine = std::get_if<Reorder::Affine>(&reorder.pattern)) {
    return {has_items ? index_within(affine->item, kernel_.shape.wg_size, reorder.layout, at) : "0",
            index_within(affine->element, from.elements, reorder.layout, at)};
  }
  const std::string& sources = source_tables_.at(&reorder);
  const std::string row = reorder.layout.kind == Layout::Kind::Group ? "" : at.wi;
  std::string lane = reorder.layout.elements == 1 ? (row.empty() ? "0" : row)
                     : row.empty()                ? at.ix
                                                  : fmt::format("{} * {} + {}", row, reorder.layout.elements, at.ix);
  lane = fmt::format("{}[{}]", sources, lane);
  return {from.elements == 1 ? lane : fmt::format("{} / {}", lane, from.elements),
          from.elements == 1 ? "0" : fmt::format("{} % {}", lane, from.elements)};
}

std::string Writer::from_register(const Reorder& reorder, const At& at) const {
  At there = at;
  there.ix = source_of(reorder, at).element;
  return value(reorder.source, there);
}

/// What an earlier reordering has brought here: all elements of the item that this one wants, or the same ones.
std::string Writer::among_others(ValueId others, const Reorder& reorder, const At& at) const {
  At there = at;
  const auto& before = std::get<Reorder::Affine>(std::get<Reorder>(definitions_[others]->node).pattern);
  if (before.element == Polynomial(Symbol::element())) {
    there.ix = source_of(reorder, at).element;
  }
  return value(others, there);
}

/// What a lane of the slot has, of a register that is the same for all.
std::string Writer::moved(ValueId source, const Source& from, const At& at) const {
  At there = at;
  there.ix = from.element;
  std::string lane = from.item;
  if (plan_.geometry.vectors > 1) {
    there.vector = fmt::format("({}) / {}", from.item, warp_size);
    there.wi = fmt::format("(({}) / {} * {} + slot.lane)", from.item, warp_size, warp_size);
    lane = fmt::format("({}) % {}", from.item, warp_size);
  }
  return fmt::format("v::of_lane(slot, {}, {})", value(source, there), lane);
}

void Writer::reorder(const Operation& operation, const Reorder& node, const At& at) {
  const ValueId result = operation.results.front();
  const Source from = source_of(node, at);
  switch (plan_.ways.at(result)) {
    case Way::Register:
      throw InternalError("a register by another name is no operation");
    case Way::Broadcast:
    case Way::Exchange:
      line(fmt::format("{} = {};", target(result, at), moved(node.source, from, at)));
      return;
    case Way::Pick:
      search(operation, node.source, from, false, true, at);
      return;
    case Way::Memory:
      throw InternalError("a reordering through memory is a loop of its own");
    case Way::Row:
      line(fmt::format("{} = *{};", target(result, at), staged(node, plan_.rows.at(result).is_all, at)));
      return;
    case Way::Search: {
      const Sameness same = sameness_of(node, kernel_.type_of(node.source).layout, kernel_.shape);
      search(operation, node.source, from, true, !same.element, at);
      return;
    }
  }
}

std::uint64_t Writer::row_elements(const Reorder& node) const {
  const std::uint64_t bytes = size_of(kernel_.type_of(node.source).element.scalar);
  return row_bytes(node.layout.elements, bytes) / bytes;
}

/// The item leaves its row in shared memory, or all items do, each its own one.
void Writer::stage(const Reorder& node, bool is_all) {
  const Type& type = kernel_.type_of(node.source);
  const auto width = static_cast<unsigned>(16 / size_of(type.element.scalar));
  line("v::meet(slot);");
  open(is_all ? "{" : fmt::format("if (slot.lane == {}) {{", source_of(node, At{}).item));
  line(unroll(type.layout));
  open(fmt::format("for (int part = 0; part < {}; part += {}) {{", type.layout.elements, width));
  At part;
  part.ix = "part";
  part.width = width;
  const std::string from = together(node.source, part, width);
  line(fmt::format("v::put<{}>(v::at<{}>(shared.stage, {}part), {});", width, c_type(type.element),
                   is_all ? fmt::format("wi * {} + ", row_elements(node)) : "", from));
  close();
  close();
  line("v::meet(slot);");
}

/// Where an element lies that an item has left there.
std::string Writer::staged(const Reorder& node, bool is_all, const At& at) const {
  const std::string row = is_all ? fmt::format("({}) * {} + ", source_of(node, at).item, row_elements(node)) : "";
  return fmt::format("v::at<{}>(shared.stage, {}{})", c_type(kernel_.type_of(node.source).element), row, at.ix);
}

/// Each lane leaves what it has in shared memory, and takes what it wants from there.
void Writer::through_memory(const Operation& operation, const Reorder& node) {
  const ValueId result = operation.results.front();
  const Type& from = kernel_.type_of(node.source);
  const Layout to = kernel_.type_of(result).layout;
  const std::uint64_t row = stage_row(from.layout.elements);
  const auto cell = [&](const std::string& item, const std::string& element) {
    return fmt::format("stage[({}) * {} + {}]", item, row, element);
  };
  declare(result);
  open("{");
  line(fmt::format("{0} *const stage = reinterpret_cast<{0} *>(shared.stage);", type(result)));
  At pack;
  const bool is_pack = plan_.geometry.shape.wg_pack > 1;
  if (is_pack) {
    line("LOCKSTEP_UNROLL");
    open(fmt::format("for (int p = 0; p < {}; ++p) {{", plan_.geometry.shape.wg_pack));
    pack.p = "p";
  }
  line("v::meet(slot);");  // what was there has been read
  each_of_group(from.layout, pack, [&](const At& at) { line(fmt::format("{} = {};", cell(at.wi, at.ix), value(node.source, at))); });
  line("v::meet(slot);");
  each_of_group(to, pack, [&](const At& at) {
    const Source source = source_of(node, at);
    line(fmt::format("{}{} = {};", name(result), indices(to, at), cell(source.item, source.element)));
  });
  if (is_pack) {
    close();
  }
  close();
}

void Writer::shuffle(const Operation& operation, const Shuffle& node, const At& at) {
  const Source from{fmt::format("v::within({}, {})", value(node.lane, at), kernel_.shape.wg_size), at.ix};
  if (plan_.geometry.vectors == 1) {
    line(fmt::format("{} = {};", target(operation.results.front(), at), moved(node.source, from, at)));
  } else {
    search(operation, node.source, from, true, false, at);
  }
}

/// One register after the other, each from the lane that is wanted, until it is the wanted one.
void Writer::search(const Operation& operation, ValueId source, const Source& wanted, bool other_items, bool other_elements, const At& at) {
  const ValueId result = operation.results.front();
  const Layout from = kernel_.type_of(source).layout;
  const bool has_vectors = other_items && plan_.geometry.vectors > 1;
  const bool is_new = plan_.homes[result] == Home::Element || plan_.geometry.registers(held(result)) == 1;
  const std::string to = is_new ? name(result) : name(result) + indices(held(result), at);
  line(fmt::format("{}{} = {};", is_new ? type(result) + " " : "", to, literal(kernel_.type_of(result).element, 0)));
  open("{");
  if (other_items) {
    line(fmt::format("const int item = {};", wanted.item));
  }
  if (other_elements) {
    line(fmt::format("const int element = {};", wanted.element));
  }
  At there = at;
  there.ix = wanted.element;
  std::string is_wanted;
  unsigned opened = 0;
  const auto loop = [&](const std::string& variable, std::uint64_t count, const std::string& condition) {
    line(unroll(from));
    open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", variable, count));
    is_wanted += (is_wanted.empty() ? "" : " && ") + condition;
    ++opened;
  };
  if (has_vectors) {
    loop("turn", plan_.geometry.vectors, fmt::format("item / {} == turn", warp_size));
    there.vector = "turn";
    there.wi = fmt::format("(turn * {} + slot.lane)", warp_size);
  }
  if (other_elements && from.elements > 1) {
    loop("k", from.elements, "element == k");
    there.ix = "k";
  }
  std::string found = value(source, there);
  if (other_items) {
    found = fmt::format("v::of_lane(slot, {}, {})", found, has_vectors ? fmt::format("item % {}", warp_size) : "item");
  }
  line(fmt::format("const {} found = {};", type(result), found));
  line(is_wanted.empty() ? fmt::format("{} = found;", to) : fmt::format("{} = {} ? found : {};", to, is_wanted, to));
  for (; opened > 0; --opened) {
    close();
  }
  close();
}

void Writer::vote(const Operation& operation, const Vote& node) {
  const ValueId result = operation.results.front();
  const Layout over = kernel_.type_of(node.value).layout;
  const Layout to = kernel_.type_of(result).layout;
  const bool has_items = over.kind == Layout::Kind::Item;
  const bool is_truth = node.kind == Vote::Kind::Any || node.kind == Vote::Kind::All;
  declare(result);
  each(to, [&](const At& at) {
    line(fmt::format("{}{} = {};", name(result), indices(to, at), node.kind == Vote::Kind::All ? "true" : is_truth ? "false" : "0"));
  });
  each(over, [&](const At& at) {
    const std::string so_far = name(result) + indices(to, at);
    const std::string mask = active(node.mask, over, at);
    const std::string yes = fmt::format("{}({})", mask.empty() ? "" : mask + " && ", value(node.value, at));
    switch (node.kind) {
      case Vote::Kind::Any:
        line(fmt::format("{0} = {0} || ({1});", so_far, yes));
        return;
      case Vote::Kind::All:
        line(fmt::format("{0} = {0} && !({1}!({2}));", so_far, mask.empty() ? "" : mask + " && ", value(node.value, at)));
        return;
      case Vote::Kind::Popcount:
        line(fmt::format("{} += {};", so_far,
                         has_items ? fmt::format("v::popcount(v::ballot(slot, {}))", yes) : fmt::format("({}) ? 1 : 0", yes)));
        return;
      case Vote::Kind::Ballot:
        line(fmt::format("{} |= uint64_t(v::ballot(slot, {})){};", so_far, yes,
                         plan_.geometry.vectors > 1 ? fmt::format(" << (vector * {})", warp_size) : ""));
        return;
    }
  });
  if (is_truth && has_items) {
    each(to, [&](const At& at) {
      const std::string so_far = name(result) + indices(to, at);
      line(node.kind == Vote::Kind::Any ? fmt::format("{0} = v::any(slot, {0});", so_far)
                                        : fmt::format("{0} = !v::any(slot, !{0});", so_far));
    });
  }
}

}  // namespace lockstep::emit_cuda
