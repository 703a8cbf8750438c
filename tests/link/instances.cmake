# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D NM=<nm> -D OBJECT=<file> -P instances.cmake: the object needs the constructors of the loader and of the data set, and
# what is behind them is not in the object. Older binutils leave the name of a constructor as clang mangles it.
execute_process(COMMAND ${NM} -C ${OBJECT} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " U glt::dist::loader<[^\n]*>::loader\\(glt::mpi_comm")
  message(FATAL_ERROR "${OBJECT} does not take the constructor of the loader from elsewhere")
elseif(NOT symbols MATCHES " U (glt::dist::data_set<[^\n]*>::data_set<[^\n]*\\(glt::mpi_comm|_ZN3glt4dist8data_set[^\n]*C[12]I)")
  message(FATAL_ERROR "${OBJECT} does not take the constructor of the data set from elsewhere")
elseif(symbols MATCHES " [TWV] [^\n]*(batch_producer|replicate_parts)")
  message(FATAL_ERROR "${OBJECT} has a ${CMAKE_MATCH_1} of its own")
endif()
