# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds PT-Scotch and makes the target PTSCOTCH::ptscotch. libptscotcherr prints errors; libptscotcherrexit would end the
# process. Link MPI beside it.
include(FindPackageHandleStandardArgs)
find_path(PTSCOTCH_INCLUDE_DIR NAMES ptscotch.h PATH_SUFFIXES scotch)
mark_as_advanced(PTSCOTCH_INCLUDE_DIR)
find_library(PTSCOTCH_LIBRARY NAMES ptscotch)
mark_as_advanced(PTSCOTCH_LIBRARY)
find_library(PTSCOTCH_ERROR_LIBRARY NAMES ptscotcherr)
mark_as_advanced(PTSCOTCH_ERROR_LIBRARY)
find_package_handle_standard_args(PTSCOTCH REQUIRED_VARS PTSCOTCH_LIBRARY PTSCOTCH_ERROR_LIBRARY PTSCOTCH_INCLUDE_DIR)
if(PTSCOTCH_FOUND AND NOT TARGET PTSCOTCH::ptscotch)
  add_library(PTSCOTCH::ptscotch UNKNOWN IMPORTED)
  set_target_properties(PTSCOTCH::ptscotch PROPERTIES IMPORTED_LOCATION "${PTSCOTCH_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${PTSCOTCH_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "${PTSCOTCH_ERROR_LIBRARY}")
endif()
