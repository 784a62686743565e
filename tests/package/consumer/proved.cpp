// A kernel whose lowering is proved before it is compiled: docs/library.md.
#include <cstdio>

#include "codegen/compile/compile.hpp"
#include "codegen/gate/gate.hpp"

int main() {
  const lockstep::SourceFile source("scale.cl", R"(
    __kernel void scale(__global double *m) { m[get_global_id()] *= 2; }
  )");
  const auto scale = lockstep::compile(source, {.wg_size = 4, .verify = lockstep::VerifyLevel::Auto, .prover = lockstep::prove_lowering});
  if (!scale) {
    std::fputs(lockstep::render(source, scale.error()).c_str(), stderr);
    return 1;
  }
  std::puts(scale->verdict().sentence.c_str());
}
