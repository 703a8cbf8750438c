# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D SCRATCH=<folder> -P collectives_catches.cmake: collectives.cmake accepts collectives with sites and names others.

# try(<name> <name of the site> <expected regex, or PASS>)
function(try name site expected)
  file(REMOVE_RECURSE "${SCRATCH}")
  file(WRITE "${SCRATCH}/tests/structure/public_names.txt" "glt::sum_all glt/comm/sum.hpp\nglt::adder glt/comm/sum.hpp\n")
  file(WRITE "${SCRATCH}/tests/faults/jobs/throw.cpp" "      {\"${site}\", true,\n")
  file(WRITE "${SCRATCH}/include/glt/comm/sum.hpp" "/// Adds.
///
/// @comm   collective
template <class Comm>
[[nodiscard]] int sum_all(Comm& comm);

class adder {
  /// @comm   none
  void alone();
  /// @comm   collective; as above
  template <class Comm>
  void add(Comm& comm);
};

/// @comm   collective
void internal();
")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH} -P ${CMAKE_CURRENT_LIST_DIR}/collectives.cmake
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(expected STREQUAL "PASS")
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${name}: collectives with sites were refused: ${output}")
    endif()
  elseif(status EQUAL 0 OR NOT output MATCHES "${expected}")
    message(SEND_ERROR "${name}: expected '${expected}' in: ${output}")
  endif()
endfunction()

try(all "sum_all, adder::add" PASS)
try(no_function "adder::add" "no site throws around sum_all.")
try(no_member "sum_all of an adder" "no site throws around adder add.")
try(longer_name "my_sum_all, adder::add" "no site throws around sum_all.")
