#pragma once
// Objects for VE from C, and functions of theirs called. clang 19 makes the objects. Where it is missing, CTest skips the program; where it
// has no VE, has_clang() is false, and the tests say so and do nothing.

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/ve/launch.hpp"
#include "semantics/ve/decode.hpp"
#include "semantics/ve/object.hpp"

namespace lockstep::test {

bool has_clang();

/// The file that clang makes of C text, with these options.
std::string object_file(const std::string& c, const std::vector<std::string>& options = {"-O2"});

/// The object in it. Fails the test if it is none.
ve::Object object_of(const std::string& c, const std::vector<std::string>& options = {"-O2"});

const ve::Decoder& decoder();

/// What a call of a function left.
struct Called {
  ve_machine::Outcome outcome;
  std::vector<std::vector<std::uint64_t>> buffers;  ///< of the arguments that are buffers, in their order
};

/// An argument: a number, or a buffer of 64-bit elements.
using Given = std::variant<std::uint64_t, std::vector<std::uint64_t>>;

/// Calls a function. Fails the test where the object cannot be run at all.
Called call(const ve::Object& object, const std::string& function, const std::vector<Given>& arguments,
            const ve_machine::LaunchOptions& options = {1'000'000, 1 << 14});

}  // namespace lockstep::test
