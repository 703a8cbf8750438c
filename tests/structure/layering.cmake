# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D ROOT=<project> [-D TABLE=<markdown>] -P layering.cmake: checks what the sources may include and name, file by
# file. Which folder may include which stands in docs/architecture.md.

set(core_folders core exec memory comm graph feature partition sample dist)

# What a core header may take from the system or the processor, inside of a condition and with another way beside it.
set(system_includes "memory:<sys/mman.h>" "feature:<emmintrin.h>" "feature:<immintrin.h>" "core:<emmintrin.h>")

# A folder may include itself and what its row of the table says.
if(NOT TABLE)
  set(TABLE "${ROOT}/docs/architecture.md")
endif()
set(folders_of_table "")
file(STRINGS "${TABLE}" rows REGEX "^[|] `[a-z]+/` [|]" ENCODING UTF-8)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^[|] `([a-z]+)/` .*[|] *([a-z ]*) *[|]$" "\\1:\\2" row "${row}")
  string(REGEX MATCH "^([a-z]+):([a-z ]*)$" row "${row}")
  string(STRIP "${CMAKE_MATCH_2}" may_include)
  string(REPLACE " " ";" may_include_${CMAKE_MATCH_1} "${may_include}")
  list(APPEND folders_of_table "${CMAKE_MATCH_1}")
endforeach()
if(NOT "dist" IN_LIST folders_of_table)
  message(FATAL_ERROR "${TABLE} has no table of folders with a row '| `dist/` | … | may include |'")
endif()

# Names that the core folders leave to the optional ones, and ending the process, which they leave to their user.
set(optional_names "MPI_[A-Za-z]|ompi_|torch::|at::Tensor|thrust::|cuda[A-Z]|nccl[A-Z]|GLT_TEST|abort *\\(")

# Names that no header has: the library does not print, exit or read the environment, and hides no other library.
set(forbidden_names
    "std::(cout|cerr|clog|getenv|exit|quick_exit|printf|puts)[^a-z_]|[^a-z_:](printf|getenv|exit) *\\(|namespace (glt::)?(mpi|torch|cuda|thrust|nccl)[ {]|using namespace|TODO|FIXME|XXX")

set(faults "")
macro(fault path line text)
  list(APPEND faults "${path}:${line}: ${text}")
endmacro()

# Reads the lines of a file; brackets and semicolons, which CMake lists trip over, become other characters.
function(read_lines variable path)
  file(READ "${path}" text)
  string(REPLACE ";" "," text "${text}")
  string(REPLACE "[" "(" text "${text}")
  string(REPLACE "]" ")" text "${text}")
  string(REPLACE "\\" "/" text "${text}")
  string(REPLACE "\n" ";" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Every source file names the licence in its first lines.
file(GLOB_RECURSE sources RELATIVE "${ROOT}"
     "${ROOT}/include/*.hpp" "${ROOT}/include/*.cuh" "${ROOT}/tests/*.cu" "${ROOT}/bench/*.cu" "${ROOT}/examples/*.cu"
     "${ROOT}/tests/*.?pp" "${ROOT}/bench/*.?pp" "${ROOT}/examples/*.?pp"
     "${ROOT}/cmake/*" "${ROOT}/tests/*.cmake" "${ROOT}/*CMakeLists.txt" "${ROOT}/tests/*.sh" "${ROOT}/bench/*.sh"
     "${ROOT}/examples/*.sh" "${ROOT}/.ci/run")
list(FILTER sources EXCLUDE REGEX "^build")
foreach(path IN LISTS sources)
  file(READ "${ROOT}/${path}" head LIMIT 200)
  if(NOT head MATCHES "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    fault("${path}" 1 "has no SPDX line; begin it with 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'")
  endif()
endforeach()

# Every header keeps to its folder's row.
file(GLOB_RECURSE headers RELATIVE "${ROOT}/include/glt" "${ROOT}/include/glt/*")
foreach(header IN LISTS headers)
  set(path "include/glt/${header}")
  string(REGEX REPLACE "/.*" "" folder "${header}")
  cmake_path(GET header EXTENSION LAST_ONLY extension)
  if(header STREQUAL "glt.hpp")
    continue()
  elseif(NOT folder IN_LIST folders_of_table)
    fault("${path}" 1 "is in no folder of the design")
    continue()
  elseif(NOT extension MATCHES "^[.](hpp|cuh)$")
    fault("${path}" 1 "is not a header; name it .hpp")
    continue()
  endif()
  set(is_core FALSE)
  if(folder IN_LIST core_folders)
    set(is_core TRUE)
  endif()
  read_lines(lines "${ROOT}/include/glt/${header}")
  if(NOT "#pragma once" IN_LIST lines)
    fault("${path}" 1 "has no '#pragma once'")
  endif()
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "^ *# *include +(.*)$")
      set(included "${CMAKE_MATCH_1}")
      if(included MATCHES "^<glt/([a-z_]+)/([a-z_]+/)*[a-z0-9_]+[.](hpp|cuh)>")
        set(other "${CMAKE_MATCH_1}")
        if(NOT other STREQUAL folder AND NOT other IN_LIST may_include_${folder})
          list(JOIN may_include_${folder} ", " allowed)
          fault("${path}" ${number} "${folder}/ may not include ${other}/ (allowed: ${allowed})")
        endif()
      elseif(included MATCHES "^\"|^<glt")
        fault("${path}" ${number} "write includes as <glt/folder/file.hpp>, not ${included}")
      elseif(is_core AND NOT included MATCHES "^<[a-z_]+>" AND NOT "${folder}:${included}" IN_LIST system_includes)
        fault("${path}" ${number} "a core folder includes nothing but glt and the C++ library, not ${included}")
      endif()
    endif()
    if(is_core AND line MATCHES "${optional_names}")
      fault("${path}" ${number} "a core folder may not name: ${CMAKE_MATCH_0}")
    endif()
    if(" ${line}" MATCHES "${forbidden_names}")
      fault("${path}" ${number} "no header may contain: ${CMAKE_MATCH_0}")
    endif()
  endforeach()
endforeach()

# glt.hpp includes every core header that is not in a detail/, and nothing else.
if(EXISTS "${ROOT}/include/glt/glt.hpp")
  read_lines(lines "${ROOT}/include/glt/glt.hpp")
  foreach(folder IN LISTS core_folders)
    file(GLOB_RECURSE core_headers RELATIVE "${ROOT}/include" "${ROOT}/include/glt/${folder}/*.hpp")
    list(FILTER core_headers EXCLUDE REGEX "/detail/")
    foreach(header IN LISTS core_headers)
      if(NOT "#include <${header}>" IN_LIST lines)
        fault("include/glt/glt.hpp" 1 "add the line '#include <${header}>'")
      endif()
      list(REMOVE_ITEM lines "#include <${header}>")
    endforeach()
  endforeach()
  foreach(line IN LISTS lines)
    if(line MATCHES "#include")
      fault("include/glt/glt.hpp" 1 "remove the line '${line}'")
    endif()
  endforeach()
else()
  fault("include/glt/glt.hpp" 1 "is missing")
endif()

if(faults)
  list(JOIN faults "\n" text)
  list(LENGTH faults count)
  message(FATAL_ERROR "${count} faults\n${text}")
endif()
list(LENGTH headers count)
message(STATUS "${count} headers keep to the design")
