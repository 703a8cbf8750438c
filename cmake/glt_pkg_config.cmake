# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Files for pkg-config, one a component: glt.pc, glt-io.pc, … Programs for GPUs are built with CMake.
include_guard(GLOBAL)

# glt_install_pkg_config(<name> DESCRIPTION <text> [REQUIRES <text>] [CFLAGS <option>...] [LIBS <option>...])
function(glt_install_pkg_config name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION;REQUIRES" "CFLAGS;LIBS")
  set(folder "${CMAKE_INSTALL_DATADIR}/pkgconfig")
  file(RELATIVE_PATH up "/prefix/${folder}" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(include_dir "\${prefix}")
  cmake_path(APPEND include_dir "${CMAKE_INSTALL_INCLUDEDIR}")
  list(REMOVE_DUPLICATES arg_CFLAGS)
  list(JOIN arg_CFLAGS " " arg_CFLAGS)
  list(JOIN arg_LIBS " " arg_LIBS)
  configure_file("${glt_source_dir}/cmake/glt.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${folder}" COMPONENT glt_dev)
endfunction()

set(glt_core "glt = ${PROJECT_VERSION}")
glt_install_pkg_config(glt DESCRIPTION "${PROJECT_DESCRIPTION}; compile with -std=c++20" CFLAGS "-I\${includedir}")
if(GLT_WITH_IO)
  glt_install_pkg_config(glt-io DESCRIPTION "Readers of data sets and glt-parts folders"
                         REQUIRES "${glt_core}, zlib, libzip, nlohmann_json, libxxhash")
endif()
if(GLT_WITH_METIS)
  glt_install_pkg_config(glt-metis DESCRIPTION "The METIS partitioner" REQUIRES "${glt_core}"
                         CFLAGS "-I${METIS_INCLUDE_DIR}" LIBS "${METIS_LIBRARY}")
endif()
if(GLT_WITH_MPI)
  list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE glt_include)
  glt_install_pkg_config(glt-mpi DESCRIPTION "The MPI communicator" REQUIRES "${glt_core}"
                         CFLAGS -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX ${MPI_CXX_COMPILE_OPTIONS} ${glt_include}
                         LIBS ${MPI_CXX_LINK_FLAGS} ${MPI_CXX_LIBRARIES})
endif()
if(GLT_WITH_PTSCOTCH)
  glt_install_pkg_config(glt-ptscotch DESCRIPTION "The PT-Scotch partitioner" REQUIRES "glt-mpi = ${PROJECT_VERSION}"
                         CFLAGS "-I${PTSCOTCH_INCLUDE_DIR}" LIBS "${PTSCOTCH_LIBRARY}" "${PTSCOTCH_ERROR_LIBRARY}")
endif()
if(GLT_WITH_DLPACK)
  get_target_property(glt_include dlpack::dlpack INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM glt_include PREPEND "-I")
  glt_install_pkg_config(glt-dlpack DESCRIPTION "Tensors of other libraries without copies" REQUIRES "${glt_core}"
                         CFLAGS ${glt_include})
endif()
if(GLT_WITH_TORCH)
  set(glt_include ${TORCH_INCLUDE_DIRS})
  list(REMOVE_ITEM glt_include ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(TRANSFORM glt_include PREPEND "-isystem ")
  cmake_path(GET TORCH_LIBRARY PARENT_PATH glt_torch_dir)
  glt_install_pkg_config(glt-torch DESCRIPTION "Tensors of a batch and layers over it" REQUIRES "${glt_core}"
                         CFLAGS ${TORCH_CXX_FLAGS} ${OpenMP_CXX_FLAGS} ${glt_include}
                         LIBS "-L${glt_torch_dir}" -ltorch -ltorch_cpu -lc10 ${OpenMP_CXX_FLAGS})
endif()
