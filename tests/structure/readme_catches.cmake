# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D SCRATCH=<folder> -P readme_catches.cmake: readme.cmake accepts a true README.md and refuses others.

file(REMOVE_RECURSE "${SCRATCH}")
set(program "#include <vector>\nint main() { int a[2]{1, 2}; return a[0] - 1; }\n")
file(WRITE "${SCRATCH}/examples/a.cpp" "// SPDX-License-Identifier: any\n${program}")

# try(<name> <text of README.md> <expected regex, or PASS> [option...])
function(try name text expected)
  file(WRITE "${SCRATCH}/README.md" "${text}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH} ${ARGN} -P ${CMAKE_CURRENT_LIST_DIR}/readme.cmake
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(expected STREQUAL "PASS")
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${name}: a true README.md was refused: ${output}")
    endif()
  elseif(status EQUAL 0)
    message(SEND_ERROR "${name}: the fault was not noticed")
  elseif(NOT output MATCHES "${expected}")
    message(SEND_ERROR "${name}: expected '${expected}' in: ${output}")
  endif()
endfunction()

set(good "# a [b]; c\n```cpp examples/a.cpp\n${program}```\n```sh\nls -l\n```\nlast\n")
try(good "${good}" PASS)
try(other_text "```cpp examples/a.cpp\n${program}int b;\n```\n" "another text than examples/a.cpp")
try(empty_block "```cpp examples/a.cpp\n```\n" "another text than examples/a.cpp")
try(no_file "```cpp examples/b.cpp\nint b;\n```\n" "shows examples/b.cpp, which does not exist")
try(homeless "```cpp\nint b;\n```\n" "C.. that no file holds")
try(no_program "```sh\nexamples/none.sh --x\n```\n" "runs examples/none.sh, which does not exist")
try(open_end "```sh\nls\n" "a block without an end")
set(copy -D SCRATCH=${SCRATCH}/../readme_copy)
try(runs "```sh run\nx='a;b'\n[ \"$x\" = 'a;b' ]\n```\n" PASS ${copy})
try(does_not_run "```sh run\nfalse\ntrue\n```\n" "failed command" ${copy})
try(nothing_runs "text\n" "no block ```sh run" ${copy})

try(update "# a [b]; c\n```cpp examples/a.cpp\nold\n```\n```sh\nls -l\n```\nlast\n" PASS -D UPDATE=ON)
file(READ "${SCRATCH}/README.md" updated)
if(NOT "${updated}" STREQUAL "${good}")
  message(SEND_ERROR "the update wrote:\n${updated}")
endif()
