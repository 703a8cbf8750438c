// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt_test {

/// How often this program has allocated memory with `new` so far, in all threads.
std::int64_t num_allocations();

/// While it lives, the `number`-th allocation with `new` of this thread from now on fails, and those after it do not.
class failing_allocation {
public:
  explicit failing_allocation(std::int64_t number);
  failing_allocation(failing_allocation const&) = delete;
  failing_allocation& operator=(failing_allocation const&) = delete;
  ~failing_allocation();

  /// True if as many allocations were made.
  [[nodiscard]] bool has_failed() const;
};

} // namespace glt_test
