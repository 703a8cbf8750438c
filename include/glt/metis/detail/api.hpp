// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if !__has_include(<metis.h>)
#error "glt/metis needs METIS: install libmetis-dev and link glt::metis"
#endif
#include <metis.h>
