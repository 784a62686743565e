#include "semantics/core/sema/reporter.hpp"

#include <algorithm>

namespace lockstep::core::sema {
namespace {

Diagnostics in_text_order(Diagnostics diagnostics) {
  std::ranges::stable_sort(diagnostics, {}, [](const Diagnostic& diagnostic) { return diagnostic.span.begin; });
  return diagnostics;
}

}  // namespace

void Reporter::error(SourceSpan span, std::string message, Diagnostics notes) {
  errors_.push_back({Severity::Error, span, std::move(message), std::move(notes)});
}

void Reporter::warning(SourceSpan span, std::string message) { warnings_.push_back({Severity::Warning, span, std::move(message), {}}); }

Diagnostics Reporter::errors() const {
  Diagnostics sorted = in_text_order(errors_);
  sorted.resize(std::min(sorted.size(), max_errors));
  return sorted;
}

Diagnostics Reporter::warnings() const { return in_text_order(warnings_); }

Diagnostic note(SourceSpan span, std::string message) { return {Severity::Note, span, std::move(message), {}}; }

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace lockstep::core::sema
