#include "tests/ptxas/judge.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace lockstep::ptxas {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a program of the machine's
  if (pipe == nullptr) {
    throw std::runtime_error("cannot run " + command);
  }
  std::string out;
  std::array<char, 4096> part{};
  for (std::size_t read = 0; (read = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    out.append(part.data(), read);
  }
  pclose(pipe);
  return out;
}

struct Complaint {
  std::size_t line = 0;
  bool fatal = false;  ///< nothing behind this line was read
  std::string_view text;
};

/// `ptxas FILE, line 12; error   : sentence`
std::optional<Complaint> complaint_of(std::string_view line) {
  constexpr std::string_view mark = ", line ";
  const std::size_t at = line.find(mark);
  const std::size_t end = line.find(';');
  if (at == std::string_view::npos || end == std::string_view::npos) {
    return std::nullopt;
  }
  Complaint made;
  std::from_chars(line.data() + at + mark.size(), line.data() + end, made.line);
  const std::string_view kind = line.substr(end + 2, line.find(' ', end + 2) - end - 2);
  if (kind != "error" && kind != "fatal") {
    return std::nullopt;
  }
  made.fatal = kind == "fatal";
  made.text = line.substr(line.find(": ", end) + 2);
  return made;
}

/// The verdicts on statements [first, …) of one file; how many there are, if ptxas gave up behind one.
std::size_t judge(const std::string& ptxas, const std::vector<Statement>& statements, std::size_t first, std::size_t end,
                  std::vector<std::string>& to) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("lockstep_ptxas_{}.ptx", getpid());
  std::string text = head();
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  for (std::size_t i = first; i < end; ++i) {
    text += statements[i].text + "\n";
  }
  // What is wrong at the end keeps ptxas from making code.
  std::ofstream(path) << text << "wrong;\n" << tail();
  const std::string output = output_of(fmt::format("{} -arch=sm_100a -o /dev/null {} 2>&1", ptxas, path.string()));
  std::filesystem::remove(path);
  std::size_t judged = end;
  bool ended = false;
  for (std::string_view rest = output; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto complaint = complaint_of(line);
    if (!complaint) {
      continue;
    }
    if (complaint->line <= lines) {
      throw std::runtime_error("ptxas refuses the head: " + std::string(line));
    }
    const std::size_t statement = first + complaint->line - lines - 1;
    ended = ended || statement >= end || complaint->fatal;
    if (statement < end) {
      to[statement] = complaint->text;
    }
    if (complaint->fatal) {
      judged = std::min(end, statement + 1);
    }
  }
  if (ended) {
    return judged;
  }
  // It has crashed.
  if (end - first > 1) {
    return judge(ptxas, statements, first, first + (end - first) / 2, to);
  }
  to[first] = "crash";
  return end;
}

}  // namespace

std::vector<std::string> verdicts(const std::string& ptxas, const std::vector<Statement>& statements) {
  constexpr std::size_t most = 1000;
  std::vector<std::string> found(statements.size());
  for (std::size_t first = 0; first < statements.size();) {
    first = judge(ptxas, statements, first, std::min(statements.size(), first + most), found);
  }
  return found;
}

}  // namespace lockstep::ptxas
