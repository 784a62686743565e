#include "semantics/typed/check.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "semantics/musimd/check.hpp"
#include "semantics/typed/skeleton.hpp"

namespace lockstep::typed {
namespace {

/// The words of musimd::check for a whole program, and what they are called in a function.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words = {{
    {"this stop", "this ret"},
    {"off the end of the program", "off the end of the function"},
    {"the program can end", "the function can end"},
}};

std::string in_words_of_a_function(std::string message) {
  for (const auto& [of_program, of_function] : words) {
    const std::size_t at = message.find(of_program);
    if (at != std::string::npos) {
      message.replace(at, of_program.size(), of_function);
    }
  }
  return message;
}

/// Appends what the judge of the skeleton found.
void check_control(const Program& program, const Function& function, bool is_kernel, Diagnostics& findings) {
  for (Diagnostic& finding : musimd::check(skeleton(program, function))) {
    if (!is_kernel) {
      finding.message = in_words_of_a_function(std::move(finding.message)) + " (in '" + shortened(function.name) + "')";
      for (Diagnostic& note : finding.notes) {
        note.message = in_words_of_a_function(std::move(note.message));
      }
    }
    findings.push_back(std::move(finding));
  }
}

/// The kernel's frame has nothing to return to, and only the kernel may end the program.
void check_ends(const Program& program, const Function& function, bool is_kernel, Diagnostics& findings) {
  for (Label pc = function.begin; pc < function.end; ++pc) {
    const Statement& statement = program.code[pc];
    if (is_kernel && std::holds_alternative<Return>(statement.instruction)) {
      findings.push_back({Severity::Error, statement.span, "condition 4: the kernel ends with 'stop', not with 'ret'", {}});
    } else if (!is_kernel && std::holds_alternative<Stop>(statement.instruction)) {
      findings.push_back({Severity::Error,
                          statement.span,
                          "condition 4: only the kernel can 'stop'; a function ends with 'ret' (in '" + shortened(function.name) + "')",
                          {}});
    }
  }
}

}  // namespace

Diagnostics check(const Program& program) {
  Diagnostics errors;
  Diagnostics warnings;
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    Diagnostics findings;
    check_control(program, program.functions[i], i == 0, findings);
    check_ends(program, program.functions[i], i == 0, findings);
    for (Diagnostic& finding : findings) {
      Diagnostics& kept = finding.severity == Severity::Error ? errors : warnings;
      if (kept.size() < musimd::max_findings) {
        kept.push_back(std::move(finding));
      }
    }
  }
  std::ranges::move(warnings, std::back_inserter(errors));
  return errors;
}

}  // namespace lockstep::typed
