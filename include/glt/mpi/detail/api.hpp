// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The C interface of MPI without the C++ bindings that some versions add to it.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#if !__has_include(<mpi.h>)
#include <missing for glt::mpi: MPI: link glt::mpi of find_package(glt COMPONENTS mpi), or compile by mpicxx> // an error that ends the compilation

#endif
#include <mpi.h>
