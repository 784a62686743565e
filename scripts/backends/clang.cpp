// lockstep-backend-clang [--clang COMMAND] [OPTION...] FOLDER
// A back end of `lockstep fuzz --backend` (docs/fuzz.md): compiles the folder's kernel by clang's OpenCL front end for this machine, with
// the OPTIONs (-O2), links it into this process and runs it. Each item of a group is a fiber of its own, which gives way at barriers;
// groups run one after the other. The functions of OpenCL C that portable kernels call stand below.

#include <dlfcn.h>
#include <ucontext.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) {
    throw std::runtime_error("this fails: " + command);
  }
}

void compile(const backend::Case& given, const std::string& clang, const std::string& options) {
  std::ofstream(given.folder + "/thunk.c") << thunk(given);
  const std::string in = "cd " + quoted(given.folder) + " && ";
  shell(in + clang + " -x cl -cl-std=CL1.2 -ffp-contract=off -fPIC -w " + options + "-c kernel.cl -o kernel.o");
  shell(in + clang + " -fPIC -shared thunk.c kernel.o -o kernel.so");
}

void run(backend::Case& given) {
  void* library = dlopen((given.folder + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(dlerror());
  }
  std::vector<void*> arguments;
  for (backend::Argument& a : given.arguments) {
    arguments.push_back(a.is_buffer ? static_cast<void*>(a.bytes.data()) : &a.bits);
  }
  group.kernel = reinterpret_cast<Kernel>(dlsym(library, "backend_call"));
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

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string clang = "clang-19";
    std::string options;
    std::string folder;
    for (int k = 1; k < argc; ++k) {
      const std::string word = argv[k];
      if (word == "--clang" && k + 1 < argc) {
        clang = argv[++k];
      } else if (k + 1 < argc) {
        options += quoted(word) + " ";
      } else {
        folder = word;
      }
    }
    backend::Case given = backend::read_case(folder);
    compile(given, clang, options);
    run(given);
    backend::write_outputs(given);
    std::fflush(nullptr);
    _Exit(0);  // the kernel's library goes with the process
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-backend-clang: %s\n", error.what());
    return 1;
  }
}
