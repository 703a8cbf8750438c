# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Switches the CUDA language on for the tests, benchmarks and examples of the project itself: GLT_CUDA_LANGUAGE.
include_guard(GLOBAL)
include(CheckLanguage)

set(GLT_CUDA_LANGUAGE OFF)
if(GLT_WITH_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    endif()
    if(NOT CMAKE_CUDA_RUNTIME_LIBRARY)
      set(CMAKE_CUDA_RUNTIME_LIBRARY Shared) # the one that glt::cuda links
    endif()
    enable_language(CUDA)
    set(GLT_CUDA_LANGUAGE ON)
  else()
    message(STATUS "  without programs for GPUs (no nvcc that works)")
  endif()
endif()
