// What is said about wrong kernels: the exact text, place and caret. The places were read off the sources by hand.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/core_tree_text.hpp"

using namespace lockstep;
using namespace lockstep::core_test;

namespace {

struct Mistake {
  const char* name;
  unsigned wg_size;
  const char* source;
  const char* expected;
};

// clang-format off
const std::vector<Mistake> mistakes = {
    {"undeclared name", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int count = 1;
  a[0] = cuont;
}
)",
     R"(k.cl:3:10: error: 'cuont' is not declared; did you mean 'count'?
    a[0] = cuont;
           ^^^^^
)"},
    {"undeclared said once", 32,
     R"(__kernel void k(__global float *a, uint n) {
  x = 1;
  x = 2;
  a[x] = 1;
}
)",
     R"(k.cl:2:3: error: 'x' is not declared
    x = 1;
    ^
)"},
    {"undeclared function", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = sqr(2.0f);
}
)",
     R"(k.cl:2:10: error: there is no function 'sqr'; did you mean 'sqrt'?
    a[0] = sqr(2.0f);
           ^^^
)"},
    {"declared twice", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 0;
  float i = 1;
}
)",
     R"(k.cl:3:9: error: 'i' is declared twice in one scope
    float i = 1;
          ^
k.cl:2:7: note: the first declaration is here
    int i = 0;
        ^
)"},
    {"parameter again", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int n = 3;
}
)",
     R"(k.cl:2:7: error: 'n' is declared twice in one scope
    int n = 3;
        ^
k.cl:1:41: note: the first declaration is here
  __kernel void k(__global float *a, uint n) {
                                          ^
)"},
    {"function as a value", 32,
     R"(float f(float x) { return x; }
__kernel void k(__global float *a, uint n) {
  a[0] = f;
}
)",
     R"(k.cl:3:10: error: 'f' is a function; it can only be called
    a[0] = f;
           ^
)"},
    {"variable called", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int f = 0;
  f(1);
}
)",
     R"(k.cl:3:3: error: 'f' is a variable here and cannot be called
    f(1);
    ^
k.cl:2:7: note: it is declared here
    int f = 0;
        ^
)"},
    {"called before its declaration", 32,
     R"(__kernel void k(__global float *a, uint n) {
  later(1);
}
void later(int x) {
}
)",
     R"(k.cl:2:3: error: 'later' is called before its declaration
    later(1);
    ^^^^^
k.cl:4:6: note: it is declared here; a prototype above the call helps
  void later(int x) {
       ^^^^^
)"},
    {"never defined", 32,
     R"(float f(float x);
__kernel void k(__global float *a, uint n) {
  a[0] = f(1);
}
)",
     R"(k.cl:3:10: error: 'f' is declared but never defined
    a[0] = f(1);
           ^
k.cl:1:7: note: 'f' is declared here
  float f(float x);
        ^
)"},
    {"builtin redefined", 32,
     R"(float sqrt(float x) { return x; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:7: error: 'sqrt' is built in and cannot be declared again
  float sqrt(float x) { return x; }
        ^^^^
)"},
    {"defined twice", 32,
     R"(void f() {}
void f() {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:6: error: 'f' is defined twice
  void f() {}
       ^
k.cl:1:6: note: the first declaration is here
  void f() {}
       ^
)"},
    {"prototypes differ", 32,
     R"(float f(int x);
float f(float x) { return x; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:7: error: 'f' is declared in two ways: parameter 1 is 'int' and 'float'
  float f(float x) { return x; }
        ^
k.cl:1:7: note: the first declaration is here
  float f(int x);
        ^
)"},
    {"kernel called", 32,
     R"(__kernel void other(__global float *a) {}
__kernel void k(__global float *a, uint n) {
  other(a);
}
)",
     R"(k.cl:3:3: error: 'other' is a kernel; kernels are launched, not called
    other(a);
    ^^^^^
k.cl:1:15: note: 'other' is declared here
  __kernel void other(__global float *a) {}
                ^^^^^
)"},
    {"no kernel", 32,
     R"(float f(float x) { return x; }
)",
     R"(k.cl:1:7: error: no function is marked __kernel, so there is nothing to run
  float f(float x) { return x; }
        ^
)"},
    {"kernel result", 32,
     R"(__kernel int k(__global float *a) { return 1; }
)",
     R"(k.cl:1:10: error: a kernel returns void, but 'k' returns 'int'
  __kernel int k(__global float *a) { return 1; }
           ^^^
)"},
    {"too few arguments", 32,
     R"(float f(float x, int y) { return x; }
__kernel void k(__global float *a, uint n) {
  a[0] = f(1);
}
)",
     R"(k.cl:3:10: error: 'f' takes 2 arguments, but 1 is given
    a[0] = f(1);
           ^^^^
k.cl:1:7: note: 'f' is declared here
  float f(float x, int y) { return x; }
        ^
)"},
    {"wrong argument", 32,
     R"(float f(__global float *p) { return p[0]; }
__kernel void k(__global float *a, uint n) {
  a[0] = f(n);
}
)",
     R"(k.cl:3:12: error: cannot convert 'uint' to '__global float *' for the parameter 'p' of 'f'; a number is not a pointer
    a[0] = f(n);
             ^
k.cl:1:25: note: the parameter is declared here
  float f(__global float *p) { return p[0]; }
                          ^
)"},
    {"address space of an argument", 32,
     R"(float f(float *p) { return p[0]; }
__kernel void k(__global float *a, uint n) {
  a[0] = f(a);
}
)",
     R"(k.cl:3:12: error: cannot convert '__global float *' to 'float *' for the parameter 'p' of 'f'; the address spaces differ
    a[0] = f(a);
             ^
k.cl:1:16: note: the parameter is declared here
  float f(float *p) { return p[0]; }
                 ^
)"},
    {"const lost", 32,
     R"(void f(__global float *p) { p[0] = 1; }
__kernel void k(const __global float *a) {
  f(a);
}
)",
     R"(k.cl:3:5: error: cannot convert 'const __global float *' to '__global float *' for the parameter 'p' of 'f'; 'const' would be lost
    f(a);
      ^
