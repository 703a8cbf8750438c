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
find_program(GLT_LLD ld.lld) # links in a third of the time, large programs in a tenth
if(GLT_LLD)
  target_link_options(glt_warnings INTERFACE $<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld>)
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
# g++ keeps checksums of the headers that it has precompiled: one that was made before a comment changed, which ccache
# finds by the preprocessed text, is of no use. GLT_LAUNCHER_PRECOMPILED, for targets that precompile headers of glt,
# has ccache go by the files alone, in a store apart from what it has found otherwise.
set(GLT_LAUNCHER_PRECOMPILED "${CMAKE_CXX_COMPILER_LAUNCHER}")
if(GLT_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(environment "${CMAKE_COMMAND}" -E env ${GLT_CCACHE_ENVIRONMENT})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${environment} "${GLT_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  set(GLT_LAUNCHER_PRECOMPILED ${environment} CCACHE_DEPEND=1 CCACHE_NAMESPACE=precompiled "${GLT_CCACHE}")
endif()

if(GLT_WITH_MPI)
  include(glt_mpi_launcher)
endif()

# Tests, benchmarks and examples that are neighbours are compiled together: what they share is instantiated once, which
# takes half of the time. By tests/support/group.cmake every source is in a namespace of its own.
set(group 1)
if(GLT_BUILD_TESTS)
  if(glt_memory_of_core GREATER 10000 AND (NOT GLT_SANITIZE MATCHES "address" OR CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
    set(group 32) # they take up to 5 GB, twice as much under the address sanitizer of g++
  elseif(glt_memory_of_core GREATER 6000) # 2 GB
    set(group 16)
  else()
    set(group 4)
  endif()
  if(TARGET glt_instances)
    set_target_properties(glt_instances PROPERTIES UNITY_BUILD ON)
  endif()
endif()
set(GLT_TEST_GROUP ${group} CACHE STRING "Most sources that are compiled together; 1 compiles every one alone")

# glt_group_sources(<variable> <name> <suffix> [PROGRAMS] <file>...): the translation units of these sources. With PROGRAMS
# every source has a main, which the program that links tests/support/group_main.cpp calls by the name of the source.
function(glt_group_sources variable name suffix)
  cmake_parse_arguments(PARSE_ARGV 3 arg "PROGRAMS" "" "")
  set(sources ${arg_UNPARSED_ARGUMENTS})
  set(script "${PROJECT_SOURCE_DIR}/tests/support/group.cmake")
  set(units)
  set(number 0)
  list(LENGTH sources length)
  math(EXPR groups "(${length} + ${GLT_TEST_GROUP} - 1) / ${GLT_TEST_GROUP}")
  while(sources)
    math(EXPR size "(${length} + ${groups} - 1) / ${groups}") # so that groups are about equal
    list(SUBLIST sources 0 ${size} group)
    list(REMOVE_ITEM sources ${group})
    math(EXPR number "${number} + 1")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${name}.units/${number}${suffix}")
    add_custom_command(OUTPUT "${unit}"
                       COMMAND ${CMAKE_COMMAND} -D "OUT=${unit}" -D "ROOT=${PROJECT_SOURCE_DIR}" -D "SOURCES=${group}"
                               -D "PROGRAMS=${arg_PROGRAMS}" -P "${script}"
                       DEPENDS ${group} "${script}" VERBATIM)
    list(APPEND units "${unit}")
  endwhile()
  set(${variable} ${units} PARENT_SCOPE)
endfunction()

# glt_add_program(<target> SOURCES <file>... [LINK <target>...]): an executable with the project's warnings.
function(glt_add_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE glt::glt ${arg_LINK} glt_warnings)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# glt_add_programs(<group> SOURCES <file>... [PREFIX <text>] [LINK <target>...]): for every source, an absolute path, a
# program <prefix><stem>. Those that are compiled together are one program <group> with a hard link of each name: the system
# names a process by the link that it was started by.
function(glt_add_programs group)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "SOURCES;LINK")
  list(LENGTH arg_SOURCES length)
  set(together FALSE)
  if(GLT_TEST_GROUP GREATER 1 AND length GREATER 1)
    set(together TRUE)
    glt_group_sources(units ${group} .cpp PROGRAMS ${arg_SOURCES})
    glt_add_program(${group} SOURCES ${units} "${PROJECT_SOURCE_DIR}/tests/support/group_main.cpp" LINK ${arg_LINK})
    list(TRANSFORM arg_SOURCES REPLACE "/[^/]*$" "" OUTPUT_VARIABLE folders)
    target_include_directories(${group} PRIVATE "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}" ${folders})
  endif()
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source STEM stem)
    set(name ${arg_PREFIX}${stem})
    if(NOT together)
      glt_add_program(${name} SOURCES ${source} LINK ${arg_LINK})
      continue()
    endif()
    set(link "${CMAKE_CURRENT_BINARY_DIR}/${name}")
    add_custom_command(TARGET ${group} POST_BUILD BYPRODUCTS "${link}"
                       COMMAND ${CMAKE_COMMAND} -E create_hardlink $<TARGET_FILE:${group}> "${link}")
    add_executable(${name} IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${link}")
    add_dependencies(${name} ${group})
  endforeach()
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
