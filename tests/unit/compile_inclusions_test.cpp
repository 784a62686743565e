// Kernels of several files in programs: put together, then compiled.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/unit/compile_kernels.hpp"

using namespace lockstep;

TEST_CASE("compile: a text with what it includes", "[compile][include]") {
  const auto folder = std::filesystem::temp_directory_path() / ("lockstep-compile-inclusions-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "twice.h") << "int twice(int a) { return 2 * a; }\n";
  const SourceFile source("k.cl",
                          "#include <twice.h>\n__kernel void k(__global int *x) { x[get_global_id(0)] = twice(get_global_id(0)); }");
  CompileOptions options;
  options.wg_size = 4;
  options.cache = false;
  options.include_directories = {folder.string()};
  // As docs/library.md has it.
  const lockstep::core::Inclusion whole = lockstep::with_inclusions(source, options);
  const auto kernel = whole.errors.empty() ? lockstep::compile(*whole.source, options) : std::unexpected(whole.errors);
  if (!kernel) {
    std::fputs(lockstep::render(*whole.source, kernel.error()).c_str(), stderr);
  }
  std::filesystem::remove_all(folder);
  REQUIRE(kernel);
  std::vector<std::int32_t> x(4);
  REQUIRE((*kernel)(1, x));
  CHECK(x == std::vector<std::int32_t>{0, 2, 4, 6});
  CHECK(!compile(source, options));
  CHECK(!with_inclusions(source).errors.empty());
}
