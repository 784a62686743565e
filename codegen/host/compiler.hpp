#pragma once
// Compilers of this machine: C++ text to machine code in this process, for targets whose code is C++, and any text to another one.

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::host {

/// A compiler that takes options as g++ and clang++ do.
struct Compiler {
  std::vector<std::string> command;  ///< the program, as an absolute path, and arguments that stand in front of all others
};

/// The compiler that `wanted` names: words with blanks between them, such as "ccache g++". If it is empty: $CXX, or else the first of g++,
/// clang++-19 and clang++ that is on the PATH. The error is a sentence: there is none.
std::expected<Compiler, std::string> find_compiler(const std::string& wanted = "");

/// A file with this name, without folders, and content.
struct TextFile {
  std::string name;
  std::string content;
};

/// What is compiled, and what may happen meanwhile.
struct CompileRequest {
  TextFile source;
  std::vector<TextFile> headers;                 ///< that lie beside it
  std::vector<std::string> options;              ///< in front of those that say what becomes of it
  std::string scratch;                           ///< the folder in which a temporary one is made; empty: the system's
  unsigned seconds = 600;                        ///< that the compiler may take
  std::function<bool()> is_cancelled = nullptr;  ///< asked now and then; may be null
};

struct CompileFailure {
  enum class Kind : unsigned char {
    Refused,    ///< the compiler says no, or its output cannot be loaded
    Endless,    ///< it took too long
    Cancelled,  ///< as is_cancelled asked for
    Broken      ///< there is no folder for it, no process, or the compiler does not work at all
  } kind = Kind::Refused;
  std::string sentence;  ///< what the compiler says, or a sentence of ours; without the name of the temporary folder
};

/// Compiles a file to another one, whatever the options say that is, and reads that. Otherwise as compile_library.
std::expected<std::string, CompileFailure> compile_text(const Compiler& compiler, const CompileRequest& request);

/// A shared object in this process, which goes with the last copy.
class Library {
 public:
  explicit Library(std::shared_ptr<void> handle) : handle_(std::move(handle)) {}

  /// Where the symbol lies; null if there is none.
  void* find(const std::string& symbol) const;

 private:
  std::shared_ptr<void> handle_;
};

/// Compiles for this machine (`-march=native` on x86) and loads. No shell is involved, and of files and processes nothing is left behind.
std::expected<Library, CompileFailure> compile_library(const Compiler& compiler, const CompileRequest& request);

}  // namespace lockstep::host
