# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the components are made of, for the project itself, for find_package(glt) and for packages.

# The component that a component builds on, beside glt.
set(glt_needs_instances mpi)
set(glt_needs_ptscotch mpi)
set(glt_needs_cuda thrust)
set(glt_needs_nccl cuda)

# The libraries of a component: packages that CMake finds.
set(glt_libraries_io ZLIB nlohmann_json xxHash libzip)
set(glt_libraries_metis METIS)
set(glt_libraries_mpi MPI)
set(glt_libraries_ptscotch PTSCOTCH)
set(glt_libraries_thrust Thrust)
set(glt_libraries_cuda CUDAToolkit)
set(glt_libraries_nccl NCCL)
set(glt_libraries_dlpack dlpack)
set(glt_libraries_torch Torch)
set(glt_arguments_MPI COMPONENTS CXX)

# The Debian package of a library, and the variables that say where it is if it is elsewhere.
set(glt_debian_ZLIB "zlib1g-dev")
set(glt_places_ZLIB ZLIB_ROOT)
set(glt_debian_nlohmann_json "nlohmann-json3-dev")
set(glt_places_nlohmann_json nlohmann_json_DIR)
set(glt_debian_xxHash "libxxhash-dev")
set(glt_places_xxHash XXHASH_INCLUDE_DIR)
set(glt_debian_libzip "libzip-dev")
set(glt_places_libzip LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY)
set(glt_debian_METIS "libmetis-dev")
set(glt_places_METIS METIS_INCLUDE_DIR METIS_LIBRARY)
set(glt_debian_MPI "libopenmpi-dev | libmpich-dev")
set(glt_places_MPI MPI_CXX_COMPILER)
set(glt_debian_PTSCOTCH "libptscotch-dev")
set(glt_places_PTSCOTCH PTSCOTCH_INCLUDE_DIR PTSCOTCH_LIBRARY PTSCOTCH_ERROR_LIBRARY)
set(glt_debian_Thrust "libthrust-dev")
set(glt_places_Thrust Thrust_INCLUDE_DIR)
set(glt_debian_CUDAToolkit "nvidia-cuda-toolkit")
set(glt_places_CUDAToolkit CUDAToolkit_ROOT)
set(glt_debian_NCCL "libnccl-dev")
set(glt_places_NCCL NCCL_INCLUDE_DIR NCCL_LIBRARY)
set(glt_debian_dlpack "libdlpack-dev")
set(glt_places_dlpack dlpack_DIR)
set(glt_debian_Torch "libtorch-dev")
set(glt_places_Torch Torch_DIR)
set(glt_debian_CLI11 "libcli11-dev")
set(glt_places_CLI11 CLI11_DIR)

# glt_option_of(<variable> <component>): the option that switches a component on.
function(glt_option_of variable component)
  if(component STREQUAL "instances")
    set(component mpi)
  endif()
  string(TOUPPER "GLT_${component}" option)
  set(${variable} ${option} PARENT_SCOPE)
endfunction()

# glt_describe_missing(<variable> <library>...): a sentence that says what is missing and how to get it.
function(glt_describe_missing variable)
  set(sentences)
  foreach(library IN LISTS ARGN)
    string(REPLACE " | " " or " package "${glt_debian_${library}}")
    list(TRANSFORM glt_places_${library} REPLACE "(.+)" "-D\\1=<path>" OUTPUT_VARIABLE places)
    list(JOIN places " " places)
    list(APPEND sentences "${library} was not found: install the Debian package ${package}, or pass ${places}")
  endforeach()
  list(JOIN sentences "; " text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# glt_find_library(<library> [QUIET]): find_package, for all components alike. It keeps the two packages of LibTorch together,
# of which one looks for the other in the system's folders before its own.
macro(glt_find_library library)
  if("${library}" STREQUAL "Torch" AND Torch_DIR AND NOT Caffe2_DIR AND EXISTS "${Torch_DIR}/../Caffe2/Caffe2Config.cmake")
    set(Caffe2_DIR "${Torch_DIR}/../Caffe2")
  endif()
  find_package(${library} ${ARGN} ${glt_arguments_${library}})
  if("${library}" STREQUAL "Torch" AND Torch_DIR AND Caffe2_DIR)
    file(REAL_PATH "${Torch_DIR}/.." glt_of_torch)
    file(REAL_PATH "${Caffe2_DIR}/.." glt_of_caffe2)
    if(NOT glt_of_torch STREQUAL glt_of_caffe2)
      message(FATAL_ERROR "two LibTorch are mixed: Torch_DIR=${Torch_DIR}, Caffe2_DIR=${Caffe2_DIR}; in an empty build folder "
                          "pass -DCMAKE_PREFIX_PATH=<folder of one>, for a wheel $(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')")
    endif()
  endif()
endmacro()
