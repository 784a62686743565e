// Loads and stores. What is not active touches no memory.
#include <fmt/format.h>

#include <bit>

#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

bool is_small(ScalarType type) { return size_of(type) < 4; }

/// Of 1 and 2 bytes: "u8"; truth values are bytes.
std::string_view small_name(ScalarType type) { return short_type(Element::of(type == ScalarType::Bool ? ScalarType::UChar : type)); }

/// What intrinsics' names have behind "vld" and "vgt".
std::string_view load_suffix(ScalarType type) {
  return type == ScalarType::Float ? "u" : type == ScalarType::Int ? "lsx" : type == ScalarType::UInt ? "lzx" : "";
}
/// Behind "vst" and "vsc".
std::string_view store_suffix(ScalarType type) { return type == ScalarType::Float ? "u" : size_of(type) == 4 ? "l" : ""; }

}  // namespace

void Writer::declare_objects() {
  for (ObjectId k = 0; k < kernel_.objects.size(); ++k) {
    const Object& object = kernel_.objects[k];
    if (object.space != AddressSpace::Constant) {
      const Layout layout = object.space == AddressSpace::Private ? Layout::item() : Layout::group();
      const bool is_of_groups = is_rows() && layout == Layout::group();
      line(fmt::format("{} {}{}[{}] __attribute__((aligned(8)));", emit_ve::c_type(Element::of(object.element)), names_.objects[k],
                       is_of_groups ? fmt::format("[{}]", plan_.shape.wg_pack) : dimensions(layout), row_of(object)));
      line(fmt::format("__builtin_memset({0}, 0, sizeof {0});", names_.objects[k]));
    }
  }
}

/// Where an object begins; of those that groups have each, the first group's.
std::string Writer::object_at(ObjectId id, const At& at) const {
  switch (kernel_.objects[id].space) {
    case AddressSpace::Private:
      return fmt::format("{}{}[0]", names_.objects[id], indices(Layout::item(), at));
    case AddressSpace::Local:
      return fmt::format("{}{}[0]", names_.objects[id], indices(Layout::group(), at));
    case AddressSpace::Global:
    case AddressSpace::Constant:
      break;
  }
  return fmt::format("{}_constant_{}", symbol_, names_.objects[id]);
}

/// Where the object of each lane begins.
std::string Writer::copies_of(ObjectId id, const At& at) const {
  const Object& object = kernel_.objects[id];
  const std::uint64_t bytes = row_of(object) * size_of(object.element);
  const std::string first = "(uint64_t)" + object_at(id, at);
  return is_rows() && object.space == AddressSpace::Local
             ? fmt::format("_vel_vaddul_vsvl({}, _vel_vmulul_vsvl({}, {}, vl), vl)", first, bytes, groups())
             : fmt::format("v_line({}, {}, vl)", first, bytes);
}

/// From one lane to the next, in bytes, if that is the same for all: of an access, and of the lanes' own objects.
std::optional<Polynomial> Writer::bytes_apart(const Place& place, ScalarType type) const {
  const std::int64_t size = size_of(type);
  const auto* object = std::get_if<OfObject>(&place.base);
  if (object == nullptr || kernel_.objects[object->id].space == AddressSpace::Constant) {
    return step_of(place.index * Polynomial(size));
  }
  const auto row = static_cast<std::int64_t>(row_of(kernel_.objects[object->id])) * size;
  if (is_rows()) {
    const Polynomial copy = kernel_.objects[object->id].space == AddressSpace::Local
                                ? Polynomial(Symbol::group())
                                : Polynomial(Symbol::group()) * Polynomial(plan_.shape.wg_size) + Polynomial(Symbol::item());
    return step_of(place.index * Polynomial(size) + copy * Polynomial(row));
  }
  const auto step = step_of(place.index * Polynomial(size));
  return step ? std::optional(*step + Polynomial(row)) : std::nullopt;
}

