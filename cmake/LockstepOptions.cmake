# Compiler, flags and caching for everything that is built here. There are no third-party sources in the tree, so the flags are
# directory-wide; headers of other projects come from system folders, where warnings are silent.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND PROJECT_IS_TOP_LEVEL)
  # Paths below the source folder are looked up relative to it, so that another clone finds what this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;${LOCKSTEP_CCACHE}")
endif()

# Eight files at a time are compiled in less than half the time, which who builds once or seldom gains by. Not with ccache, which finds single
# files, and not for mutants, whose files take the place of single ones.
set(unity ${PROJECT_IS_TOP_LEVEL})
if(LOCKSTEP_CCACHE OR LOCKSTEP_SANITIZE OR LOCKSTEP_COVERAGE OR LOCKSTEP_FUZZ)
  set(unity OFF)
endif()
option(LOCKSTEP_UNITY "Compile several files of a library at a time" ${unity})

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(LOCKSTEP_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies inside its own std::string at -O2 and above (GCC bug 105651), and at -O3 of the members
  # of alternatives that a std::variant does not hold.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # GCC's loop pragmas, and std::stable_sort of libstdc++ 12, which uses what C++20 removed.
  add_compile_options(-Wno-unknown-pragmas -Wno-deprecated-declarations)
endif()

if(NOT LOCKSTEP_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # GCC collects its garbage when it has 128 MiB; later, it takes 7 % less time. Not with ccache, which would not find what it has compiled.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)
endif()

if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's manual: with sanitizers these warnings have false positives.
    add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  endif()
endif()
if(LOCKSTEP_COVERAGE)
  add_compile_options(--coverage -fprofile-abs-path)
  add_link_options(--coverage)
endif()
if(LOCKSTEP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
