// suite_tests FOLDER [NAME...]: all kernels of a folder with .sim files, or those named. Each is run under all models, and what it leaves
// is compared with its reference, bit by bit; those of FOLDER/wrong end as their first line says:
//
//   // opencl: uninitialised-cell of 't[3]' in line 5; pirch: clean
//   // refused: MESSAGE in line 4

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/suites/trial.hpp"

using namespace lockstep;
using namespace lockstep::suites;

namespace {

unsigned passed = 0;
unsigned failed = 0;

void verdict(const std::string& what, const std::string& problem) {
  ++(problem.empty() ? passed : failed);
  if (!problem.empty()) {
    std::printf("FAILED: %s: %s\n", what.c_str(), problem.c_str());
    std::fflush(stdout);
  }
}

/// The kernels of a folder, without `.cl`.
std::set<std::string> kernels_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cl") {
      names.insert(entry.path().stem().string());
    }
  }
  return names;
}

std::string hexadecimal(const std::vector<std::byte>& bytes, std::size_t first) {
  std::string text;
  for (std::size_t k = first; k < first + 8 && k < bytes.size(); ++k) {
    char two[4];
    std::snprintf(two, sizeof two, " %02x", std::to_integer<unsigned>(bytes[k]));
    text += two;
  }
  return text;
}

/// What is left in the buffers, compared with what has to be there. Empty: all bits are the same.
std::string difference(const Loaded& loaded, const launch::Arguments& after, const Reference& reference) {
  Launch wanted = loaded.launch;
  for (std::size_t k = 0; k < loaded.names.size(); ++k) {
    const bool is_buffer = loaded.buffers[k] != Loaded::none;
    wanted.left.push_back(is_buffer ? after.buffers.at(loaded.buffers[k]).bytes : wanted.bytes.at(k));
  }
  reference.run(wanted);
  if (wanted.bytes == loaded.launch.bytes) {
    return "the reference changes nothing, so that it tests nothing";
  }
  for (std::size_t k = 0; k < loaded.names.size(); ++k) {
    if (loaded.buffers[k] == Loaded::none) {
      continue;
    }
    const launch::Buffer& buffer = after.buffers.at(loaded.buffers[k]);
    if (!buffer.uninitialised.empty() || !buffer.poison.empty()) {
      return "'" + loaded.names[k] + "' has elements without a value";
    }
    for (std::size_t at = 0; at < buffer.bytes.size(); ++at) {
      if (wanted.bytes[k][at] != buffer.bytes[at]) {
        const std::size_t first = at / 4 * 4;
        return "'" + loaded.names[k] + "' has" + hexadecimal(buffer.bytes, first) + " at byte " + std::to_string(first) + " and not" +
               hexadecimal(wanted.bytes[k], first);
      }
    }
  }
  return "";
}

launch::Outcome run(const Loaded& loaded, launch::Arguments& arguments, launch::LaunchOptions options) {
  options.groups = loaded.groups;
  auto outcome = launch::run(loaded.program, arguments, options);
  if (!outcome) {
    throw std::runtime_error(outcome.error());
  }
  return *std::move(outcome);
}

/// What somebody warns of is wrong with a kernel, but for printing, which is done by the command alone.
std::string warned(const Loaded& loaded) {
  for (const std::string& warning : loaded.warnings) {
    if (warning.find("printf") == std::string::npos) {
      return "a warning: " + warning;
    }
  }
  return "";
}

void try_right(const std::string& folder, const Reference& reference) {
  const Loaded loaded = load(folder, reference.name, reference.offset);
  if (loaded.program == nullptr || !warned(loaded).empty()) {
    verdict(reference.name, loaded.program == nullptr ? "refused: " + loaded.refusal : warned(loaded));
    return;
  }
  for (Model& model : models()) {
    model.options.strict = true;
    launch::Arguments arguments = loaded.arguments;
    const launch::Outcome outcome = run(loaded, arguments, model.options);
    const std::string end = ending(loaded, outcome);
    verdict(std::string(reference.name) + " (" + model.name + ")", end == "clean" ? difference(loaded, arguments, reference) : end);
  }
}

/// From the first line of a file, by model.
std::map<std::string, std::string> expectations(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  std::map<std::string, std::string> found;
  if (const std::string refused = "// refused: "; line.starts_with(refused)) {  // whose message may have semicolons
    return {{"refused", line.substr(refused.size())}};
  }
  for (std::size_t at = line.rfind("// ", 0) == 0 ? 3 : line.size(); at < line.size();) {
    const std::size_t colon = line.find(": ", at), end = std::min(line.find("; ", at), line.size());
    if (colon >= end) {
      break;
    }
    found[line.substr(at, colon - at)] = line.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  return found;
}

void try_wrong(const std::string& folder, const std::string& name) {
  const auto expected = expectations(folder + "/" + name + ".cl");
  const Loaded loaded = load(folder, name, {});
  const auto same = [&](const char* model, const std::string& found) {
    const auto at = expected.find(model);
    const std::string wanted = at == expected.end() ? "nothing that is said in its first line" : at->second;
    verdict("wrong/" + name + " (" + model + ")", found == wanted ? "" : found + ", expected was " + wanted);
  };
  if (loaded.program == nullptr) {
    same("refused", loaded.refusal);
    return;
  }
  for (const Model& model : {models()[0], models()[1]}) {
    launch::Arguments arguments = loaded.arguments;
    const launch::Outcome outcome = run(loaded, arguments, model.options);
    same(model.name, ending(loaded, outcome));
  }
  const auto clean = expected.find("opencl");
  if (expected.size() != 2 || (clean != expected.end() && clean->second == "clean")) {
    verdict("wrong/" + name, "it is not wrong");
  }
}

template <class Try>
void guarded(const std::string& name, const Try& attempt) {
  try {
    attempt();
  } catch (const std::exception& problem) {
    verdict(name, problem.what());
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string folder = count > 1 ? words[1] : ".";
  const std::set<std::string> asked(words + std::min(count, 2), words + count);
  const auto is_asked = [&](const std::string& name) { return asked.empty() || asked.contains(name); };
  std::set<std::string> without = kernels_in(folder);
  for (const auto& references : {vector_references(), matrix_references(), grid_references(), order_references(), science_references()}) {
    for (const Reference& reference : references) {
      without.erase(reference.name);
      if (is_asked(reference.name)) {
        guarded(reference.name, [&] { try_right(folder, reference); });
      }
    }
  }
  for (const std::string& name : without) {
    verdict(name, "it has no reference");
  }
  for (const std::string& name : kernels_in(folder + "/wrong")) {
    if (is_asked(name)) {
      guarded("wrong/" + name, [&] { try_wrong(folder + "/wrong", name); });
    }
  }
  std::printf("counts: %u passed, %u failed, 0 skipped\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
