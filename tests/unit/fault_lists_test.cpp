// The faults that are planted by hand are found in the sources, once each. The mutants themselves are built on demand only.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/mutation/faults/fault.hpp"

using namespace lockstep;

TEST_CASE("each fault that is planted by hand is found in its file", "[faults]") {
  const std::string root = LOCKSTEP_SOURCE_DIR;
  for (const auto& folder : std::filesystem::directory_iterator(root + "/tests/mutation/faults")) {
    if (!folder.is_directory()) {
      continue;
    }
    const auto faults = test::read_faults(folder.path());
    INFO((faults ? "" : faults.error()));
    REQUIRE(faults);
    for (const test::Fault& fault : *faults) {
      std::ifstream in(root + "/" + fault.file, std::ios::binary);
      const auto found = test::find(fault, {std::istreambuf_iterator<char>(in), {}});
      INFO((found ? "" : found.error()));
      CHECK(found);
    }
  }
}

TEST_CASE("a fault whose text cannot be put into brackets is refused", "[faults]") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "lockstep-fault-lists";
  std::filesystem::create_directories(folder);
  const auto read = [&](const std::string& text, const std::string& replacement) {
    std::ofstream(folder / "one.faults") << "== one: does nothing\nfile: a.cpp\n- " << text << "\n+ " << replacement << '\n';
    return test::read_faults(folder);
  };
  CHECK(read("f(a, b)", "f(b, a)"));
  CHECK(read("c == ')'", "s == \"((\\\"\""));
  for (const auto& [text, replacement] : {std::pair("f(a, b", "f(b, a"), {"f(a)", "f(a"}, {"f(a)", "a)"}, {"f(a)", "f(a]"}}) {
    const auto faults = read(text, replacement);
    REQUIRE_FALSE(faults);
    CHECK(faults.error().find("'one': brackets that do not match") != std::string::npos);
  }
  for (const char* text : {"const unsigned low = 8 * n;", "auto& x = a;", "std::vector<int> v;", "Value *p = q;", "auto [a, b] = c;"}) {
    const auto faults = read(text, text);
    REQUIRE_FALSE(faults);
    CHECK(faults.error().find("'one': its text declares a variable") != std::string::npos);
  }
  for (const char* text : {"x = 8 * n;", "return x;", "++n;", "f(a, b);", "a[k] = b;", "int x = 1;\n- f(x);"}) {
    CHECK(read(text, ""));
  }
  std::filesystem::remove_all(folder);
}
