// Rows: lanes of a vector are the items of a pack's groups. What differs from lane to lane there, and what goes from lane to lane.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "codegen/emit/ve/bits.hpp"
#include "codegen/emit/ve/writer.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

std::optional<Polynomial> Writer::step_of_rows(const Polynomial& polynomial) const {
  std::optional<Polynomial> item = polynomial.slope(Symbol::item());
  std::optional<Polynomial> group = polynomial.slope(Symbol::group());
  if (!item || plan_.differs(*item)) {
    return std::nullopt;
  }
  if (plan_.shape.wg_pack == 1) {
    return item;
  }
  if (!group || plan_.differs(*group)) {
    return std::nullopt;
  }
  if (plan_.shape.wg_size == 1) {
    return group;
  }
  return *group == *item * Polynomial(plan_.shape.wg_size) ? item : std::nullopt;
}

/// From memory, so that LLVM cannot make masks of it long before they are wanted, of which it loses those that it spills.
std::string Writer::items() const { return fmt::format("_vel_vld_vssl(8, {}_lane_items{}, vl)", symbol_, suffix_); }

std::string Writer::groups() const {
  return plan_.shape.wg_pack == 1 ? "_vel_vbrdl_vsl(0, vl)" : fmt::format("_vel_vld_vssl(8, {}_lane_groups{}, vl)", symbol_, suffix_);
}

void Writer::make_lane_tables() {
  if (!is_rows()) {
    return;
  }
  const auto add = [&](const char* what, auto number) {
    const std::string name = symbol_ + what + suffix_;
    if (text_.find(name) == std::string::npos) {
      return;
    }
    std::vector<unsigned> numbers;
    for (unsigned lane = 0; lane < plan_.lanes; ++lane) {
      numbers.push_back(number(lane));
    }
    tables_ += fmt::format("static const uint64_t {}[{}] = {{{}}};\n", name, numbers.size(), fmt::join(numbers, ", "));
  };
  add("_lane_items", [&](unsigned lane) { return lane % plan_.shape.wg_size; });
  add("_lane_groups", [&](unsigned lane) { return lane / plan_.shape.wg_size; });
}

/// A table of vectors, as elements hold the numbers.
std::string Writer::table_of_vectors(const std::string& what, const std::vector<std::vector<std::uint64_t>>& vectors) {
  std::string name = fmt::format("{}{}_{}", symbol_, suffix_, what);
  std::vector<std::string> texts;
  for (const std::vector<std::uint64_t>& vector : vectors) {
    std::vector<std::string> numbers;
    for (const std::uint64_t number : vector) {
      numbers.push_back(number > INT64_MAX ? fmt::format("{}u", number) : std::to_string(number));
    }
    texts.push_back(fmt::format("{{{}}}", fmt::join(numbers, ", ")));
  }
  tables_ +=
      fmt::format("static const uint64_t {}[{}][{}] = {{{}}};\n", name, vectors.size(), vectors.front().size(), fmt::join(texts, ", "));
  return name;
}

std::string Writer::table_of_rows(const std::string& what, const ConstantLanes& lanes) {
  const Layout layout = lanes.type.layout;
  std::vector<std::vector<std::uint64_t>> vectors(layout.elements);
  for (std::uint32_t element = 0; element < layout.elements; ++element) {
    for (unsigned lane = 0; lane < plan_.lanes; ++lane) {
      const std::size_t item = lane % plan_.shape.wg_size;
      vectors[element].push_back(register_bits(lanes.type.element.scalar, lanes.bits[item * layout.elements + element]));
    }
  }
  return table_of_vectors(what, vectors);
}

