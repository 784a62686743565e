// lockstep-backend-clang [--clang COMMAND] [OPTION...] FOLDER
// A back end of `lockstep fuzz --backend` (docs/fuzz.md): compiles the folder's kernel by clang's OpenCL front end for this machine, with
// the OPTIONs (-O2), links it into this process and runs it. Each item of a group is a fiber of its own, which gives way at barriers;
// groups run one after the other. The functions of OpenCL C that portable kernels call stand below.

#include <dlfcn.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scripts/backends/case.hpp"

namespace {

using Kernel = void (*)(void** arguments);

constexpr std::size_t stack_bytes = std::size_t{1} << 18;

/// The group that runs.
struct Group {
  Kernel kernel = nullptr;
  void** arguments = nullptr;
  unsigned long id = 0;
  unsigned long groups = 1;
  unsigned long size = 1;
  unsigned long item = 0;  ///< whose fiber runs
  ucontext_t scheduler{};
  std::vector<ucontext_t> fibers;
  std::vector<bool> ended;
};
Group group;

void enter() {
  group.kernel(group.arguments);
  group.ended[group.item] = true;
  swapcontext(&group.fibers[group.item], &group.scheduler);
}

void run_group(const std::vector<std::unique_ptr<char[]>>& stacks) {
  group.fibers.assign(group.size, {});
  group.ended.assign(group.size, false);
  for (unsigned long k = 0; k < group.size; ++k) {
    getcontext(&group.fibers[k]);
    group.fibers[k].uc_stack.ss_sp = stacks[k].get();
    group.fibers[k].uc_stack.ss_size = stack_bytes;
    group.fibers[k].uc_link = nullptr;
    makecontext(&group.fibers[k], enter, 0);
  }
  for (unsigned long left = group.size; left > 0;) {
    for (group.item = 0; group.item < group.size; ++group.item) {
      if (!group.ended[group.item]) {
        swapcontext(&group.scheduler, &group.fibers[group.item]);
        left -= group.ended[group.item] ? 1U : 0U;
      }
    }
  }
}

}  // namespace

// ---- what kernels call: the names are those that clang gives OpenCL's overloaded functions ------------------------------------------

#define FUNCTION(result, name, mangled, parameters)                                                \
  extern "C" __attribute__((used, visibility("default"))) result name parameters __asm__(mangled); \
  result name parameters

FUNCTION(unsigned long, cl_local_id, "_Z12get_local_idj", (unsigned d)) { return d == 0 ? group.item : 0; }
FUNCTION(unsigned long, cl_group_id, "_Z12get_group_idj", (unsigned d)) { return d == 0 ? group.id : 0; }
FUNCTION(unsigned long, cl_global_id, "_Z13get_global_idj", (unsigned d)) { return d == 0 ? group.id * group.size + group.item : 0; }
FUNCTION(unsigned long, cl_local_size, "_Z14get_local_sizej", (unsigned d)) { return d == 0 ? group.size : 1; }
FUNCTION(unsigned long, cl_global_size, "_Z15get_global_sizej", (unsigned d)) { return d == 0 ? group.groups * group.size : 1; }
FUNCTION(unsigned long, cl_num_groups, "_Z14get_num_groupsj", (unsigned d)) { return d == 0 ? group.groups : 1; }
FUNCTION(void, cl_barrier, "_Z7barrierj", (unsigned)) { swapcontext(&group.fibers[group.item], &group.scheduler); }

template <class U, class T>
U magnitude(T x) {
  const auto bits = static_cast<U>(x);
  return std::cmp_less(x, 0) ? static_cast<U>(U{0} - bits) : bits;
}