k.cl:1:24: note: the parameter is declared here
  void f(__global float *p) { p[0] = 1; }
                         ^
)"},
    {"builtin arguments", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = max(1);
}
)",
     R"(k.cl:2:10: error: 'max' takes 2 arguments, but 1 is given
    a[0] = max(1);
           ^^^^^^
)"},
    {"builtin type", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = sqrt(n);
}
)",
     R"(k.cl:2:15: error: 'sqrt' needs 'float' or 'double', but this is 'uint'
    a[0] = sqrt(n);
                ^
)"},
    {"builtin pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = fabs(a);
}
)",
     R"(k.cl:2:15: error: 'fabs' needs a number, but this is '__global float *'
    a[0] = fabs(a);
                ^
)"},
    {"dimension that is no integer", 32,
     R"(__kernel void k(__global float *a, float n) {
  a[0] = get_local_id(n);
}
)",
     R"(k.cl:2:23: error: 'get_local_id' needs an integer as its dimension, but this is 'float'
    a[0] = get_local_id(n);
                        ^
)"},
    {"shuffle lane", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = shuffle(a[0], 1.5f);
}
)",
     R"(k.cl:2:24: error: 'shuffle' needs an integer as its lane, but this is 'float'
    a[0] = shuffle(a[0], 1.5f);
                         ^^^^
)"},
    {"float remainder", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = a[1] % 2;
}
)",
     R"(k.cl:2:15: error: '%' needs integers, but its operands are 'float' and 'int'
    a[0] = a[1] % 2;
                ^
)"},
    {"float shift", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = n << 1.0f;
}
)",
     R"(k.cl:2:9: error: '<<' needs integers, but its operands are 'uint' and 'float'
    n = n << 1.0f;
          ^^
)"},
    {"complement", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = ~a[0];
}
)",
     R"(k.cl:2:7: error: '~' needs an integer, but its operand is 'float'
    n = ~a[0];
        ^^^^^
)"},
    {"pointers added", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = a + a;
}
)",
     R"(k.cl:2:12: error: '+' cannot add these types: '__global float *' and '__global float *'
    a[0] = a + a;
             ^
)"},
    {"pointer compared with a number", 32,
     R"(__kernel void k(__global float *a, uint n) {
  if (a == 1) n = 1;
}
)",
     R"(k.cl:2:9: error: '==' cannot compare these types: '__global float *' and 'int'
    if (a == 1) n = 1;
          ^^
)"},
    {"pointer types compared", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __local int s[4];
  if (a == s) n = 1;
}
)",
     R"(k.cl:3:9: error: '==' cannot compare these types: '__global float *' and '__local int *'
    if (a == s) n = 1;
          ^^
)"},
    {"minus a pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = -a;
}
)",
     R"(k.cl:2:7: error: '-' needs a number, but its operand is '__global float *'
    n = -a;
        ^^
)"},
    {"pointer to number", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = a;
}
)",
     R"(k.cl:2:7: error: cannot convert '__global float *' to 'uint' in this assignment; a pointer is not a number
    n = a;
        ^
)"},
    {"number to pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a = n;
}
)",
     R"(k.cl:2:7: error: cannot convert 'uint' to '__global float *' in this assignment; a number is not a pointer
    a = n;
        ^
)"},
    {"pointer initialiser", 32,
     R"(__kernel void k(float f) {
  int *p = &f;
}
)",
     R"(k.cl:2:12: error: cannot convert 'float *' to 'int *' in the initialiser of 'p'; a cast sees what lies there as the other type
    int *p = &f;
             ^^
)"},
    {"arms", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = n ? a : 1;
}
)",
     R"(k.cl:2:10: error: the arms of '?:' do not go together: '__global float *' and 'int'
    a[0] = n ? a : 1;
           ^^^^^^^^^
)"},
    {"void value", 32,
     R"(void f() {}
__kernel void k(__global float *a, uint n) {
  a[0] = f();
}
)",
     R"(k.cl:3:10: error: a value is needed here, but this is void
    a[0] = f();
           ^^^
)"},
    {"cast of element type", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float own[4];
  char *p = (char *)own;
}
)",
     R"(k.cl:3:13: error: cannot cast 'float *' to 'char *'; private memory of one type is not seen as elements of another size: as_char(…) reinterprets values, and a union has elements of several types
    char *p = (char *)own;
              ^^^^^^^^^^^
)"},
    {"pointer to const memory", 32,
     R"(__kernel void k(const __global float *a, uint n) {
  __global char *p = a;
}
)",
     R"(k.cl:2:22: error: cannot convert 'const __global float *' to '__global char *' in the initialiser of 'p'; a cast sees what lies there as elements of another size
    __global char *p = a;
                       ^
)"},
    {"cast to pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a = (__global float *)n;
}
)",
     R"(k.cl:2:7: error: cannot cast 'uint' to '__global float *'; a number is not a pointer
    a = (__global float *)n;
        ^^^^^^^^^^^^^^^^^^^
)"},
    {"assign to a value", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n + 1 = 2;
}
)",
     R"(k.cl:2:3: error: only a variable, an element or what a pointer points to can be changed
    n + 1 = 2;
    ^^^^^
)"},
    {"increment a value", 32,
     R"(__kernel void k(__global float *a, uint n) {
  ++(n + 1);
}
)",
     R"(k.cl:2:5: error: only a variable, an element or what a pointer points to can be changed
    ++(n + 1);
      ^^^^^^^
)"},
    {"assign const", 32,
     R"(__kernel void k(__global float *a, uint n) {
  const int c = 1;
  c = 2;
}
)",
     R"(k.cl:3:3: error: 'c' is const and cannot be changed
    c = 2;
    ^
