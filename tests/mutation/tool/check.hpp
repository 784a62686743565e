#pragma once
// What the compiler makes of the copies.

#include <clang/Tooling/CompilationDatabase.h>

#include <utility>

#include "tests/mutation/tool/fault.hpp"

namespace lockstep::mutate {

/// How each source is compiled, or its copy below `out`: of several ways the first, but none that has copies already (those of the programs
/// made of them are among the commands too). With `with_copies`, copies are taken in place of the headers.
class Commands : public clang::tooling::CompilationDatabase {
 public:
  Commands(const CompilationDatabase& commands, std::string root, std::string out, bool with_copies)
      : commands_(commands), root_(std::move(root)), out_(std::move(out)), with_copies_(with_copies) {}
  std::vector<clang::tooling::CompileCommand> getCompileCommands(llvm::StringRef file) const override;

 private:
  const CompilationDatabase& commands_;
  std::string root_;
  std::string out_;
  bool with_copies_;
};

/// Writes the copies of the sources into `out`, and leaves out, and adds to `dropped`, what does not compile in one of the programs: paths
/// of .cpp files below the source folder `root`. A fault planted by hand must compile. Throws std::runtime_error.
void write_what_compiles(const clang::tooling::CompilationDatabase& commands, const std::vector<std::string>& extra_arguments,
                         const std::string& root, const std::string& out, const Sources& sources, const std::vector<std::string>& programs,
                         const std::vector<Fault>& faults, std::set<unsigned>& dropped);

}  // namespace lockstep::mutate
