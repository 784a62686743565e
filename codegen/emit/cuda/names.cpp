#include "codegen/emit/cuda/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "codegen/emit/c/header.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// What CUDA C++ has in all files.
const std::unordered_set<std::string>& words_of_cuda() {
  static const std::unordered_set<std::string> words = {"threadIdx", "blockIdx", "gridDim", "blockDim", "warpSize"};
  return words;
}

/// Namespaces that emitted code names.
const std::unordered_set<std::string>& namespaces() {
  static const std::unordered_set<std::string> words = {"v", "lockstep_cuda"};
  return words;
}

/// What stands within emitted functions beside names of the kernel. What stands outside of them has `::` in front.
const std::unordered_set<std::string>& own_words() {
  static const std::unordered_set<std::string> words = {
      "p",           "vector",     "ix",    "wi",     "slot",  "slots",       "slot_of_block",   "shared", "stage",
      "first_group", "num_groups", "group", "pack",   "packs", "blocks",      "stream",          "found",  "item",
      "element",     "turn",       "k",     "copies", "error", "cudaSuccess", "cudaGetLastError"};
  return words;
}

/// What is made of the name of a variable is called so, and nothing else.
bool is_of_a_variable(const std::string& name) { return name.starts_with(next_prefix) || name.starts_with(end_prefix); }

class Taken {
 public:
  std::string unique(const std::string& wanted) {
    std::string name = emit_c::c_name(wanted.empty() ? "t" : wanted);
    if (name.front() >= '0' && name.front() <= '9') {
      name = "t" + name;
    } else if (is_of_a_variable(name)) {
      name = "t_" + name;
    }
    const bool is_free = !own_words().contains(name) && !words_of_cuda().contains(name) && !namespaces().contains(name) &&
                         !emit_c::may_be_macro(name) && emit_c::is_c_name(name);
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
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::string symbol_of(const Kernel& kernel) {
  const std::string name = emit_c::c_name(kernel.name);
  return words_of_cuda().contains(name) || namespaces().contains(name) ? name + "_" : name;
}

Names names_of(const Kernel& kernel) {
  Taken taken;
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

}  // namespace lockstep::emit_cuda
