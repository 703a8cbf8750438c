# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds NCCL and makes the target NCCL::nccl; looks beside the CUDA toolkit as well, and below NCCL_ROOT. Packages of pip have
# no libnccl.so, but libnccl.so.2.
include(FindPackageHandleStandardArgs)
find_package(CUDAToolkit QUIET)
find_path(NCCL_INCLUDE_DIR NAMES nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include)
mark_as_advanced(NCCL_INCLUDE_DIR)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${CUDAToolkit_LIBRARY_DIR} /usr/local/cuda/lib64)
mark_as_advanced(NCCL_LIBRARY)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR)
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${NCCL_INCLUDE_DIR}")
endif()
