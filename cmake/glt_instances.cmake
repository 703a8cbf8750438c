# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# glt::instances: what the headers of glt/instances/ and glt/torch/instances.hpp declare, compiled in the project that uses it,
# with its options, when a target links it. Included where glt::mpi is there; open_data_set needs glt::io. Where the project has
# glt::torch, all of it is compiled with that: LibTorch may want another ABI.
if(NOT TARGET glt::instances)
  set(glt_instances "${CMAKE_CURRENT_LIST_DIR}/instances")
  add_library(glt_instances STATIC EXCLUDE_FROM_ALL
              ${glt_instances}/data_set.cpp ${glt_instances}/link_loader.cpp ${glt_instances}/neighbor_loader.cpp
              ${glt_instances}/typed_loader.cpp $<$<TARGET_EXISTS:glt::io>:${glt_instances}/open_data_set.cpp>
              $<$<TARGET_EXISTS:glt::torch>:${glt_instances}/torch_layers.cpp>)
  add_library(glt::instances ALIAS glt_instances)
  target_link_libraries(glt_instances PUBLIC glt::mpi $<TARGET_NAME_IF_EXISTS:glt::io> $<TARGET_NAME_IF_EXISTS:glt::torch>)
endif()
