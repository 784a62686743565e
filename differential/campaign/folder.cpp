// The folders of docs/fuzz.md: a kernel with its launch and inputs, for somebody else's compiler, and what a finding leaves behind.

#include "differential/campaign/folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "differential/campaign/pairs.hpp"
#include "differential/campaign/prove.hpp"
#include "interpreter/launch/arguments.hpp"
#include "interpreter/store/npy.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/files.hpp"
#include "semantics/core/print.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::differential {

namespace {

namespace fs = std::filesystem;

std::string npy_of(const launch::Buffer& buffer) {
  return npy_header(buffer.type, {buffer.count}) + std::string(reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size());
}

bool is_written(const Interpreted& interpreted, std::size_t parameter) { return interpreted.loaded.writable[parameter]; }

bool is_overlapping(const std::optional<Overlap>& overlap, const generate::KernelInput& input) {
  return overlap && overlap->pointer == input.name;
}

const launch::Buffer& buffer_for(const launch::Arguments& arguments, std::size_t parameter) {
  return arguments.buffers[std::get<BufferNumber>(arguments.values[parameter]).number];
}

std::string argument_json(const generate::KernelInput& input, const Interpreted& interpreted, std::size_t parameter) {
  const std::string type(info(input.type).name);
  if (!input.is_buffer) {
    return fmt::format(R"(    {{"name": "{}", "kind": "scalar", "type": "{}", "value": "{}", "bits": "{:#x}"}})", input.name, type,
                       ops::text_of(input.type, input.values.front()), input.values.front());
  }
  const std::string_view is_const = is_written(interpreted, parameter) ? "false" : "true";
  if (is_overlapping(interpreted.overlap, input)) {
    return fmt::format(R"(    {{"name": "{}", "kind": "pointer", "type": "{}", "const": {}, "into": "{}", "first": {}}})", input.name, type,
                       is_const, interpreted.overlap->into, interpreted.overlap->first);
  }
  const std::string output = is_written(interpreted, parameter) ? fmt::format(R"(, "output": "{}.out.npy")", input.name) : "";
  return fmt::format(R"(    {{"name": "{0}", "kind": "buffer", "type": "{1}", "count": {2}, "const": {3}, "input": "{0}.npy"{4}}})",
                     input.name, type, buffer_for(interpreted.before, parameter).count, is_const, output);
}

std::string launch_json(const generate::Kernel& kernel, const Interpreted& interpreted) {
  std::string arguments;
  for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
    arguments += (k == 0 ? "" : ",\n") + argument_json(kernel.inputs[k], interpreted, k);
  }
  return fmt::format("{{\n  \"kernel\": \"k\",\n  \"wg_size\": {},\n  \"groups\": {},\n  \"arguments\": [\n{}\n  ]\n}}\n", kernel.wg_size,
                     kernel.groups, arguments);
}

/// " --most-chunks 2 --misaligned"
std::string settings_text(const targets::Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    text += " " + name;
    const bool is_plain =
        value.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,.-+") == std::string::npos;
    text += value.empty() ? "" : " " + (is_plain ? value : shell_quoted(value));
  }
  return text;
}

std::string evaluator_name() {
  const std::vector<targets::Target> all = targets::all_targets();
  const auto evaluator = std::ranges::find_if(all, &targets::Target::is_evaluator);
  return evaluator != all.end() ? std::string(evaluator->name) : "";
}

bool reads_source(const FuzzPlan& plan) { return plan.target != nullptr && targets::reads_source(*plan.target); }

/// The evaluator, and the target if that is another one, as --target takes them; of one that reads kernels themselves, that alone.
std::string target_names(const FuzzPlan& plan) {
  if (reads_source(plan)) {
    return std::string(plan.target->name);
  }
  const bool is_evaluator = plan.target == nullptr || plan.target->is_evaluator;
  return evaluator_name() + (is_evaluator ? "" : "," + std::string(plan.target->name));
}

std::string target_name(const FuzzPlan& plan) { return plan.target != nullptr ? std::string(plan.target->name) : evaluator_name(); }

