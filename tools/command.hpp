#pragma once
// What the subcommands of `lockstep` share: exit statuses, reading files, printing diagnostics. One file per subcommand.

#include <expected>
#include <memory>
#include <string>

#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/syntax.hpp"

namespace CLI {
class App;  // CLI11 is slow to compile: only the files that add options include it
}

namespace lockstep::tools {

/// Exit statuses of every subcommand.
enum Status : int {
  fine = 0,       ///< the answer is yes, or there was nothing to answer
  no = 1,         ///< the answer is no: stuck, undefined behaviour, ill-formed, mismatch
  bad_input = 2,  ///< bad usage or bad input
  limit = 3,      ///< a limit was reached
  missing = 4     ///< something needed is missing on this machine
};

// Each adds its subcommand to `app`; when the subcommand is chosen, it sets `status`.
void add_run(CLI::App& app, int& status);
void add_step(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_lower(CLI::App& app, int& status);
void add_emit(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_verify(CLI::App& app, int& status);
void add_fuzz(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_rules(CLI::App& app, int& status);
void add_forms(CLI::App& app, int& status);

/// Why input is bad, for the two that want to know.
struct Refusal {
  std::string text;    ///< what standard error says: whole lines
  std::string reason;  ///< the same as one sentence, of several errors the first, behind `file:line:col: ` if it has a place
};

/// `lockstep: error: sentence`
Refusal refusal(const std::string& sentence);

/// The errors, of which there is at least one, as render() shows them.
Refusal refusal(const SourceFile& source, const Diagnostics& errors);

/// Says it on standard error and, with `json`, in an object on standard output as well; returns bad_input.
int refuse(const Refusal& refusal, bool json = false);

/// The text of a program, whatever language it is in. Never null.
std::expected<std::shared_ptr<const SourceFile>, Refusal> read_source(const std::string& path);

/// Parses an untyped `.mus` text. Never null.
std::expected<std::shared_ptr<const musimd::Program>, Refusal> parse_program(const SourceFile& source);

/// `lockstep: error: …` on standard error.
void complain(const std::string& message);

/// Writes to standard error as far as that is possible.
void say(const std::string& text);

/// A JSON string with quotation marks; bytes that are no UTF-8 become U+FFFD.
std::string json_string(const std::string& text);

}  // namespace lockstep::tools