k.cl:2:13: note: it is declared here
    const int c = 1;
              ^
)"},
    {"assign to const memory", 32,
     R"(__kernel void k(const __global float *a) {
  a[0] = 1;
}
)",
     R"(k.cl:2:3: error: this is const and cannot be changed; the type is 'const __global float *'
    a[0] = 1;
    ^^^^
)"},
    {"assign constant", 32,
     R"(__constant int t[2] = {1, 2};
__kernel void k(__global float *a, uint n) {
  t[0] = 3;
}
)",
     R"(k.cl:3:3: error: __constant memory cannot be written
    t[0] = 3;
    ^^^^
)"},
    {"assign array", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2], y[2];
  x = y;
}
)",
     R"(k.cl:3:3: error: an array cannot be changed as a whole; assign its elements
    x = y;
    ^
)"},
    {"subscript of a number", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n[0] = 1;
}
)",
     R"(k.cl:2:3: error: only arrays and pointers have elements, but this is 'uint'
    n[0] = 1;
    ^
)"},
    {"index not integer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[1.0f] = 1;
}
)",
     R"(k.cl:2:5: error: an index must be an integer, but this is 'float'
    a[1.0f] = 1;
      ^^^^
)"},
    {"dereference", 32,
     R"(__kernel void k(__global float *a, uint n) {
  *n = 1;
}
)",
     R"(k.cl:2:3: error: '*' needs a pointer, but its operand is 'uint'
    *n = 1;
    ^^
)"},
    {"address of a value", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __global float *p = &(n + 1);
}
)",
     R"(k.cl:2:23: error: '&' needs a variable or an element
    __global float *p = &(n + 1);
                        ^^^^^^^^
)"},
    {"address of a pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  &a;
}
)",
     R"(k.cl:2:3: error: there are no pointers to pointers, so a pointer's address cannot be taken
    &a;
    ^^
)"},
    {"array size", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[n];
}
)",
     R"(k.cl:2:11: error: the array size is not constant: 'n' is not a constant
    float x[n];
            ^
)"},
    {"array size undefined", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[1 / 0];
}
)",
     R"(k.cl:2:11: error: the array size is not constant: the operation is undefined for these numbers
    float x[1 / 0];
            ^^^^^
)"},
    {"array size zero", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[0];
}
)",
     R"(k.cl:2:11: error: an array needs at least one element, but its size is 0
    float x[0];
            ^
)"},
    {"array size negative", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[get_local_size() < 64 ? -1 : 1];
}
)",
     R"(k.cl:2:11: error: an array needs at least one element, but its size is -1
    float x[get_local_size() < 64 ? -1 : 1];
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"array too large", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[1 << 30];
}
)",
     R"(k.cl:2:9: error: the array is too large: an object has at most 1073741824 bytes
    float x[1 << 30];
          ^
)"},
    {"array of pointers", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __global float *x[4];
}
)",
     R"(k.cl:2:19: error: there are no arrays of pointers: pointers are not stored in memory
    __global float *x[4];
                    ^
)"},
    {"array without size", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[];
}
)",
     R"(k.cl:2:9: error: 'x' needs a size or an initialiser
    float x[];
          ^
)"},
    {"too many initialisers", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2] = {1, 2, 3};
}
)",
     R"(k.cl:2:21: error: there are more initialisers than elements: the array has 2 elements
    int x[2] = {1, 2, 3};
                      ^
)"},
    {"too many in a row", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2][2] = {{1, 2, 3}, {4}};
}
)",
     R"(k.cl:2:25: error: there are more initialisers than elements: the array has 2 elements
    int x[2][2] = {{1, 2, 3}, {4}};
                          ^
)"},
    {"array by value", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2] = 1;
}
)",
     R"(k.cl:2:14: error: an array is initialised by a list in braces
    int x[2] = 1;
               ^
)"},
    {"list for a scalar", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x = {1, 2};
}
)",
     R"(k.cl:2:11: error: a single value is needed here, not a list
    int x = {1, 2};
            ^^^^^^
)"},
    {"initialiser type", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2] = {1, a};
}
)",
     R"(k.cl:2:18: error: cannot convert '__global float *' to 'int' in the initialiser of 'x'; a pointer is not a number
    int x[2] = {1, a};
                   ^
)"},
    {"void variable", 32,
     R"(__kernel void k(__global float *a, uint n) {
  void x;
}
)",
     R"(k.cl:2:8: error: 'x' cannot be void
    void x;
         ^
)"},
    {"pointer to pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __global float **x;
}
)",
     R"(k.cl:2:3: error: there are no pointers to pointers
    __global float **x;
    ^^^^^^^^^^^^^^
)"},
    {"void pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __global void *x;
}
)",
     R"(k.cl:2:3: error: there are no pointers to void; memory has a type
    __global void *x;
    ^^^^^^^^^^^^^
)"},
    {"local initialiser", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __local int s = 1;
}
)",
     R"(k.cl:2:19: error: a __local variable cannot have an initialiser; assign it in the kernel
    __local int s = 1;
                    ^
)"},
    {"local in a block", 32,
     R"(__kernel void k(__global float *a, uint n) {
  if (n) {
    __local int s;
    s = 1;
  }
}
)",
     R"(k.cl:3:17: error: 's' cannot be __local here; such variables stand in the outermost block of a kernel
      __local int s;
                  ^
)"},
    {"local in a function", 32,
     R"(void f() { __local int s; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:24: error: 's' cannot be __local here; such variables stand in the outermost block of a kernel
  void f() { __local int s; }
                         ^
)"},
    {"constant in a function", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __constant int c = 1;
}
)",
     R"(k.cl:2:18: error: 'c' cannot be __constant inside a function; declare it at file scope
    __constant int c = 1;
                   ^
)"},
    {"global variable", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __global int x;
}
)",
     R"(k.cl:2:16: error: 'x' cannot be __global; only what pointers point to lies there
    __global int x;
                 ^
)"},
    {"file-scope variable", 32,
     R"(int x = 1;
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:5: error: a variable at file scope must be a __constant scalar, array or structure
  int x = 1;
      ^
)"},
    {"file-scope without initialiser", 32,
     R"(__constant int x;
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:16: error: the __constant 'x' needs an initialiser
  __constant int x;
                 ^
)"},
    {"file-scope not constant", 32,
     R"(int f() { return 1; }
__constant int x[2] = {1, f()};
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:27: error: the initialiser of 'x' is not constant: the result of a call is not a constant
  __constant int x[2] = {1, f()};
                            ^^^
)"},
    {"private kernel parameter", 32,
     R"(__kernel void k(__private float *s) {}
)",
     R"(k.cl:1:17: error: the kernel parameter 's' points to private memory; buffers are __global
  __kernel void k(__private float *s) {}
                  ^^^^^^^^^^^^^^^^^^
)"},
    {"break", 32,
     R"(__kernel void k(__global float *a, uint n) {
  break;
}
)",
     R"(k.cl:2:3: error: 'break' stands outside of loops and switches
    break;
    ^^^^^^
)"},
    {"continue", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) {
    case 1: continue;
  }
}
)",
     R"(k.cl:3:13: error: 'continue' stands outside of loops
      case 1: continue;
              ^^^^^^^^^
)"},
    {"case outside", 32,
     R"(__kernel void k(__global float *a, uint n) {
  case 1: n = 1;
}
)",
     R"(k.cl:2:3: error: 'case' stands only directly inside the block of a switch
    case 1: n = 1;
    ^^^^^^^
)"},
    {"case in a nested block", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) {
    case 1: { case 2: n = 1; }
  }
}
)",
     R"(k.cl:3:15: error: 'case' stands only directly inside the block of a switch, not in a loop, an if or a block of it
      case 1: { case 2: n = 1; }
                ^^^^^^^
)"},
    {"case twice", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) {
    case 1: n = 2; break;
    case 3 - 2: n = 3;
  }
}
)",
     R"(k.cl:4:10: error: the value stands behind two case labels
      case 3 - 2: n = 3;
           ^^^^^
k.cl:3:10: note: the first one is here
      case 1: n = 2; break;
           ^
)"},
    {"default twice", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) {
    default: n = 2; break;
    default: n = 3;
  }
}
)",
     R"(k.cl:4:5: error: there are two default labels
      default: n = 3;
      ^^^^^^^^
