// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The prelude of the folders above memory/: policies, buffers, copies and resources, with core/core.hpp.
// A header that includes it through another header of glt does not repeat it.
#include <glt/core/core.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
