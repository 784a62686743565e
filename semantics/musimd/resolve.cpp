#include "semantics/musimd/resolve.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "semantics/musimd/mistakes.hpp"

namespace lockstep::musimd {
namespace {

/// Length of the UTF-8 sequence at the start of `text`, 0 where it is malformed (also overlong forms and surrogates).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead < 0xF0) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

class Errors {
 public:
  explicit Errors(Diagnostics& errors) : errors_(errors), limit_(errors.size() + max_errors + 1) {}

  /// More than can be shown need not be collected.
  bool full() const { return errors_.size() >= limit_; }

  void add(SourceSpan span, std::string message, Diagnostics notes = {}) {
    errors_.push_back({Severity::Error, span, std::move(message), std::move(notes)});
  }

 private:
  Diagnostics& errors_;
  std::size_t limit_;
};

Diagnostics first_one(SourceSpan span) { return {{Severity::Note, span, "the first one is here", {}}}; }

using LabelMap = std::unordered_map<std::string_view, std::uint32_t>;

LabelMap index_labels(const Program& program, Errors& errors) {
  LabelMap index;
  for (std::size_t i = 0; i < program.labels.size() && !errors.full(); ++i) {
    const LabelDefinition& label = program.labels[i];
    const auto [entry, added] = index.try_emplace(label.name, static_cast<std::uint32_t>(i));
    if (!added) {
      errors.add(label.span, "the label '" + shortened(label.name) + "' stands twice", first_one(program.labels[entry->second].span));
    }
  }
  return index;
}

Target& target_of(Instruction& instruction) {
  if (auto* branch = std::get_if<BranchZero>(&instruction)) {
    return branch->target;
  }
  if (auto* jump = std::get_if<Jump>(&instruction)) {
    return jump->target;
  }
  return std::get<JumpMask>(instruction).target;
}

std::string undefined_label(const Program& program, std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(program.labels.size());
  for (const LabelDefinition& label : program.labels) {
    names.push_back(label.name);
  }
  return "the label '" + shortened(name) + "' is not defined" + suggestion(name, names);
}

void resolve_targets(Program& program, const std::vector<UnresolvedTarget>& targets, bool complete, Errors& errors) {
  const LabelMap labels = index_labels(program, errors);
  for (const UnresolvedTarget& unresolved : targets) {
    if (errors.full()) {
      return;
    }
    Target& target = target_of(program.code[unresolved.instruction].instruction);
    const auto found = labels.find(unresolved.label);
    if (found != labels.end()) {
      target.label = found->second;
      target.pc = program.labels[found->second].pc;
    } else if (complete && !unresolved.label.empty()) {
      errors.add(target.span, undefined_label(program, unresolved.label));
    } else if (complete && target.pc >= program.code.size()) {
      errors.add(target.span, "jump out of range: the instructions have the numbers 0 to " + std::to_string(program.code.size() - 1));
    }
  }
}

void check_shared(const Program& program, Errors& errors) {
  std::vector<std::size_t> order(program.shared.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(program.shared[i].base, i); });
  const auto last_cell = [&](std::size_t i) {
    return program.shared[i].base + static_cast<std::int64_t>(program.shared[i].values.size() - 1);
  };
  for (std::size_t k = 1, reaching = 0; k < order.size() && !errors.full(); ++k) {
    const std::size_t farthest = order[reaching];  // of the ranges before order[k], the one that ends last
    const std::size_t current = order[k];
    if (program.shared[current].base <= last_cell(farthest)) {
      const auto [first, second] = std::minmax(farthest, current);
      errors.add(program.shared[second].span, "the shared cell " + std::to_string(program.shared[current].base) + " gets a value twice",
                 first_one(program.shared[first].span));
    }
    reaching = last_cell(current) > last_cell(farthest) ? k : reaching;
  }
}

}  // namespace

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = text[i] == '\0' ? 0 : sequence_length(text.substr(i));
    if (length == 0) {
      return i;
    }
    i += length;
  }
  return std::nullopt;
}

void resolve(Program& program, const std::vector<UnresolvedTarget>& targets, bool complete, Diagnostics& all) {
  Errors errors(all);
  resolve_targets(program, targets, complete, errors);
  Errors shared_errors(all);
  check_shared(program, shared_errors);
}

Diagnostics limited(Diagnostics errors) {
  std::ranges::sort(errors, {}, [](const Diagnostic& error) { return std::tie(error.span, error.message); });
  if (errors.size() > max_errors) {
    const SourceSpan next = errors[max_errors].span;
    errors.resize(max_errors);
    errors.push_back({Severity::Note, next, "there are more errors from here on", {}});
  }
  return errors;
}

}  // namespace lockstep::musimd
