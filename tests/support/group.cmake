# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -D OUT=<file> -D ROOT=<project> -D "SOURCES=<file>;..." [-D PROGRAMS=ON] -P group.cmake: writes one translation unit
# of several sources, which names them from tests/, bench/ or examples/ on, so that its text is the same in every clone. With
# PROGRAMS the main of each is entered in the list of support/group_main.hpp.
#
# First comes what the sources include, then every source in a namespace of its own, in which its own #include lines,
# which are the first lines of its code, find nothing left to include.
cmake_minimum_required(VERSION 3.25)

set(includes "")
if(PROGRAMS)
  set(includes "#include \"tests/support/group_main.hpp\"\n")
endif()
set(bodies "")
set(number 0)
foreach(source IN LISTS SOURCES)
  file(READ "${source}" text)
  # Brackets and semicolons, which CMake lists trip over, are of no concern in the first lines; lines that go on are joined.
  string(REGEX REPLACE "\\\\ *\n" " " text "${text}")
  string(REGEX REPLACE "[][;]" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(open 0)
  foreach(line IN LISTS lines)
    if(line MATCHES "^ *#")
      string(APPEND includes "${line}\n")
      if(line MATCHES "^ *# *if")
        math(EXPR open "${open} + 1")
      elseif(line MATCHES "^ *# *endif")
        math(EXPR open "${open} - 1")
      endif()
    elseif(NOT line MATCHES "^ *(//.*)?$")
      break()
    endif()
  endforeach()
  string(REPEAT "#endif\n" ${open} endifs)
  string(APPEND includes "${endifs}")
  cmake_path(GET source STEM name)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${ROOT}")
  string(REGEX REPLACE "^[a-z]+/(.+)$" "\\1" path "${source}")
  string(APPEND bodies "namespace group_${number} {\n#include \"${path}\"\n}\n")
  if(PROGRAMS)
    string(APPEND bodies "static glt_test::group_entry const entry_${number}(\"${name}\", group_${number}::main);\n")
  endif()
  math(EXPR number "${number} + 1")
endforeach()

file(CONFIGURE OUTPUT "${OUT}" CONTENT "${includes}${bodies}" @ONLY)
