// LLVM: IR, assembly and object code for any machine that it knows, and machine code in this process.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/llvm/emit.hpp"
#include "codegen/emit/llvm/target.hpp"
#include "tools/number_option.hpp"
#include "tools/targets/target.hpp"

namespace lockstep::tools {

namespace {

constexpr unsigned emitted_level = 3;  // LLVM's -O3

struct Options {
  emit_llvm::Target machine;
  bool object = false;
  bool assembly = false;
  std::optional<unsigned> chunk_lanes;
  unsigned level = 3;  ///< of code that is run
};

constexpr std::string_view llvm_makefile =
    R"(# make: compiles the kernel and the driver, runs them, and compares. CC is any C compiler for @MACHINE@; elsewhere than there, by default
# a cross compiler, and RUN what runs its programs. With LLC=llc, LLVM compiles @KERNEL@.ll, which @KERNEL@.s was made of, in its place.
ifneq ($(shell uname -m),@MACHINE@)
ifeq ($(origin CC),default)
CC := @MACHINE@-linux-gnu-gcc
endif
RUN ?= qemu-@MACHINE@ -L /usr/@MACHINE@-linux-gnu
endif
check: run_@KERNEL@
	$(RUN) ./run_@KERNEL@
run_@KERNEL@: main.c @KERNEL@.llvm.h @KERNEL@.o
	$(CC) -O1 -o $@ main.c @KERNEL@.o -lm
@KERNEL@.o: @KERNEL@.s @KERNEL@.ll
	$(if $(LLC),$(LLC) -O3 -relocation-model=pic -filetype=obj -o $@ @KERNEL@.ll,$(CC) -c -o $@ @KERNEL@.s)
clean:
	rm -f run_@KERNEL@ @KERNEL@.o
.PHONY: check clean
)";

/// The family of processors in a triple, as `uname -m` and the names of cross
/// compilers have it.
std::string_view machine_of(std::string_view triple) {
  return triple.starts_with("riscv64") ? "riscv64" : triple.starts_with("aarch64") || triple.starts_with("arm64") ? "aarch64" : "x86_64";
}

void add_options(CLI::App& command, Use use, Options& options) {
  const std::string group = group_of("llvm");
  if (use == Use::Diff) {
    add_number(command, "--llvm-level", options.level, 0, 3, "LLVM's level")->default_str("3")->group(group);
    return;
  }
  command.add_flag("--object", options.object, "object code as well, KERNEL.o")->group(group);
  command.add_flag("--assembly", options.assembly, "assembly as well, KERNEL.s")->group(group);
  command.add_option("--triple", options.machine.triple, "the machine, as clang's --target has it (default: this one)")
      ->type_name("TRIPLE")
      ->group(group);
  command.add_option("--cpu", options.machine.cpu, "the processor, as clang's -mcpu has it (default: without --triple, this one)")
      ->type_name("NAME")
      ->group(group);
  command.add_option("--features", options.machine.features, "features of the processor, such as +avx2,+fma")
      ->type_name("LIST")
      ->group(group);
}

std::optional<Unfit> complete(const Asked& asked, Options& options) {
  options.chunk_lanes = asked.chunk_lanes;
  if (!asked.has_folder && (options.object || options.assembly)) {
    return Unfit{fmt::format("{} makes a file; -o says in which folder", options.object ? "--object" : "--assembly")};
  }
  if (options.machine.triple.empty() && options.machine != emit_llvm::Target()) {
    options.machine.triple = emit_llvm::host_target().triple;  // alone, an empty triple is this host as it is
  }
  return std::nullopt;
}

std::expected<emit_llvm::Module, std::string> module_of(const infreg::Kernel& kernel, const Options& options) {
  emit_llvm::EmitOptions emit;
  emit.target = options.machine;
  emit.chunk_lanes = options.chunk_lanes;
  return emit_llvm::emit(kernel, emit);
}

/// Object code or assembly of a module of its own: compiling changes it.
std::expected<std::string, Unmade> compiled(const infreg::Kernel& kernel, const Options& options, bool assembly) {
  auto module = module_of(kernel, options);
  if (!module) {
    return std::unexpected(Unmade{module.error()});
  }
  auto code = assembly ? module->assembly(emitted_level) : module->object(emitted_level);
  return code ? std::expected<std::string, Unmade>(std::move(*code))
              : std::unexpected(Unmade{code.error().sentence, code.error().is_llvms_own ? limit : bad_input});
}

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked,
                                     const Options& options) {
  const auto module = module_of(kernel, options);
  if (!module) {
    return std::unexpected(Unmade{module.error()});
  }
  MadeCode made{with_verdict(";", verdict, module->text()), {}};
  if (!asked.has_folder) {
    return made;
  }
  const std::string header = emit_c::c_header(kernel, "one after the other, on the calling thread");
  made.files = {{kernel.name + ".llvm.h", with_verdict("/*", verdict, header)}, {kernel.name + ".ll", std::move(made.text)}};
  made.text.clear();
  for (const bool assembly : {true, false}) {  // the object is the younger one, so that make takes it as it is
    if (assembly ? options.assembly || asked.is_bundle : options.object) {
      auto code = compiled(kernel, options, assembly);
      if (!code) {
        return std::unexpected(code.error());
      }
      made.files.push_back({kernel.name + (assembly ? ".s" : ".o"), assembly ? with_verdict("#", verdict, *code) : std::move(*code)});
    }
  }
  return made;
}

/// The Makefile takes KERNEL.o if that lies there.
Surroundings surroundings(const infreg::Kernel& kernel, const Options& options) {
  const std::string triple = options.machine.triple.empty() ? emit_llvm::host_target().triple : options.machine.triple;
  return {"main.c",
          include_line(kernel.name + ".llvm.h"),
          fmt::format("puts(\"{}: equal\")", kernel.name),
          {"Makefile", filled(llvm_makefile, {{"@KERNEL@", kernel.name}, {"@MACHINE@", machine_of(triple)}})}};
}

}  // namespace

Target llvm_target() {
  const auto options = std::make_shared<Options>();
  Target target;
  target.name = "llvm";
  target.meaning = "machine code by LLVM, for this processor or another one";
  target.add_options = [options](CLI::App& command, Use use) { add_options(command, use, *options); };
  target.complete = [options](Use /*use*/, const Asked& asked) { return complete(asked, *options); };
  target.choose_pack = [options](const infreg::Kernel& kernel) { return packs_for_llvm(options->machine)(kernel); };
  target.emit = [options](const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
    return emit(kernel, verdict, asked, *options);
  };
  target.surroundings = [options](const infreg::Kernel& kernel) { return surroundings(kernel, *options); };
  target.run = [options](const infreg::Kernel& kernel, const Reference& reference) -> std::expected<Ran, NotRun> {
    auto ran = run_llvm(kernel, reference, {options->level, options->chunk_lanes});
    return ran ? std::expected<Ran, NotRun>(std::move(*ran)) : std::unexpected(NotRun{std::move(ran.error())});
  };
  return target;
}

}  // namespace lockstep::tools