#define OF_INTEGERS(code, type, unsigned_type)                                                             \
  FUNCTION(unsigned_type, cl_abs_##code, "_Z3abs" #code, (type x)) { return magnitude<unsigned_type>(x); } \
  FUNCTION(type, cl_popcount_##code, "_Z8popcount" #code, (type x)) {                                      \
    return static_cast<type>(std::popcount(static_cast<unsigned_type>(x)));                                \
  }                                                                                                        \
  FUNCTION(type, cl_min_##code, "_Z3min" #code #code, (type x, type y)) { return y < x ? y : x; }          \
  FUNCTION(type, cl_max_##code, "_Z3max" #code #code, (type x, type y)) { return x < y ? y : x; }

OF_INTEGERS(c, signed char, unsigned char)
OF_INTEGERS(h, unsigned char, unsigned char)
OF_INTEGERS(s, short, unsigned short)
OF_INTEGERS(t, unsigned short, unsigned short)
OF_INTEGERS(i, int, unsigned)
OF_INTEGERS(j, unsigned, unsigned)
OF_INTEGERS(l, long, unsigned long)
OF_INTEGERS(m, unsigned long, unsigned long)

FUNCTION(float, cl_fabs_f, "_Z4fabsf", (float x)) { return std::fabs(x); }
FUNCTION(double, cl_fabs_d, "_Z4fabsd", (double x)) { return std::fabs(x); }
FUNCTION(float, cl_sqrt_f, "_Z4sqrtf", (float x)) { return std::sqrt(x); }
FUNCTION(double, cl_sqrt_d, "_Z4sqrtd", (double x)) { return std::sqrt(x); }
FUNCTION(float, cl_fma_f, "_Z3fmafff", (float x, float y, float z)) { return std::fma(x, y, z); }
FUNCTION(double, cl_fma_d, "_Z3fmaddd", (double x, double y, double z)) { return std::fma(x, y, z); }

namespace {

/// As C has them.
std::string c_type(const std::string& type) {
  return type == "char"     ? "signed char"
         : type == "uchar"  ? "unsigned char"
         : type == "ushort" ? "unsigned short"
         : type == "uint"   ? "unsigned"
         : type == "ulong"  ? "unsigned long"
         : type == "bool"   ? "_Bool"
                            : type;
}

/// In C: calls the kernel with arguments from an array of pointers to buffers and numbers.
std::string thunk(const backend::Case& given) {
  std::string parameters;
  std::string arguments;
  for (std::size_t k = 0; k < given.arguments.size(); ++k) {
    const backend::Argument& a = given.arguments[k];
    const std::string place = "a[" + std::to_string(k) + "]";
    parameters += (k == 0 ? "" : ", ") + (a.is_buffer ? "void *" : c_type(a.type));
    arguments += (k == 0 ? "" : ", ") + (a.is_buffer ? place : "*(" + c_type(a.type) + " *)" + place);
  }
  return "void " + given.kernel + "(" + (parameters.empty() ? "void" : parameters) + ");\nvoid backend_call(void **a) { (void)a; " +
         given.kernel + "(" + arguments + "); }\n";
}

/// For clang to read in front of the kernel: conversions of vectors, which clang has under a name of its own.
std::string prelude() {
  std::string text;
  for (const std::string type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}) {
    for (const std::string components : {"2", "3", "4", "8", "16"}) {
      const std::string vector = type + components;
      text += "#define convert_" + vector + "(x) __builtin_convertvector(x, " + vector + ")\n";
    }
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// How a command of the shell ends: 0, its status, or 128 and a signal's number.
int status_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : backend::signal_status + WTERMSIG(status);
}

/// The beginning of the command that compiles OpenCL C.
std::string compiler(const backend::Command& command) {
  std::string line = command.value + " -x cl -cl-std=CL1.2 -ffp-contract=off -fPIC -w ";
  for (const std::string& option : command.options) {
    line += quoted(option) + " ";
  }
  return line;
}

/// A kernel that nobody fails to compile, and a library of it: whether the command is there, and knows the options.
bool works_at_all(const backend::Command& command, const std::string& temporary) {
  const std::string path = quoted(temporary);
  std::ofstream(temporary + "/empty.cl") << "kernel void k(void) {}\n";
  return status_of("cd " + path + " && exec 2>/dev/null && " + compiler(command) + "-c empty.cl -o empty.o && " + command.value +
                   " -fPIC -shared empty.o -o empty.so") == 0;
}

/// Leaves TEMPORARY/kernel.so.
void compile(const backend::Case& given, const backend::Command& command, const std::string& temporary) {
  std::ofstream(temporary + "/thunk.c") << thunk(given);
  std::ofstream(temporary + "/prelude.h") << prelude();
  const std::string path = quoted(temporary);
  int status = status_of("cd " + quoted(given.folder) + " && " + compiler(command) + "-include " + path + "/prelude.h -c kernel.cl -o " +
                         path + "/kernel.o");
  if (status == 0) {
    status = status_of("cd " + path + " && " + command.value + " -fPIC -shared thunk.c kernel.o -o kernel.so");
  }
  if (status != 0) {
    const bool is_missing = !works_at_all(command, temporary);
    throw backend::Failure(is_missing                        ? backend::missing_status
                           : status > backend::signal_status ? status
                                                             : backend::failed_status,
                           is_missing ? "'" + command.value + "' is not there, or does not compile with these options"
                                      : command.value + " ends with status " + std::to_string(status));
  }
}

/// The kernel's entry point, in this process.
Kernel compiled(const backend::Case& given, const backend::Command& command) {
  const backend::TemporaryFolder temporary;
  compile(given, command, temporary.path());
  void* library = dlopen((temporary.path() + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(dlerror());
  }
  return reinterpret_cast<Kernel>(dlsym(library, "backend_call"));
}

void run(backend::Case& given, Kernel kernel) {
  std::vector<void*> arguments;
  arguments.reserve(given.arguments.size());
  for (backend::Argument& a : given.arguments) {
    arguments.push_back(a.is_buffer ? static_cast<void*>(a.bytes.data()) : &a.bits);
  }
  group.kernel = kernel;
  group.arguments = arguments.data();
  group.groups = given.groups;
  group.size = given.wg_size;
  std::vector<std::unique_ptr<char[]>> stacks(given.wg_size);
  for (auto& stack : stacks) {
    stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  }
  for (group.id = 0; group.id < group.groups; ++group.id) {
    run_group(stacks);
  }
}

constexpr const char* usage =
    "usage: lockstep-backend-clang [--clang COMMAND] [OPTION...] FOLDER\n"
    "A back end of `lockstep fuzz --backend`: compiles FOLDER/kernel.cl by clang's OpenCL front end for this machine, runs it as\n"
    "FOLDER/launch.json says, and leaves the buffers in FOLDER.\n"
    "  --clang COMMAND  another clang than clang-19\n"
    "  OPTION           for clang: -O2, -march=native\n"
    "Example: lockstep fuzz --backend 'lockstep-backend-clang -O2' --kernels 100\n"
    "Exit status: 0 it has run, 1 it has failed, 2 called without arguments, 69 clang is not there or does not know the\n"
    "options, 128 and a signal's number if clang was ended by that.\n";

void work(int argc, char** argv) {
  const backend::Command command = backend::read_command(argc, argv, "--clang", "clang-19");
  backend::Case given = backend::read_case(command.folder);
  run(given, compiled(given, command));
  backend::write_outputs(given);
  std::fflush(nullptr);
  _Exit(0);  // the kernel's library goes with the process
}

}  // namespace

int main(int argc, char** argv) { return backend::run_main(argc, argv, usage, work); }