/// `lockstep diff` or `lockstep run` of the folder's files.
std::string command_line(const FuzzPlan& plan, const FuzzCase& of, const std::optional<Overlap>& overlap) {
  if (plan.subject == FuzzPlan::Subject::Pairs) {
    return verify_line(of);
  }
  const bool is_own = plan.subject == FuzzPlan::Subject::Target;
  std::string line = fmt::format("{} kernel.cl --wg-size {} --groups {}{}", is_own ? "diff" : "run --model opencl", of.kernel.wg_size,
                                 of.kernel.groups, of.kernel.contract ? "" : " --fp-contract off");
  if (is_own) {
    line += fmt::format(" --target {}{}", target_names(plan), settings_text(asked_for(plan, of).settings));
  }
  if (is_own && !reads_source(plan)) {
    line += fmt::format(" --wg-pack {}", of.wg_pack);
    line += of.chunk_lanes ? fmt::format(" --chunk-lanes {}", *of.chunk_lanes) : "";
    line += of.streaming ? " --streaming" : "";
  }
  for (const generate::KernelInput& input : of.kernel.inputs) {
    line += is_overlapping(overlap, input) ? fmt::format(" --arg {}={}+{}", input.name, overlap->into, overlap->first)
            : input.is_buffer              ? fmt::format(" --arg {0}=@{0}.npy", input.name)
                                           : fmt::format(" --arg '{}={}'", input.name, ops::text_of(input.type, input.values.front()));
  }
  return line;
}

std::string run_script(const FuzzPlan& plan, const Finding& finding, const std::optional<Overlap>& overlap,
                       const std::vector<std::string>& outputs) {
  std::string text = "#!/bin/sh\n";
  if (plan.subject != FuzzPlan::Subject::Backend) {
    text += "# Compares once more. LOCKSTEP in the environment is the command, if it is not `lockstep`.\n";
    return text + "cd \"$(dirname \"$0\")\" && exec \"${LOCKSTEP:-lockstep}\" " +
           (finding.answer.kind == proof_finding ? proof_command(finding.smallest) : command_line(plan, finding.smallest, overlap)) + "\n";
  }
  text +=
      "# Runs the compiler once more on a copy of this folder, where it was run before, and compares what it leaves with expected/, byte "
      "by\n"
      "# byte (a NaN may differ from another NaN). BACKEND in the environment is another command, which is run where this is called.\n"
      "set -eu\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\ncopy=$(mktemp -d)\ntrap 'rm -rf \"$copy\"' EXIT\ntrap 'exit 130' HUP INT "
      "TERM\nmkdir \"$copy/case\"\n"
      "cp \"$here\"/kernel.cl \"$here\"/launch.json \"$copy/case\"\nfor input in \"$here\"/*.npy; do\n"
      "  [ ! -e \"$input\" ] || cp \"$input\" \"$copy/case\"\ndone\n";
  std::error_code error;
  text += fmt::format("PATH=$PATH:{}\nTMPDIR=$copy\nfolder=$copy/case\nexport PATH TMPDIR folder\n", shell_quoted(folder_of_program()));
  text += fmt::format("if [ -z \"${{BACKEND:-}}\" ]; then\n  command={}\n  cd {}\nelse\n",
                      shell_quoted(command_on(plan.backend, "\"$folder\"")), shell_quoted(fs::current_path(error).string()));
  text +=
      "  case $BACKEND in\n    *'{}'*) command=$(printf '%s' \"$BACKEND\" | sed 's|{}|\"$folder\"|g') ;;\n"
      "    *) command=\"$BACKEND \\\"\\$folder\\\"\" ;;\n  esac\nfi\n";
  text += fmt::format("timeout {} sh -c \"$command\"\nstatus=0\n", plan.timeout);
  for (const std::string& name : outputs) {
    text += fmt::format("cmp \"$folder/{0}.out.npy\" \"$here/expected/{0}.npy\" || status=1\n", name);
  }
  return text + "exit $status\n";
}