k.cl:3:5: note: the first one is here
      default: n = 2; break;
      ^^^^^^^^
)"},
    {"case not constant", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 1;
  switch (n) {
    case i: n = 2;
  }
}
)",
     R"(k.cl:4:10: error: the value of a case label is not constant: 'i' is not a constant
      case i: n = 2;
           ^
)"},
    {"statement before the labels", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) {
    n = 1;
    case 1: n = 2;
  }
}
)",
     R"(k.cl:3:5: error: this statement of the switch is never reached: it stands before the first label
      n = 1;
      ^^^^^^
)"},
    {"switch of a float", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (a[0]) {
    case 1: n = 2;
  }
}
)",
     R"(k.cl:2:11: error: the value of a switch must be an integer, but this is 'float'
    switch (a[0]) {
            ^^^^
)"},
    {"value from void", 32,
     R"(__kernel void k(__global float *a, uint n) {
  return 1;
}
)",
     R"(k.cl:2:10: error: 'k' returns void, so no value can be returned
    return 1;
           ^
k.cl:1:15: note: 'k' is declared here
  __kernel void k(__global float *a, uint n) {
                ^
)"},
    {"no value", 32,
     R"(int f() { return; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:11: error: a value of type 'int' must be returned
  int f() { return; }
            ^^^^^^^
k.cl:1:5: note: 'f' is declared here
  int f() { return; }
      ^
)"},
    {"wrong result", 32,
     R"(__global float *f(__global float *a) { return a[0]; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:47: error: cannot convert 'float' to '__global float *' as the result of 'f'; a number is not a pointer
  __global float *f(__global float *a) { return a[0]; }
                                                ^^^^
)"},
    {"barrier in an expression", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = barrier(0);
}
)",
     R"(k.cl:2:7: error: a barrier is a statement of its own, not part of an expression
    n = barrier(0);
        ^^^^^^^^^^
)"},
    {"two changes", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 0;
  i = i++ + i++;
}
)",
     R"(k.cl:3:13: error: two unsequenced changes of one object: 'i'
    i = i++ + i++;
              ^^^
k.cl:3:7: note: the other one is here
    i = i++ + i++;
        ^^^
)"},
    {"assignment of its own increment", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 0;
  i = i++;
}
)",
     R"(k.cl:3:7: error: two unsequenced changes of one object: 'i'
    i = i++;
        ^^^
k.cl:3:3: note: the other one is here
    i = i++;
    ^^^^^^^
)"},
    {"two changes of an element", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = a[0]++ + 1;
}
)",
     R"(k.cl:2:10: error: two unsequenced changes of one object
    a[0] = a[0]++ + 1;
           ^^^^^^
k.cl:2:3: note: the other one is here
    a[0] = a[0]++ + 1;
    ^^^^^^^^^^^^^^^^^
)"},
    {"two changes in arguments", 32,
     R"(int f(int x, int y) { return x + y; }
__kernel void k(__global float *a, uint n) {
  int i = 0;
  i = f(i++, i++);
}
)",
     R"(k.cl:4:14: error: two unsequenced changes of one object: 'i'
    i = f(i++, i++);
               ^^^
k.cl:4:9: note: the other one is here
    i = f(i++, i++);
          ^^^
)"},
    {"crev of a value function", 32,
     R"(int f(uniform int x) { return x; }
__kernel void k(__global float *a, uint n) {
  crev f(1);
}
)",
     R"(k.cl:3:8: error: 'crev f' needs a function that returns void, but this one returns 'int'
    crev f(1);
         ^
k.cl:1:5: note: 'f' is declared here
  int f(uniform int x) { return x; }
      ^
)"},
    {"crev of varying parameters", 32,
     R"(void f(int x, uniform int y) {}
__kernel void k(__global float *a, uint n) {
  crev f(1, 2);
}
)",
     R"(k.cl:3:8: error: 'crev f' needs uniform parameters, but 'x' is not declared uniform
    crev f(1, 2);
         ^
k.cl:1:12: note: write 'uniform int x'
  void f(int x, uniform int y) {}
             ^
)"},
    {"crev of private memory", 32,
     R"(void f(float *p) {}
__kernel void k(__global float *a, uint n) {
  float x[4];
  crev f(x);
}
)",
     R"(k.cl:4:8: error: 'crev f' cannot pass private memory, but the parameter 'p' is 'float *'
    crev f(x);
         ^
k.cl:1:15: note: private arrays belong to one work item, and all of them run the call
  void f(float *p) {}
                ^
)"},
    {"crev in an expression", 32,
     R"(void f(uniform int x) {}
__kernel void k(__global float *a, uint n) {
  n = crev f(1);
}
)",
     R"(k.cl:3:7: error: a crev call is a statement of its own, not part of an expression
    n = crev f(1);
        ^^^^^^^^^
)"},
    {"crev of a kernel", 32,
     R"(__kernel void other(uniform int x) {}
__kernel void k(__global float *a, uint n) {
  crev other(1);
}
)",
     R"(k.cl:3:8: error: 'other' is a kernel; kernels are launched, not called
    crev other(1);
         ^^^^^
k.cl:1:15: note: 'other' is declared here
  __kernel void other(uniform int x) {}
                ^^^^^
)"},
    {"crev of a builtin", 32,
     R"(__kernel void k(__global float *a, uint n) {
  crev barrier(1);
}
)",
     R"(k.cl:2:8: error: 'barrier' is built in; crev calls functions of the program
    crev barrier(1);
         ^^^^^^^
)"},
    {"varying argument", 32,
     R"(void f(uniform int x) {}
__kernel void k(__global float *a, uint n) {
  f(get_local_id());
}
)",
     R"(k.cl:3:5: error: the parameter 'x' of 'f' is uniform, but this argument varies between work items
    f(get_local_id());
      ^^^^^^^^^^^^^^
k.cl:1:20: note: the parameter is declared here
  void f(uniform int x) {}
                     ^
)"},
    {"varying through a variable", 32,
     R"(void f(uniform int x) {}
__kernel void k(__global float *a, uint n) {
  int i = 0;
  while (i < get_local_id()) i++;
  f(i);
}
)",
     R"(k.cl:5:5: error: the parameter 'x' of 'f' is uniform, but this argument varies between work items
    f(i);
      ^
k.cl:1:20: note: the parameter is declared here
  void f(uniform int x) {}
                     ^
)"},
    {"varying value assigned", 32,
     R"(void f(uniform int x, int y) { x = y; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:36: error: the parameter 'x' is uniform, but this value varies between work items
  void f(uniform int x, int y) { x = y; }
                                     ^
k.cl:1:20: note: the parameter is declared here
  void f(uniform int x, int y) { x = y; }
                     ^
)"},
    {"assigned by some", 32,
     R"(void f(uniform int x, int y) {
  if (y) x = 1;
}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:10: error: the parameter 'x' is uniform, but not all work items run this assignment
    if (y) x = 1;
           ^
