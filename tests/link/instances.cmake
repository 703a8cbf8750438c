# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D NM=<nm> -D OBJECT=<file> -P instances.cmake: the object needs the constructor of the loader, and what makes batches
# behind it is not in the object.
execute_process(COMMAND ${NM} -C ${OBJECT} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " U glt::dist::loader<[^\n]*>::loader\\(glt::mpi_comm")
  message(FATAL_ERROR "${OBJECT} does not take the constructor of the loader from elsewhere")
elseif(symbols MATCHES " [TWV] [^\n]*batch_producer")
  message(FATAL_ERROR "${OBJECT} has a batch_producer of its own")
endif()
