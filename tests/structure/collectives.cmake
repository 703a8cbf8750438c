# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D ROOT=<project> -P collectives.cmake: every public collective, by its line @comm, is named by a site of
# tests/faults/jobs/throw*.cpp, where one rank throws before, inside and after it.

cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)

# What has no site of its own, and why.
set(without_site
    "run_collectively"         # all cases are inside of it
    "mpi_environment"          # before there is a rank that could tell the others
    "mpi_comm world"           #
    "mpi_comm duplicate_of"    # of MPI alone, as are messages and splits of communicators
    "run_mpi_program"          # the programs' main
    "mpi_attachment accept"    # waits for another job: tests/mpi/attach.sh
    "mpi_attachment connect"
    "threads_node share"       # ranks that are threads
    "make_nccl_comm")          # needs a GPU

set(sites "")
file(GLOB jobs "${ROOT}/tests/faults/jobs/throw*.cpp")
foreach(job IN LISTS jobs)
  file(STRINGS "${job}" lines REGEX "^ +{\"[^\"]+\", (true|false),")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^ +{\"([^\"]+)\".*" "\\1" name "${line}")
    list(APPEND sites "${name}")
  endforeach()
endforeach()

file(STRINGS "${ROOT}/tests/structure/public_names.txt" public_names)
set(missing "")
set(number 0)
file(GLOB_RECURSE headers RELATIVE "${ROOT}/include" "${ROOT}/include/glt/*.hpp")
list(FILTER headers EXCLUDE REGEX "/detail/")
foreach(header IN LISTS headers)
  file(READ "${ROOT}/include/${header}" text)
  if(NOT text MATCHES "@comm")
    continue()
  endif()
  string(REGEX REPLACE "[][;\\]" "@" text "${text}") # what lists trip over
  string(REPLACE "\n" ";" lines "${text}")
  set(scope "")
  set(pending FALSE)
  foreach(line IN LISTS lines)
    if(line MATCHES "^}")
      set(scope "")
    elseif(line MATCHES "^(class|struct) ([a-z0-9_]+)[^@]*$")
      string(REGEX REPLACE "_impl$" "" scope "${CMAKE_MATCH_2}")
    endif()
    if(line MATCHES "^ *///")
      if(line MATCHES "@comm" AND NOT line MATCHES "@comm +none")
        set(pending TRUE)
      endif()
    elseif(line STREQUAL "")
      set(pending FALSE)
    elseif(pending AND NOT line MATCHES "^ *(template|requires|//)" AND line MATCHES "^class |^struct |([A-Za-z0-9_]+)[(]")
      set(pending FALSE)
      set(words ${scope} ${CMAKE_MATCH_1})
      list(TRANSFORM words REPLACE "_impl$" "")
      list(REMOVE_DUPLICATES words)
      list(GET words 0 first)
      list(JOIN words " " name)
      if(NOT "${public_names}" MATCHES "::${first} ${header}" OR name IN_LIST without_site)
        continue()
      endif()
      math(EXPR number "${number} + 1")
      set(found ${sites})
      foreach(word IN LISTS words)
        list(FILTER found INCLUDE REGEX "(^|[^a-z0-9_])${word}([^a-z0-9_]|$)")
      endforeach()
      if(found STREQUAL "")
        list(APPEND missing "include/${header}: no site throws around ${name}. Add one to tests/faults/jobs/throw*.cpp")
      endif()
    endif()
  endforeach()
endforeach()

if(missing)
  list(JOIN missing "\n  " text)
  message(FATAL_ERROR "Collectives:\n  ${text}")
endif()
list(LENGTH sites num_sites)
message(STATUS "${number} public collectives, ${num_sites} sites")