std::string line_of(const std::string& text, unsigned line) {
  std::size_t begin = 0;
  for (unsigned k = 1; k < line; ++k) {
    begin = text.find('\n', begin) + 1;
  }
  const std::string whole = text.substr(begin, text.find('\n', begin) - begin);
  return whole.substr(std::min(whole.find_first_not_of(' '), whole.size()));
}

std::string parting_text(const Finding& finding, const std::string& text) {
  if (!finding.answer.first) {
    return "";  // there are no values to compare
  }
  if (!finding.line) {
    return "At which line the two part could not be found out (docs/fuzz.md says how that is done).\n\n";
  }
  const std::string& differs = finding.line->differs;
  return fmt::format("The first line at which the two part is kernel.cl:{}: {}.\n\n    {}\n\n", finding.line->number,
                     finding.line->is_last ? fmt::format("it is the last to write `{}`, which differs", differs)
                                           : fmt::format("what `{}` holds behind it differs", differs),
                     line_of(text, finding.line->number));
}

/// `lockstep fuzz` for the kernel that was generated.
std::string fuzz_command(const FuzzPlan& plan, std::uint64_t number) {
  std::string line = fmt::format("lockstep fuzz --seed {} --first {} --kernels 1 --max-lanes {}", plan.seed, number, plan.max_lanes);
  if (plan.subject == FuzzPlan::Subject::Backend) {
    line += fmt::format(" --backend {}", shell_quoted(plan.backend));
    return line + (plan.timeout != FuzzPlan().timeout ? fmt::format(" --timeout {}", plan.timeout) : "");
  }
  line += plan.subject == FuzzPlan::Subject::Pairs ? " --pairs"
                                                   : fmt::format(" --target {}{}", target_name(plan), settings_text(plan.settings));
  return line + (plan.portable ? " --portable" : "");
}

std::string readme(const FuzzPlan& plan, const Finding& finding, const std::string& text) {
  const FuzzCase& of = finding.smallest;
  std::string out = fmt::format("# {}\n\n{}\n\n", finding.answer.kind, finding.answer.sentence) + parting_text(finding, text);
  out += fmt::format(
      "- kernel.cl: the kernel, shrunk; launch.json and *.npy: how it is launched, {} of {}\n- expected/: what the interpreter leaves\n"
      "- run.sh: asks again\n\n",
      counted(of.kernel.groups, "group"), counted(of.kernel.wg_size, "item"));
  std::error_code error;
  if (plan.subject == FuzzPlan::Subject::Pairs) {
    out += fmt::format("changed.cl is the kernel with one change (kind: {}); run.sh asks whether it refines kernel.cl.\n\n",
                       generate::name_of(of.change.kind));
    return out + fmt::format("The kernel that was generated:\n\n    {}\n", fuzz_command(plan, of.number));
  }
  out += plan.subject == FuzzPlan::Subject::Backend
             ? fmt::format("The back end, run in {}, and Lockstep:\n\n    {}\n    lockstep {}\n\n", fs::current_path(error).string(),
                           plan.backend, command_line(plan, of, std::nullopt))
             : fmt::format("WG_PACK {}, lanes of a chunk: {}{}; {}.\n\n", of.wg_pack,
                           of.chunk_lanes ? std::to_string(*of.chunk_lanes) : "as the target has them", of.streaming ? ", streaming" : "",
                           of.settings.empty() ? "no further options" : "options:" + settings_text(of.settings));
  out += fmt::format("The kernel that was generated:\n\n    {}\n", fuzz_command(plan, of.number));
  for (const std::string& other : finding.others) {
    out += fmt::format("\nThe same was found with {}.\n", other);
  }
  return out;
}

/// The first problem of several things to write.
class FileWriter {
 public:
  explicit FileWriter(std::string folder) : folder_(std::move(folder)) {}
  void operator()(const std::string& name, const std::string& text) {
    if (!problem_) {
      problem_ = write_text((fs::path(folder_) / name).string(), text);
    }
  }
  const std::optional<std::string>& problem() const { return problem_; }

