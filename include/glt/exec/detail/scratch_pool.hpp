// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace glt::detail {

/// Scratch memory that pieces of work borrow: as many as ever worked at the same time, kept for reuse.
///
/// Copies start empty: scratch memory has no value.
template <class Scratch>
class scratch_pool {
public:
  scratch_pool() = default;
  scratch_pool(scratch_pool const&) noexcept {}
  scratch_pool& operator=(scratch_pool const&) noexcept { return *this; }

  /// Calls work(scratch) with scratch memory that no other call uses.
  ///
  /// @cost   one lock before and one after; allocates only while more work runs at the same time than before
  template <class Work>
  void borrow(Work work) {
    std::unique_ptr<Scratch> scratch = take();
    work(*scratch);
    std::scoped_lock const lock(mutex_);
    spare_.push_back(std::move(scratch));
  }

private:
  [[nodiscard]] std::unique_ptr<Scratch> take() {
    {
      std::scoped_lock const lock(mutex_);
      if (!spare_.empty()) {
        auto scratch = std::move(spare_.back());
        spare_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>();
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> spare_;
};

} // namespace glt::detail
