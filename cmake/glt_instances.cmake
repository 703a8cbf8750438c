# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# glt::instances: what the headers of glt/instances/ declare, compiled in the project that uses it, with its options, when a
# target links it. Included where glt::mpi is there; what reads files needs glt::io.
if(NOT TARGET glt::instances)
  file(GLOB glt_instances "${CMAKE_CURRENT_LIST_DIR}/instances/*.cpp")
  if(NOT TARGET glt::io)
    list(FILTER glt_instances EXCLUDE REGEX "/open_data_set[.]cpp$")
  endif()
  add_library(glt_instances STATIC EXCLUDE_FROM_ALL ${glt_instances})
  add_library(glt::instances ALIAS glt_instances)
  target_link_libraries(glt_instances PUBLIC glt::mpi $<TARGET_NAME_IF_EXISTS:glt::io>)
endif()
