# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D ROOT=<project> [-D SCRATCH=<folder>] [-D UPDATE=ON] -P readme.cmake: what README.md and the pages of docs/ show
# is what exists.
#
#   ```cpp examples/x.cpp    the block is that file without its licence line, or whole lines of it; so in any language.
#                            UPDATE=ON writes the whole file where the block is empty or begins as the file does
#   ```cpp                   a fragment, in pages of docs/ alone; its names of glt, as those of the text, are public ones
#   ```sh run                the block runs, line by line, in a copy of the project; only with SCRATCH
#   ```sh                    every line starts a program of the project or a known command

# What a line of a shell block may start beside programs of the project.
set(known_commands apt apt-get apt-cache awk bash c++ cat cd chmod clang++ cmake conan cp cpack ctest curl df diff dpkg
    dpkg-buildpackage dpkg-deb doxygen echo export find free g++ gdb git grep gunzip gzip head hostname ibstat less
    lscpu ls make mkdir mpicc mpicxx mv nproc nvcc nvidia-smi ompi-server ompi_info perf pip pip3 pkg-config ps python3
    rm rsync salloc sbatch scp sed set sinfo sort source spack squeue ssh strace sudo tail tar test time ucx_info ulimit
    unzip valgrind vcpkg watch wc wget xdg-open zcat)
set(launchers mpirun mpiexec mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich srun)

# Programs of the project: those of examples/ and bench/ and the scripts, by their last name.
file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/examples/*.cpp" "${ROOT}/bench/*.cpp" "${ROOT}/tests/*_mpi.cpp")
set(programs bench_comm bench_dist bench_feature bench_graph bench_io bench_partition bench_sample)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REPLACE "_" "-" dashed "${name}")
  list(APPEND programs "${name}" "${dashed}")
endforeach()
file(GLOB projects "${ROOT}/examples/*/CMakeLists.txt")
foreach(project IN LISTS projects)
  file(STRINGS "${project}" executables REGEX "^add_executable\\([a-z_-]+")
  list(TRANSFORM executables REPLACE "^add_executable\\(([a-z_-]+).*$" "\\1")
  list(APPEND programs ${executables})
endforeach()

# Public names, their namespaces, and the targets of CMake, which look alike.
set(public_names glt::dist glt::io glt::device glt::exec glt::detail glt::io::detail)
foreach(target IN ITEMS glt io metis mpi ptscotch thrust cuda nccl dlpack torch instances)
  list(APPEND public_names "glt::${target}")
endforeach()
if(EXISTS "${ROOT}/tests/structure/public_names.txt")
  file(STRINGS "${ROOT}/tests/structure/public_names.txt" listed)
  list(TRANSFORM listed REPLACE " .*" "")
  list(APPEND public_names ${listed})
endif()

