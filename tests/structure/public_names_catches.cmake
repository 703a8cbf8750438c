# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D SCRATCH=<folder> -P public_names_catches.cmake: public_names.cmake accepts a good project, refuses bad ones, and
# writes the list.

set(good "namespace glt {

/// What it is.
///
/// @shape  [n]
template <class T>
class owner {
public:
  void member(int x) const;

private:
  struct hidden {};
};

template <class T>
owner(T) -> owner<T>;

/// What it returns.
template <class T>
  requires true
[[nodiscard]] constexpr std::array<T, 4>
quadruple(T value, T other = T(1)) noexcept {
  return {};
}

/// A number.
inline constexpr std::int64_t limit = 4;

template <>
struct owner<int>;
class later;

namespace detail {

struct helper {};

} // namespace detail

bool operator==(helper, helper);

} // namespace glt
")
set(names "glt::limit glt/core/probe.hpp\nglt::owner glt/core/probe.hpp\nglt::quadruple glt/core/probe.hpp\n")

# try(<name> <header> <text> <listed names> <expected regex, or PASS>)
function(try name header text listed expected)
  set(root "${SCRATCH}/${name}")
  file(REMOVE_RECURSE "${root}")
  file(WRITE "${root}/include/glt/${header}" "${text}")
  file(WRITE "${root}/tests/structure/public_names.txt" "${listed}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${root} -P ${CMAKE_CURRENT_LIST_DIR}/public_names.cmake
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(expected STREQUAL "PASS")
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${name}: a good project was refused: ${output}")
    endif()
  elseif(status EQUAL 0)
    message(SEND_ERROR "${name}: the fault was not noticed")
  elseif(NOT output MATCHES "${expected}")
    message(SEND_ERROR "${name}: expected '${expected}' in: ${output}")
  endif()
endfunction()

set(internal "namespace glt::detail {\nstruct helper {};\n} // namespace glt::detail\n")
try(good core/probe.hpp "${good}" "${names}" PASS)
try(good_detail core/detail/probe.hpp "${internal}" "" PASS)
try(new core/probe.hpp "namespace glt {\n/// New.\nvoid f(int x);\n} // namespace glt\n" "" "glt::f glt/core/probe.hpp: is public and not in")
try(gone core/probe.hpp "${good}" "${names}glt::gone glt/core/probe.hpp\n" "glt::gone glt/core/probe.hpp: is in .* and no longer public")
try(silent core/probe.hpp "namespace glt {\n/// No docstring.\n\nstruct f {};\n} // namespace glt\n" "glt::f glt/core/probe.hpp\n"
    "glt::f has no docstring")
try(overload core/probe.hpp "namespace glt {\n/// One.\nint f(int);\nint f(long);\n} // namespace glt\n" "glt::f glt/core/probe.hpp\n"
    "glt::f has no docstring")
try(escaped core/detail/probe.hpp "namespace glt {\n/// Doc.\nconcept c = true;\n} // namespace glt\n" "" "declares glt::c. Put it in namespace detail")
try(internal core/probe.hpp "${internal}" "" "declares nothing that a user may name")

file(WRITE "${SCRATCH}/good/tests/structure/public_names.txt" "")
execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH}/good -D UPDATE=ON -P ${CMAKE_CURRENT_LIST_DIR}/public_names.cmake
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
file(READ "${SCRATCH}/good/tests/structure/public_names.txt" written)
if(NOT status EQUAL 0 OR NOT written STREQUAL names)
  message(SEND_ERROR "the list that was written: ${written}")
endif()
