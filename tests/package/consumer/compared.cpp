// Every target that runs, against the interpreter: what `lockstep diff` does, without the command.
#include <cstdio>

#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"
#include "targets/run.hpp"

using namespace lockstep;

int main() {
  const auto source = std::make_shared<const SourceFile>("twice.cl", R"(
    __kernel void twice(__global uchar *m) { m[get_global_id()] *= 2; }
  )");
  Diagnostics warnings;
  core::Options options;
  options.wg_size = 4;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    return 1;
  }
  const core::Function& function = *program->kernel("twice");
  const differential::LoadedKernel loaded = differential::load(*program, function);
  const auto lowered = passes::lower(*program, function, {});
  const launch::Buffer numbers{ScalarType::UChar, 4, {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, {4}, {}};
  const launch::Arguments before{{BufferNumber{0}}, {numbers}};
  launch::Arguments after = before;
  if (!lowered || !launch::run(loaded.program, after, {})) {
    return 1;
  }
  const differential::Reference reference{loaded, 1, before, after, 0};
  for (const targets::Target& target : targets::all_targets()) {
    if (const auto verdict = targets::judge(target, *lowered, reference, {})) {
      std::printf("%s %s\n", verdict->target.c_str(), std::string(targets::name_of(*verdict)).c_str());
    }
  }
}
