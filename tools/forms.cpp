// `lockstep forms`: the instructions of PTX that are read, and their pages.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <expected>
#include <filesystem>
#include <memory>

#include "semantics/base/nearest.hpp"
#include "tools/command.hpp"
#include "tools/form_text.hpp"
#include "tools/pages.hpp"
#include "tools/ve_form_text.hpp"

namespace lockstep::tools {
namespace {

struct FormsOptions {
  std::vector<std::string> mnemonics;
  std::string markdown;
  std::string machine = "ptx";
};

/// The cases of a mnemonic, in the project's folder: tests/files/ptx/MNEMONIC.….ptx.
std::vector<std::string> cases_of(std::string_view mnemonic) {
  std::vector<std::string> cases;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("tests/files/ptx", error)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".ptx" && name.starts_with(fmt::format("{}.", mnemonic))) {
      cases.push_back(entry.path().string());
    }
  }
  std::ranges::sort(cases);
  return cases;
}

/// An index, and a page for each mnemonic.
std::vector<Page> ptx_pages() {
  std::vector<Page> pages = {{"index", form_index()}};
  for (const std::string_view mnemonic : ptx::mnemonics()) {
    pages.push_back({std::string(mnemonic), form_page(mnemonic, cases_of(mnemonic))});
  }
  return pages;
}

/// The same for VE, with a page for each class of instructions.
std::vector<Page> ve_pages() {
  std::vector<Page> pages = {{"index", ve_index()}};
  for (std::size_t k = 0; k < ve::class_count; ++k) {
    const auto c = static_cast<ve::Class>(k);
    pages.push_back({std::string(ve::name_of(c)), ve_class_page(c)});
  }
  return pages;
}

std::expected<void, std::string> show_ptx(const std::vector<std::string>& mnemonics) {
  for (const std::string& mnemonic : mnemonics) {
    if (ptx::forms_of(mnemonic).empty()) {
      return std::unexpected(fmt::format("there is no instruction '{}'{}", mnemonic, suggestion(mnemonic, ptx::mnemonics())));
    }
  }
  for (const ptx::FormInfo& row : ptx::forms()) {
    if (mnemonics.empty() || std::ranges::find(mnemonics, row.mnemonic) != mnemonics.end()) {
      fmt::print("{}\n    {}{}\n", form_syntax(row), row.sentence, row.runs() ? "" : " (is read, and does not run)");
    }
  }
  return {};
}

std::expected<void, std::string> show_ve(const std::vector<std::string>& mnemonics) {
  std::vector<std::string_view> known;
  for (const ve::RowInfo& row : ve::rows()) {
    known.push_back(row.mnemonic);
  }
  for (const std::string& mnemonic : mnemonics) {
    if (std::ranges::find(known, mnemonic) == known.end()) {
      return std::unexpected(fmt::format("there is no instruction '{}'{}", mnemonic, suggestion(mnemonic, known)));
    }
  }
  for (const ve::RowInfo& row : ve::rows()) {
    if (mnemonics.empty() || std::ranges::find(mnemonics, row.mnemonic) != mnemonics.end()) {
      fmt::print("{} ({})\n    {}\n", row.mnemonic, row.name, row.sentence);
    }
  }
  return {};
}

int forms(const FormsOptions& options) {
  const bool is_ve = options.machine == "ve";
  const auto done = !options.markdown.empty() ? write_pages(options.markdown, is_ve ? ve_pages() : ptx_pages())
                                              : (is_ve ? show_ve : show_ptx)(options.mnemonics);
  if (!done) {
    complain(done.error());
  }
  return done ? fine : bad_input;
}

}  // namespace

void add_forms(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("forms", "list the instructions of PTX that are read, or those of VE that run");
  command->footer(
      "Examples: lockstep forms shfl cvt\n"
      "          lockstep forms --markdown docs/ptx\n"
      "          lockstep forms --machine ve vfmad.d\n"
      "Exit status: 0 fine, 2 there is no such instruction, or a page cannot be written.");
  auto options = std::make_shared<FormsOptions>();
  command->add_option("MNEMONIC", options->mnemonics, "instructions to show (default: all)");
  command
      ->add_option("--markdown", options->markdown,
                   "write a page for each instruction into a folder instead; in the project's folder, whose cases it links to")
      ->type_name("DIR");
  command->add_option("--machine", options->machine, "whose instructions")
      ->check(CLI::IsMember({"ptx", "ve"}))
      ->capture_default_str()
      ->type_name("ptx|ve");
  command->callback([options, &status] { status = forms(*options); });
}

}  // namespace lockstep::tools