/// What a way looks up: for Moves of several distances the number of each lane's, for Compress which lanes are taken, and where they go,
/// for Gather where in the source's vectors each lane lies.
void Writer::make_table_of_way(ValueId result, const Reorder& node) {
  const Reordering& way = plan_.reorderings.at(result);
  std::vector<std::vector<std::uint64_t>> vectors;
  if (way.way == Way::Moves && way.distances.size() > 1) {
    vectors.resize(1);
    for (std::size_t lane = 0; lane < way.sources.size(); ++lane) {
      const auto distance = std::int64_t{way.sources[lane]} - static_cast<std::int64_t>(lane);
      const auto found = std::ranges::find(way.distances, distance) - way.distances.begin();
      vectors[0].push_back(way.sources[lane] == Reorder::Table::nowhere ? 0 : static_cast<std::uint64_t>(found));
    }
  } else if (way.way == Way::Compress) {
    vectors.assign(2, std::vector<std::uint64_t>(way.sources.size(), 0));
    for (std::size_t lane = 0; lane < way.sources.size(); ++lane) {
      if (way.sources[lane] != Reorder::Table::nowhere) {
        vectors[0][way.sources[lane]] = 1;
        vectors[1][lane] = 1;
      }
    }
  } else if (const auto* table = std::get_if<Reorder::Table>(&node.pattern); table != nullptr && way.way == Way::Gather) {
    const Layout from = layout_of(node.source);
    vectors.resize(node.layout.elements);
    for (std::uint32_t element = 0; element < node.layout.elements; ++element) {
      for (unsigned lane = 0; lane < plan_.lanes; ++lane) {
        const unsigned item = node.layout.kind == Layout::Kind::Item ? lane % plan_.shape.wg_size : 0;
        const std::uint32_t wanted = table->source[std::size_t{item} * node.layout.elements + element];
        const std::uint32_t source = wanted == Reorder::Table::nowhere ? 0 : wanted;
        const unsigned row =
            from.kind == Layout::Kind::Item ? lane / plan_.shape.wg_size * plan_.shape.wg_size + source / from.elements : lane;
        vectors[element].push_back(std::uint64_t{source % from.elements} * plan_.lanes + row);
      }
    }
  }
  if (!vectors.empty()) {
    source_tables_[&node] = table_of_vectors(names_.values[result], vectors);
  }
}

/// An element in scratch memory as a number of C.
Writer::Operand Writer::number_of_word(const std::string& word, Element element) {
  const auto as_number = [](std::string text) { return Operand{std::move(text), Operand::Kind::Number}; };
  if (element.is_pointer) {
    return as_number(word);
  }
  switch (element.scalar) {
    case ScalarType::Bool:
      return as_number(fmt::format("({} != 0)", word));
    case ScalarType::Double:
      return as_number(fmt::format("s_f64_of_bits({})", word));
    case ScalarType::Float:
      return as_number(fmt::format("s_f32_of_bits((uint32_t)({} >> 32))", word));
    default:
      return as_number(fmt::format("({}){}", emit_ve::c_type(element), word));
  }
}

/// What has been read as it lies in scratch memory.
Writer::Operand Writer::of_words(const std::string& words, Element element) {
  return element == truth ? Operand{fmt::format("_vel_vfmklne_mvl({}, vl)", words), Operand::Kind::Mask}
                          : Operand{words, Operand::Kind::Vector};
}

/// Where an element of a row lies: of one that lanes choose each, in words from the beginning of the value.
std::string Writer::places_of(const Reorder& node, const Reorder::Affine& affine, const At& at) const {
  const Layout from = layout_of(node.source);
  const auto within = [&](const Polynomial& polynomial, std::uint64_t count) {
    const std::string vector = vector_of(polynomial, node.layout, at);
    const auto range = emit_c::range_of(polynomial, node.layout, plan_.shape, plan_.ranges);
    return range && range->lies_in(0, static_cast<std::int64_t>(count) - 1) ? vector : fmt::format("v_within({}, {}, vl)", vector, count);
  };
  std::string sum;
  const auto add = [&](const std::string& vector) {
    sum = sum.empty() ? vector : fmt::format("_vel_vaddul_vvvl({}, {}, vl)", sum, vector);
  };
  const bool has_items = from.kind == Layout::Kind::Item;
  if (!has_items) {
    add("_vel_vseq_vl(vl)");
  } else {
    if (plan_.shape.wg_pack > 1) {
      add(fmt::format("_vel_vmulul_vsvl({}, {}, vl)", plan_.shape.wg_size, groups()));
    }
    if (plan_.differs(affine.item)) {
      add(within(affine.item, plan_.shape.wg_size));
    }
  }
  if (plan_.differs(affine.element)) {
    add(fmt::format("_vel_vmulul_vsvl({}, {}, vl)", plan_.lanes, within(affine.element, from.elements)));
  }
  return sum.empty() ? "_vel_vbrdl_vsl(0, vl)" : sum;
}

