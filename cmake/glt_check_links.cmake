# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For projects that take glt by FetchContent or add_subdirectory: a component that is linked and switched off is an error
# that says which option switches it on.
include_guard(GLOBAL)

# glt_check_links(<folder>): looks at the targets of a folder and those below it, when all of them are made.
function(glt_check_links folder)
  get_property(available GLOBAL PROPERTY GLT_COMPONENTS)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(links ${target} LINK_LIBRARIES)
    get_target_property(passed_on ${target} INTERFACE_LINK_LIBRARIES)
    # What is linked where it exists may be off.
    string(REGEX REPLACE "\\$<TARGET_NAME_IF_EXISTS:[^>]*>" "" links "${links};${passed_on}")
    string(REGEX MATCHALL "glt::(io|metis|mpi|ptscotch|thrust|cuda|nccl|dlpack|torch|instances)" names "${links}")
    list(REMOVE_DUPLICATES names)
    foreach(name IN LISTS names)
      string(REGEX REPLACE "^glt::" "" component "${name}")
      if(NOT component IN_LIST available AND NOT TARGET ${name})
        glt_option_of(option ${component})
        message(SEND_ERROR "The target '${target}' links ${name}, which is off: a project that takes glt by FetchContent or "
                           "add_subdirectory gets glt::glt alone. Write set(${option} ON) before it takes glt, or "
                           "pass -D${option}=ON")
      endif()
    endforeach()
  endforeach()
  get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    glt_check_links("${below}")
  endforeach()
endfunction()

cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL glt_check_links "${CMAKE_SOURCE_DIR}")
