// The forms of `--trace`.

#include <iostream>

#include "interpreter/observe/trace_html.hpp"
#include "interpreter/observe/trace_json.hpp"
#include "interpreter/observe/trace_table.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

namespace {

struct TraceForm {
  const char* name;
  std::unique_ptr<Observer> (*make)(std::ostream& out, const SourceFile& source);
};

constexpr TraceForm forms[] = {
    {"table", [](std::ostream& out, const SourceFile&) -> std::unique_ptr<Observer> { return std::make_unique<TraceTable>(out); }},
    {"json",
     [](std::ostream& out, const SourceFile& source) -> std::unique_ptr<Observer> { return std::make_unique<TraceJson>(out, source); }},
    {"html",
     [](std::ostream& out, const SourceFile& source) -> std::unique_ptr<Observer> {
       return std::make_unique<TraceHtml>(out, source, std::cerr);
     }},
};

}  // namespace

std::unique_ptr<Observer> make_trace(const std::string& form, std::ostream& out, const SourceFile& source) {
  for (const TraceForm& known : forms) {
    if (form == known.name) {
      return known.make(out, source);
    }
  }
  return nullptr;
}

std::vector<std::string> trace_forms() {
  std::vector<std::string> names;
  for (const TraceForm& known : forms) {
    names.emplace_back(known.name);
  }
  return names;
}

}  // namespace lockstep::tools
