// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The prelude of the folders above comm/: communicators, how ranks agree on an error, and core/core.hpp.
// A header that includes it through another header of glt does not repeat it.
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/core.hpp>