Writer::Operand Writer::gather_rows(const Reorder& node, const At& at) const {
  const auto* affine = std::get_if<Reorder::Affine>(&node.pattern);
  const std::string gather = "_vel_vgt_vvssl(_vel_vsfa_vvssl({}, 3, (uint64_t){}, vl), 0, 0, vl)";
  if (affine == nullptr) {
    const std::string table = fmt::format("_vel_vld_vssl(8, {}[{}], vl)", source_tables_.at(&node), at.ix);
    return of_words(fmt::format(fmt::runtime(gather), table, name(node.source)), element_of(node.source));
  }
  return of_words(fmt::format(fmt::runtime(gather), places_of(node, *affine, at), first_word(node, *affine, at)), element_of(node.source));
}

/// The element that the first lane wants.
std::string Writer::first_word(const Reorder& node, const Reorder::Affine& affine, const At& at) const {
  const Layout from = layout_of(node.source);
  const std::string element = plan_.differs(affine.element) ? "0" : index_within(affine.element, from.elements, node.layout, at);
  const bool has_item = from.kind == Layout::Kind::Item && !plan_.differs(affine.item);
  return fmt::format("&{}{}[{}]", name(node.source), indices(from, At{at.p, "0", element}),
                     has_item ? index_within(affine.item, plan_.shape.wg_size, node.layout, at) : "0");
}

Writer::Operand Writer::reorder(ValueId result, const Reorder& node, const At& at) const {
  const Reordering& reordering = plan_.reorderings.at(result);
  const auto* affine = std::get_if<Reorder::Affine>(&node.pattern);
  const Layout from = layout_of(node.source);
  const Element element = element_of(node.source);
  const auto row_of = [&](const std::string& of_element) { return name(node.source) + indices(from, At{at.p, "0", of_element}); };
  const auto row = [&] {  // that all lanes want
    return row_of(affine != nullptr ? index_within(affine->element, from.elements, node.layout, at) : "0");
  };
  const auto source = [&] { return fmt::format("_vel_vld_vssl(8, {}, vl)", row()); };
  const auto item = [&] { return index_within(affine->item, plan_.shape.wg_size, node.layout, at); };
  const auto moved = [](const std::string& vector, std::int64_t distance) {
    return fmt::format("_vel_vmv_vsvl({}, {}, vl)", static_cast<unsigned>(distance) % most_lanes, vector);
  };
  const auto flags = [&](unsigned k) {
    return fmt::format("_vel_vfmklne_mvl(_vel_vld_vssl(8, {}[{}], vl), vl)", source_tables_.at(&node), k);
  };
  switch (reordering.way) {
    case Way::Name:
      return operand(node.source, source_of(node, at));
    case Way::Number:
      return number_of_word(fmt::format("{}[{}]", row(), item()), element);
    case Way::Memory: {
      const Polynomial lane = from.kind == Layout::Kind::Item ? affine->item : Polynomial(Symbol::item());
      const auto step = (lane + affine->element * Polynomial(plan_.lanes)).slope(Symbol::item());
      const std::string first = row_of(index_within(affine->element, from.elements, node.layout, at));
      return of_words(fmt::format("_vel_vld_vssl({}, &{}[{}], vl)", number(*step * Polynomial(8), node.layout, at).text, first,
                                  from.kind == Layout::Kind::Item ? item() : "0"),
                      element);
    }
    case Way::Move:
      return of_words(fmt::format("_vel_vmv_vsvl((unsigned)({}), {}, vl)",
                                  signed_number(affine->item - Polynomial(Symbol::item()), node.layout, at), source()),
                      element);
    case Way::Moves: {
      std::string merged = moved(source(), reordering.distances.front());
      for (std::size_t k = 1; k < reordering.distances.size(); ++k) {
        merged = fmt::format("_vel_vmrg_vvvml({}, {}, _vel_vfmkleq_mvl(_vel_vcmpsl_vsvl({}, _vel_vld_vssl(8, {}[0], vl), vl), vl), vl)",
                             merged, moved(source(), reordering.distances[k]), k, source_tables_.at(&node));
      }
      return of_words(merged, element);
    }
    case Way::Segments: {
      const std::string at_first = row();
      std::string merged = fmt::format("_vel_vbrdl_vsl((int64_t){}[{}], vl)", at_first, item());
      for (unsigned group = 1; group < plan_.shape.wg_pack; ++group) {
        merged = fmt::format("_vel_vmrg_vvvml({}, _vel_vbrdl_vsl((int64_t){}[{} + {}], vl), v_are({}, {}, vl), vl)", merged, at_first,
                             item(), group * plan_.shape.wg_size, groups(), group);
      }
      return of_words(merged, element);
    }
    case Way::Doubling: {
      std::string spread = fmt::format("_vel_vmv_vsvl((unsigned){}, {}, vl)", in_parentheses(item()), source());
      for (unsigned distance = 1; distance < plan_.shape.wg_size; distance *= 2) {
        spread = fmt::format("v_doubled({}, {}, {}, vl)", spread, distance, items());
      }
      return of_words(spread, element);
    }
    case Way::Compress:
      return of_words(fmt::format("v_expanded(v_compressed({}, {}, vl), {}, vl)", source(), flags(0), flags(1)), element);
    case Way::Gather:
      break;
  }
  return gather_rows(node, at);
}

