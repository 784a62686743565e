#include "targets/ve/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <sstream>

namespace lockstep::targets {

namespace {

using emit_ve::EmitOptions;
using emit_ve::LayoutChoice;

std::optional<std::string> store_without(EmitOptions& into, const std::string& value) {
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');) {
    const auto way = emit_ve::way_named(word);
    if (!way) {
      return fmt::format("there is no '{}' that could be left out; there are {}", word, fmt::join(emit_ve::names_of_ways(), ", "));
    }
    into.without.insert(*way);
  }
  return std::nullopt;
}

const std::vector<StoredOption<EmitOptions>>& shape_table() {
  const std::vector<Use> uses = {Use::Emit, Use::Diff};
  static const std::vector<StoredOption<EmitOptions>> rows = {
      {{"--layout", "LAYOUT", "what lies side by side in vectors: groups (packs of groups), rows (the items of a pack's groups), or auto",
        "auto", uses},
       [](EmitOptions& into, const std::string& value) {
         return store_choice<LayoutChoice>(into.layout, value,
                                           {{"auto", LayoutChoice::Auto}, {"rows", LayoutChoice::Rows}, {"groups", LayoutChoice::Groups}});
       }},
      {{"--pairs", "WHEN", "floats in pairs where each operation has a packed form: on or off", "on", uses},
       [](EmitOptions& into, const std::string& value) { return store_choice(into.pairs, value, {{"on", true}, {"off", false}}); }},
      {{"--without", "LIST", "ways to reorder lanes that are not to be used, with commas between them", "", uses, true}, store_without},
  };
  return rows;
}

}  // namespace

std::vector<Option> ve_shape_options() { return known(shape_table()); }

EmitOptions ve_shape_of(const Asked& asked) { return stored(shape_table(), asked.settings); }

void choose_ve_shape(Shape& shape, generate::Choices& /*choices*/) {
  const bool fits = shape.wg_size * shape.wg_pack <= emit_ve::most_lanes;
  const std::array<std::string, 3> layouts = {"auto", fits ? "rows" : "auto", "groups"};
  shape.settings["--layout"] = layouts[shape.number % layouts.size()];
  const std::vector<std::string> ways = emit_ve::names_of_ways();
  if (const std::uint64_t way = shape.number / layouts.size() % (2 * ways.size()); way < ways.size()) {
    shape.settings["--without"] = ways[way];
  }
}

}  // namespace lockstep::targets
