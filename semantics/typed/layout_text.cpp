#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "semantics/base/line_origins.hpp"
#include "semantics/typed/layout.hpp"
#include "semantics/typed/parse_words.hpp"

// Layouts for people and for programs.

namespace lockstep::typed {
namespace {

constexpr std::uint64_t most_lanes_in_a_table = 32;
constexpr std::uint64_t most_lanes_in_json = 4096;

std::string plural(std::uint64_t count, const std::string& word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

std::string padded(std::string text, std::size_t width) {
  text.append(width > text.size() ? width - text.size() : 0, ' ');
  return text;
}

std::string place_text(const Program& program, SourceSpan span) {
  if (program.source == nullptr) {
    return "";
  }
  return place_name(*program.source, span);
}

/// "lane 8 + 4*wi + ix", without what is 0 or always the same.
std::string formula(const Layout& layout, const Placement& placement) {
  std::vector<std::string> parts;
  if (layout.wg_pack > 1) {
    parts.push_back(std::to_string(layout.group_lanes) + "*wg.off");
  }
  if (placement.first != 0) {
    parts.push_back(std::to_string(placement.first));
  }
  if (!placement.is_local && layout.wg_size > 1) {
    parts.push_back((placement.item_stride == 1 ? "" : std::to_string(placement.item_stride) + "*") + "wi.ix");
  }
  if (placement.count > 1) {
    parts.emplace_back("ix");
  }
  std::string out = "lane ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : " + ") + parts[i];
  }
  return parts.empty() ? out + "0" : out;
}

std::string ranges_text(const Placement& placement) {
  std::string out;
  for (const auto& [first, last] : placement.live) {
    out += (out.empty() ? ", live at " : ", ") + std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
  }
  return out;
}

std::string declared(const Placement& placement) {
  return placement.name + (placement.count > 1 ? "[" + std::to_string(placement.count) + "]" : "");
}

/// The lanes of the first group: what, whose, which element.
std::string lane_table(const Layout& layout, const InfReg& infreg) {
  std::vector<std::string> rows = {"  lane ", "  name ", "  wi.ix", "  ix   "};
  for (std::uint64_t lane = 0; lane < layout.group_lanes; ++lane) {
    std::vector<std::string> column = {std::to_string(lane), "", "", ""};
    for (const LaneMeaning& meaning : meaning_of(layout, infreg, lane)) {
      column[1] += (column[1].empty() ? "" : "|") + layout.placements[meaning.placement].name;
      column[2] = meaning.wi_ix ? std::to_string(*meaning.wi_ix) : "-";
      column[3] = std::to_string(meaning.ix);
    }
    std::size_t width = 0;
    for (std::string& cell : column) {
      cell = cell.empty() ? "." : cell;
      width = std::max(width, cell.size());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] += "  " + padded(column[i], width);
    }
  }
  std::string out;
  for (const std::string& row : rows) {
    out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

nlohmann::ordered_json lane_list(const Layout& layout, const InfReg& infreg) {
  auto lanes = nlohmann::ordered_json::array();
  for (std::uint64_t lane = 0; lane < layout.lanes(); ++lane) {
    auto meanings = nlohmann::ordered_json::array();
    for (const LaneMeaning& meaning : meaning_of(layout, infreg, lane)) {
      nlohmann::ordered_json entry;
      entry["name"] = layout.placements[meaning.placement].name;
      entry["wg.off"] = meaning.wg_off;
      entry["wi.ix"] = nullptr;
      if (meaning.wi_ix) {
        entry["wi.ix"] = *meaning.wi_ix;
      }
      entry["ix"] = meaning.ix;
      meanings.push_back(std::move(entry));
    }
    lanes.push_back(std::move(meanings));
  }
  return lanes;
}

nlohmann::ordered_json variable_json(const Layout& layout, const Placement& placement) {
  nlohmann::ordered_json out;
  out["name"] = placement.name;
  out["variable"] = placement.variable;
  out["local"] = placement.is_local;
  out["set"] = placement.set + 1;
  out["count"] = placement.count;
  out["first"] = placement.first;
  out["item_stride"] = placement.item_stride;
  if (!placement.is_local && layout.liveness_known) {
    out["live"] = placement.live;
  }
  return out;
}

}  // namespace

std::string text_of(const Program& program, const Layout& layout) {
  std::string out = "layout of '" + layout.function + "', WG_SIZE " + std::to_string(layout.wg_size) + ", WG_PACK " +
                    std::to_string(layout.wg_pack) + ": " + plural(layout.infregs.size(), "InfReg") + " of " +
                    plural(layout.lanes(), "lane") + ", " + std::to_string(layout.group_lanes) + " for each group\n";
  for (std::size_t r = 0; r < layout.infregs.size(); ++r) {
    const InfReg& infreg = layout.infregs[r];
    out += "\nInfReg #" + std::to_string(r + 1) + "  " + name_of(infreg.type) + "\n";
    std::size_t width = 0;
    for (const std::size_t p : infreg.placements) {
      width = std::max(width, declared(layout.placements[p]).size());
    }
    for (const std::size_t p : infreg.placements) {
      const Placement& placement = layout.placements[p];
      out += "  " + padded(declared(placement), width) + "  " + formula(layout, placement) +
             (placement.is_local ? ", local: once for the group" : "") + ", set " + std::to_string(placement.set + 1) +
             ranges_text(placement) + "\n";
    }
    if (layout.group_lanes <= most_lanes_in_a_table) {
      out += lane_table(layout, infreg);
    }
  }
  out += "\ninteraction sets\n";
  for (std::size_t set = 0; set < layout.sets.size(); ++set) {
    out += "  " + std::to_string(set + 1) + ":";
    for (const std::size_t p : layout.sets[set]) {
      out += " " + layout.placements[p].name;
    }
    out += "\n";
  }
  out += layout.reorderings.empty() ? "" : "\nreorderings\n";
  for (const Reordering& reordering : layout.reorderings) {
    const std::string place = place_text(program, reordering.span);
    out += "  " + place + (place.empty() ? "" : ": ") + std::string(name_of(reordering.kind)) + " " + reordering.from + " -> " +
           reordering.to + "\n";
  }
  if (!layout.liveness_known) {
    out += "\nwhich values are needed where is not known here: no two variables share lanes\n";
  }
  return out;
}

std::string json_of(const Program& program, const Layout& layout) {
  nlohmann::ordered_json out;
  out["function"] = layout.function;
  out["wg_size"] = layout.wg_size;
  out["wg_pack"] = layout.wg_pack;
  out["group_lanes"] = layout.group_lanes;
  out["lanes"] = layout.lanes();
  out["infregs"] = nlohmann::ordered_json::array();
  for (const InfReg& infreg : layout.infregs) {
    nlohmann::ordered_json row;
    row["type"] = name_of(infreg.type);
    row["variables"] = nlohmann::ordered_json::array();
    for (const std::size_t p : infreg.placements) {
      row["variables"].push_back(variable_json(layout, layout.placements[p]));
    }
    if (layout.lanes() <= most_lanes_in_json) {
      row["lanes"] = lane_list(layout, infreg);
    }
    out["infregs"].push_back(std::move(row));
  }
  out["sets"] = nlohmann::ordered_json::array();
  for (const std::vector<std::size_t>& set : layout.sets) {
    auto names = nlohmann::ordered_json::array();
    for (const std::size_t p : set) {
      names.push_back(layout.placements[p].name);
    }
    out["sets"].push_back(std::move(names));
  }
  out["reorderings"] = nlohmann::ordered_json::array();
  for (const Reordering& reordering : layout.reorderings) {
    nlohmann::ordered_json entry;
    entry["kind"] = name_of(reordering.kind);
    entry["from"] = reordering.from;
    entry["to"] = reordering.to;
    if (program.source != nullptr) {
      const LineColumn place = program.source->place(reordering.span.begin);
      entry["line"] = origin_of(*program.source, reordering.span).line;
      entry["column"] = place.column;
    }
    out["reorderings"].push_back(std::move(entry));
  }
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lockstep::typed
