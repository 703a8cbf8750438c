// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The prelude of all other folders: ids, memory spaces, views, errors and their messages, <cstddef> and <cstdint>.
#include <glt/core/config.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/detail/mistake.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/error.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <cstddef>
#include <cstdint>
