# One folder, one library.
#
#   lockstep_library(FOLDER [HOT] LINK target... PRIVATE_LINK target... PRIVATE_HEADERS target... PRECOMPILE header... ALONE file...)
#
# makes the target lockstep_NAME (alias Lockstep::NAME), NAME being the folder's last part (its last two, joined by `_`, where a folder
# that layers.txt lists before it has the same last part), from FOLDER/*.cpp and the folders below it. New files are found by themselves.
# A folder without .cpp files gives a header-only (INTERFACE) library. Which other libraries of ours it is linked to stands in
# tests/layers/layers.txt. LINK names public imported targets, PRIVATE_LINK
# those that its users are linked to but not compiled with, PRIVATE_HEADERS header-only targets that they do not see. PRECOMPILE
# names headers of those that most of its files include. ALONE: see lockstep_unity. HOT is what programs
# spend their time in, and is optimised as the build type says; everything else with -Og, which takes three fifths of the time to
# compile, and a tenth less than -O1.

set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/layers/layers.txt")

function(lockstep_library folder)
  cmake_parse_arguments(arg "HOT" "" "LINK;PRIVATE_LINK;PRIVATE_HEADERS;PRECOMPILE;ALONE" ${ARGN})
  _lockstep_library_name("${folder}" name)
  set(target lockstep_${name})
  _lockstep_read_layers("${folder}" depends)
  set(folder "${PROJECT_SOURCE_DIR}/${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(lane_kernels "${folder}/lane_kernels.cpp")
  if(lane_kernels IN_LIST sources)
    list(REMOVE_ITEM sources "${lane_kernels}")
  else()
    set(lane_kernels "")
  endif()

  if(sources OR lane_kernels)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    lockstep_unity(${target} "${folder}" ${arg_ALONE})
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LINK})
    foreach(headers IN LISTS arg_PRIVATE_HEADERS)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${headers}>)
    endforeach()
    if(NOT arg_HOT)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-Og>)
    endif()
    if(arg_PRECOMPILE)
      lockstep_precompile(${target} ${name} HEADERS ${arg_PRECOMPILE} LINK ${arg_PRIVATE_HEADERS})
    elseif(NOT "OpenMP::OpenMP_CXX" IN_LIST arg_PRIVATE_LINK)  # its macro is one that the standard library's headers look at
      lockstep_precompile(${target} libraries)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_compile_features(${target} ${scope} cxx_std_23)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lockstep>)
  list(TRANSFORM depends PREPEND lockstep_)
  target_link_libraries(${target} ${scope} ${depends} ${arg_LINK})
  if(lane_kernels)
    _lockstep_add_lane_kernels(${target} "${lane_kernels}")
  endif()
  add_library(Lockstep::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT LockstepTargets)
endfunction()

# lockstep_unity(TARGET FOLDER [AT_A_TIME n] FILE...): its files are compiled so many at a time (eight), where that is asked for, those of a folder
# together; the FILEs of FOLDER alone, since they have names in them that others have as well.
function(lockstep_unity target folder)
  cmake_parse_arguments(arg "" "AT_A_TIME" "" ${ARGN})
  if(NOT LOCKSTEP_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(NOT arg_AT_A_TIME)
    set(arg_AT_A_TIME 8)
  endif()
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND "${folder}/" OUTPUT_VARIABLE alone)
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${alone} "")
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH group "${PROJECT_SOURCE_DIR}" "${source}")
    get_filename_component(group "${group}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${group}" group)
    list(APPEND ${group}_files "${source}")
    list(LENGTH ${group}_files count)
    math(EXPR unit "(${count} - 1) / ${arg_AT_A_TIME}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}_${unit}")
  endforeach()
endfunction()

# What the library of a folder that layers.txt lists is called.
function(_lockstep_library_name folder result)
  get_filename_component(name "${folder}" NAME)
  get_filename_component(parent "${folder}" DIRECTORY)
  file(STRINGS "${PROJECT_SOURCE_DIR}/tests/layers/layers.txt" lines REGEX "^([^#: ]+/)?${name}:")
  list(GET lines 0 first)
  if(parent AND NOT first MATCHES "^${folder}:")
    get_filename_component(parent "${parent}" NAME)
    set(name "${parent}_${name}")
  endif()
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

# The names of the libraries that layers.txt lets `folder` include.
function(_lockstep_read_layers folder result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/tests/layers/layers.txt" line REGEX "^${folder}:")
  if(NOT line)
    message(FATAL_ERROR "tests/layers/layers.txt has no line for ${folder}")
  endif()
  string(REGEX REPLACE "^[^:]*:" "" line "${line}")
  string(REGEX REPLACE "#.*" "" line "${line}")
  string(REGEX MATCHALL "[^ ]+" folders "${line}")
  set(names "")
  foreach(allowed IN LISTS folders)
    _lockstep_library_name("${allowed}" name)
    list(APPEND names "${name}")
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# lockstep_precompile(TARGET KIND [HEADERS header...] [LINK target...]): headers, whose reading takes small files most of their time, are read
# once for all targets of a kind: those of the standard library, fmt, and HEADERS, which LINK says where to find. Only where there is no
# ccache, which would compile once more what it finds in another folder.
function(lockstep_precompile target kind)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
  if(LOCKSTEP_CCACHE OR LOCKSTEP_SANITIZE OR LOCKSTEP_COVERAGE OR LOCKSTEP_FUZZ OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  set(headers lockstep_headers_${kind})
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${headers}.cpp" CONTENT "")
    set_source_files_properties("${PROJECT_BINARY_DIR}/${headers}.cpp" PROPERTIES COMPILE_OPTIONS -Og)
    add_library(${headers} OBJECT "${PROJECT_BINARY_DIR}/${headers}.cpp")
    target_compile_features(${headers} PRIVATE cxx_std_23)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")  # whose files are compiled with -fPIE, not -fPIC
      set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${headers} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
    endif()
    target_link_libraries(${headers} PRIVATE fmt::fmt ${arg_LINK})
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <cstdint> <expected> <functional> <map> <memory> <optional> <set> <span>
                              <string> <string_view> <unordered_map> <variant> <vector> <fmt/format.h> <fmt/ranges.h> ${arg_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # With such headers it warns of its own std::string, as it does not without.
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endfunction()

# One file, compiled for each level of the x86-64 instruction set; the machine chooses at run time. The file must define
# nothing inline that is visible outside, or the linker could keep the copy with the wider instructions for everyone
# (tests/layers/lane_symbols.sh looks at the objects, which the global property LOCKSTEP_LANE_OBJECTS keeps).
function(_lockstep_add_lane_kernels target source)
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(levels baseline v3 v4)
    set(flags_baseline -march=x86-64)
    set(flags_v3 -march=x86-64-v3)
    set(flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  endif()
  foreach(level IN LISTS levels)
    set(object ${target}_lanes_${level})
    add_library(${object} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_compile_definitions(${object} PRIVATE LOCKSTEP_LANE_KERNELS=${level})
    target_include_directories(${object} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_options(${object} PRIVATE ${flags_${level}} -O3 -ffp-contract=off -fno-math-errno)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LANE_OBJECTS $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
