#pragma once
// Faults of a few kinds, found in what clang has read.

#include <memory>

#include "tests/mutation/tool/fault.hpp"

namespace clang::tooling {
class FrontendActionFactory;
}

namespace lockstep::mutate {

/// For a ClangTool: adds what is found in the sources to `found`, each fault once however many programs include its file. `root` is the
/// source folder.
std::unique_ptr<clang::tooling::FrontendActionFactory> finder(const std::string& root, const Sources& sources, Found& found);

}  // namespace lockstep::mutate