k.cl:1:20: note: the parameter is declared here
  void f(uniform int x, int y) {
                     ^
)"},
    {"uniform variable", 32,
     R"(__kernel void k(__global float *a, uint n) {
  uniform int i = 0;
}
)",
     R"(k.cl:2:3: error: 'uniform' and 'varying' stand only in front of parameters
    uniform int i = 0;
    ^^^^^^^^^^^
)"},
    {"address of a uniform parameter", 32,
     R"(void f(uniform int x) { int *p = &x; *p = 1; }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:34: error: the address of the uniform parameter 'x' cannot be taken
  void f(uniform int x) { int *p = &x; *p = 1; }
                                   ^^
)"},
    {"integer too large", 32,
     R"(__kernel void k(__global float *a, uint n) {
  ulong x = 9223372036854775808;
}
)",
     R"(k.cl:2:13: error: the constant does not fit 'long'; with the suffix u it may be a 'ulong'
    ulong x = 9223372036854775808;
              ^^^^^^^^^^^^^^^^^^^
)"},
    {"float too large", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = 1e39f;
}
)",
     R"(k.cl:2:10: error: the constant is too large for 'float'; infinity is INFINITY
    a[0] = 1e39f;
           ^^^^^
)"},
    {"in order", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = y;
  n = z;
  n = -a;
}
)",
     R"(k.cl:2:10: error: 'y' is not declared
    a[0] = y;
           ^
k.cl:3:7: error: 'z' is not declared
    n = z;
        ^
k.cl:4:7: error: '-' needs a number, but its operand is '__global float *'
    n = -a;
        ^^
)"},
    {"kernel parameter order", 32,
     R"(__kernel void k(uint n, __private int *s, float x) {}
)",
     R"(k.cl:1:25: error: the kernel parameter 's' points to private memory; buffers are __global
  __kernel void k(uint n, __private int *s, float x) {}
                          ^^^^^^^^^^^^^^^^
)"},
    {"parameter with an address space", 32,
     R"(void f(__global int x) {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:8: error: a parameter is private; an address space belongs to what a pointer points to
  void f(__global int x) {}
         ^^^^^^^^^^^^^^
)"},
    {"parameter without a name", 32,
     R"(void f(int) {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:8: error: a parameter of a function with a body needs a name
  void f(int) {}
         ^^^
)"},
    {"void parameter", 32,
     R"(void f(int x, void y) {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:1:15: error: a parameter cannot be void
  void f(int x, void y) {}
                ^^^^^^
)"},
    {"uniform in one declaration only", 32,
     R"(void f(uniform int x);
void f(int x) {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:6: error: 'f' is declared in two ways: parameter 1 is uniform in only one of them
  void f(int x) {}
       ^
k.cl:1:6: note: the first declaration is here
  void f(uniform int x);
       ^
)"},
    {"kernel in one declaration only", 32,
     R"(void f(int x);
__kernel void f(int x) {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:15: error: 'f' is declared in two ways: only one of them is marked __kernel
  __kernel void f(int x) {}
                ^
k.cl:1:6: note: the first declaration is here
  void f(int x);
       ^
)"},
    {"number of parameters", 32,
     R"(void f(int x);
void f() {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:6: error: 'f' is declared in two ways: 1 parameter and 0
  void f() {}
       ^
k.cl:1:6: note: the first declaration is here
  void f(int x);
       ^
)"},
    {"inner size left out", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2][] = {1};
}
)",
     R"(k.cl:2:7: error: only the first size of an array may be left out
    int x[2][] = {1};
        ^
)"},
    {"list in a list", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[2] = {{1, 2}, 3};
}
)",
     R"(k.cl:2:15: error: a single value is needed here, not a list
    int x[2] = {{1, 2}, 3};
                ^^^^^^
)"},
    {"row pointer of another size", 32,
     R"(void f(float p[2][3]) {}
__kernel void k(__global float *a, uint n) {
  float x[2][4];
  f(x);
}
)",
     R"(k.cl:4:5: error: cannot convert 'float (*)[4]' to 'float (*)[3]' for the parameter 'p' of 'f'; they point to arrays of different sizes
    f(x);
      ^
k.cl:1:14: note: the parameter is declared here
  void f(float p[2][3]) {}
               ^
)"},
    {"nothing for an array that has no size", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int x[] = {};
}
)",
     R"(k.cl:2:13: error: an array without a size needs at least one value
    int x[] = {};
              ^^
)"},
    {"switch without a block", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) n = 1;
}
)",
     R"(k.cl:2:14: error: the body of a switch must be a block in braces
    switch (n) n = 1;
               ^^^^^^
)"},
    {"ballot of a large group", 128,
     R"(__kernel void k(__global float *a, uint n) {
  ulong b = ballot(1);
}
)",
     R"(k.cl:2:13: error: 'ballot' has a bit for each of at most 64 work items, but the group has 128
    ulong b = ballot(1);
              ^^^^^^^^^
)"},
    {"constant with a function's name", 32,
     R"(void f() {}
__constant int f = 1;
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:16: error: 'f' is the name of a function
  __constant int f = 1;
                 ^
)"},
    {"function with a constant's name", 32,
     R"(__constant int f = 1;
void f() {}
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:6: error: 'f' is a __constant object
  void f() {}
       ^
k.cl:1:16: note: it is declared here
  __constant int f = 1;
                 ^
)"},
    {"const pointer", 32,
     R"(__kernel void k(__global float *a, uint n) {
  __global float *const p = a;
  p++;
}
)",
     R"(k.cl:3:3: error: 'p' is const and cannot be changed
    p++;
    ^
k.cl:2:25: note: it is declared here
    __global float *const p = a;
                          ^
)"},
    {"void condition", 32,
     R"(void f() {}
__kernel void k(__global float *a, uint n) {
  if (f()) n = 1;
}
)",
     R"(k.cl:3:7: error: a value is needed here, but this is void
    if (f()) n = 1;
        ^^^
)"},
    {"void as an operand of not", 32,
     R"(void f() {}
__kernel void k(__global float *a, uint n) {
  n = !f();
}
)",
     R"(k.cl:3:8: error: a value is needed here, but this is void
    n = !f();
         ^^^
)"},
    {"cast to void as a value", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = (void)n;
}
)",
     R"(k.cl:2:7: error: a value is needed here, but this is void
    n = (void)n;
        ^^^^^^^
)"},
    {"size of void", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = sizeof(void);
}
)",
     R"(k.cl:2:7: error: 'void' has no size
    n = sizeof(void);
        ^^^^^^^^^^^^
)"},
    {"cast to an array", 32,
     R"(__kernel void k(__global float *a, uint n) {
  n = (int[2])n;
}
)",
     R"(k.cl:2:7: error: cannot cast 'uint' to 'int[2]'
    n = (int[2])n;
        ^^^^^^^^^
)"},
    {"return of a call without value", 32,
     R"(void f() {}
int g() { return f(); }
__kernel void k(__global float *a, uint n) {

}
)",
     R"(k.cl:2:18: error: a value is needed here, but this is void
  int g() { return f(); }
                   ^^^
)"},
    {"missing argument of a kernel's helper", 32,
     R"(void f(int x) {}
__kernel void k(__global float *a, uint n) {
  f();
}
)",
     R"(k.cl:3:3: error: 'f' takes 1 argument, but 0 are given
    f();
    ^^^
