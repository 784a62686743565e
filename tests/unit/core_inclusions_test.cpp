// #include: what text becomes of several files, and where its lines come from. The expected places are counted in the files themselves.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "semantics/base/line_origins.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/inclusions.hpp"
#include "semantics/core/preprocess.hpp"

namespace lockstep::core {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// Files in a folder that vanishes in the end, which the text "k.cl" beside them includes.
class IncludedFolder {
 public:
  explicit IncludedFolder(const Files& files) {
    for (const auto& [name, text] : files) {
      fs::create_directories((path_ / name).parent_path());
      std::ofstream(path_ / name, std::ios::binary) << text;
    }
  }
  ~IncludedFolder() { fs::remove_all(path_); }
  IncludedFolder(const IncludedFolder&) = delete;
  IncludedFolder& operator=(const IncludedFolder&) = delete;

  Inclusion include(const std::string& text, const std::vector<std::string>& directories = {}) const {
    std::vector<std::string> paths;
    for (const std::string& directory : directories) {
      paths.push_back((path_ / directory).string());
    }
    return include_files(std::make_shared<const SourceFile>((path_ / "k.cl").string(), text), {}, paths);
  }

  /// The tokens with one blank between them, or the error; the folder's name is left out.
  std::string tokens(const std::string& text, const std::vector<std::string>& directories = {}) const {
    const Inclusion whole = include(text, directories);
    if (!whole.errors.empty()) {
      return without_folder(render(*whole.source, whole.errors));
    }
    const TokenList list = preprocess(*whole.source, {});
    std::string joined;
    for (const Token& token : list.tokens) {
      joined += (joined.empty() || token.kind == TokenKind::End ? "" : " ") + std::string(token.text);
    }
    return without_folder(joined);
  }

  std::string without_folder(std::string text) const {
    const std::string folder = path_.string() + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
      text.erase(at, folder.size());
    }
    return text;
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("lockstep-inclusions-" + std::to_string(getpid()));
};

bool begins(const std::string& text, const std::string& with) { return text.substr(0, with.size()) == with; }

}  // namespace

TEST_CASE("files are found beside the one that includes them, and in directories", "[core][include]") {
  const IncludedFolder folder(Files{{"a.h", "a"},
                                    {"in/b.h", "b\n#include \"c.h\"\n#include \"a.h\"\nb"},
                                    {"in/c.h", "c\\"},
                                    {"first/c.h", "first"},
                                    {"second/c.h", "second"},
                                    {"second/d.h",
                                     "\xEF\xBB\xBF"
                                     "d"}});
  CHECK(folder.tokens("x\n#include \"a.h\"\ny") == "x a y");
  CHECK(folder.tokens("  /* x */ #include \"a.h\" // z\ny") == "a y");
  CHECK(folder.tokens("#include \"in/b.h\"\n", {"."}) == "b c a b");
  CHECK(folder.tokens("#include <c.h>\n#include \"d.h\"", {"first", "second"}) == "first d");
  CHECK(folder.tokens("#define NAME \"a.h\"\n#include NAME\n#define IN <c.h>\n#include IN", {"second"}) == "a second");
  CHECK(folder.tokens("#if 0\n#include \"none.h\"\n#else\n#include \"a.h\"\n#endif") == "a");
  CHECK(folder.tokens("#include \"a.h\"\n#include \"a.h\"") == "a a");
  const auto source = std::make_shared<const SourceFile>("k.cl", "no file but this one");
  CHECK(include_files(source, {}, {}).source == source);
}

TEST_CASE("files are included once if they say so", "[core][include]") {
  const IncludedFolder folder(Files{{"once.h", "#pragma once\nonce"},
                                    {"guard.h", "#ifndef G\n#define G\n#include \"guard.h\"\nguard\n#endif"},
                                    {"other.h", "#include \"once.h\"\n#include \"in/../once.h\"\nother"},
                                    {"in/x.h", ""}});
  CHECK(folder.tokens("#include \"once.h\"\n#include \"other.h\"\n#include <once.h>\n", {"in/.."}) == "once other");
  CHECK(folder.tokens("#include \"guard.h\"\n#include \"guard.h\"\n") == "guard");
}

TEST_CASE("macros of an included file hold behind it, and lines are its own", "[core][include]") {
  const IncludedFolder folder(Files{{"m.h", "\n#define LINE __LINE__\n__LINE__ __FILE__\n"}});
  CHECK(folder.tokens("a\n#include \"m.h\"\n__LINE__ LINE \\\n __LINE__ __FILE__\n__LINE__") == "a 3 \"m.h\" 3 3 4 \"k.cl\" 5");
  CHECK(folder.tokens("#include \\\n \"m.h\"\n__LINE__ /* \n# 7 \"no.h\" 1\n */ __LINE__") == "3 \"m.h\" 3 5");
}

