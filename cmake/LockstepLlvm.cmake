# LLVM: its shared library is the target LLVM, its headers the target lockstep_llvm_headers. The tested version is taken, however many newer
# ones are installed; another is asked for.

set(LOCKSTEP_LLVM_VERSION 19 CACHE STRING "LLVM's major version, 19 or newer; LLVM_DIR, where it is given, decides instead")

# LLVM_DIR in the cache is somebody's wish only if it is not what was found here the time before.
if(LLVM_DIR AND NOT LLVM_DIR STREQUAL LOCKSTEP_LLVM_FOUND)
  find_package(LLVM QUIET CONFIG)
else()
  unset(LLVM_DIR CACHE)
  # LLVM's package accepts one minor version only, and releases begin with the first.
  find_package(LLVM ${LOCKSTEP_LLVM_VERSION}.1 QUIET CONFIG)
  set(LOCKSTEP_LLVM_FOUND "${LLVM_DIR}" CACHE INTERNAL "where LLVM was found without being told")
endif()
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "LLVM ${LOCKSTEP_LLVM_VERSION} is needed (Debian: llvm-${LOCKSTEP_LLVM_VERSION}-dev) and not found. "
                      "-D LOCKSTEP_LLVM_VERSION=... takes a newer one, -D LLVM_DIR=... says where one is.")
endif()
if(LLVM_VERSION_MAJOR LESS 19)
  message(FATAL_ERROR "LLVM 19 or newer is needed, and that in ${LLVM_DIR} is ${LLVM_VERSION}.")
endif()
if(NOT TARGET LLVM)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} in ${LLVM_DIR} has no shared library (libLLVM.so).")
endif()
message(STATUS "LLVM ${LLVM_VERSION} in ${LLVM_DIR}")
add_library(lockstep_llvm_headers INTERFACE)
target_include_directories(lockstep_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
