# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D SCRATCH=<folder> -P release_catches.cmake: release.cmake refuses what does not agree.

cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")

# try(<name> <file> <text> <other text> <expected regex>): a copy of the project where the file has another text.
function(try name file from to expected)
  set(copy "${SCRATCH}/${name}")
  file(REMOVE_RECURSE "${copy}")
  foreach(path IN ITEMS CMakeLists.txt cmake/glt_dependencies.cmake include/glt/version.hpp docs/CITATION.cff docs/CHANGELOG.md docs/guides/install.md)
    file(READ "${root}/${path}" text)
    if(path STREQUAL file)
      string(REPLACE "${from}" "${to}" text "${text}")
    endif()
    file(WRITE "${copy}/${path}" "${text}")
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${copy} -P ${CMAKE_CURRENT_LIST_DIR}/release.cmake
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(expected STREQUAL "PASS" AND NOT status EQUAL 0)
    message(SEND_ERROR "${name}: a good project was refused: ${output}")
  elseif(NOT expected STREQUAL "PASS" AND NOT output MATCHES "${expected}")
    message(SEND_ERROR "${name}: expected '${expected}' in: ${output}")
  endif()
endfunction()

try(good none "" "" PASS)
try(version include/glt/version.hpp "MINOR 1" "MINOR 7" "CITATION.cff has another version.*CHANGELOG.md has no section '## 0.7.0'")
try(option docs/guides/install.md "`GLT_INSTALL`" "`GLT_ELSE`" "does not list the option GLT_INSTALL")
try(component docs/guides/install.md "`GLT_METIS`" "`GLT_ELSE`" "does not list the option GLT_METIS")
try(library cmake/glt_dependencies.cmake "\"libmetis-dev\"" "\"libmetis-2-dev\"" "no line with '. `libmetis-2-dev`")