TEST_CASE("messages speak of the included file", "[core][include]") {
  const IncludedFolder folder(Files{{"b1.h", "\n  #include \"b2.h\"\n"},
                                    {"b2.h", "int f(int a) {\n  return b;\n}\n"},
                                    {"open.h", "#if 1\nint a;\n"},
                                    {"close.h", "#endif\n"},
                                    {"error.h", "\n#error no more of this\n"},
                                    {"bytes.h", std::string("a\0b", 3)},
                                    {"c1.h", "#include \"c2.h\"\n"},
                                    {"c2.h", "#include \"c1.h\"\n"}});
  Inclusion whole = folder.include("#include \"b1.h\"\nkernel void k(global int *x) { x[0] = f(0); }");
  Diagnostics warnings;
  const auto program = read_kernels(whole.source, {}, warnings);
  REQUIRE(!program);
  CHECK(folder.without_folder(render(*whole.source, program.error())) ==
        "b2.h:2:10: error: 'b' is not declared\n    return b;\n           ^\n"
        "b1.h:2: note: b2.h is included from here\nk.cl:1: note: b1.h is included from here\n");
  CHECK(folder.tokens("#include \"open.h\"\n#endif") ==
        "open.h:1:1: error: this #if is not closed: #endif is missing\n  #if 1\n  ^^^\nk.cl:1: note: open.h is included from here\n");
  CHECK(begins(folder.tokens("#if 1\n#include \"close.h\""), "close.h:1:1: error: there is no #if that this #endif could belong to\n"));
  CHECK(begins(folder.tokens("#include \"error.h\""), "error.h:2:8: error: #error no more of this\n"));
  CHECK(begins(folder.tokens("\n#include \"bytes.h\""), "k.cl:2:1: error: the file 'bytes.h' cannot be included: not a text file"));
  CHECK(folder.tokens("#include \"c1.h\"").contains("without an end: c1.h includes c2.h includes c1.h; `#pragma once` in the first line"));
  CHECK(
      begins(folder.tokens("#include \"none.h\""),
             "k.cl:1:1: error: there is no file 'none.h' beside k.cl; further places are named by -I DIRECTORY, and OpenCL's own functions "
             "need no header\n  #include \"none.h\"\n  ^^^^^^^^^^^^^^^^^\n"));
  CHECK(begins(folder.tokens("#include <none.h>"), "k.cl:1:1: error: there is no file 'none.h' in a directory: -I names none; "));
  CHECK(begins(folder.tokens("#include"), "k.cl:1:1: error: #include needs the name of a file: \"file.h\", or <file.h>\n"));
  CHECK(begins(folder.tokens("#include \"\""), "k.cl:1:1: error: #include needs the name of a file"));
  CHECK(begins(folder.tokens("#include <a.h"), "k.cl:1:10: error: the name of the file has no '>' in this line\n"));
  CHECK(begins(folder.tokens("#include \"b2.h\" x"), "k.cl:1:17: error: expected the end of the line after the name of the file\n"));
  CHECK(begins(folder.tokens("#include \".\""), "k.cl:1:1: error: there is no file '.' beside"));
}

TEST_CASE("lines have names, by which they are found", "[base][include]") {
  const IncludedFolder folder(Files{{"in/p.h", "p1\np2\n"}});
  const Inclusion whole = folder.include("k1\n#include \"in/p.h\"\nk3\n");
  const LineOrigins origins(*whole.source);
  const std::string text(whole.source->text());
  for (const auto& [word, name] : std::map<std::string, std::string>{{"k1", "1"}, {"p1", "in/p.h:1"}, {"p2", "in/p.h:2"}, {"k3", "3"}}) {
    const std::uint32_t line = whole.source->place(static_cast<std::uint32_t>(text.find("\n" + word) + 1)).line;
    CHECK(folder.without_folder(origins.name(line)) == name);
    CHECK(origins.line_named(name) == line);
  }
  CHECK(origins.line_named("p.h:2") == origins.line_named("in/p.h:2"));
  CHECK(!origins.line_named("h:2"));
  CHECK(!origins.line_named("p.h:3"));
  CHECK(!origins.line_named("4"));
  CHECK(!origins.line_named("0"));
  CHECK(!origins.line_named("x"));
}

}  // namespace lockstep::core