k.cl:1:6: note: 'f' is declared here
  void f(int x) {}
       ^
)"},
    {"too many arguments", 32,
     R"(void f(int x) {}
__kernel void k(__global float *a, uint n) {
  f(1, 2, 3);
}
)",
     R"(k.cl:3:3: error: 'f' takes 1 argument, but 3 are given
    f(1, 2, 3);
    ^^^^^^^^^^
k.cl:1:6: note: 'f' is declared here
  void f(int x) {}
       ^
)"},
    {"flags of a barrier", 32,
     R"(__kernel void k(__global float *a, uint n) {
  barrier(1.0f);
}
)",
     R"(k.cl:2:11: error: 'barrier' needs flags such as CLK_LOCAL_MEM_FENCE, but this is 'float'
    barrier(1.0f);
            ^^^^
)"},
    {"two changes through a comma and outside", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 0;
  n = (i++, i) + i++;
}
)",
     R"(k.cl:3:18: error: two unsequenced changes of one object: 'i'
    n = (i++, i) + i++;
                   ^^^
k.cl:3:8: note: the other one is here
    n = (i++, i) + i++;
         ^^^
)"},
    {"an atomic function of integers on floats", 32,
     R"(__kernel void k(__global float *a, uint n) {
  atomic_add(a, 1);
}
)",
     R"(k.cl:2:14: error: 'atomic_add' is there for int, uint, long and ulong, not for 'float'
    atomic_add(a, 1);
               ^
)"},
    {"an atomic function on small numbers", 32,
     R"(__kernel void k(__global short *a, uint n) {
  atomic_xchg(a, 1);
}
)",
     R"(k.cl:2:15: error: 'atomic_xchg' is there for int, uint, long and ulong, float and double, not for 'short'
    atomic_xchg(a, 1);
                ^
)"},
    {"an atomic function on private memory", 32,
     R"(__kernel void k(__global int *a, uint n) {
  int mine = 0;
  a[0] = atomic_inc(&mine);
}
)",
     R"(k.cl:3:21: error: 'atomic_inc' needs a pointer to __global or __local memory that may be written, but this is 'int *'
    a[0] = atomic_inc(&mine);
                      ^^^^^
)"},
    {"an atomic function on const memory", 32,
     R"(__kernel void k(__global const int *a, uint n) {
  atomic_min(&a[n], 3);
}
)",
     R"(k.cl:2:14: error: 'atomic_min' needs a pointer to __global or __local memory that may be written, but this is 'const __global int *'
    atomic_min(&a[n], 3);
               ^^^^^
)"},
    {"an atomic function without its operand", 32,
     R"(__kernel void k(__global int *a, uint n) {
  atomic_cmpxchg(a, 1);
  atomic_fetch_add_explicit(a, 1);
}
)",
     R"(k.cl:2:3: error: 'atomic_cmpxchg' takes a pointer and 2 values; 2 arguments are given
    atomic_cmpxchg(a, 1);
    ^^^^^^^^^^^^^^^^^^^^
k.cl:3:3: error: 'atomic_fetch_add_explicit' takes a pointer and 1 value, then how it is ordered and for whom; 2 arguments are given
    atomic_fetch_add_explicit(a, 1);
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"an atomic function on an array of pointers", 32,
     R"(__kernel void k(__global int *a, uint n) {
  int e = 1;
  atomic_compare_exchange_strong(a, e, 2);
  atomic_add(a, a);
}
)",
     R"(k.cl:3:37: error: 'atomic_compare_exchange_strong' needs a pointer to the value that is expected, a 'int'
    atomic_compare_exchange_strong(a, e, 2);
                                      ^
k.cl:4:17: error: 'atomic_add' needs a number here, but this is '__global int *'
    atomic_add(a, a);
                  ^
)"},
    {"C's name for a function of floats", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = sinf(a[1]);
}
)",
     R"(k.cl:2:10: error: there is no function 'sinf'; write sin(x), which keeps the type
    a[0] = sinf(a[1]);
           ^^^^
)"},
    {"a vector where a scalar is wanted", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = vload4(0, a);
}
)",
     R"(k.cl:2:10: error: cannot convert 'float4' to 'float' in this assignment; .x is a component of it
    a[0] = vload4(0, a);
           ^^^^^^^^^^^^
)"},
    {"vectors of different types", 32,
     R"(__kernel void k(__global float4 *a, __global int4 *b) {
  a[0] = a[1] + b[0];
  a[0] = b[0];
  a[0] = a[1] + (float2)(1, 2);
  a[0] = (float4)(b[0].xy, 1, 2);
}
)",
     R"(k.cl:2:17: error: vectors of different types do not go together: 'int4' and 'float4'; convert_float4(…) converts
    a[0] = a[1] + b[0];
                  ^^^^
k.cl:3:10: error: cannot convert 'int4' to 'float4' in this assignment; convert_float4(…) converts
    a[0] = b[0];
           ^^^^
k.cl:4:17: error: vectors of different types do not go together: 'float2' and 'float4'; convert_float4(…) converts
    a[0] = a[1] + (float2)(1, 2);
                  ^^^^^^^^^^^^^^
k.cl:5:19: error: 'int2' is no part of 'float4'; convert_float2(…) converts
    a[0] = (float4)(b[0].xy, 1, 2);
                    ^^^^^^^
)"},
    {"components that are none", 32,
     R"(__kernel void k(__global float4 *a, uint n, float2 c) {
  a[0].xyq = 1;
  a[0].xx = c;
  a[0].xyzwx;
  c.z = 1;
  n.x = 1;
  c.hi.x = a[0].s4;
  a[0] = (float4)(1, 2, 3);
}
)",
     R"(k.cl:2:8: error: 'float4' has no component 'xyq'; there are x to w, s0 to s3, several of them, lo, hi, odd and even
    a[0].xyq = 1;
         ^^^
k.cl:3:3: error: only components of a variable or element can be changed, each of them once
    a[0].xx = c;
    ^^^^^^^
k.cl:4:8: error: there are no vectors of 5 components
    a[0].xyzwx;
         ^^^^^
k.cl:5:5: error: 'float2' has no component 'z'; there are x to y, s0 to s1, several of them, lo, hi, odd and even
    c.z = 1;
      ^
k.cl:6:5: error: 'x' is a component of a vector or a member, but this is 'uint'
    n.x = 1;
      ^
