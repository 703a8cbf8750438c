# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How to start ranks in tests: GLT_MPI_LAUNCHER, GLT_MPI_FLAGS, GLT_MPI_ENVIRONMENT. Tests run more ranks than cores,
# as root in containers, and on machines without a fabric; each of these takes Open MPI a flag.
include_guard(GLOBAL)

include(CheckCXXSymbolExists)

block(PROPAGATE GLT_MPI_VENDOR)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_symbol_exists(OPEN_MPI mpi.h GLT_MPI_IS_OPEN_MPI)
  check_cxx_symbol_exists(MPICH_VERSION mpi.h GLT_MPI_IS_MPICH)
  if(GLT_MPI_IS_OPEN_MPI)
    set(GLT_MPI_VENDOR "Open MPI")
  elseif(GLT_MPI_IS_MPICH)
    set(GLT_MPI_VENDOR "MPICH")
  else()
    set(GLT_MPI_VENDOR "unknown")
  endif()
endblock()

# True if `launcher` starts ranks of GLT_MPI_VENDOR: another vendor's would start so many worlds of one rank.
function(glt_fits_mpi_vendor variable launcher)
  execute_process(COMMAND "${launcher}" --version OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(${variable} FALSE PARENT_SCOPE)
  elseif(text MATCHES "Open MPI|OpenRTE|prte")
    string(COMPARE EQUAL "${GLT_MPI_VENDOR}" "Open MPI" fits)
    set(${variable} ${fits} PARENT_SCOPE)
  elseif(text MATCHES "HYDRA|Intel\\(R\\) MPI")
    string(COMPARE NOTEQUAL "${GLT_MPI_VENDOR}" "Open MPI" fits)
    set(${variable} ${fits} PARENT_SCOPE)
  else()
    set(${variable} TRUE PARENT_SCOPE)
  endif()
endfunction()

if(NOT GLT_MPI_LAUNCHER)
  foreach(name IN ITEMS "${MPIEXEC_EXECUTABLE}" mpiexec.openmpi mpiexec.mpich mpiexec.hydra mpiexec mpirun)
    find_program(glt_launcher NAMES "${name}" NO_CACHE)
    if(glt_launcher)
      glt_fits_mpi_vendor(glt_fits "${glt_launcher}")
      if(glt_fits)
        set(GLT_MPI_LAUNCHER "${glt_launcher}" CACHE FILEPATH "Starts the ranks of MPI tests")
        break()
      endif()
    endif()
    unset(glt_launcher)
  endforeach()
  if(NOT GLT_MPI_LAUNCHER)
    message(FATAL_ERROR "No mpiexec of ${GLT_MPI_VENDOR} was found (tried '${MPIEXEC_EXECUTABLE}'); pass "
                        "-DMPIEXEC_EXECUTABLE=<path>, or -DGLT_MPI=OFF to build without MPI")
  endif()
  message(STATUS "MPI tests run with ${GLT_MPI_LAUNCHER} (${GLT_MPI_VENDOR})")
endif()

if(GLT_MPI_VENDOR STREQUAL "Open MPI")
  # The transport ofi sleeps for a second in MPI_Finalize, and other ones than ob1 take most of MPI_Init to be looked for.
  set(GLT_MPI_FLAGS --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca pml ob1 --mca btl ^openib,ofi
                    --mca btl_base_warn_component_unused 0 --mca btl_vader_single_copy_mechanism none
                    --mca opal_warn_on_missing_libcuda 0)
  set(GLT_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
                          OPENBLAS_NUM_THREADS=1)
else()
  set(GLT_MPI_FLAGS)
  set(GLT_MPI_ENVIRONMENT OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1)
endif()
