# Texts of the source tree that programs carry with them: they need no files where they run.

include_directories("${PROJECT_BINARY_DIR}/embedded")

# lockstep_embed(FILE...): for each file embedded/NAME.inc in the build folder, the text as a list of string literals. In pieces, because
# compilers need not take long ones.
function(lockstep_embed)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(name "${file}" NAME)
    # Whole, and cut then: file(READ) with a LIMIT ends what it reads with a line break that is not there.
    file(READ "${file}" text)
    string(LENGTH "${text}" size)
    set(literals "")
    set(begin 0)
    while(begin LESS size)
      string(SUBSTRING "${text}" ${begin} 8000 piece)
      string(APPEND literals "R\"text(${piece})text\",\n")
      math(EXPR begin "${begin} + 8000")
    endwhile()
    set(target "${PROJECT_BINARY_DIR}/embedded/${name}.inc")
    set(old "")
    if(EXISTS "${target}")
      file(READ "${target}" old)
    endif()
    if(NOT literals STREQUAL old)
      file(WRITE "${target}" "${literals}")
    endif()
  endforeach()
endfunction()
