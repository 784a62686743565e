// Faults and races as text.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/ptx/launch.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;

namespace {

std::string text(const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

std::string party_text(const Party& party) { return fmt::format("block {}, thread {}", text(party.block), text(party.thread)); }

/// The instruction; behind the last one, the function.
SourceSpan span_of(const resolved::Module& module, const Party& party) {
  const resolved::Function& function = module.functions[party.function];
  return party.pc < function.code.size() ? SourceSpan(function.code[party.pc].place) : function.place;
}

/// ", compiled from saxpy.cu:5:3", where the module says that.
std::string origin_text(const resolved::Module& module, const Party& party) {
  const std::string origin = source_text(module, party.function, party.pc);
  return origin.empty() ? origin : ", compiled from " + origin;
}

}  // namespace

std::string source_text(const resolved::Module& module, std::uint32_t function, std::uint32_t pc) {
  const resolved::Function& of = module.functions[function];
  if (pc >= of.code.size() || of.code[pc].loc < 0) {
    return "";
  }
  const ptx::Loc& loc = of.locs[static_cast<std::size_t>(of.code[pc].loc)];
  const auto file = std::ranges::find_if(module.files, [&](const ptx::File& f) { return f.number == loc.file; });
  const std::string name = file == module.files.end() ? fmt::format("file {}", loc.file) : shortened(file->name);
  return fmt::format("{}:{}:{}", name, loc.line, loc.column);
}

Fault fault_of(const Race& race) { return {FaultKind::Race, race.second, "nothing orders this access and another one (--strict)"}; }

std::string render(const resolved::Module& module, const Fault& fault) {
  const std::string message = fmt::format("{} ({}{})", fault.message, party_text(fault.party), origin_text(module, fault.party));
  return lockstep::render(*module.source, Diagnostic{Severity::Error, span_of(module, fault.party), message, {}});
}

std::string render(const resolved::Module& module, const Race& race) {
  const auto does = [](bool writes) { return writes ? "writes" : "reads"; };
  const std::string_view wrong =
      race.constant ? "an access by .nc, which says that nothing writes there, and a write meet at" : "nothing orders two accesses to";
  const std::string message = fmt::format("race: {} byte {} of '{}'; one {} it here ({}{})", wrong, race.byte, shortened(race.object),
                                          does(race.second_writes), party_text(race.second), origin_text(module, race.second));
  const std::string other =
      fmt::format("the other one {} it here ({}{})", does(race.first_writes), party_text(race.first), origin_text(module, race.first));
  return lockstep::render(
      *module.source,
      Diagnostic{
          Severity::Warning, span_of(module, race.second), message, {Diagnostic{Severity::Note, span_of(module, race.first), other, {}}}});
}

std::string render(const resolved::Module& module, const OpenResult& open) {
  const std::string_view what = open.what == OpenResult::What::Stored    ? "the number that is stored here"
                                : open.what == OpenResult::What::Address ? "the address here"
                                                                         : "what is decided here";
  const Party party{{}, {}, open.function, open.pc};
  const std::string message =
      fmt::format("{} depends on a result of line {} that PTX leaves open; hardware may have another one", what, open.origin);
  return lockstep::render(*module.source, Diagnostic{Severity::Warning, span_of(module, party), message, {}});
}

}  // namespace lockstep::ptx_machine
