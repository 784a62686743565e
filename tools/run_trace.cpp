// The forms of `--trace`.

#include "interpreter/observe/trace_table.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

namespace {

template <class Trace>
std::unique_ptr<Observer> make(std::ostream& out) {
  return std::make_unique<Trace>(out);
}

struct TraceForm {
  const char* name;
  std::unique_ptr<Observer> (*make)(std::ostream& out);
};

constexpr TraceForm forms[] = {
    {"table", make<TraceTable>},
};

}  // namespace

std::unique_ptr<Observer> make_trace(const std::string& form, std::ostream& out) {
  for (const TraceForm& known : forms) {
    if (form == known.name) {
      return known.make(out);
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
