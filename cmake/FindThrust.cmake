# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the headers of Thrust for a C++ compiler and makes the target Thrust::headers: those of a CUDA toolkit, or of the
# distribution (libthrust-dev). nvcc brings its own.
include(FindPackageHandleStandardArgs)
find_package(CUDAToolkit QUIET)
set(Thrust_candidates)
foreach(folder IN LISTS CUDAToolkit_INCLUDE_DIRS ITEMS "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" /usr/local/cuda/include)
  list(APPEND Thrust_candidates "${folder}/cccl" "${folder}")
endforeach()
find_path(Thrust_INCLUDE_DIR NAMES thrust/version.h HINTS ${Thrust_candidates})
mark_as_advanced(Thrust_INCLUDE_DIR)
unset(Thrust_candidates)
if(Thrust_INCLUDE_DIR)
  file(STRINGS "${Thrust_INCLUDE_DIR}/thrust/version.h" Thrust_VERSION REGEX "^#define THRUST_VERSION [0-9]+")
  string(REGEX REPLACE "^.* ([0-9]+).*$" "\\1" Thrust_VERSION "${Thrust_VERSION}")
  math(EXPR Thrust_VERSION_MAJOR "${Thrust_VERSION} / 100000")
  math(EXPR Thrust_VERSION_MINOR "${Thrust_VERSION} / 100 % 1000")
  math(EXPR Thrust_VERSION_PATCH "${Thrust_VERSION} % 100")
  set(Thrust_VERSION "${Thrust_VERSION_MAJOR}.${Thrust_VERSION_MINOR}.${Thrust_VERSION_PATCH}")
endif()
find_package_handle_standard_args(Thrust REQUIRED_VARS Thrust_INCLUDE_DIR VERSION_VAR Thrust_VERSION)
if(Thrust_FOUND AND NOT TARGET Thrust::headers)
  # Links such as /usr/local/cuda are followed: a compiler cache knows a folder by one name, however it was found.
  file(REAL_PATH "${Thrust_INCLUDE_DIR}" Thrust_folder)
  add_library(Thrust::headers INTERFACE IMPORTED)
  set_target_properties(Thrust::headers PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "$<$<COMPILE_LANGUAGE:CXX>:${Thrust_folder}>")
  unset(Thrust_folder)
endif()
