#pragma once
// Writing cases: PTX around the instruction that a case is of, and what must come of it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/ptx/cases/case_file.hpp"

namespace lockstep::ptx_cases {

/// The bits of elements, of a type by its name.
struct Column {
  std::string type;  ///< "s32"
  std::vector<std::uint64_t> values;
};

using Inputs = std::vector<std::uint64_t>;

/// A case as it is written by hand, but for its numbers.
struct CaseText {
  std::string file;  ///< without its ending
  std::vector<std::string> forms;
  std::string meaning;  ///< what is tried, a sentence or more
  Case launch;          ///< all but forms
  std::string before;   ///< what stands in front of the kernel
  std::string body;     ///< of the kernel, without registers and blank lines in front
  std::string version = "7.8";
  std::string target = "sm_80";
};

/// The whole text of the file.
std::string text_of(const CaseText& text);

/// A kernel whose thread t works on element t of its buffers, one operation behind the other.
class Elementwise {
 public:
  Elementwise(std::string file, std::vector<std::string> forms, std::string meaning);

  /// Instructions that compute %d from %a, %b, %c, ... `result` is the type of an element of the output. There are registers for
  /// temporary use: %p0 to %p3 (predicates), %h0 to %h3 (16 bits), %x0 to %x7 (32 bits), %y0 to %y7 (64 bits), %f0 to %f3.
  Elementwise& operation(const std::string& instructions, const std::string& result, const std::vector<Column>& inputs,
                         const std::function<Expected(const Inputs&)>& expected);
  /// The same with an exact result.
  Elementwise& operation(const std::string& instructions, const std::string& result, const std::vector<Column>& inputs,
                         const std::function<std::uint64_t(const Inputs&)>& expected);
  /// Bits on hardware may be others.
  Elementwise& approximate(const std::string& why);

  CaseText text() const;

 private:
  struct Operation {
    std::string instructions;
    std::string result;
    std::vector<Column> inputs;
    std::vector<Expected> expected;
  };
  CaseText text_;
  std::vector<Operation> operations_;
};

/// A kernel whose body is written by hand.
class Written {
 public:
  Written(std::string file, std::vector<std::string> forms, std::string meaning);

  Written& grid(unsigned x, unsigned y = 1, unsigned z = 1);
  Written& block(unsigned x, unsigned y = 1, unsigned z = 1);
  Written& shared(unsigned bytes);  ///< dynamic shared memory
  Written& target(const std::string& version, const std::string& target);
  Written& buffer(const std::string& name, const std::string& type, std::vector<std::uint64_t> values);
  Written& scalar(const std::string& name, const std::string& type, std::uint64_t value);
  /// A buffer of `count` zeros, and the bits that element k has to have at the end.
  Written& output(const std::string& name, const std::string& type, std::size_t count,
                  const std::function<std::uint64_t(std::uint64_t k)>& expected);
  Written& before(const std::string& text);
  /// The instruction that does not run here.
  Written& refused(const std::string& instruction);
  /// The body, in which there are %p0 to %p7 (predicates), %h0 to %h7 (16 bits), %r0 to %r15 (32), %rd0 to %rd15 (64), %f0 to %f7 and %fd0
  /// to %fd7. %r0 is the thread's number in the block (along x), %rd0 points to the buffer `out`, if there is one, %rd1 to the thread's
  /// element in it.
  Written& body(const std::string& text);

  CaseText text() const;

 private:
  CaseText text_;
};

ElementType type_of(const std::string& name);

/// All tuples of elements of the lists, as columns of these types.
std::vector<Column> crossed(const std::vector<std::string>& types, const std::vector<std::vector<std::uint64_t>>& lists);
/// `count` tuples, their elements drawn from the lists.
std::vector<Column> drawn(const std::vector<std::string>& types, const std::vector<std::vector<std::uint64_t>>& lists, std::size_t count);

/// Numbers of `bits` bits at which integer operations change what they do.
std::vector<std::uint64_t> integer_edges(unsigned bits);
/// Fewer of them.
std::vector<std::uint64_t> few_integer_edges(unsigned bits);

/// A deterministic sequence of 64-bit numbers.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()();

 private:
  std::uint64_t state_;
};

// The families.
std::vector<CaseText> integer_cases();
std::vector<CaseText> bit_cases();
std::vector<CaseText> float_cases();
std::vector<CaseText> approximate_cases();
std::vector<CaseText> conversion_cases();
std::vector<CaseText> half_cases();
std::vector<CaseText> move_cases();
std::vector<CaseText> memory_cases();
std::vector<CaseText> control_cases();
std::vector<CaseText> collective_cases();
std::vector<CaseText> atomic_cases();
std::vector<CaseText> refused_cases();

}  // namespace lockstep::ptx_cases
