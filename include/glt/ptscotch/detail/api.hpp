// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if !__has_include(<ptscotch.h>)
#include <missing for glt::ptscotch: PT-Scotch: install libptscotch-dev and link glt::ptscotch> // an error that ends the compilation

#endif
#include <ptscotch.h>
#if SCOTCH_VERSION < 7
#include <missing for glt::ptscotch: PT-Scotch 7 or newer: this one is older>

#endif
