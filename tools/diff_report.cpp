// What `lockstep diff` says.

#include <fmt/format.h>

#include <sstream>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/line_origins.hpp"
#include "tools/command.hpp"
#include "tools/diff.hpp"
#include "tools/gate_options.hpp"

namespace lockstep::tools {

using namespace differential;
using targets::Verdict;

namespace {

/// "passes 0.91 ms, compile 48 ms, run 0.01 ms"
std::string times(const Verdict& verdict) {
  const std::string compile = verdict.ran.compile_seconds == 0 ? "" : fmt::format("compile {}, ", time_text(verdict.ran.compile_seconds));
  const std::string passes = verdict.lower_seconds == 0 ? "" : fmt::format("passes {}, ", time_text(verdict.lower_seconds));
  return fmt::format("{}{}run {}", passes, compile, time_text(verdict.ran.run_seconds));
}

/// Whose fault a wrong result of a target behind InfReg-IR is.
std::string blame(const Verdict& verdict) {
  return !verdict.evaluator_agrees                                                              ? ""
         : *verdict.evaluator_agrees && !verdict.ran.caveat.empty() && verdict.comparison.first ? fmt::format("  {}\n", verdict.ran.caveat)
         : *verdict.evaluator_agrees
             ? fmt::format("  the evaluator of InfReg-IR agrees with the interpreter: look behind InfReg-IR, in the emitter of {}\n",
                           verdict.target)
             : "  the evaluator of InfReg-IR does not agree with the interpreter either: look at the passes first\n";
}

/// "k.cl:3"
std::string place_text(const SourceFile& source, SourceSpan span) { return file_and_line(source, span); }

/// Who wrote the element, and where InfReg-IR goes its own way.
std::string where(const Verdict& verdict, const SourceFile& source) {
  std::string text;
  if (verdict.writer) {
    text += fmt::format("  in the interpreter, group {}, item {} stored that last, at {}\n", verdict.writer->group, verdict.writer->item,
                        place_text(source, verdict.writer->span));
  }
  if (verdict.parting) {
    const Parting& p = *verdict.parting;
    std::string written;
    for (const std::string& number : p.written) {
      written += (written.empty() ? "" : ", ") + number;
    }
    text +=
        fmt::format("  the first store in InfReg-IR that goes wrong is `{}`, from {}: it writes {} to {}[{}], where the interpreter {}\n",
                    p.operation, p.place, p.stored, p.buffer, p.index, written.empty() ? "writes nothing from there" : "writes " + written);
  }
  return text;
}

std::string writer_json(const Verdict& verdict, const SourceFile& source) {
  return !verdict.writer ? "null"
                         : fmt::format("{{\"group\":{},\"item\":{},\"line\":{}}}", verdict.writer->group, verdict.writer->item,
                                       origin_of(source, verdict.writer->span).line);
}

std::string parting_json(const Verdict& verdict) {
  if (!verdict.parting) {
    return "null";
  }
  const Parting& p = *verdict.parting;
  return fmt::format("{{\"operation\":{},\"place\":{},\"buffer\":{},\"index\":{},\"stored\":{}}}", json_string(p.operation),
                     json_string(p.place), json_string(p.buffer), p.index, json_string(p.stored));
}

std::string mismatch_json(const Comparison& comparison) {
  if (!comparison.first) {
    return "null";
  }
  const Mismatch& m = *comparison.first;
  return fmt::format("{{\"elements\":{},\"buffer\":{},\"index\":{},\"expected\":{},\"expected_bits\":{},\"found\":{},\"found_bits\":{}}}",
                     comparison.different, json_string(m.buffer), m.index, json_string(m.expected), json_string(m.expected_bits),
                     json_string(m.found), json_string(m.found_bits));
}

std::string verdict_json(const Verdict& verdict, const SourceFile& source) {
  const auto* failure = std::get_if<Failure>(&verdict.ran.result);
  return fmt::format(
      "{{\"target\":{},\"wg_pack\":{},\"verdict\":{},\"evidence\":{},\"seconds\":{{\"passes\":{:.6f},\"compile\":{:.6f},\"run\":{:.6f}}},"
      "\"mismatch\":{},\"failure\":{},\"evaluator_agrees\":{},\"writer\":{},\"parting\":{},\"counted\":{}}}",
      json_string(verdict.target), verdict.wg_pack, json_string(std::string(name_of(verdict))), json_string(verdict.ran.evidence),
      verdict.lower_seconds, verdict.ran.compile_seconds, verdict.ran.run_seconds, mismatch_json(verdict.comparison),
      failure == nullptr ? "null" : json_string(failure->sentence),
      verdict.evaluator_agrees ? (*verdict.evaluator_agrees ? "true" : "false") : "null", writer_json(verdict, source),
      parting_json(verdict), verdict.ran.counted_json.empty() ? "null" : "{" + verdict.ran.counted_json + "}");
}

}  // namespace

std::string time_text(double seconds) { return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds) : fmt::format("{:.3g} s", seconds); }

