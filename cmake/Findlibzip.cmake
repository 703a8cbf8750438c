# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds libzip and makes the target libzip::libzip. The package of the distribution has no usable CMake files.
include(FindPackageHandleStandardArgs)
find_path(LIBZIP_INCLUDE_DIR NAMES zip.h)
mark_as_advanced(LIBZIP_INCLUDE_DIR)
find_library(LIBZIP_LIBRARY NAMES zip)
mark_as_advanced(LIBZIP_LIBRARY)
find_package_handle_standard_args(libzip REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR)
if(libzip_FOUND AND NOT TARGET libzip::libzip)
  add_library(libzip::libzip UNKNOWN IMPORTED)
  set_target_properties(libzip::libzip PROPERTIES IMPORTED_LOCATION "${LIBZIP_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${LIBZIP_INCLUDE_DIR}")
endif()
