// What goes from item to item: reorderings, shuffles, votes.
#include <fmt/format.h>

#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

/// The vector of another item or element: a reordering is another name for it.
Writer::At Writer::source_of(const Reorder& reorder, const At& at) const {
  const Layout from = layout_of(reorder.source);
  const bool has_items = !is_rows() && from.kind == Layout::Kind::Item;
  if (const auto* affine = std::get_if<Reorder::Affine>(&reorder.pattern)) {
    return {at.p, has_items ? index_within(affine->item, plan_.shape.wg_size, reorder.layout, at) : "0",
            index_within(affine->element, from.elements, reorder.layout, at)};
  }
  const std::string row = reorder.layout.kind == Layout::Kind::Item ? at.wi : "0";
  const std::string lane = fmt::format("(int64_t){}[{}]", source_tables_.at(&reorder), place_in_row(row, reorder.layout.elements, at.ix));
  return {at.p,
          !has_items           ? "0"
          : from.elements == 1 ? lane
                               : fmt::format("({} / {})", lane, from.elements),
          from.elements == 1 ? "0" : fmt::format("({} % {})", lane, from.elements)};
}

/// Each group reads the vector of the item that it wants: its element of it.
Writer::Operand Writer::shuffle(const Shuffle& node, const At& at) const {
  const Layout layout = layout_of(node.source);
  const Operand lane = operand(node.lane, At{at.p, at.wi, "0"});
  if (lane.is_number()) {
    return operand(node.source, At{at.p, fmt::format("s_within({}, {})", lane.text, plan_.shape.wg_size), at.ix});
  }
  const std::uint64_t distance = std::uint64_t{8} * plan_.lanes * layout.elements;
  const std::string first = name(node.source) + indices(layout, At{at.p, "0", at.ix});
  const std::string found = fmt::format(
      "_vel_vgt_vvssl(_vel_vaddul_vvvl(v_line((uint64_t){}, 8, vl), _vel_vmulul_vsvl({}, v_within({}, {}, vl), vl), vl), 0, 0, vl)", first,
      distance, lane.text, plan_.shape.wg_size);
  return element_of(node.source) == truth ? Operand{fmt::format("_vel_vfmklne_mvl({}, vl)", found), Operand::Kind::Mask}
                                          : Operand{found, Operand::Kind::Vector};
}

/// All items and elements of one group of the pack.
void Writer::count_votes(const Vote& node, const std::string& so_far, const At& group) {
  each_of_group(layout_of(node.value), group, [&](const At& at) {
    const Operand active = operand(node.mask, at);
    const std::string value = mask(node.value, at);
    const std::string yes = active.text == "true" ? value : fmt::format("_vel_andm_mmm({}, {})", value, mask(node.mask, at));
    switch (node.kind) {
      case Vote::Kind::Any:
        line(fmt::format("{0} = _vel_orm_mmm({0}, {1});", so_far, yes));
        return;
      case Vote::Kind::All:  // is there one that says no
        line(fmt::format("{0} = _vel_orm_mmm({0}, {1});", so_far,
                         active.text == "true" ? fmt::format("_vel_negm_mm({})", value)
                                               : fmt::format("_vel_nndm_mmm({}, {})", value, mask(node.mask, at))));
        return;
      case Vote::Kind::Popcount:
        line(node.whole_pack ? fmt::format("{} += _vel_pcvm_sml({}, vl);", so_far, yes)
                             : fmt::format("{0} = _vel_vaddul_vvvl({0}, v_numbers({1}, vl), vl);", so_far, yes));
        return;
      case Vote::Kind::Ballot:
        line(fmt::format("{0} = _vel_vor_vvvl({0}, _vel_vsll_vvsl(v_numbers({1}, vl), {2}, vl), vl);", so_far, yes, at.wi));
        return;
    }
  });
}

void Writer::vote(const Operation& operation, const Vote& node) {
  if (is_rows()) {
    return vote_rows(operation, node);
  }
  const ValueId result = operation.results.front();
  const bool is_mask = node.kind == Vote::Kind::Any || node.kind == Vote::Kind::All;
  const std::string begin = is_mask ? "__vm256 so_far = _vel_vfmklaf_ml(vl);" : "__vr so_far = _vel_vbrdl_vsl(0, vl);";
  declare(result);
  if (!node.whole_pack) {
    each(Layout::group(), [&](const At& group) {
      open("{");
      line(begin);
      count_votes(node, "so_far", group);
      const Operand counted = is_mask ? Operand{node.kind == Vote::Kind::Any ? "so_far" : "_vel_negm_mm(so_far)", Operand::Kind::Mask}
                                      : Operand{"so_far", Operand::Kind::Vector};
      line(fmt::format("_vel_vst_vssl({}, 8, {}{}, vl);", as_vector(counted, element_of(result)), name(result),
                       indices(layout_of(result), group)));
      close();
    });
    return;
  }
  open("{");
  line(is_mask ? begin : "uint64_t so_far = 0;");
  const bool has_groups = layout_of(node.value).kind != Layout::Kind::Pack && plan_.shape.wg_pack > 1;
  At group;
  if (has_groups) {
    open(fmt::format("LOCKSTEP_ROLLED for (int64_t p = 0; p < {}; ++p) {{", plan_.shape.wg_pack));
    group.p = "p";
  }
  count_votes(node, "so_far", group);
  if (has_groups) {
    close();
  }
  line(is_mask ? fmt::format("{} = _vel_pcvm_sml(so_far, vl) {} 0;", name(result), node.kind == Vote::Kind::Any ? "!=" : "==")
               : fmt::format("{} = so_far;", name(result)));
  close();
}

}  // namespace lockstep::emit_ve