k.cl:7:8: error: 'x' is a component of a vector or a member, but this is 'float'
    c.hi.x = a[0].s4;
         ^
k.cl:7:17: error: 'float4' has no component 's4'; there are x to w, s0 to s3, several of them, lo, hi, odd and even
    c.hi.x = a[0].s4;
                  ^^
k.cl:8:10: error: 'float4' has 4 components, but 3 are given
    a[0] = (float4)(1, 2, 3);
           ^^^^^^^^^^^^^^^^^
)"},
    {"steps of float vectors", 32,
     R"(__kernel void k(__global float4 *a, __global int4 *b) {
  a[0]++;
  --a[1].xy;
  b[0]++;
  b[0].x--;
  a[0].x++;
}
)",
     R"(k.cl:2:3: error: '++' of vectors is for integers, but this is 'float4'
    a[0]++;
    ^^^^^^
k.cl:3:3: error: '--' of vectors is for integers, but this is 'float2'
    --a[1].xy;
    ^^^^^^^^^
)"},
    {"a vector that varies where one is uniform", 32,
     R"(void f(uniform float4 c, uniform int2 d) {}
__kernel void k(__global float4 *a, __global int4 *b) {
  f(a[get_local_id(0)], b[get_local_id(0)].xy);
}
)",
     R"(k.cl:3:5: error: the parameter 'c_x' of 'f' is uniform, but this argument varies between work items
    f(a[get_local_id(0)], b[get_local_id(0)].xy);
      ^^^^^^^^^^^^^^^^^^
k.cl:1:23: note: the parameter is declared here
  void f(uniform float4 c, uniform int2 d) {}
                        ^
k.cl:3:25: error: the parameter 'd_x' of 'f' is uniform, but this argument varies between work items
    f(a[get_local_id(0)], b[get_local_id(0)].xy);
                          ^^^^^^^^^^^^^^^^^^^^^
k.cl:1:39: note: the parameter is declared here
  void f(uniform float4 c, uniform int2 d) {}
                                        ^
)"},
    {"a const vector", 32,
     R"(float4 f(float4 v);
float4 f(const float4 v) {
  v.x = 1;
  return v;
}
__kernel void k(__global const float4 *a, __global float4 *b, const int2 c) {
  const float4 v = a[0];
  b[0] = f(v);
  v = b[0];
  v.yz++;
  a[0].x = 1;
  c.x = 2;
}
)",
     R"(k.cl:3:3: error: this is const and cannot be changed; the type is 'float4'
    v.x = 1;
    ^^^
k.cl:9:3: error: 'v' is const and cannot be changed
    v = b[0];
    ^
k.cl:7:16: note: it is declared here
    const float4 v = a[0];
                 ^
k.cl:10:3: error: this is const and cannot be changed; the type is 'float4'
    v.yz++;
    ^^^^
k.cl:11:3: error: this is const and cannot be changed; the type is 'float4'
    a[0].x = 1;
    ^^^^^^
k.cl:12:3: error: this is const and cannot be changed; the type is 'int2'
    c.x = 2;
    ^^^
)"},
    {"a vector as a condition", 32,
     R"(__kernel void k(__global float4 *a, float2 c) {
  if (c) { a[0] = 0; }
  while (c.x < 1 && (c < 2).x) { c += 1; }
  &c.x;
  *c;
  c % 2;
}
)",
     R"(k.cl:2:7: error: a vector is neither true nor false; any(…) and all(…) ask its components
    if (c) { a[0] = 0; }
        ^
k.cl:4:3: error: the address of components cannot be taken; that of the vector can
    &c.x;
    ^^^^
k.cl:5:3: error: '*' needs a pointer, but its operand is 'float2'
    *c;
    ^^
k.cl:6:5: error: '%' needs integers, but its operands are 'float' and 'float'
    c % 2;
      ^
)"},
    {"a conversion as a function", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = convert_float_sat(n);
}
)",
     R"(k.cl:2:10: error: there is no function 'convert_float_sat'; conversions are named convert_int, convert_uchar4_sat and convert_float_rtz: the type, _sat for integers, and _rte, _rtz, _rtp or _rtn
    a[0] = convert_float_sat(n);
           ^^^^^^^^^^^^^^^^^
)"},
    {"a label in a loop of its switch", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) { case 0: while (n) { case 1: break; } }
}
)",
     R"(k.cl:2:36: error: 'case' stands only directly inside the block of a switch, not in a loop, an if or a block of it
    switch (n) { case 0: while (n) { case 1: break; } }
                                     ^^^^^^^
)"},
    {"another group size than the required one", 32,
     R"(__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global float *a, uint n) {
  a[0] = 1;
}
)",
     R"(k.cl:1:25: error: 'k' requires work groups of 64 items, but they have 32
  __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global float *a, uint n) {
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"a required group size of two dimensions", 32,
     R"(__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void k(__global float *a, uint n) {
  a[0] = 1;
}
)",
     R"(k.cl:1:25: error: 'k' requires work groups of 8 × 2 items, but they have 32
  __kernel __attribute__((reqd_work_group_size(8, 2, 1))) void k(__global float *a, uint n) {
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"a required group size without dimensions", 32,
     R"(__kernel __attribute__((reqd_work_group_size(8))) void k(__global float *a, uint n) {
  a[0] = 1;
}
)",
     R"(k.cl:1:25: error: reqd_work_group_size takes 3 sizes, but 1 is given
  __kernel __attribute__((reqd_work_group_size(8))) void k(__global float *a, uint n) {
                          ^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"a required group size of 0", 32,
     R"(__kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k(__global float *a, uint n) {
  a[0] = 1;
}
)",
     R"(k.cl:1:25: error: a work group has 1 to 1048576 work items, and not 0 × 1 × 1
  __kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k(__global float *a, uint n) {
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"a required group size that is not constant", 32,
     R"(__kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(__global float *a, uint n) {
  a[0] = 1;
}
)",
     R"(k.cl:1:46: error: 'n' is not declared
  __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(__global float *a, uint n) {
                                               ^
)"},
    {"a required group size of no kernel", 32,
     R"(void f() __attribute__((reqd_work_group_size(32, 1, 1))) {}
__kernel void k(__global float *a, uint n) {
  f();
}
)",
     R"(k.cl:1:25: error: only a kernel can require a size of its work groups
  void f() __attribute__((reqd_work_group_size(32, 1, 1))) {}
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"two kernels that require different group sizes", 0,
     R"(__kernel void k(__global float *a) __attribute__((reqd_work_group_size(4, 1, 1))) { a[0] = 1; }
__kernel void l(__global float *a) __attribute__((reqd_work_group_size(8, 1, 1))) { a[0] = 2; }
)",
     R"(k.cl:2:51: error: 'l' requires work groups of 8 items, but they have 4
  __kernel void l(__global float *a) __attribute__((reqd_work_group_size(8, 1, 1))) { a[0] = 2; }
                                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
