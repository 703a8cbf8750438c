# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D NM=<nm> -D OBJECTS=<file>... -P instances.cmake: of the objects, that of the program needs the constructor of the
# loader, and that of cmake/instances/ has it.
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(object MATCHES "neighbor_loader")
    set(kind "[TWV]")
  else()
    set(kind U)
  endif()
  if(NOT symbols MATCHES " ${kind} glt::dist::loader<[^\n]*>::loader\\(glt::mpi_comm")
    message(FATAL_ERROR "${object} has no symbol '${kind}' of the constructor of the loader")
  endif()
endforeach()
