// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The prelude of the folders above memory/: policies, buffers, copies and resources, with core/core.hpp.
#include <glt/core/core.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/memory/resource.hpp>
