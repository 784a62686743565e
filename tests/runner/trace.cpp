#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "interpreter/observe/trace_table.hpp"
#include "tests/runner/expectations.hpp"

namespace lockstep::runner {

std::vector<std::string> trace_lines(std::shared_ptr<const musimd::Program> program, const musimd::RunSettings& settings,
                                     unsigned threads) {
  auto machine =
      Machine::make(std::move(program),
                    {.threads = threads, .active = settings.active, .order = thread_order(settings, threads), .printed = settings.printed});
  if (!machine) {
    throw std::runtime_error(machine.error());
  }
  std::ostringstream out;
  TraceTable table(out);
  (*machine)->attach(table);
  (*machine)->run(settings.max_steps);
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace lockstep::runner
