# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cmake -D NVCC=… -D SOURCE=<the root> -D WORK=<a folder> -P traps.cmake
#
# What compiles for GPUs and is wrong there, and what no test without a GPU would see:
# - nvcc makes the constant 64 of std::countl_zero of libstdc++. So this looks at the code that it makes.
# - An empty member with [[no_unique_address]] takes no room in hosts' code, and some in that of GPUs, to which arrays of such
#   structures are copied.
file(GLOB_RECURSE headers "${SOURCE}/include/*.hpp" "${SOURCE}/include/*.cuh")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" lines REGEX "^[^/]*no_unique_address")
  if(lines)
    message(FATAL_ERROR "${header} has [[no_unique_address]], which GPUs lay out in another way: ${lines}")
  endif()
endforeach()
file(WRITE "${WORK}/traps.cu" [[
#include <glt/core/detail/arithmetic.hpp>
#include <glt/sample/hotness/detail/hotness_walk.hpp>
__global__ void of_variate(std::uint64_t const* in, std::int64_t* out) { *out = glt::detail::minus_log2(*in); }
__global__ void of_probability(double const* in, std::uint64_t* out) { *out = glt::detail::minus_ln_58(*in); }
]])
execute_process(COMMAND "${NVCC}" -std=c++20 --expt-relaxed-constexpr "-I${SOURCE}/include" -ptx -o "${WORK}/traps.ptx"
                        "${WORK}/traps.cu" RESULT_VARIABLE status ERROR_VARIABLE text)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nvcc ends with ${status}: ${text}")
endif()
file(STRINGS "${WORK}/traps.ptx" found REGEX "clz[.]b64")
list(LENGTH found count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "${count} of 2 kernels count leading zeros; ${WORK}/traps.ptx is the code")
endif()
