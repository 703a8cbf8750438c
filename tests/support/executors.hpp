// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "archetypes.hpp"

#include <glt/exec/sequential.hpp>
#include <glt/exec/threaded.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace glt_test {

/// Calls f(executor) for every host executor, with several numbers of threads.
template <class F>
void for_each_executor(F&& f) {
  f("sequential", glt::exec::sequential{});
  f("minimal", minimal_executor{});
  f("threaded without a pool", glt::exec::threaded{});
  for (int const threads : {1, 2, 5}) {
    glt::detail::thread_pool pool(threads);
    f("threaded over " + std::to_string(threads), glt::exec::threaded(pool));
  }
}

/// Sizes around the bounds at which work is divided, and an odd large one.
inline std::vector<std::int64_t> bulk_sizes() {
  return {0, 1, 2, 63, 65, 2047, 2048, 2049, 100'003};
}

} // namespace glt_test
