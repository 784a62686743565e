#pragma once
// What `lockstep diff` says.

#include <string>
#include <string_view>
#include <vector>

#include "codegen/verdict/verdict.hpp"
#include "differential/compare/reference.hpp"
#include "targets/run.hpp"

namespace lockstep::tools {

/// What the proof of a lowering says.
struct Proof {
  unsigned wg_pack = 1;
  LoweringVerdict verdict;
};
void print_proof(const Proof& proof);

/// One line, and others below it if something is wrong.
void print_verdict(const targets::Verdict& verdict, const SourceFile& source);

/// One JSON object: what is said of the launch, all verdicts, `missing`, the targets that are not there, and the proofs.
void print_json(const differential::Reference& reference, const std::vector<targets::Verdict>& verdicts,
                const std::vector<std::string>& missing, const std::vector<Proof>& proofs, std::string_view status);

/// "1.25 ms"
std::string time_text(double seconds);

}  // namespace lockstep::tools
