# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds xxHash and makes the target xxHash::xxhash. The package of the distribution has no usable CMake files.
include(FindPackageHandleStandardArgs)
find_path(XXHASH_INCLUDE_DIR NAMES xxhash.h)
mark_as_advanced(XXHASH_INCLUDE_DIR)
find_package_handle_standard_args(xxHash REQUIRED_VARS XXHASH_INCLUDE_DIR)
if(xxHash_FOUND AND NOT TARGET xxHash::xxhash)
  # Used by including its source, XXH_INLINE_ALL: nothing to link.
  add_library(xxHash::xxhash INTERFACE IMPORTED)
  set_target_properties(xxHash::xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${XXHASH_INCLUDE_DIR}")
endif()
