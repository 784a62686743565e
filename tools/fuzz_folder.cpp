// The folders of docs/fuzz.md: a kernel with its launch and inputs, for somebody else's compiler, and what a finding leaves behind.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/memory/npy.hpp"
#include "semantics/core/print.hpp"
#include "semantics/ops/apply.hpp"
#include "tools/fuzz.hpp"
#include "tools/lower.hpp"

namespace lockstep::tools {

namespace {

namespace fs = std::filesystem;

std::string npy_of(const launch::Buffer& buffer) {
  return npy_header(buffer.type, {buffer.count}) + std::string(reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size());
}

std::string npy_of(const generate::KernelInput& input) {
  std::string text = npy_header(input.type, {input.values.size()});
  for (const std::uint64_t value : input.values) {
    std::string bytes(size_of(input.type), '\0');
    std::memcpy(bytes.data(), &value, bytes.size());
    text += bytes;
  }
  return text;
}

bool is_written(const Interpreted& interpreted, std::size_t parameter) { return interpreted.loaded.writable[parameter]; }

std::string argument_json(const generate::KernelInput& input, bool is_const) {
  const std::string type(info(input.type).name);
  if (!input.is_buffer) {
    return fmt::format(R"(    {{"name": "{}", "kind": "scalar", "type": "{}", "value": "{}", "bits": "{:#x}"}})", input.name, type,
                       ops::text_of(input.type, input.values.front()), input.values.front());
  }
  const std::string output = is_const ? "" : fmt::format(R"(, "output": "{}.out.npy")", input.name);
  return fmt::format(R"(    {{"name": "{0}", "kind": "buffer", "type": "{1}", "count": {2}, "const": {3}, "input": "{0}.npy"{4}}})",
                     input.name, type, input.values.size(), is_const ? "true" : "false", output);
}

std::string launch_json(const generate::Kernel& kernel, const Interpreted& interpreted) {
  std::string arguments;
  for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
    arguments += (k == 0 ? "" : ",\n") + argument_json(kernel.inputs[k], !is_written(interpreted, k));
  }
  return fmt::format("{{\n  \"kernel\": \"k\",\n  \"wg_size\": {},\n  \"groups\": {},\n  \"arguments\": [\n{}\n  ]\n}}\n", kernel.wg_size,
                     kernel.groups, arguments);
}

/// `lockstep diff` or `lockstep run` of the folder's files.
std::string command_line(const FuzzPlan& plan, const FuzzCase& of) {
  const bool is_own = plan.target != FuzzPlan::Target::Backend;
  std::string line = fmt::format("{} kernel.cl --wg-size {} --groups {}{}", is_own ? "diff" : "run --model opencl", of.kernel.wg_size,
                                 of.kernel.groups, of.kernel.contract ? "" : " --fp-contract off");
  if (is_own) {
    line += fmt::format(" --wg-pack {} --llvm-level {}", of.wg_pack, of.level);
    line += of.chunk_lanes ? fmt::format(" --chunk-lanes {}", *of.chunk_lanes) : "";
  }
  for (const generate::KernelInput& input : of.kernel.inputs) {
    line += input.is_buffer ? fmt::format(" --arg {0}=@{0}.npy", input.name)
                            : fmt::format(" --arg '{}={}'", input.name, ops::text_of(input.type, input.values.front()));
  }
  return line;
}

std::string run_script(const FuzzPlan& plan, const Finding& finding, const std::vector<std::string>& outputs) {
  std::string text = "#!/bin/sh\n";
  if (plan.target != FuzzPlan::Target::Backend) {
    text += "# Compares once more. LOCKSTEP in the environment is the command, if it is not `lockstep`.\n";
    return text + "cd \"$(dirname \"$0\")\" && exec \"${LOCKSTEP:-lockstep}\" " + command_line(plan, finding.smallest) + "\n";
  }
  text +=
      "# Runs the compiler once more on a copy of this folder, and compares what it leaves with expected/, byte by byte (a NaN may differ\n"
      "# from another NaN). BACKEND in the environment is another command.\n"
      "set -eu\ncd \"$(dirname \"$0\")\"\ncopy=$(mktemp -d)\ntrap 'rm -rf \"$copy\"' EXIT\ncp kernel.cl launch.json ./*.npy \"$copy\"\n";
  std::string quoted = plan.backend;
  for (std::size_t at = quoted.find('\''); at != std::string::npos; at = quoted.find('\'', at + 4)) {
    quoted.replace(at, 1, "'\\''");
  }
  text += fmt::format("folder='{{}}'\ncommand=${{BACKEND:-'{}'}}\n", quoted);
  text +=
      "case $command in\n  *\"$folder\"*) command=$(printf '%s' \"$command\" | sed \"s|{}|$copy|g\") ;;\n  *) command=\"$command $copy\" "
      ";;\nesac\nsh -c \"$command\"\nstatus=0\n";
  for (const std::string& name : outputs) {
    text += fmt::format("cmp \"$copy/{0}.out.npy\" expected/{0}.npy || status=1\n", name);
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

std::string readme(const FuzzPlan& plan, const Finding& finding, const std::string& text) {
  const FuzzCase& of = finding.smallest;
  std::string out = fmt::format("# {}\n\n{}\n\n", finding.answer.kind, finding.answer.sentence);
  if (finding.line) {
    out += fmt::format("The first line at which the two part is kernel.cl:{}: what `{}` holds behind it differs.\n\n    {}\n\n",
                       *finding.line, finding.variable, line_of(text, *finding.line));
  } else {
    out += "At which line the two part could not be found out by saving values on the way (docs/fuzz.md says how that is done).\n\n";
  }
  out += fmt::format(
      "- kernel.cl: the kernel, shrunk; launch.json and *.npy: how it is launched, {} of {}\n- expected/: what the interpreter leaves\n"
      "- run.sh: asks again\n\n",
      counted(of.kernel.groups, "group"), counted(of.kernel.wg_size, "item"));
  out += plan.target == FuzzPlan::Target::Backend
             ? fmt::format("Back end: `{}`. With Lockstep: `lockstep {}`\n\n", plan.backend, command_line(plan, of))
             : fmt::format("WG_PACK {}, LLVM's level {}, lanes of a chunk: {}.\n\n", of.wg_pack, of.level,
                           of.chunk_lanes ? std::to_string(*of.chunk_lanes) : "as the target has them");
  out += fmt::format("The kernel that was generated: `lockstep fuzz --seed {} --first {} --kernels 1{}{}`\n", plan.seed, of.number,
                     plan.max_lanes == FuzzPlan().max_lanes ? "" : fmt::format(" --max-lanes {}", plan.max_lanes),
                     plan.target == FuzzPlan::Target::Backend  ? fmt::format(" --backend '{}'", plan.backend)
                     : plan.target == FuzzPlan::Target::Infreg ? " --target infreg"
                     : plan.portable                           ? " --portable"
                                                               : "");
  for (const std::string& other : finding.ending) {
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
  for (const generate::KernelInput& input : fuzz_case.kernel.inputs) {
    if (input.is_buffer) {
      write(input.name + ".npy", npy_of(input));
    }
  }
  return write.problem();
}

std::optional<std::string> write_finding(const FuzzPlan& plan, const std::string& directory, Finding& finding) {
  finding.folder =
      (fs::path(directory) / fmt::format("{}-{}-{}", as_name(finding.answer.kind), plan.seed, finding.smallest.number)).string();
  std::error_code error;
  fs::create_directories(fs::path(finding.folder) / "expected", error);
  if (error) {
    return fmt::format("{}: this folder cannot be made: {}", finding.folder, error.message());
  }
  auto interpreted = interpret(finding.smallest, plan.target == FuzzPlan::Target::Backend);
  const auto* made = std::get_if<Interpreted>(&interpreted);
  FileWriter write(finding.folder);
  std::string text;
  std::vector<std::string> outputs;
  if (made == nullptr) {  // what is wrong is the front end or the launcher
    text = core::print(finding.smallest.kernel.unit);
    write("kernel.cl", text);
  } else {
    text = made->read.program.source->text();
    if (const auto problem = write_case(finding.folder, finding.smallest, *made)) {
      return problem;
    }
    for (std::size_t k = 0; k < finding.smallest.kernel.inputs.size(); ++k) {
      const generate::KernelInput& input = finding.smallest.kernel.inputs[k];
      if (input.is_buffer && is_written(*made, k)) {
        outputs.push_back(input.name);
        write("expected/" + input.name + ".npy", npy_of(made->after.buffers[std::get<BufferNumber>(made->after.values[k]).number]));
      }
    }
  }
  write("run.sh", run_script(plan, finding, outputs));
  write("README.md", readme(plan, finding, text));
  fs::permissions(fs::path(finding.folder) / "run.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  return write.problem();
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  path_ = (fs::temp_directory_path(error) / "lockstep-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(fmt::format("{}: no folder can be made: {}", path_, std::strerror(errno)));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace lockstep::tools
