#include "tests/mutation/tool/check.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace lockstep::mutate {

namespace {

using namespace clang;

struct Place {
  std::string path;
  std::size_t offset = 0;
};

/// An error, and the places that it speaks of: its own, and those of its notes.
struct Error {
  std::string text;
  std::vector<Place> places;
};

class Errors : public DiagnosticConsumer {
 public:
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level >= DiagnosticsEngine::Error) {
      llvm::SmallString<200> text;
      info.FormatDiagnostic(text);
      all.push_back({std::string(text), {}});
    } else if (level != DiagnosticsEngine::Note) {
      return;
    }
    if (!all.empty() && info.hasSourceManager() && info.getLocation().isValid()) {
      const SourceManager& manager = info.getSourceManager();
      const SourceLocation place = manager.getFileLoc(info.getLocation());
      all.back().places.push_back({manager.getFilename(place).str(), manager.getFileOffset(place)});
    }
  }
  std::vector<Error> all;
};

/// The copies as they are now.
class Copies {
 public:
  Copies(const std::string& out, const Sources& sources, const std::vector<Fault>& faults, std::set<unsigned>& dropped)
      : out_(out), sources_(sources), faults_(faults), dropped_(dropped) {
    for (const auto& [file, text] : sources) {
      write(file);
    }
  }

  /// Drops the faults that the errors speak of. Throws if there is none but those planted by hand.
  void drop(const std::vector<Error>& errors) {
    std::set<unsigned> guilty;
    for (const Error& error : errors) {
      const bool some = std::ranges::any_of(error.places, [&](const Place& place) { return add_guilty(place, guilty); });
      if (!some) {
        static_cast<void>(std::ranges::any_of(error.places, [&](const Place& place) { return add_near(place, guilty); }));
      }
    }
    if (guilty.empty()) {
      const Place place = errors.empty() || errors.front().places.empty() ? Place() : errors.front().places.front();
      throw std::runtime_error(errors.empty() ? "no error is said"
                                              : fmt::format("{} ({}:{}); planted there by hand: {}", errors.front().text, place.path,
                                                            place.offset, planted_in(place)));
    }
    std::set<std::string> changed;
    for (const unsigned number : guilty) {
      dropped_.insert(number);
      changed.insert(faults_[number - 1].file);
    }
    for (const std::string& file : changed) {
      write(file);
    }
  }

 private:
  void write(const std::string& file) {
    copies_[file] = with_faults(file, sources_.at(file), faults_, dropped_);
    const std::filesystem::path path = out_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << copies_[file].text;
  }

  /// Null: the place is in no copy.
  const Copy* copy_of(const Place& place) const {
    const std::string path = std::filesystem::path(place.path).lexically_normal();
    const auto found = path.starts_with(out_ + "/") ? copies_.find(path.substr(out_.size() + 1)) : copies_.end();
    return found == copies_.end() ? nullptr : &found->second;
  }

  /// The names of the faults planted by hand in the place's file.
  std::string planted_in(const Place& place) const {
    std::string names;
    if (const Copy* copy = copy_of(place)) {
      for (const Span& span : copy->spans) {
        names += by_hand(span) ? (names.empty() ? "" : ", ") + faults_[span.number - 1].name : "";
      }
    }
    return names.empty() ? "nothing" : names;
  }

  /// The innermost fault around the place that is not planted by hand.
  bool add_guilty(const Place& place, std::set<unsigned>& guilty) const {
    const Copy* copy = copy_of(place);
    if (copy == nullptr) {
      return false;
    }
    const Span* innermost = nullptr;
    for (const Span& span : copy->spans) {
      const bool is_inside = !by_hand(span) && span.begin <= place.offset && place.offset < span.end;
      if (is_inside && (innermost == nullptr || span.end - span.begin < innermost->end - innermost->begin)) {
        innermost = &span;
      }
    }
    if (innermost != nullptr) {
      guilty.insert(innermost->number);
      return true;
    }
    return false;
  }

  /// The faults of the place's line; if there are none, the last one in front of it.
  bool add_near(const Place& place, std::set<unsigned>& guilty) const {
    const Copy* copy = copy_of(place);
    if (copy == nullptr) {
      return false;
    }
    const std::size_t line_begin = copy->text.rfind('\n', place.offset);
    const std::size_t line_end = copy->text.find('\n', place.offset);
    const Span* last = nullptr;
    bool some = false;
    for (const Span& span : copy->spans) {
      if (by_hand(span)) {
        continue;
      }
      if (span.begin > line_begin && span.begin < line_end) {
        guilty.insert(span.number);
        some = true;
      } else if (span.begin < place.offset && (last == nullptr || span.begin > last->begin)) {
        last = &span;
      }
    }
    if (!some && last != nullptr) {
      guilty.insert(last->number);
    }
    return some || last != nullptr;
  }

  bool by_hand(const Span& span) const { return faults_[span.number - 1].kind == "text"; }

  std::string out_;
  const Sources& sources_;
  const std::vector<Fault>& faults_;
  std::set<unsigned>& dropped_;
  std::map<std::string, Copy> copies_;
};

}  // namespace

std::vector<tooling::CompileCommand> Commands::getCompileCommands(llvm::StringRef file) const {
  const std::string copies = std::filesystem::path(out_).parent_path().string() + "/";
  const bool is_copy = file.starts_with(out_ + "/");
  const std::string original = is_copy ? root_ + file.substr(out_.size()).str() : file.str();
  for (tooling::CompileCommand& command : commands_.getCompileCommands(original)) {
    if (std::ranges::any_of(command.CommandLine, [&](const std::string& word) { return word.starts_with("-I" + copies); })) {
      continue;
    }
    std::ranges::replace(command.CommandLine, original, file.str());
    command.Filename = file.str();
    if (with_copies_) {
      command.CommandLine.insert(command.CommandLine.begin() + 1, "-I" + out_);
    }
    return {command};
  }
  return {};
}

void write_what_compiles(const tooling::CompilationDatabase& commands, const std::vector<std::string>& extra_arguments,
                         const std::string& root, const std::string& out, const Sources& sources, const std::vector<std::string>& programs,
                         const std::vector<Fault>& faults, std::set<unsigned>& dropped) {
  Copies copies(out, sources, faults, dropped);
  const Commands commands_of_copies(commands, root, out, true);
  for (const std::string& program : programs) {
    const std::string path = (sources.contains(program) ? out : root) + "/" + program;
    for (bool compiles = false; !compiles;) {
      Errors errors;
      tooling::ClangTool tool(commands_of_copies, {path});
      tool.appendArgumentsAdjuster(tooling::getInsertArgumentAdjuster(extra_arguments, tooling::ArgumentInsertPosition::BEGIN));
      tool.setDiagnosticConsumer(&errors);
      tool.setPrintErrorMessage(false);
      compiles = tool.run(tooling::newFrontendActionFactory<SyntaxOnlyAction>().get()) == 0;
      if (!compiles) {
        copies.drop(errors.all);
      }
    }
  }
}

}  // namespace lockstep::mutate
