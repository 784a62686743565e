#include "codegen/emit/c/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "codegen/emit/c/header.hpp"

namespace lockstep::emit_c {

using namespace infreg;

namespace {

/// What is made of the name of a variable is called so, and nothing else.
bool is_of_a_variable(const std::string& name) { return name.starts_with(next_prefix) || name.starts_with(end_prefix); }

class Taken {
 public:
  explicit Taken(const std::unordered_set<std::string>& own_words) : own_words_(own_words) {}

  std::string unique(const std::string& wanted) {
    std::string name = c_name(wanted.empty() ? "t" : wanted);
    if (name.front() >= '0' && name.front() <= '9') {
      name = "t" + name;
    } else if (is_of_a_variable(name)) {
      name = "t_" + name;
    }
    const bool is_free = !own_words_.contains(name) && !may_be_macro(name) && is_c_name(name);
    if (is_free && taken_.insert(name).second) {
      return name;
    }
    for (unsigned k = 2;; ++k) {
      std::string numbered = fmt::format("{}_{}", name, k);
      if (taken_.insert(numbered).second) {
        return numbered;
      }
    }
  }

 private:
  const std::unordered_set<std::string>& own_words_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

Names names_of(const Kernel& kernel, const std::unordered_set<std::string>& own_words) {
  Taken taken(own_words);
  Names names;
  names.values.resize(kernel.values.size());
  for (const Parameter& parameter : kernel.parameters) {
    names.parameters.push_back(taken.unique(parameter.name));
  }
  for (const std::string& name : names.parameters) {
    names.counts.push_back(taken.unique(name + "_elements"));
  }
  for (const Object& object : kernel.objects) {
    names.objects.push_back(taken.unique(object.name));
  }
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    if (!kernel.parameters[k].is_pointer) {
      names.values[kernel.parameters[k].value] = names.parameters[k];
    }
  }
  for (std::size_t k = 0; k < kernel.values.size(); ++k) {
    if (names.values[k].empty()) {
      names.values[k] = taken.unique(kernel.values[k].name);
    }
  }
  return names;
}

}  // namespace lockstep::emit_c
