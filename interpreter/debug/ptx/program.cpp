#include "interpreter/debug/ptx/program.hpp"

#include <algorithm>
#include <utility>

#include "interpreter/ptx/launch.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

namespace resolved = ptx::resolved;

namespace {

/// The integer type of so many bits; of more than 64 there is none.
ptx::Type integer_type(std::uint32_t bits, bool is_signed) {
  switch (bits) {
    case 8:
      return is_signed ? ptx::Type::S8 : ptx::Type::U8;
    case 16:
      return is_signed ? ptx::Type::S16 : ptx::Type::U16;
    case 32:
      return is_signed ? ptx::Type::S32 : ptx::Type::U32;
    case 64:
      return is_signed ? ptx::Type::S64 : ptx::Type::U64;
    default:
      return ptx::Type::B128;
  }
}

}  // namespace

PtxProgram::PtxProgram(const ptx::Module& syntax, resolved::Module module, std::uint32_t kernel)
    : module_(std::move(module)), kernel_(kernel) {
  number_places();
  find_labels(syntax);
  find_types();
}

void PtxProgram::number_places() {
  for (std::uint32_t f = 0; f < module_.functions.size(); ++f) {
    const resolved::Function& function = module_.functions[f];
    first_place_.push_back(static_cast<Place>(lines_.size()));
    std::uint32_t line = source().place(function.place.begin).line;
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
      const std::uint32_t here = source().place(function.code[pc].place.begin).line;
      beginnings_.push_back(pc == 0 || here != line);
      line = here;
      lines_.push_back(line);
    }
    lines_.push_back(line);
    beginnings_.push_back(function.code.empty());
    function_of_.resize(lines_.size(), f);
  }
}

void PtxProgram::find_labels(const ptx::Module& syntax) {
  for (const ptx::Item& item : syntax.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    const auto index = function == nullptr ? module_.function_names.end() : module_.function_names.find(function->name);
    if (index == module_.function_names.end() || !function->has_body) {
      continue;
    }
    std::size_t pc = 0;
    for (const ptx::Statement& statement : function->body) {
      if (const auto* label = std::get_if<ptx::Label>(&statement)) {
        labels_.push_back({label->name, place(index->second, pc)});
      }
      pc += std::holds_alternative<ptx::Instruction>(statement) ? 1U : 0U;
    }
  }
}

void PtxProgram::find_types() {
  for (const resolved::Function& function : module_.functions) {
    struct Uses {
      std::optional<ptx::Type> as_float;
      bool as_integer = false;
      bool as_signed = false;
    };
    std::vector<Uses> uses(function.registers.size());
    for (const resolved::Instruction& instruction : function.code) {
      for_each_register(instruction, [&](std::uint32_t index, ptx::OperandRole, std::optional<ptx::Type> type) {
        if (type && ptx::bits_of(*type) == ptx::bits_of(function.registers[index].type)) {
          uses[index].as_float = ptx::is_float(*type) ? type : uses[index].as_float;
          uses[index].as_integer = uses[index].as_integer || ptx::is_integer(*type);
          uses[index].as_signed = uses[index].as_signed || ptx::is_signed(*type);
        }
      });
    }
    auto& types = register_types_.emplace_back();
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const ptx::Type declared = function.registers[k].type;
      types.push_back(!ptx::is_bits(declared)                   ? declared
                      : uses[k].as_float && !uses[k].as_integer ? *uses[k].as_float
                                                                : integer_type(ptx::bits_of(declared), uses[k].as_signed));
    }
  }
}

PtxProgram::Place PtxProgram::place(std::uint32_t function, std::size_t pc) const {
  return first_place_[function] + static_cast<Place>(std::min(pc, module_.functions[function].code.size()));
}

const resolved::Instruction* PtxProgram::instruction_at(Place place) const {
  const auto& code = module_.functions[function_at(place)].code;
  return pc_at(place) < code.size() ? &code[pc_at(place)] : nullptr;
}

std::optional<std::uint32_t> PtxProgram::line_with_code(std::uint64_t line) const {
  std::optional<std::uint32_t> best;
  for (Place place = 0; place < places(); ++place) {
    if (instruction_at(place) != nullptr && lines_[place] >= line && (!best || lines_[place] < *best)) {
      best = lines_[place];
    }
  }
  return best;
}

std::vector<PtxProgram::Place> PtxProgram::beginnings_of(std::uint32_t line) const {
  std::vector<Place> result;
  for (Place place = 0; place < places(); ++place) {
    if (beginnings_[place] && lines_[place] == line && instruction_at(place) != nullptr) {
      result.push_back(place);
    }
  }
  return result;
}

std::vector<PtxProgram::Place> PtxProgram::places_of_source(std::string_view file, std::uint64_t line) const {
  const auto is_named = [&](std::uint64_t number) {
    return std::ranges::any_of(module_.files, [&](const ptx::File& f) {
      const std::string_view name = f.name;
      return f.number == number && name.ends_with(file) && (name.size() == file.size() || name[name.size() - file.size() - 1] == '/');
    });
  };
  std::vector<Place> result;
  for (std::uint32_t f = 0; f < module_.functions.size(); ++f) {
    const resolved::Function& function = module_.functions[f];
    bool inside = false;  // of instructions of that line
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
      const std::int32_t loc = function.code[pc].loc;
      const ptx::Loc* here = loc < 0 ? nullptr : &function.locs[static_cast<std::size_t>(loc)];
      const bool before = std::exchange(inside, here != nullptr && here->line == line && is_named(here->file));
      if (inside && !before) {
        result.push_back(place(f, pc));
      }
    }
  }
  return result;
}

std::string PtxProgram::instruction_text(Place place) const {
  const resolved::Instruction* instruction = instruction_at(place);
  if (instruction == nullptr) {
    return "(the end of " + shortened(module_.functions[function_at(place)].name) + ")";
  }
  constexpr std::size_t most = 100;
  const std::string_view all = source().text();
  const std::string_view text = all.substr(instruction->place.begin, instruction->place.end - instruction->place.begin);
  std::string shown;
  for (const char c : text.substr(0, most)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank || (!shown.empty() && shown.back() != ' ')) {
      shown += blank ? ' ' : c;
    }
  }
  return printable(shown) + (text.size() > most ? "…" : "");
}

std::string PtxProgram::source_text(Place place) const { return ptx_machine::source_text(module_, function_at(place), pc_at(place)); }

}  // namespace lockstep
