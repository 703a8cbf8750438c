// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/policy.hpp>

namespace glt {

/// Array in the policy's memory; move-only, and its elements start uninitialised.
///
/// It may also stand for memory with another owner, such as a mapped file: see `adopt`.
///
/// Concurrent calls: const members may run concurrently, as for a `std::vector`.
///
/// @shape  [size()]
/// @where  memory of `Policy::space`
template <device_policy Policy, bytes_copyable T>
class buffer {
public:
  using value_type = T;
  using policy_type = Policy;

  buffer() = default;

  /// @throws precondition_error  if size is negative
  /// @throws std::bad_alloc      if there is no memory for it
  explicit buffer(std::int64_t size, Policy policy = {}) : policy_(std::move(policy)) { resize(size); }

  buffer(buffer&& other) noexcept
      : policy_(other.policy_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)), keeper_(std::move(other.keeper_)) {}

  buffer& operator=(buffer&& other) noexcept {
    buffer taken(std::move(other));
    swap(taken);
    return *this;
  }

  ~buffer() { release(); }

  /// Makes a buffer of existing elements without a copy; they stay valid while `keeper` lives. If the buffer grows, the
  /// elements move to memory of the policy and the keeper is released.
  ///
  /// @where  memory that the policy's executor reaches
  /// @throws precondition_error  if size is negative, there are elements without an address, or no keeper
  [[nodiscard]] static buffer adopt(T* data, std::int64_t size, std::shared_ptr<void const> keeper,
                                    Policy policy = {}) {
    if (size < 0 || (size > 0 && data == nullptr) || keeper == nullptr) {
      throw precondition_error(detail::message("adoption of ", size, " elements",
                                               data == nullptr ? " at no address" : "",
                                               keeper == nullptr ? " that nobody keeps" : "",
                                               "; give their address, a number of 0 or more, and who keeps them"));
    }
    buffer made(0, std::move(policy));
    made.data_ = data;
    made.size_ = size;
    made.capacity_ = size;
    made.keeper_ = std::move(keeper);
    return made;
  }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] T const* data() const noexcept { return data_; }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }

  [[nodiscard]] array_view<Policy::space, T> view() noexcept { return {data_, size_}; }
  [[nodiscard]] array_view<Policy::space, T const> view() const noexcept { return {data_, size_}; }
  /// Returns a read-only view of a buffer that may be writable, for functions that only read.
  [[nodiscard]] array_view<Policy::space, T const> cview() const noexcept { return {data_, size_}; }

  /// @pre    i is in [0, size()); not checked
  [[nodiscard]] T& operator[](std::int64_t i) noexcept
    requires(detail::host_accessible(Policy::space))
  {
    return data_[i];
  }
  [[nodiscard]] T const& operator[](std::int64_t i) const noexcept
    requires(detail::host_accessible(Policy::space))
  {
    return data_[i];
  }
  [[nodiscard]] T* begin() noexcept
    requires(detail::host_accessible(Policy::space))
  {
    return data_;
  }
  [[nodiscard]] T* end() noexcept
    requires(detail::host_accessible(Policy::space))
  {
    return data_ + size_;
  }
  [[nodiscard]] T const* begin() const noexcept
    requires(detail::host_accessible(Policy::space))
  {
    return data_;
  }
  [[nodiscard]] T const* end() const noexcept
    requires(detail::host_accessible(Policy::space))
  {
    return data_ + size_;
  }

  /// Changes the size and keeps the elements that fit; grows by half at least, so that appending is linear. New
  /// elements are uninitialised.
  ///
  /// @throws precondition_error  if size is negative
  void resize(std::int64_t size) {
    if (size > capacity_) {
      reserve(std::max(size, capacity_ + capacity_ / 2));
    } else if (size < 0) {
      throw precondition_error(detail::message("buffer of ", size, " elements; a size is 0 or more"));
    }
    size_ = size;
  }

  /// Makes room for exactly `capacity` elements; the content stays, even if there is no memory for more.
  void reserve(std::int64_t capacity) {
    if (capacity <= capacity_) {
      return;
    }
    if (capacity > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T))) {
      throw precondition_error(detail::message("buffer of ", capacity, " elements of ", sizeof(T),
                                               " bytes; its size in bytes does not fit 64 bits"));
    }
    auto const resource = policy_.resource();
    auto* const grown = static_cast<T*>(resource.allocate(bytes(capacity)));
    if (size_ > 0) {
      resource.copy(grown, data_, bytes(size_));
    }
    release();
    data_ = grown;
    capacity_ = capacity;
  }

  /// Forgets the elements and keeps the memory for reuse.
  void clear() noexcept { size_ = 0; }

  void swap(buffer& other) noexcept {
    std::swap(policy_, other.policy_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(keeper_, other.keeper_);
  }

private:
  [[nodiscard]] static std::size_t bytes(std::int64_t count) noexcept {
    return static_cast<std::size_t>(count) * sizeof(T);
  }

  void release() noexcept {
    if (keeper_ != nullptr) {
      keeper_.reset();
    } else if (data_ != nullptr) {
      policy_.resource().deallocate(data_, bytes(capacity_));
    }
    data_ = nullptr;
    capacity_ = 0;
  }

  Policy policy_{};
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
  std::shared_ptr<void const> keeper_; // of adopted memory
};

} // namespace glt
