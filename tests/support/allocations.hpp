// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt_test {

/// How often this program has allocated memory with `new` so far, in all threads.
std::int64_t num_allocations();

/// Bytes that all threads have allocated with `new` and not yet freed, beside those allocated before it.
class allocated_bytes {
public:
  allocated_bytes();
  [[nodiscard]] std::int64_t now() const;
  /// The most since it was made.
  [[nodiscard]] std::int64_t peak() const;

private:
  std::int64_t before_;
};

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
