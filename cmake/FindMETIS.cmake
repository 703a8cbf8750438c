# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds METIS and makes the target METIS::metis. The package of the distribution has no usable CMake files.
include(FindPackageHandleStandardArgs)
find_path(METIS_INCLUDE_DIR NAMES metis.h)
mark_as_advanced(METIS_INCLUDE_DIR)
find_library(METIS_LIBRARY NAMES metis)
mark_as_advanced(METIS_LIBRARY)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR)
if(METIS_FOUND AND NOT TARGET METIS::metis)
  add_library(METIS::metis UNKNOWN IMPORTED)
  set_target_properties(METIS::metis PROPERTIES IMPORTED_LOCATION "${METIS_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
endif()
