# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What makes the targets glt::<component> and the package that find_package(glt) reads.
include_guard(GLOBAL)

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(glt_dependencies)

set(glt_source_dir "${CMAKE_CURRENT_LIST_DIR}/..")
cmake_path(NORMAL_PATH glt_source_dir)
set(glt_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/glt")

# glt_headers(<variable> <folder>...): the headers of include/glt/<folder> and its rooms, sorted.
function(glt_headers variable)
  set(all)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${glt_source_dir}/include/glt/${folder}/*.hpp"
                                                "${glt_source_dir}/include/glt/${folder}/*.cuh")
    list(APPEND all ${headers})
  endforeach()
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# glt_add_component(<name> FOLDERS <folder>... [HEADERS <file>...] [LINK <target>...] [DEFINE <name>...]
#                   [OPTIONS <option>...])
#
# Adds the interface target glt::<name> with the headers of include/glt/<folder>... and include/glt/<file>...,
# in an export set of its own.
function(glt_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;HEADERS;LINK;DEFINE;OPTIONS")
  glt_headers(headers ${arg_FOLDERS})
  foreach(header IN LISTS arg_HEADERS)
    list(APPEND headers "${glt_source_dir}/include/glt/${header}")
  endforeach()

  if(name STREQUAL "glt")
    set(target glt)
  else()
    set(target glt_${name})
  endif()
  add_library(${target} INTERFACE)
  add_library(glt::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS "${glt_source_dir}/include" FILES ${headers})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE ${arg_LINK})
  target_compile_definitions(${target} INTERFACE ${arg_DEFINE})
  target_compile_options(${target} INTERFACE ${arg_OPTIONS})
  set_property(GLOBAL APPEND PROPERTY GLT_COMPONENTS ${name})

  if(GLT_INSTALL)
    install(TARGETS ${target} EXPORT glt-${name}
            FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT glt_dev)
    install(EXPORT glt-${name} NAMESPACE glt:: DESTINATION "${glt_package_dir}" COMPONENT glt_dev)
  endif()
endfunction()

# glt_find_optional(<OPTION>)
#
# Looks for the libraries of a component as GLT_<OPTION> says and sets GLT_WITH_<OPTION>; off where the component that it
# builds on is. Where it is off, GLT_WITHOUT_<OPTION> says why.
macro(glt_find_optional option)
  string(TOLOWER ${option} glt_component)
  string(TOUPPER "${glt_needs_${glt_component}}" glt_need)
  set(GLT_WITH_${option} OFF)
  set(GLT_WITHOUT_${option} "GLT_${option}=${GLT_${option}}")
  if(GLT_${option} STREQUAL "AUTO" AND glt_need AND NOT GLT_WITH_${glt_need})
    set(GLT_WITHOUT_${option} "needs GLT_${glt_need}")
  elseif(GLT_${option})
    if(glt_need AND NOT GLT_WITH_${glt_need})
      message(FATAL_ERROR "GLT_${option}=${GLT_${option}} needs GLT_${glt_need}, which is off or not found; "
                          "GLT_${glt_need}=ON shows what is missing")
    endif()
    set(glt_missing)
    foreach(glt_library IN LISTS glt_libraries_${glt_component})
      if(GLT_${option} STREQUAL "AUTO")
        glt_find_library(${glt_library} QUIET)
      else()
        glt_find_library(${glt_library})
      endif()
      if(NOT ${glt_library}_FOUND)
        list(APPEND glt_missing ${glt_library})
      endif()
    endforeach()
    if(glt_missing)
      glt_describe_missing(GLT_WITHOUT_${option} ${glt_missing})
      if(NOT GLT_${option} STREQUAL "AUTO")
        message(FATAL_ERROR "GLT_${option}=${GLT_${option}}: ${GLT_WITHOUT_${option}}")
      endif()
    else()
      set(GLT_WITH_${option} ON)
    endif()
  endif()
endmacro()

# Installs what find_package(glt) reads.
function(glt_install_package)
  get_property(GLT_COMPONENTS GLOBAL PROPERTY GLT_COMPONENTS)
  configure_package_config_file(
    "${glt_source_dir}/cmake/gltConfig.cmake.in" "${PROJECT_BINARY_DIR}/gltConfig.cmake"
    INSTALL_DESTINATION "${glt_package_dir}"
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/gltConfigVersion.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
  file(GLOB modules CONFIGURE_DEPENDS "${glt_source_dir}/cmake/Find*.cmake")
  install(FILES "${PROJECT_BINARY_DIR}/gltConfig.cmake" "${PROJECT_BINARY_DIR}/gltConfigVersion.cmake"
                "${glt_source_dir}/cmake/glt_dependencies.cmake" ${modules}
          DESTINATION "${glt_package_dir}" COMPONENT glt_dev)
  if(GLT_WITH_MPI)
    install(FILES "${glt_source_dir}/cmake/glt_instances.cmake" DESTINATION "${glt_package_dir}" RENAME glt-instances.cmake
            COMPONENT glt_dev)
    install(DIRECTORY "${glt_source_dir}/cmake/instances" DESTINATION "${glt_package_dir}" COMPONENT glt_dev)
  endif()
  install(FILES "${glt_source_dir}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT glt_dev)
endfunction()

# Says at the end of the configuration what will be built and what is missing.
function(glt_print_summary)
  get_property(components GLOBAL PROPERTY GLT_COMPONENTS)
  list(TRANSFORM components PREPEND "glt::")
  list(JOIN components " " components)
  message(STATUS "glt ${PROJECT_VERSION}: ${components}")
  foreach(option IN ITEMS IO METIS MPI PTSCOTCH THRUST CUDA NCCL DLPACK TORCH)
    if(NOT GLT_WITH_${option})
      string(TOLOWER ${option} name)
      if(TARGET glt::${name})
        message(STATUS "  glt::${name} is installed as headers; programs with it are not built (${GLT_WITHOUT_${option}})")
      else()
        message(STATUS "  without glt::${name} (${GLT_WITHOUT_${option}})")
      endif()
    endif()
  endforeach()
  if(GLT_WITH_THRUST)
    message(STATUS "  Thrust ${Thrust_VERSION} in ${Thrust_INCLUDE_DIR}")
  endif()
  if(GLT_WITH_CUDA AND CMAKE_CUDA_COMPILER)
    message(STATUS "  CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  message(STATUS "  tests ${GLT_BUILD_TESTS} · benchmarks ${GLT_BUILD_BENCHMARKS} · examples ${GLT_BUILD_EXAMPLES}")
endfunction()
