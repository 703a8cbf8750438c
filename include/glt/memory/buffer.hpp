// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/memory/policy.hpp>

#include <ranges>

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

namespace detail {

/// Moves buffers to this policy before they are written, so that their memory follows the order of its work. A buffer
/// moves if it has no memory yet, or if its memory follows another stream; it then loses its elements.
template <device_policy Policy, class... T>
void adopt_policy(Policy const& policy, buffer<Policy, T>&... of) {
  if constexpr (!host_policy<Policy>) {
    auto const fits = [&]([[maybe_unused]] auto const& each) {
      if constexpr (std::equality_comparable<Policy>) {
        return each.policy() == policy;
      } else {
        return each.capacity() > 0;
      }
    };
    ((fits(of) ? void() : void(of = buffer<Policy, T>(0, policy))), ...);
  }
}

// Returns the bytes of n elements, 0 if there is nothing to copy.
template <class T>
std::size_t bytes_to_copy(std::int64_t from, std::int64_t to) {
  if (from != to) {
    throw precondition_error(message("copy of ", from, " elements into a view of ", to, "; the lengths must be equal"));
  }
  return static_cast<std::size_t>(from) * sizeof(T);
}

} // namespace detail

/// Copies elements between memory that the host can reach.
///
/// @shape  from [n] · to [n], written
/// @throws precondition_error  if the lengths differ
template <memory_space From, memory_space To, class Element, bytes_copyable T>
  requires(detail::host_accessible(From) && detail::host_accessible(To) &&
           std::is_same_v<std::remove_const_t<Element>, T>)
void copy(array_view<From, Element> from, array_view<To, T> to) {
  auto const bytes = detail::bytes_to_copy<T>(from.size(), to.size());
  detail::copy_bytes(to.data(), from.data(), static_cast<std::int64_t>(bytes));
}

namespace detail {

/// Copies elements of ordinary memory into memory of a policy.
///
/// @shape  from [n] · to [n], written
/// @where  may only enqueue; `from` may change afterwards
/// @throws precondition_error  if the lengths differ
template <device_policy Policy, class Element, bytes_copyable T>
  requires std::is_same_v<std::remove_const_t<Element>, T>
void copy_in(Policy const& policy, host_view<Element> from, array_view<Policy::space, T> to) {
  if (auto const bytes = detail::bytes_to_copy<T>(from.size(), to.size()); bytes > 0) {
    policy.resource().copy_in(to.data(), from.data(), bytes);
  }
}

/// Copies elements of a policy's memory into ordinary memory, and waits for them.
///
/// @shape  from [n] · to [n], written
/// @throws precondition_error  if the lengths differ
template <device_policy Policy, class Element, bytes_copyable T>
  requires std::is_same_v<std::remove_const_t<Element>, T>
void copy_out(Policy const& policy, array_view<Policy::space, Element> from, host_view<T> to) {
  if (auto const bytes = detail::bytes_to_copy<T>(from.size(), to.size()); bytes > 0) {
    policy.resource().copy_out(to.data(), from.data(), bytes);
  }
}

} // namespace detail

/// Returns the elements of a view in a vector: for sizes that the host must know, and for tests.
///
/// @cost   waits for all work that was enqueued before
template <device_policy Policy, class Element>
[[nodiscard]] std::vector<std::remove_const_t<Element>> to_vector(Policy const& policy,
                                                                  array_view<Policy::space, Element> view) {
  std::vector<std::remove_const_t<Element>> values(static_cast<std::size_t>(view.size()));
  detail::copy_out(policy, view, host_view<std::remove_const_t<Element>>(values));
  return values;
}

namespace detail {

/// Returns one element of a view.
///
/// @pre    i is in [0, view.size()); not checked
/// @cost   waits for all work that was enqueued before
template <device_policy Policy, class Element>
[[nodiscard]] std::remove_const_t<Element> read_element(Policy const& policy, array_view<Policy::space, Element> view,
                                                        std::int64_t i) {
  std::remove_const_t<Element> value;
  policy.resource().copy_out(&value, view.data() + i, sizeof(value));
  return value;
}

// Functors for `for_each` over the elements of `out`.
template <memory_space Space, class T>
struct fill_elements {
  array_view<Space, T> out;
  T value;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = value; }
};
template <memory_space Space>
struct count_up {
  array_view<Space, std::int64_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = i; }
};
template <memory_space Space, class T>
struct copy_elements {
  array_view<Space, T const> in;
  array_view<Space, T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = in[i]; }
};
template <memory_space Space, class T, class Index>
struct permute_elements {
  array_view<Space, T const> in;
  array_view<Space, Index const> order;
  array_view<Space, T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = in[order[i]]; }
};

} // namespace detail

/// Returns a buffer of the policy with a copy of a host range (vector, array, span, view).
///
/// @shape  values [n] → buffer [n]
template <device_policy Policy, std::ranges::contiguous_range Range>
[[nodiscard]] auto make_buffer(Range const& values, Policy policy = {}) {
  using value = std::ranges::range_value_t<Range>;
  buffer<Policy, value> made(static_cast<std::int64_t>(std::ranges::size(values)), policy);
  detail::copy_in(policy, host_view<value const>(std::ranges::data(values), made.size()), made.view());
  return made;
}

} // namespace glt

namespace glt::detail {

template <class X>
inline constexpr bool is_buffer = false;
template <device_policy Policy, class T>
inline constexpr bool is_buffer<buffer<Policy, T>> = true;

template <class X>
inline constexpr bool is_list_with_members = false;
template <has_members X>
inline constexpr bool is_list_with_members<std::vector<X>> = true;

/// Copies `from` to `to`, an object of the same template with another policy: member by member, recursively. Arrays are
/// copied by copy_array(from_buffer, to_buffer).
template <class From, class To, class CopyArray>
void copy_members(From const& from, To& to, CopyArray&& copy_array) {
  if constexpr (has_members<From>) {
    auto const sources = member_access::of(from);
    auto const copies = member_access::of(to);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (copy_members(std::get<I>(sources), std::get<I>(copies), copy_array), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(sources)>>());
  } else if constexpr (is_buffer<From>) {
    copy_array(from, to);
  } else if constexpr (is_list_with_members<From>) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      copy_members(from[i], to[i], copy_array);
    }
  } else {
    to = from;
  }
}

} // namespace glt::detail
