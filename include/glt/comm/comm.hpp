// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The prelude of the folders above comm/: communicators, how ranks agree on an error, and core/core.hpp.
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/core.hpp>
