# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs glt in PREFIX from a build that finds no LibTorch.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${PREFIX}" "${BUILD}")
set(off)
foreach(option IN ITEMS IO METIS MPI PTSCOTCH THRUST CUDA NCCL DLPACK BUILD_TESTS BUILD_BENCHMARKS BUILD_EXAMPLES BUILD_PARTITION)
  list(APPEND off -DGLT_${option}=OFF)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
                        -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON ${off}
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "glt::torch is installed as headers; programs with it are not built")
  message(FATAL_ERROR "the summary does not say what becomes of glt::torch:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
