# LLVM 19 or newer: its shared library is the target LLVM, its headers the target lockstep_llvm_headers. Of several the newest is taken.

set(CMAKE_FIND_PACKAGE_SORT_ORDER NATURAL)
set(CMAKE_FIND_PACKAGE_SORT_DIRECTION DEC)
find_package(LLVM QUIET CONFIG)
if(NOT LLVM_FOUND OR LLVM_VERSION_MAJOR LESS 19)
  message(FATAL_ERROR "LLVM 19 or newer is needed (Debian: llvm-19-dev), found: '${LLVM_VERSION}'. -D LLVM_DIR=... says where it is.")
endif()
if(NOT TARGET LLVM)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} in ${LLVM_DIR} has no shared library (libLLVM.so).")
endif()
add_library(lockstep_llvm_headers INTERFACE)
target_include_directories(lockstep_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