/// What the cells are counted from, if that is a pointer of C.
std::string Writer::base_of(const Place& place, ScalarType type, const At& at) const {
  if (const auto* parameter = std::get_if<OfParameter>(&place.base)) {
    return names_.parameters[parameter->id];
  }
  if (const auto* object = std::get_if<OfObject>(&place.base)) {
    return object_at(object->id, at);
  }
  const Operand pointer = operand(std::get<AtPointer>(place.base).value, at);
  return pointer.is_number() ? fmt::format("(({} *){})", emit_ve::c_type(Element::of(type)), pointer.text) : "";
}

/// The number of the first group's cell.
std::string Writer::cell_number(const Place& place, Layout layout, const At& at) const {
  if (!place.lanes) {
    return signed_number(place.index, layout, at);
  }
  const std::string more = operand(*place.lanes, at).text;
  return place.index == Polynomial(0) ? fmt::format("(int64_t){}", more)
                                      : fmt::format("(int64_t)((uint64_t)({}) + (uint64_t){})", number(place.index, layout, at).text, more);
}

std::string Writer::cell(const Place& place, ScalarType type, Layout layout, const At& at) const {
  return fmt::format("{}[{}]", base_of(place, type, at), cell_number(place, layout, at));
}

Writer::Where Writer::where(const Place& place, ScalarType type, Layout layout, const At& at) const {
  const std::int64_t size = size_of(type);
  const auto* object = std::get_if<OfObject>(&place.base);
  const bool is_own = object != nullptr && kernel_.objects[object->id].space != AddressSpace::Constant;
  const std::string base = base_of(place, type, at);
  const bool has_number = !place.lanes || operand(*place.lanes, at).is_number();
  if (const auto bytes = bytes_apart(place, type); bytes && has_number && !base.empty()) {
    return {fmt::format("&{}[{}]", base, cell_number(place, layout, at)), number(*bytes, layout, at).text, ""};
  }
  const int shift = std::countr_zero(static_cast<std::uint64_t>(size));
  std::string index = place.lanes ? vector(*place.lanes, at) : vector_of(place.index, layout, at);
  if (place.lanes && place.index != Polynomial(0)) {
    index = plan_.differs(place.index) ? fmt::format("_vel_vaddul_vvvl({}, {}, vl)", vector_of(place.index, layout, at), index)
                                       : fmt::format("_vel_vaddul_vsvl({}, {}, vl)", number(place.index, layout, at).text, index);
  }
  if (base.empty()) {
    const std::string pointers = vector(std::get<AtPointer>(place.base).value, at);
    const bool is_same = !place.lanes && !plan_.differs(place.index);
    return {"", "",
            is_same && place.index == Polynomial(0) ? pointers
            : is_same ? fmt::format("_vel_vaddul_vsvl((uint64_t)({}) * {}, {}, vl)", number(place.index, layout, at).text, size, pointers)
                      : fmt::format("_vel_vaddul_vvvl({}, _vel_vsll_vvsl({}, {}, vl), vl)", pointers, index, shift)};
  }
  return {"", "",
          is_own ? fmt::format("_vel_vaddul_vvvl({}, _vel_vsll_vvsl({}, {}, vl), vl)", copies_of(object->id, at), index, shift)
                 : fmt::format("_vel_vsfa_vvssl({}, {}, (uint64_t){}, vl)", index, shift, base)};
}

std::string Writer::addresses_of(const Where& where) {
  return where.stride.empty() ? where.addresses : fmt::format("v_line(s_anew((uint64_t){}), {}, vl)", where.pointer, where.stride);
}