void print_proof(const Proof& proof) { fmt::print("proof   WG_PACK {:<3} {}\n", proof.wg_pack, proof.verdict.sentence); }

void print_verdict(const Verdict& verdict, const SourceFile& source) {
  fmt::print("{:<7} WG_PACK {:<3} {:<10} by {}; {}\n", verdict.target, verdict.wg_pack, name_of(verdict), verdict.ran.evidence,
             times(verdict));
  if (const auto* failure = std::get_if<Failure>(&verdict.ran.result)) {
    fmt::print("  {}{}", failure->sentence, failure->sentence.ends_with('\n') ? "" : "\n");
  } else if (verdict.comparison.first) {
    fmt::print("  {}\n", text_of(*verdict.comparison.first, verdict.comparison.different));
  }
  std::istringstream lines(verdict.ran.counted);
  for (std::string line; std::getline(lines, line);) {
    fmt::print("  {}\n", line);
  }
  fmt::print("{}{}", where(verdict, source), blame(verdict));
}

void print_json(const Reference& reference, const std::vector<Verdict>& verdicts, const std::vector<std::string>& missing,
                const std::vector<Proof>& proofs, std::string_view status) {
  const typed::Program& program = *reference.kernel.program;
  std::string list;
  for (const Verdict& verdict : verdicts) {
    list += (list.empty() ? "" : ",") + verdict_json(verdict, *program.source);
  }
  std::string absent;
  for (const std::string& target : missing) {
    absent += (absent.empty() ? "" : ",") + json_string(target);
  }
  std::string proved;
  for (const Proof& proof : proofs) {
    proved += fmt::format("{}{{\"wg_pack\":{},\"verdict\":\"{}\",\"sentence\":{}}}", proved.empty() ? "" : ",", proof.wg_pack,
                          name_of(proof.verdict.kind), json_string(proof.verdict.sentence));
  }
  std::string open;
  for (std::size_t b = 0; b < reference.open.size(); ++b) {
    if (const OpenElements& one = reference.open[b]; !one.indices.empty()) {
      open += fmt::format("{}{{\"buffer\":{},\"elements\":{},\"compared\":{}}}", open.empty() ? "" : ",",
                          json_string(launch::parameter_name(program, owner_of(reference.before.values, b))), one.indices.size(),
                          one.are_moved ? "\"in any order\"" : "null");
    }
  }
  fmt::print(
      "{{\"status\":\"{}\",\"kernel\":{},\"groups\":{},\"wg_size\":{},\"interpreter_seconds\":{:.6f},\"depend_on_order\":[{}],\"proofs\":[{"
      "}],\"targets\":[{}],"
      "\"missing\":[{}]}}\n",
      status, json_string(program.kernel().name), reference.groups, program.wg_size, reference.seconds, open, proved, list, absent);
}

}  // namespace lockstep::tools
