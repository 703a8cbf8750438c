// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Reports a missing library once, before the first of these headers is included.
#if !__has_include(<zlib.h>) || !__has_include(<zip.h>) || !__has_include(<xxhash.h>) || !__has_include(<nlohmann/json.hpp>)
#include <missing for glt::io: zlib, libzip, xxHash and nlohmann-json: install zlib1g-dev libzip-dev libxxhash-dev nlohmann-json3-dev and link glt::io> // an error that ends the compilation

#endif
