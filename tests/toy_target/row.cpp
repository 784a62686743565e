// The least that a target is: its code is InfReg-IR as a text, it runs by LLVM, and with --toy-fault it forgets the last group: always, or
// if two of its pointers point into one buffer.

#include "tests/toy_target/row.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codegen/emit/llvm/jit.hpp"
#include "semantics/infreg/print.hpp"

namespace lockstep::targets {

namespace {

enum class Fault : std::uint8_t { None, Group, Overlap };

struct Options {
  unsigned level = 1;
  Fault fault = Fault::None;
};

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--toy-level", "N", "how well the toy compiles", "1", {Use::Diff}},
       [](Options& into, const std::string& value) { return store_number(into.level, value, 0, 1); }},
      {{"--toy-fault", "KIND", "what makes it forget the last group", "", {Use::Diff, Use::Fuzz}},
       [](Options& into, const std::string& value) {
         return store_choice<Fault>(into.fault, value, {{"group", Fault::Group}, {"overlap", Fault::Overlap}});
       }},
  };
  return rows;
}

/// Whether two pointers lie in one buffer: between two of these there is more than a page.
bool have_overlap(const void* const* arguments, const std::vector<bool>& is_pointer) {
  constexpr std::uintptr_t page = 4096;
  std::vector<std::uintptr_t> pointers;
  for (std::size_t k = 0; k < is_pointer.size(); ++k) {
    if (is_pointer[k]) {
      pointers.push_back(reinterpret_cast<std::uintptr_t>(arguments[k]));
    }
  }
  std::ranges::sort(pointers);
  return std::ranges::adjacent_find(pointers, [](std::uintptr_t a, std::uintptr_t b) { return b - a < page; }) != pointers.end();
}

std::expected<Code, NoCode> compile_one(const Job& job) {
  const Options options = stored(table(), job.asked.settings);
  const auto callable = emit_llvm::compile(job.kernel, {}, options.level);
  if (!callable) {
    return std::unexpected(NoCode{NoCode::Kind::Refused, callable.error().sentence});
  }
  std::vector<bool> is_pointer;
  for (const infreg::Parameter& parameter : job.kernel.parameters) {
    is_pointer.push_back(parameter.is_pointer);
  }
  return Code{[code = *callable, fault = options.fault, is_pointer](const void* const* arguments, std::uint64_t groups) {
                const bool forgets = fault == Fault::Group || (fault == Fault::Overlap && have_overlap(arguments, is_pointer));
                code(arguments, 0, groups - (forgets && groups > 0 ? 1 : 0), groups);
              },
              "a toy"};
}

}  // namespace

Target toy_target() {
  Target target;
  target.name = "toy";
  target.meaning = "a target of a test";
  target.options = known(table());
  target.emit = [](const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) -> std::expected<MadeCode, Unmade> {
    const std::string text = with_verdict("//", verdict, infreg::print(kernel));
    return asked.has_folder ? MadeCode{"", {{kernel.name + ".toy", text}}} : MadeCode{text, {}};
  };
  target.compile = [](const std::vector<Job>& jobs) {
    std::vector<std::expected<Code, NoCode>> codes;
    for (const Job& job : jobs) {
      codes.push_back(compile_one(job));
    }
    return codes;
  };
  target.campaigning.kernels = 20;
  target.campaigning.choose = [](Shape& shape, generate::Choices& choices) { shape.settings["--toy-level"] = choices(2) == 0 ? "0" : "1"; };
  return target;
}

}  // namespace lockstep::targets
