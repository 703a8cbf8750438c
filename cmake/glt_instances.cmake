# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# glt::instances: the usual instances that the headers of glt/instances/ declare, compiled in the project that uses them,
# with its options, when a target links them. Included where glt::mpi is there.
if(NOT TARGET glt::instances)
  file(GLOB glt_instances "${CMAKE_CURRENT_LIST_DIR}/instances/*.cpp")
  add_library(glt_instances STATIC EXCLUDE_FROM_ALL ${glt_instances})
  add_library(glt::instances ALIAS glt_instances)
  target_link_libraries(glt_instances PUBLIC glt::mpi)
endif()
