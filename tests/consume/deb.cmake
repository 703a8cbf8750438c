# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
#
# cmake -D BUILD=<build folder of the preset install> -D SCRATCH=<folder> -D CXX=<compiler> -P deb.cmake
#
# Makes the Debian packages, installs them into a root of their own, compiles a program against that root by pkg-config, and
# runs glt-partition from it.
foreach(tool IN ITEMS dpkg dpkg-deb dpkg-shlibdeps pkg-config)
  find_program(found_${tool} ${tool} NO_CACHE)
  if(NOT found_${tool})
    message(STATUS "skipped: there is no ${tool}")
    return()
  endif()
endforeach()

file(REMOVE_RECURSE "${SCRATCH}")
set(root "${SCRATCH}/root")
file(MAKE_DIRECTORY "${root}/var/lib/dpkg/info" "${root}/var/lib/dpkg/updates")
file(TOUCH "${root}/var/lib/dpkg/status")

# run(<command>...): in the scratch folder; its output is in `output`.
macro(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${SCRATCH}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
endmacro()

# expect(<what> <regex>): the output has it.
macro(expect what regex)
  if(NOT output MATCHES "${regex}")
    message(FATAL_ERROR "${what}: expected '${regex}' in: ${output}")
  endif()
endmacro()

cmake_path(GET CMAKE_COMMAND PARENT_PATH bin)
run("${bin}/cpack" -G DEB --config "${BUILD}/CPackConfig.cmake" -B "${SCRATCH}")
file(GLOB dev "${SCRATCH}/libglt-dev_*_all.deb")
file(GLOB tools "${SCRATCH}/glt-tools_*.deb")
if(NOT dev OR NOT tools)
  message(FATAL_ERROR "cpack made no libglt-dev or no glt-tools: ${output}")
endif()
run(dpkg-deb -f "${dev}" Recommends)
expect("libglt-dev recommends" "libzip-dev.*lib(open)?mpi")
run(dpkg-deb -f "${tools}" Depends)
expect("glt-tools depends on" "libc6.*libstdc[+][+]6.*libzip")

run(dpkg --root=${root} --force-depends --force-not-root --force-script-chrootless --log=${SCRATCH}/dpkg.log -i "${dev}" "${tools}")

run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${root}/usr/share/pkgconfig" pkg-config --modversion glt)
string(STRIP "${output}" version)
run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${root}/usr/share/pkgconfig" pkg-config --cflags --libs glt-mpi glt-io glt-metis)
expect("flags" "-I${root}/usr/share/pkgconfig/../../include ")
separate_arguments(flags UNIX_COMMAND "${output}")
run("${CXX}" -std=c++20 "-DEXPECTED_VERSION=\"${version}\"" "${CMAKE_CURRENT_LIST_DIR}/components.cpp" -o program ${flags})
run(./program)

run("${root}/usr/bin/glt-partition" --version)
expect("glt-partition --version" "^glt-partition ${version}\n$")
file(WRITE "${SCRATCH}/edges.txt" "0 1\n1 2\n2 3\n3 0\n")
run("${root}/usr/bin/glt-partition" edges.txt --parts 2 --method metis --report report.svg --out parts)
expect("glt-partition" "4 vertices, 4 edges")
if(NOT EXISTS "${SCRATCH}/report.svg") # without matplotlib it names the script that would draw
  expect("glt-partition" "python3 ${root}/usr/share/glt/plot.py report.svg report.svg.json")
endif()
foreach(script IN ITEMS convert.py plot.py)
  if(NOT EXISTS "${root}/usr/share/glt/${script}")
    message(FATAL_ERROR "glt-tools has no ${script}")
  endif()
endforeach()

# The site of docs/build.sh, where there is one, is a package as well.
set(with_site "${SCRATCH}/with_site")
file(WRITE "${with_site}/site/index.html" "guides")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/../.." -B "${with_site}" -D CMAKE_CXX_COMPILER=${CXX} -D GLT_MPI=OFF -D GLT_CUDA=OFF
    -D GLT_BUILD_TESTS=OFF -D GLT_BUILD_BENCHMARKS=OFF -D GLT_BUILD_EXAMPLES=OFF -D GLT_BUILD_PARTITION=OFF)
run("${bin}/cpack" -G DEB --config "${with_site}/CPackConfig.cmake" -B "${with_site}")
file(GLOB doc "${with_site}/glt-doc_*_all.deb")
if(NOT doc)
  message(FATAL_ERROR "cpack made no glt-doc: ${output}")
endif()
run(dpkg-deb -c "${doc}")
expect("glt-doc" "/usr/share/doc/glt-doc/html/index.html")
