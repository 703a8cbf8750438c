// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if !__has_include(<metis.h>)
#include <missing for glt::metis: METIS: install libmetis-dev and link glt::metis> // an error that ends the compilation

#endif
#include <metis.h>
