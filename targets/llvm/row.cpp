// LLVM: IR, assembly and object code for any machine that it knows, and machine code in this process.

#include "targets/llvm/row.hpp"

#include <fmt/format.h>

#include "codegen/compile/pack_choice.hpp"
#include "codegen/emit/c/header.hpp"
#include "codegen/emit/llvm/emit.hpp"
#include "codegen/emit/llvm/jit.hpp"
#include "codegen/emit/llvm/target.hpp"

namespace lockstep::targets {

namespace {

constexpr unsigned emitted_level = 3;  // LLVM's -O3

struct Options {
  emit_llvm::Target machine;
  bool object = false;
  bool assembly = false;
  unsigned level = 3;  ///< of code that is run
};

const std::vector<StoredOption<Options>>& table() {
  using Row = StoredOption<Options>;
  static const auto text = [](std::string emit_llvm::Target::* member) {
    return [member](Options& into, const std::string& value) {
      into.machine.*member = value;
      return std::optional<std::string>();
    };
  };
  static const auto flag = [](bool Options::* member) {
    return [member](Options& into, const std::string& /*value*/) {
      into.*member = true;
      return std::optional<std::string>();
    };
  };
  static const std::vector<Row> rows = {
      {{"--llvm-level", "N", "LLVM's level", "3", {Use::Diff}},
       [](Options& into, const std::string& value) { return store_number(into.level, value, 0, 3); }},
      {{"--object", "", "object code as well, KERNEL.o", "", {Use::Emit}}, flag(&Options::object)},
      {{"--assembly", "", "assembly as well, KERNEL.s", "", {Use::Emit}}, flag(&Options::assembly)},
      {{"--triple", "TRIPLE", "the machine, as clang's --target has it (default: this one)", "", {Use::Emit}},
       text(&emit_llvm::Target::triple)},
      {{"--cpu", "NAME", "the processor, as clang's -mcpu has it (default: without --triple, this one)", "", {Use::Emit}},
       text(&emit_llvm::Target::cpu)},
      {{"--features", "LIST", "features of the processor, such as +avx2,+fma", "", {Use::Emit}}, text(&emit_llvm::Target::features)},
  };
  return rows;
}

Options options_of(const Asked& asked) {
  Options options = stored(table(), asked.settings);
  if (options.machine.triple.empty() && options.machine != emit_llvm::Target()) {
    options.machine.triple = emit_llvm::host_target().triple;  // alone, an empty triple is this host as it is
  }
  return options;
}

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

std::optional<Unfit> complaint(Use use, const Asked& asked) {
  const Options options = options_of(asked);
  if (use == Use::Emit && !asked.has_folder && (options.object || options.assembly)) {
    return Unfit{fmt::format("{} makes a file; -o says in which folder", options.object ? "--object" : "--assembly")};
  }
  return std::nullopt;
}

emit_llvm::EmitOptions emit_options(const Asked& asked, const emit_llvm::Target& machine) {
  emit_llvm::EmitOptions emit;
  emit.target = machine;
  emit.chunk_lanes = asked.chunk_lanes;
  return emit;
}

std::expected<emit_llvm::Module, std::string> module_of(const infreg::Kernel& kernel, const Asked& asked) {
  return emit_llvm::emit(kernel, emit_options(asked, options_of(asked).machine));
}

/// Object code or assembly of a module of its own: compiling changes it.
std::expected<std::string, Unmade> compiled(const infreg::Kernel& kernel, const Asked& asked, bool assembly) {
  auto module = module_of(kernel, asked);
  if (!module) {
    return std::unexpected(Unmade{module.error()});
  }
  auto code = assembly ? module->assembly(emitted_level) : module->object(emitted_level);
  return code ? std::expected<std::string, Unmade>(std::move(*code))
              : std::unexpected(Unmade{code.error().sentence, code.error().is_llvms_own});
}

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
  const auto module = module_of(kernel, asked);
  if (!module) {
    return std::unexpected(Unmade{module.error()});
  }
  MadeCode made{with_verdict(";", verdict, module->text()), {}};
  if (!asked.has_folder) {
    return made;
  }
  const Options options = options_of(asked);
  const std::string header = emit_c::c_header(kernel, emit_c::c_name(kernel.name), "one after the other, on the calling thread");
  made.files = {{kernel.name + ".llvm.h", with_verdict("/*", verdict, header)}, {kernel.name + ".ll", std::move(made.text)}};
  made.text.clear();
  for (const bool assembly : {true, false}) {  // the object is the younger one, so that make takes it as it is
    if (assembly ? options.assembly || asked.is_bundle : options.object) {
      auto code = compiled(kernel, asked, assembly);
      if (!code) {
        return std::unexpected(code.error());
      }
      made.files.push_back({kernel.name + (assembly ? ".s" : ".o"), assembly ? with_verdict("#", verdict, *code) : std::move(*code)});
    }
  }
  return made;
}

/// The Makefile takes KERNEL.o if that lies there.
Surroundings surroundings(const infreg::Kernel& kernel, const InPacks& /*in_packs*/, const Asked& asked) {
  const emit_llvm::Target machine = options_of(asked).machine;
  const std::string triple = machine.triple.empty() ? emit_llvm::host_target().triple : machine.triple;
  return {"main.c",
          include_line(kernel.name + ".llvm.h"),
          fmt::format("puts(\"{}: equal\")", kernel.name),
          {"Makefile", filled(llvm_makefile, {{"@KERNEL@", kernel.name}, {"@MACHINE@", machine_of(triple)}})}};
}

std::expected<Code, NoCode> compile_one(const Job& job) {
  const std::string version = emit_llvm::llvm_version();
  const auto callable = emit_llvm::compile(job.kernel, emit_options(job.asked, {}), options_of(job.asked).level);
  if (!callable) {
    const auto kind = callable.error().is_llvms_own ? NoCode::Kind::Broken : NoCode::Kind::Refused;
    return std::unexpected(NoCode{kind, callable.error().sentence, "LLVM " + version});
  }
  return Code{[code = *callable](const void* const* arguments, std::uint64_t groups) { code(arguments, 0, groups, groups); },
              fmt::format("this machine's CPU ({}), by LLVM {}", emit_llvm::host_target().cpu, version.substr(0, version.find('.')))};
}

std::vector<std::expected<Code, NoCode>> compile(const std::vector<Job>& jobs) {
  std::vector<std::expected<Code, NoCode>> codes;
  codes.reserve(jobs.size());
  for (const Job& job : jobs) {
    codes.push_back(compile_one(job));
  }
  return codes;
}

/// Most kernels of a campaign are compiled as fast as possible: of 64 two at level 3, one at level 1 and one at level 2, others at level 0.
void choose(Shape& shape, generate::Choices& /*choices*/) {
  const std::uint64_t number = shape.number % 64;
  shape.settings["--llvm-level"] = number == 5 || number == 37 ? "3" : number == 21 ? "1" : number == 53 ? "2" : "0";
}

}  // namespace

Target llvm_target() {
  Target target;
  target.name = "llvm";
  target.meaning = "machine code by LLVM, for this processor or another one";
  target.options = known(table());
  target.complaint = complaint;
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& asked) {
    return lockstep::choose_pack(kernel, options_of(asked).machine);
  };
  target.emit = emit;
  target.surroundings = surroundings;
  target.compile = compile;
  target.campaigning.prepare = [] { [[maybe_unused]] const auto tables_are_made = emit_llvm::vector_bytes({}); };
  target.campaigning.choose = choose;
  return target;
}

}  // namespace lockstep::targets
