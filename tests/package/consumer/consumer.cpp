#include <cstdio>

#include "semantics/musimd/parse.hpp"

int main() {
  const lockstep::SourceFile source("hello.mus", ".threads 4\nv0 = tid * 2\nst tid = v0\nstop\n");
  const auto program = lockstep::musimd::parse(source);
  std::puts(program ? "parsed" : lockstep::render(source, program.error()).c_str());
  return program ? 0 : 1;
}