k.cl:1:51: note: 'k' requires that; one of the two kernels has to be chosen
  __kernel void k(__global float *a) __attribute__((reqd_work_group_size(4, 1, 1))) { a[0] = 1; }
                                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
)"},
    {"one cause, one message", 32,
     R"(__kernel void k(__global float *a, uint n) {
  float x[n];
  x[0] = 1;
  a[0] = x[1] + 1;
}
)",
     R"(k.cl:2:11: error: the array size is not constant: 'n' is not a constant
    float x[n];
            ^
)"},
    {"errors in every function", 32,
     R"(void f() { y1 = 1; }
void g() { y2 = 1; }
__kernel void k(__global float *a, uint n) {
  f();
}
)",
     R"(k.cl:1:12: error: 'y1' is not declared
  void f() { y1 = 1; }
             ^^
k.cl:2:12: error: 'y2' is not declared
  void g() { y2 = 1; }
             ^^
)"},
};

// Kernels that are suspicious, but run.
const std::vector<Mistake> suspicions = {
    {"a count beyond the width", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = n << 33;
}
)",
     R"(k.cl:2:15: warning: the count 33 is taken modulo 32, the width of 'uint'
    a[0] = n << 33;
                ^^
)"},
    {"a negative count", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = n >> -1;
}
)",
     R"(k.cl:2:15: warning: the count -1 is taken modulo 32, the width of 'uint'
    a[0] = n >> -1;
                ^^
)"},
    {"a division by zero", 32,
     R"(__kernel void k(__global float *a, uint n) {
  a[0] = n % 0;
}
)",
     R"(k.cl:2:14: warning: a division by zero is undefined
    a[0] = n % 0;
               ^
)"},
    {"a fraction that is lost", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 1.5;
}
)",
     R"(k.cl:2:11: warning: 1.5 becomes 1 as 'int'
    int i = 1.5;
            ^^^
)"},
    {"an integer that wraps", 32,
     R"(__kernel void k(__global float *a, uint n) {
  uchar c = 300;
}
)",
     R"(k.cl:2:13: warning: 300 becomes 44 as 'uchar'
    uchar c = 300;
              ^^^
)"},
    {"a number beyond int", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 3000000000;
}
)",
     R"(k.cl:2:11: warning: 3000000000 becomes -1294967296 as 'int'
    int i = 3000000000;
            ^^^^^^^^^^
)"},
    {"a float beyond int", 32,
     R"(__kernel void k(__global float *a, uint n) {
  int i = 1e10;
}
)",
     R"(k.cl:2:11: warning: 1e+10 does not fit 'int'
    int i = 1e10;
            ^^^^
)"},
    {"an assignment as a condition", 32,
     R"(__kernel void k(__global float *a, uint n) {
  if (n = 2) a[0] = 1;
}
)",
     R"(k.cl:2:9: warning: this assigns; '==' compares (if it is meant, parentheses around it say so)
    if (n = 2) a[0] = 1;
          ^
)"},
    {"an initialiser before the labels", 32,
     R"(__kernel void k(__global float *a, uint n) {
  switch (n) { int i = 3; case 1: i = 2; a[0] = i; }
}
)",
     R"(k.cl:2:24: warning: this initialiser is never run: it stands before the first label
    switch (n) { int i = 3; case 1: i = 2; a[0] = i; }
                         ^
)"},
    {"an unknown attribute", 32,
     R"(__kernel __attribute__((sparkling)) void k(__global float *a, uint n) {
  a[0] = 1;
}
)",
     R"(k.cl:1:25: warning: the attribute 'sparkling' is unknown here and says nothing
  __kernel __attribute__((sparkling)) void k(__global float *a, uint n) {
                          ^^^^^^^^^
)"},
};

// What looks like one of these and is none.
const std::vector<std::string> innocent = {
    "uint m = -1; int i = 0xffffffff; char c = -128; uchar d = 255; long e = 3000000000; bool b = 2; float x = 3; a[0] = m + i + c + d + e + b + x;",
    "int i = 2.0; a[0] = i << 31; a[1] = n / 1;",
    "if ((n = 2)) a[0] = 1; while ((n -= 1)) a[1] = 2;",
    "switch (n) { int i; case 1: i = 2; a[0] = i; }",
    "__attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; ++i) a[i] = i; __attribute__((aligned(8))) int j = 0; a[j] = 1;",
};
// clang-format on

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("core errors: each mistake has its message") {
  for (const Mistake& mistake : mistakes) {
    DYNAMIC_SECTION(mistake.name) {
      core::Options options;
      options.wg_size = mistake.wg_size;
      CHECK(read(mistake.source, options).errors() == mistake.expected);
    }
  }
}

TEST_CASE("core errors: what is suspicious is warned of") {
  for (const Mistake& mistake : suspicions) {
    DYNAMIC_SECTION(mistake.name) {
      const Reading reading = read(mistake.source);
      CHECK(reading.errors().empty());
      CHECK(reading.warning_text() == mistake.expected);
    }
  }
  for (const std::string& statements : innocent) {
    INFO(statements);
    const Reading reading = read("__kernel void k(__global float *a, uint n) { " + statements + " }");
    CHECK(reading.errors().empty());
    CHECK(reading.warning_text().empty());
  }
}

TEST_CASE("core errors: a kernel's required group size is the default") {
  const std::string required =
      "__kernel void k(__global int *a) __attribute__((reqd_work_group_size(4 * 2, 1, 1))) { a[0] = get_local_size(0); }\n";
  const std::string other = "__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void l(__global int *a) { a[0] = 1; }\n";
  core::Options options;
  options.wg_size = 0;
  CHECK(read(required, options).program->options.wg_size == 8);
  CHECK(read("__kernel void k(__global int *a) __attribute__((work_group_size_hint(8, 1, 1))) { a[0] = 1; }", options)
            .program->options.wg_size == core::default_wg_size);
  options.kernel = "l";
  CHECK(read(required + other, options).program->options.wg_size == 16);
  options.wg_size = 16;
  CHECK(read(required + other, options).errors().empty());
  options.wg_size = 8;
  CHECK(!read(required + other, options).errors().empty());
}

TEST_CASE("core errors: at most twenty are shown, the first ones of the text") {
  std::string source = "__kernel void k(__global float *a) {\n";
  for (int i = 0; i < 25; ++i) {
    source += "  -a;\n";
  }
  const std::string errors = read(source + "}\n").errors();
  CHECK(count(errors, "error:") == 20);
  CHECK(errors.find("k.cl:2:3: error: '-' needs a number, but its operand is '__global float *'\n  ") == 0);
  CHECK(errors.find("k.cl:21:3: error") != std::string::npos);
  CHECK(errors.find("k.cl:22:3: error") == std::string::npos);
}