 private:
  std::string folder_;
  std::optional<std::string> problem_;
};

/// "llvm differs" as a part of a file's name.
std::string as_name(const std::string& kind) {
  std::string name;
  for (const char c : kind.substr(0, kind.find(':'))) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  return name.substr(0, 40);
}

}  // namespace

std::optional<std::string> write_case(const std::string& folder, const FuzzCase& fuzz_case, const Interpreted& interpreted) {
  FileWriter write(folder);
  write("kernel.cl", std::string(interpreted.read.program.source->text()));
  write("launch.json", launch_json(fuzz_case.kernel, interpreted));
  for (std::size_t k = 0; k < fuzz_case.kernel.inputs.size(); ++k) {
    const generate::KernelInput& input = fuzz_case.kernel.inputs[k];
    if (input.is_buffer && !is_overlapping(interpreted.overlap, input)) {
      write(input.name + ".npy", npy_of(buffer_for(interpreted.before, k)));
    }
  }
  return write.problem();
}

std::optional<std::string> cannot_write_in(const std::string& directory) {
  std::error_code error;
  fs::path there = fs::absolute(directory, error).lexically_normal();
  while (!error && fs::symlink_status(there, error).type() == fs::file_type::not_found && there.has_relative_path()) {
    there = there.parent_path();
    error.clear();
  }
  if (error) {
    return fmt::format("{}: {}", directory, error.message());
  }
  if (!fs::is_directory(there, error)) {
    return fmt::format("{}: {} is no folder", directory, there.string());
  }
  try {
    const TemporaryFolder tried(there.string());
  } catch (const std::runtime_error& problem) {
    return fmt::format("{}: {}", directory, problem.what());
  }
  return std::nullopt;
}

std::optional<std::string> write_finding(const FuzzPlan& plan, const std::string& directory, Finding& finding) {
  const std::string folder =
      (fs::path(directory) / fmt::format("{}-{}-{}", as_name(finding.answer.kind), plan.seed, finding.smallest.number)).string();
  std::error_code error;
  fs::create_directories(fs::path(folder) / "expected", error);
  if (error) {
    return fmt::format("{}: this folder cannot be made: {}", folder, error.message());
  }
  auto interpreted = interpret(finding.smallest, plan.subject == FuzzPlan::Subject::Backend);
  const auto* made = std::get_if<Interpreted>(&interpreted);
  FileWriter write(folder);
  std::string text;
  std::vector<std::string> outputs;
  if (made == nullptr) {  // what is wrong is the front end or the launcher
    text = core::print(finding.smallest.kernel.unit);
    write("kernel.cl", text);
  } else {
    text = made->read.program.source->text();
    if (const auto problem = write_case(folder, finding.smallest, *made)) {
      return problem;
    }
    for (std::size_t k = 0; k < finding.smallest.kernel.inputs.size(); ++k) {
      const generate::KernelInput& input = finding.smallest.kernel.inputs[k];
      const bool is_changed = input.is_buffer && (is_written(*made, k) || (made->overlap && made->overlap->into == input.name));
      if (is_changed && !is_overlapping(made->overlap, input)) {
        outputs.push_back(input.name);
        write("expected/" + input.name + ".npy", npy_of(buffer_for(made->after, k)));
      }
    }
  }
  if (plan.subject == FuzzPlan::Subject::Pairs) {
    write("changed.cl", changed_text(finding.smallest));
  }
  write("run.sh", run_script(plan, finding, made != nullptr ? made->overlap : std::nullopt, outputs));
  write("README.md", readme(plan, finding, text));
  fs::permissions(fs::path(folder) / "run.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (!write.problem()) {
    finding.folder = folder;
  }
  return write.problem();
}

TemporaryFolder::TemporaryFolder(const std::string& inside) {
  path_ = (fs::path(inside) / "lockstep-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(fmt::format("{}: no folder can be made there: {}", inside, std::strerror(errno)));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace lockstep::differential
