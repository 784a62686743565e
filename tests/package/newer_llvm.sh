# Sourced by the tests of which LLVM is taken.

# newer_llvm PREFIX: makes an LLVM there that is newer than any, as CMake sees it, and has nothing to be linked to.
newer_llvm() {
  mkdir -p "$1/lib/cmake/llvm"
  echo 'set(LLVM_VERSION_MAJOR 99)' >"$1/lib/cmake/llvm/LLVMConfig.cmake"
  cat >"$1/lib/cmake/llvm/LLVMConfigVersion.cmake" <<'END'
set(PACKAGE_VERSION "99.1.0")
if("${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}" STREQUAL "99.1")
  set(PACKAGE_VERSION_COMPATIBLE 1)
endif()
END
}

# takes_llvm VERSION BUILD_DIR: what was configured there took an LLVM of this version, or one that begins so.
takes_llvm() {
  found=$(sed -n 's/^LLVM_DIR:[A-Z]*=//p' "$2/CMakeCache.txt")
  if ! grep -qF "(PACKAGE_VERSION \"$1." "$found/LLVMConfigVersion.cmake" && ! grep -qF "(PACKAGE_VERSION \"$1\")" "$found/LLVMConfigVersion.cmake"; then
    echo "$2 took the LLVM in '$found', not $1"
    return 1
  fi
}