# Characters that CMake lists trip over; back again before anything is compared or written.
function(escaped variable text)
  string(REPLACE ";" "@semicolon@" text "${text}")
  string(REPLACE "[" "@open@" text "${text}")
  string(REPLACE "]" "@close@" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
function(plain variable value)
  string(REPLACE "@semicolon@" ";" value "${value}")
  string(REPLACE "@open@" "[" value "${value}")
  string(REPLACE "@close@" "]" value "${value}")
  set(${variable} "${value}" PARENT_SCOPE)
endfunction()

# is_program(<variable> <word>): whether the word names a program of the project, by path or by name.
function(is_program variable word)
  set(${variable} FALSE PARENT_SCOPE)
  cmake_path(GET word FILENAME name)
  if(name IN_LIST programs AND (word MATCHES "^[.]?/?build" OR NOT word MATCHES "/") OR
     (word MATCHES "/" AND EXISTS "${ROOT}/${word}" AND NOT IS_DIRECTORY "${ROOT}/${word}"))
    set(${variable} TRUE PARENT_SCOPE)
  endif()
endfunction()

# check_commands(<page> <block>): what the lines of a shell block start.
function(check_commands page block)
  string(REGEX REPLACE "\\\\\n *" " " block "${block}") # a line may go on
  string(REPLACE "\n" ";" lines "${block}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "(^| )#.*$" "" line "${line}")
    string(STRIP "${line}" line)
    string(REGEX REPLACE "^(sudo +|[A-Za-z_]+=[^ ]* +)+" "" line "${line}")
    if(line STREQUAL "" OR line MATCHES "^[A-Za-z_]+=")
      continue()
    endif()
    separate_arguments(words UNIX_COMMAND "${line}")
    list(GET words 0 first)
    if(first IN_LIST launchers)
      set(starts "")
      foreach(word IN LISTS words)
        is_program(found "${word}")
        if(found OR (word IN_LIST known_commands))
          set(starts "${word}")
        endif()
      endforeach()
      if(starts STREQUAL "")
        message(SEND_ERROR "${page} launches no program of the project: ${line}")
      endif()
    elseif(NOT first IN_LIST known_commands)
      is_program(found "${first}")
      if(NOT found)
        message(SEND_ERROR "${page} runs ${first}, which does not exist, nor is it among the known commands of readme.cmake")
      endif()
    endif()
  endforeach()
endfunction()

# check_names(<page> <text>): names of glt in a text are public.
function(check_names page text)
  string(REGEX MATCHALL "(glt|dist|io|device|exec)::[a-z_0-9]+(::[a-z_0-9]+)*" names " ${text}")
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    string(REGEX REPLACE "^(dist|io|device|exec)::" "glt::\\1::" full "${name}")
    if(full MATCHES "^(glt::(dist|io|device|exec)::[a-z_0-9]+)")
      set(full "${CMAKE_MATCH_1}")
    else()
      string(REGEX MATCH "^glt::[a-z_0-9]+" full "${full}")
    endif()
    if(NOT full IN_LIST public_names)
      message(SEND_ERROR "${page} names ${name}, which is no public name of glt")
    endif()
  endforeach()
endfunction()

# check_source(<page> <path> <variable>): the block in <variable> is the file, or a part of it; UPDATE changes it.
function(check_source page path variable)
  if(NOT EXISTS "${ROOT}/${path}")
    message(SEND_ERROR "${page} shows ${path}, which does not exist")
    return()
  endif()
  file(READ "${ROOT}/${path}" source)
  escaped(source "${source}")
  string(REGEX REPLACE "^(#![^\n]*\n)?(//|#) SPDX[^\n]*\n((//|#)\n)?" "" source "${source}")
  set(block "${${variable}}")
  string(REGEX MATCH "^[^\n]*\n" first_line "${source}")
  string(FIND "${block}" "${first_line}" begins)
  if(block STREQUAL source)
    return()
  elseif(UPDATE AND (begins EQUAL 0 OR block STREQUAL ""))
    set(${variable} "${source}" PARENT_SCOPE)
    return()
  elseif(NOT begins EQUAL 0 AND NOT block STREQUAL "")
    string(FIND "\n${source}" "\n${block}" place) # whole lines of it
    if(NOT place EQUAL -1)
      return()
    endif()
  endif()
  message(SEND_ERROR "${page} shows another text than ${path} has; update what is a whole file with\n"
                     "  cmake -D ROOT=. -D UPDATE=ON -P tests/structure/readme.cmake\n"
                     "and a part of one by hand")
endfunction()

set(run "")
# check_page(<path>): one file, line by line.
macro(check_page page)
  file(READ "${ROOT}/${page}" text)
  escaped(text "${text}")
  string(REPLACE "\n" "\n;" lines "${text}")
  set(block "")
  set(kind "")
  set(updated "")
  foreach(line IN LISTS lines)
    if(kind STREQUAL "")
      string(APPEND updated "${line}")
      check_names("${page}" "${line}")
      if(line MATCHES "^```(.+)\n$")
        set(kind "${CMAKE_MATCH_1}")
        set(block "")
      endif()
      continue()
    elseif(NOT line MATCHES "^```\n?$")
      string(APPEND block "${line}")
      continue()
    endif()

    # The end of a block.
    plain(block_text "${block}")
    if(kind STREQUAL "sh run")
      string(APPEND run "${block_text}")
    elseif(kind MATCHES "^(sh|bash|shell|console)$")
      check_commands("${page}" "${block}")
    elseif(kind MATCHES "^[a-z+]+ +([^ ]+)$")
      check_source("${page}" "${CMAKE_MATCH_1}" block)
    elseif(kind MATCHES "^(cpp|c[+][+])" AND NOT page STREQUAL "README.md")
      check_names("${page}" "${block}")
    elseif(kind MATCHES "^(cpp|c[+][+])")
      message(SEND_ERROR "${page} has C++ that no file holds; write ```cpp examples/<file> above it:\n${block_text}")
    endif()
    string(APPEND updated "${block}${line}")
    set(kind "")
  endforeach()
  if(NOT kind STREQUAL "")
    message(SEND_ERROR "${page} has a block without an end: ```${kind}")
  elseif(UPDATE)
    plain(updated "${updated}")
    file(WRITE "${ROOT}/${page}" "${updated}")
  endif()
endmacro()

file(GLOB_RECURSE pages RELATIVE "${ROOT}" "${ROOT}/docs/*.md")
foreach(page IN ITEMS README.md ${pages})
  check_page("${page}")
endforeach()

if(SCRATCH AND NOT UPDATE)
  if(run STREQUAL "")
    message(FATAL_ERROR "neither README.md nor docs/ have a block ```sh run")
  endif()
  file(REMOVE_RECURSE "${SCRATCH}")
  file(COPY "${ROOT}/" DESTINATION "${SCRATCH}" PATTERN ".git" EXCLUDE REGEX "/build(-[^/]*)?$" EXCLUDE)
  file(WRITE "${SCRATCH}/readme.sh" "set -e\n${run}")
  execute_process(COMMAND bash readme.sh WORKING_DIRECTORY "${SCRATCH}" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
