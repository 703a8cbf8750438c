// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt_test {

/// How often this program has allocated memory with `new` so far, in all threads.
std::int64_t num_allocations();

} // namespace glt_test