Writer::Operand Writer::load(const Load& node, bool is_alike, const At& at) const {
  const ScalarType type = node.type.element.scalar;
  const Layout layout = node.type.layout;
  const std::optional<Operand> mask = node.mask ? std::optional(operand(*node.mask, at)) : std::nullopt;
  if (is_alike) {
    const std::string from = cell(node.place, type, layout, at);
    return {mask ? fmt::format("({} ? {} : {})", mask->text, from, literal(node.type.element, 0)) : from, Operand::Kind::Number};
  }
  const Where where = this->where(node.place, type, layout, at);
  if (is_small(type)) {
    const std::string numbers = fmt::format("v_load_{}({}, {}, vl)", small_name(type), addresses_of(where),
                                            mask ? this->mask(*node.mask, at) : "_vel_vfmklat_ml(vl)");
    return type == ScalarType::Bool ? Operand{fmt::format("_vel_vfmklne_mvl({}, vl)", numbers), Operand::Kind::Mask}
                                    : Operand{numbers, Operand::Kind::Vector};
  }
  if (plan_.is_paired) {
    return {fmt::format("v_load_pair({}, {}, vl)", where.stride, where.pointer), Operand::Kind::Vector};
  }
  const std::string_view suffix = load_suffix(type);
  if (mask && !mask->is_number()) {
    return {fmt::format("_vel_vgt{}_vvssmvl({}, 0, 0, {}, _vel_vbrdl_vsl(0, vl), vl)", suffix, addresses_of(where), mask->text),
            Operand::Kind::Vector};
  }
  // LLVM cannot choose between vectors by a number: of those that nobody wants no element is loaded.
  const std::string otherwise = mask ? "_vel_vbrdl_vsl(0, vl), " : "";
  const char* form = mask ? "vl" : "l";
  const std::string length = mask ? mask->text + " ? vl : 0" : "vl";
  return {where.stride.empty()
              ? fmt::format("_vel_vgt{}_vvss{}({}, 0, 0, {}{})", suffix, form, where.addresses, otherwise, length)
              : fmt::format("_vel_vld{}_vss{}({}, {}, {}{})", suffix, form, where.stride, where.pointer, otherwise, length),
          Operand::Kind::Vector};
}

std::string Writer::changed(const Atomic& node, const At& at) const {
  const std::string_view word = info(node.op).word;
  const std::string numbers = vector(node.value, at);
  return fmt::format("v_atomic_{}_{}({}, {}, {}, {}, vl)", word.substr(word.find('.') + 1), short_type(node.type.element),
                     addresses_of(where(node.place, node.type.element.scalar, node.type.layout, at)),
                     node.compare ? vector(*node.compare, at) : numbers, numbers, node.mask ? mask(*node.mask, at) : "_vel_vfmklat_ml(vl)");
}

void Writer::store(const Store& node, const At& at) {
  const Type& type = kernel_.type_of(node.value);
  const ScalarType scalar = type.element.scalar;
  const std::optional<Operand> mask = node.mask ? std::optional(operand(*node.mask, at)) : std::nullopt;
  const std::string condition = mask && mask->is_number() ? fmt::format("if ({}) ", bare(mask->text)) : "";
  if (type.layout.kind == Layout::Kind::Pack) {
    line(fmt::format("{}{} = {};", condition, cell(node.place, scalar, type.layout, at), operand(node.value, at).text));
    return;
  }
  const Where where = this->where(node.place, scalar, type.layout, at);
  const std::string numbers = vector(node.value, at);
  std::string active = mask && !mask->is_number() ? mask->text : "";
  if (is_lane_by_lane_) {
    const std::string alone = "v_are(_vel_vseq_vl(vl), lane, vl)";
    active = active.empty() ? alone : fmt::format("_vel_andm_mmm({}, {})", active, alone);
  }
  const bool is_masked = !active.empty();
  if (is_small(scalar)) {
    line(fmt::format("{}v_store_{}({}, {}, {}, vl);", condition, small_name(scalar), numbers, addresses_of(where),
                     is_masked ? active : "_vel_vfmklat_ml(vl)"));
    return;
  }
  if (plan_.is_paired) {
    line(fmt::format("{}v_store_pair({}, {}, {}, vl);", condition, numbers, where.stride, where.pointer));
    return;
  }
  const std::string_view suffix = store_suffix(scalar);
  const std::string end = is_masked ? active + ", vl" : "vl";
  line(where.stride.empty()
           ? fmt::format("{}_vel_vsc{}_vvss{}({}, {}, 0, 0, {});", condition, suffix, is_masked ? "ml" : "l", numbers, where.addresses, end)
           : fmt::format("{}_vel_vst{}_vss{}({}, {}, {}, {});", condition, suffix, is_masked ? "ml" : "l", numbers, where.stride,
                         where.pointer, end));
}

}  // namespace lockstep::emit_ve
