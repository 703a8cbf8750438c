# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the tests, benchmarks and examples of the project itself share. Nothing of it reaches a user's target.
include_guard(GLOBAL)

set(GLT_SANITIZE "" CACHE STRING "Sanitizers of tests, benchmarks and examples, such as address,undefined")

add_library(glt_warnings INTERFACE)
set(glt_flags -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_compile_options(glt_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${glt_flags}>"
                                              $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # -Wconversion means what it means to g++. std::stable_sort of g++'s library calls what that library deprecates; headers
  # of glt do without it, as tests/link shows.
  target_compile_options(glt_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion;-Wno-deprecated-declarations>")
endif()
# Memory of a core, MiB: what compilers may take when all cores compile.
cmake_host_system_information(RESULT glt_memory_of_core QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT glt_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR glt_memory_of_core "${glt_memory_of_core} / ${glt_cores}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND glt_memory_of_core GREATER 6000)
  # GCC collects garbage whenever its heap has grown by a third: a tenth of its time, for nothing.
  target_compile_options(glt_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1500000>
                                                $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=--param=ggc-min-heapsize=1500000>)
endif()
if(GLT_SANITIZE)
  # Null pointers and object sizes are the address sanitizer's as well; without them compiling takes half the time.
  target_compile_options(glt_warnings INTERFACE -fsanitize=${GLT_SANITIZE} -fno-sanitize-recover=all
                                                -fno-sanitize=null,object-size,vptr -fno-omit-frame-pointer)
  target_link_options(glt_warnings INTERFACE -fsanitize=${GLT_SANITIZE})
endif()

# A clone in another folder finds in ccache's store what this one has compiled: no text that is compiled and no option
# that ccache hashes names the folder. Without the sloppiness it leaves sources with precompiled headers alone.
find_program(GLT_CCACHE ccache)
set(GLT_CCACHE_ENVIRONMENT "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_ABSSTDERR=1
                           CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime)
if(GLT_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env ${GLT_CCACHE_ENVIRONMENT} "${GLT_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

if(GLT_WITH_MPI)
  include(glt_mpi_launcher)
endif()

# LibTorch's headers take ten seconds a program: where many are built they are precompiled, here, so that neither the
# folder nor an option of the build changes what ccache has of them.
if(GLT_BUILD_TESTS AND TARGET glt::torch AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/torch_precompiled.cpp" CONTENT "")
  add_library(glt_torch_precompiled OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/torch_precompiled.cpp")
  target_link_libraries(glt_torch_precompiled PRIVATE glt::torch glt_warnings)
  set_target_properties(glt_torch_precompiled PROPERTIES CXX_EXTENSIONS OFF)
  target_precompile_headers(glt_torch_precompiled PRIVATE <torch/types.h> <torch/nn/module.h> <torch/nn/modules/linear.h> <torch/optim/adam.h>)
endif()

# glt_add_program(<target> SOURCES <file>... [LINK <target>...]): an executable with the project's warnings.
function(glt_add_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE glt::glt ${arg_LINK} glt_warnings)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Programs list glt::torch in LINK; those of doctest have other options of the compiler.
  if(TARGET glt_torch_precompiled AND "glt::torch" IN_LIST arg_LINK AND NOT "doctest::doctest" IN_LIST arg_LINK)
    target_precompile_headers(${target} REUSE_FROM glt_torch_precompiled)
  endif()
endfunction()

# glt_add_mpi_test(NAME <name> COMMAND <target> [argument...] RANKS <number>... [TIMEOUT <seconds>]
#                  [PROPERTIES <name> <value>...])
#
# Adds one test <name>.<ranks>_ranks for every number of ranks.
function(glt_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "COMMAND;RANKS;PROPERTIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  list(POP_FRONT arg_COMMAND program)
  foreach(ranks IN LISTS arg_RANKS)
    set(test ${arg_NAME}.${ranks}_ranks)
    add_test(NAME ${test}
             COMMAND ${GLT_MPI_LAUNCHER} ${GLT_MPI_FLAGS} -n ${ranks} $<TARGET_FILE:${program}> ${arg_COMMAND})
    set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT} PROCESSORS ${ranks} LABELS mpi
                                            ENVIRONMENT "${GLT_MPI_ENVIRONMENT}" ${arg_PROPERTIES})
  endforeach()
endfunction()