/// Each item reads the lane of the item that it wants.
Writer::Operand Writer::shuffle_rows(const Shuffle& node, const At& at) const {
  const std::string row = name(node.source) + indices(layout_of(node.source), At{at.p, "0", at.ix});
  const std::string wanted = fmt::format("v_within({}, {}, vl)", vector(node.lane, At{at.p, "0", "0"}), plan_.shape.wg_size);
  const std::string lane = plan_.shape.wg_pack == 1 ? wanted
                                                    : fmt::format("_vel_vaddul_vvvl({}, _vel_vmulul_vsvl({}, {}, vl), vl)", wanted,
                                                                  plan_.shape.wg_size, groups());
  return of_words(fmt::format("_vel_vgt_vvssl(_vel_vsfa_vvssl({}, 3, (uint64_t){}, vl), 0, 0, vl)", lane, row), element_of(node.source));
}

/// Each lane counts its own yes, for All each no; then lanes are added up, of each group or of the pack.
void Writer::vote_rows(const Operation& operation, const Vote& node) {
  const ValueId result = operation.results.front();
  declare(result);
  open("{");
  line("__vr so_far = _vel_vbrdl_vsl(0, vl);");
  each(layout_of(node.value), [&](const At& at) {
    const Operand active = operand(node.mask, at);
    const std::string value = mask(node.value, at);
    const bool is_everybody = active.text == "true";
    const std::string counted =
        node.kind == Vote::Kind::All
            ? (is_everybody ? fmt::format("_vel_negm_mm({})", value) : fmt::format("_vel_nndm_mmm({}, {})", value, mask(node.mask, at)))
        : is_everybody ? value
                       : fmt::format("_vel_andm_mmm({}, {})", value, mask(node.mask, at));
    const std::string numbers = fmt::format("v_numbers({}, vl)", counted);
    line(fmt::format("so_far = _vel_vaddul_vvvl(so_far, {}, vl);",
                     node.kind == Vote::Kind::Ballot ? fmt::format("_vel_vsll_vvvl({}, {}, vl)", numbers, items()) : numbers));
  });
  // What a group has once is in the lane of each item.
  const unsigned copies = layout_of(node.value).kind == Layout::Kind::Item ? 1 : plan_.shape.wg_size;
  const bool is_truth = node.kind == Vote::Kind::Any || node.kind == Vote::Kind::All;
  const auto answer = [&](const std::string& sum) {
    return is_truth      ? fmt::format("{} {} 0", sum, node.kind == Vote::Kind::Any ? "!=" : "==")
           : copies == 1 ? sum
                         : fmt::format("{} / {}", sum, copies);
  };
  if (node.whole_pack) {
    line(fmt::format("{} = {};", name(result), answer("v_sum(so_far, vl)")));
  } else if (plan_.shape.wg_pack == 1) {
    line(fmt::format("_vel_vst_vssl(_vel_vbrdl_vsl((int64_t)({}), vl), 8, {}, vl);", answer("v_sum(so_far, vl)"), name(result)));
  } else {
    line("__vr answers = so_far;");
    open(fmt::format("LOCKSTEP_ROLLED for (int64_t p = 0; p < {}; ++p) {{", plan_.shape.wg_pack));
    line(fmt::format("const __vm256 of_group = v_are({}, p, vl);", groups()));
    line(fmt::format("answers = _vel_vmrg_vvvml(answers, _vel_vbrdl_vsl((int64_t)({}), vl), of_group, vl);",
                     answer("v_sum_under(so_far, of_group, vl)")));
    close();
    line(fmt::format("_vel_vst_vssl(answers, 8, {}, vl);", name(result)));
  }
  close();
}

}  // namespace lockstep::emit_ve
