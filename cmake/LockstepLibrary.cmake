# One folder, one library.
#
#   lockstep_library(FOLDER [HOT] LINK target... PRIVATE_HEADERS target...)
#
# makes the target lockstep_NAME (alias Lockstep::NAME), NAME being the folder's last part, from FOLDER/*.cpp and the folders
# below it. New files are found by themselves. A folder without .cpp files gives a header-only (INTERFACE) library. Which other
# libraries of ours it is linked to stands in tests/layers/layers.txt. LINK names public imported targets, PRIVATE_HEADERS
# header-only targets that users of the library do not see. HOT is what programs
# spend their time in, and is optimised as the build type says; everything else with -O1, which takes two thirds of the time to compile.
#
# What was said is kept in global properties, so that lockstep_variant can build the same library once more with other
# definitions.

set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/layers/layers.txt")

function(lockstep_library folder)
  cmake_parse_arguments(arg "HOT" "" "LINK;PRIVATE_HEADERS" ${ARGN})
  get_filename_component(name "${folder}" NAME)
  _lockstep_read_layers("${folder}" depends)
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LIBRARIES ${name})
  set_property(GLOBAL PROPERTY LOCKSTEP_${name}_FOLDER "${folder}")
  set_property(GLOBAL PROPERTY LOCKSTEP_${name}_DEPENDS "${depends}")
  foreach(kind HOT LINK PRIVATE_HEADERS)
    set_property(GLOBAL PROPERTY LOCKSTEP_${name}_${kind} "${arg_${kind}}")
  endforeach()
  _lockstep_make_library(${name} "")
  add_library(Lockstep::${name} ALIAS lockstep_${name})
  set_target_properties(lockstep_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS lockstep_${name} EXPORT LockstepTargets)
endfunction()

# The names of the libraries that layers.txt lets `folder` include.
function(_lockstep_read_layers folder result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/tests/layers/layers.txt" line REGEX "^${folder}:")
  if(NOT line)
    message(FATAL_ERROR "tests/layers/layers.txt has no line for ${folder}")
  endif()
  string(REGEX REPLACE "^[^:]*:" "" line "${line}")
  string(REGEX REPLACE "#.*" "" line "${line}")
  string(REGEX MATCHALL "[^ /]+( |$)" names "${line}")
  list(TRANSFORM names STRIP)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# lockstep_variant(SUFFIX DEFINITION...): all libraries declared so far a second time, as lockstep_NAME_SUFFIX, compiled
# with the definitions and depending on each other only. Nothing of them is built before something links them.
function(lockstep_variant suffix)
  get_property(names GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
  foreach(name IN LISTS names)
    _lockstep_make_library(${name} "_${suffix}" EXCLUDE_FROM_ALL)
    get_target_property(kind lockstep_${name}_${suffix} TYPE)
    if(kind STREQUAL "INTERFACE_LIBRARY")
      target_compile_definitions(lockstep_${name}_${suffix} INTERFACE ${ARGN})
    else()
      target_compile_definitions(lockstep_${name}_${suffix} PUBLIC ${ARGN})
    endif()
  endforeach()
endfunction()

function(_lockstep_make_library name suffix)
  set(target lockstep_${name}${suffix})
  foreach(kind FOLDER DEPENDS HOT LINK PRIVATE_HEADERS)
    get_property(${kind} GLOBAL PROPERTY LOCKSTEP_${name}_${kind})
  endforeach()
  set(folder "${PROJECT_SOURCE_DIR}/${FOLDER}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(lane_kernels "${folder}/lane_kernels.cpp")
  if(lane_kernels IN_LIST sources)
    list(REMOVE_ITEM sources "${lane_kernels}")
  else()
    set(lane_kernels "")
  endif()

  if(sources OR lane_kernels)
    add_library(${target} STATIC ${ARGN} ${sources})
    set(scope PUBLIC)
    foreach(headers IN LISTS PRIVATE_HEADERS)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${headers}>)
    endforeach()
    if(NOT HOT)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_compile_features(${target} ${scope} cxx_std_23)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lockstep>)
  list(TRANSFORM DEPENDS REPLACE "(.+)" "lockstep_\\1${suffix}")
  target_link_libraries(${target} ${scope} ${DEPENDS} ${LINK})
  if(lane_kernels)
    _lockstep_add_lane_kernels(${target} "${lane_kernels}")
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
    target_compile_definitions(${object} PRIVATE LOCKSTEP_LANE_KERNELS=${level}
                                                 $<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>)
    target_include_directories(${object} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_options(${object} PRIVATE ${flags_${level}} -O3 -ffp-contract=off -fno-math-errno)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LANE_OBJECTS $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
