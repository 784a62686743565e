#pragma once
// The verifier: everything that kernel.hpp says of a well-formed kernel. What it finds is a fault of a pass, or of a text.
//   head     a group has items and a pack groups; names are words (letters, digits, "_" and "."), and parameters, objects and values have
//            different ones, a scalar parameter's value the parameter's; objects have elements, a constant one a number for each
//   regions  they form a tree from the body, each used once; the body has neither arguments nor yields
//   values   each is defined once, and used only behind its definition, in its region or in regions inside
//   types    every operation's types follow the rules of types.hpp, and its results have those types
// A value or region that nothing mentions is no fault: passes leave them behind.

#include <string>
#include <vector>

#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/print.hpp"

namespace lockstep::infreg {

struct Fault {
  LineOf place;
  std::string sentence;

  bool operator==(const Fault&) const = default;
};

/// All faults: first those of the head, names and regions, then those of operations, in the order of the text; where there are none of
/// these, those of what pointers may point to. None: the kernel is
/// well-formed. Any kernel may be given.
std::vector<Fault> verify(const Kernel& kernel);

/// The kernel's text with each fault below its line: "; ^ the operand %x must be i32, not f32". It can be read back as long as the faults
/// are none of names.
std::string print_marked(const Kernel& kernel, const std::vector<Fault>& faults);

}  // namespace lockstep::infreg
