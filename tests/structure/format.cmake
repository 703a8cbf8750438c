# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -D ROOT=<folder> -D CLANG_FORMAT=<program> -P format.cmake: every C++ file has the form of .clang-format.
# With -D UPDATE=ON it gets it.
cmake_minimum_required(VERSION 3.25)
set(files)
foreach(folder IN ITEMS include tests bench examples cmake)
  file(GLOB_RECURSE found "${ROOT}/${folder}/*.hpp" "${ROOT}/${folder}/*.cpp" "${ROOT}/${folder}/*.cuh" "${ROOT}/${folder}/*.cu")
  list(APPEND files ${found})
endforeach()
if(NOT files)
  message(FATAL_ERROR "there is no file to check in ${ROOT}")
endif()
set(check --dry-run -Werror)
if(UPDATE)
  set(check -i)
endif()
execute_process(COMMAND ${CLANG_FORMAT} --style=file:${CMAKE_CURRENT_LIST_DIR}/../../.clang-format ${check} ${files}
                RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  string(REGEX MATCHALL "[^\n]*: error: " lines "${output}")
  list(TRANSFORM lines REPLACE ":[0-9]+:[0-9]+: error: " "")
  list(REMOVE_DUPLICATES lines)
  list(JOIN lines "\n  " lines)
  message(FATAL_ERROR "not formatted:\n  ${lines}\nwrite them anew with\n  cmake -D ROOT=. -D CLANG_FORMAT=clang-format-19 -D UPDATE=ON "
                      "-P tests/structure/format.cmake\n${output}")
endif()
