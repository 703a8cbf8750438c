// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/members.hpp>

namespace glt::detail {

// Alignment of arrays in a block, so that they are used in place.
inline constexpr std::size_t packed_line = 64;

template <class X>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <>
inline constexpr bool is_list<std::string> = true;

/// Array in memory of a policy, such as a `buffer`.
template <class X>
concept packed_array = requires(X const& x) {
  typename X::value_type;
  x.policy();
  x.data();
};

/// A message whose content is not as expected.
class malformed_message : public error {
public:
  // Not inherited: nvcc 13 crashes on an inherited constructor with a default argument of std::source_location.
  explicit malformed_message(std::string const& message, std::source_location where = std::source_location::current())
      : error(message, where) {}
};

/// Writer that packs a batch, or a request, into one block of bytes; without a block it only counts them.
class packer {
public:
  packer() = default;
  /// @pre    as large as counted, and 64-byte aligned; not checked
  explicit packer(std::byte* block) noexcept : block_(block) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  template <class X>
  packer& add(X const& x) {
    if constexpr (has_members<X>) {
      std::apply([this](auto const&... members) { (this->add(members), ...); }, member_access::of(x));
    } else if constexpr (packed_array<X>) {
      add(x.size());
      size_ = (size_ + packed_line - 1) / packed_line * packed_line;
      write(x.data(), static_cast<std::size_t>(x.size()) * sizeof(typename X::value_type));
    } else if constexpr (is_list<X>) {
      add(static_cast<std::int64_t>(x.size()));
      if constexpr (std::is_trivially_copyable_v<typename X::value_type>) {
        write(x.data(), x.size() * sizeof(typename X::value_type));
      } else {
        for (auto const& element : x) {
          add(element);
        }
      }
    } else {
      static_assert(std::is_trivially_copyable_v<X> && !std::is_pointer_v<X>,
                    "numbers, structures of numbers (not std::pair), texts, and vectors of these can be sent to other "
                    "ranks");
      write(&x, sizeof(X));
    }
    return *this;
  }

private:
  void write(void const* bytes, std::size_t count) noexcept {
    if (block_ != nullptr && count > 0) {
      std::memcpy(block_ + size_, bytes, count);
    }
    size_ += count;
  }

  std::byte* block_ = nullptr;
  std::size_t size_ = 0;
};

/// Returns the number of bytes that the arguments take when they are packed.
template <class... X>
[[nodiscard]] std::size_t packed_size(X const&... x) {
  packer count;
  (count.add(x), ...);
  return count.size();
}

/// Packs the arguments into a list of bytes.
template <class... X>
[[nodiscard]] std::vector<std::byte> packed_bytes(X const&... x) {
  std::vector<std::byte> bytes(packed_size(x...));
  packer to(bytes.data());
  (to.add(x), ...);
  return bytes;
}

/// Reader of a block that a `packer` has written. Arrays are not copied: they stay in the block, which `keeper` keeps
/// alive. The block comes from another process and is not trusted.
class unpacker {
public:
  unpacker(std::span<std::byte const> block, std::shared_ptr<void const> keeper) noexcept
      : block_(block), keeper_(std::move(keeper)) {}

  /// @throws malformed_message  if the block is too short
  template <class X>
  unpacker& get(X& x) {
    if constexpr (has_members<X>) {
      std::apply([this](auto&... members) { (this->get(members), ...); }, member_access::of(x));
    } else if constexpr (packed_array<X>) {
      using value = typename X::value_type;
      auto const size = length(sizeof(value));
      at_ = (at_ + packed_line - 1) / packed_line * packed_line;
      auto const* const data = take(static_cast<std::size_t>(size) * sizeof(value));
      if (size == 0) {
        x.clear();
      } else { // views of a batch are const
        x = X::adopt(reinterpret_cast<value*>(const_cast<std::byte*>(data)), size, keeper_, x.policy());
      }
    } else if constexpr (is_list<X>) {
      using value = typename X::value_type;
      if constexpr (std::is_trivially_copyable_v<value>) {
        auto const size = length(sizeof(value));
        x.resize(static_cast<std::size_t>(size));
        read(x.data(), x.size() * sizeof(value));
      } else {
        x.resize(static_cast<std::size_t>(length(1)));
        for (auto& element : x) {
          get(element);
        }
      }
    } else {
      read(&x, sizeof(X));
    }
    return *this;
  }

  [[nodiscard]] bool at_end() const noexcept { return at_ == block_.size(); }

private:
  // Reads a number of elements; checks that the rest of the block can hold them.
  [[nodiscard]] std::int64_t length(std::size_t element_bytes) {
    std::int64_t size = 0;
    read(&size, sizeof(size));
    auto const rest = (block_.size() - at_) / element_bytes;
    if (size < 0 || static_cast<std::uint64_t>(size) > rest) {
      throw malformed_message(message("message with a list of ", size, " elements and ", block_.size() - at_,
                                      " bytes left; sender and receiver must be the same program"));
    }
    return size;
  }
  [[nodiscard]] std::byte const* take(std::size_t bytes) {
    if (at_ > block_.size() || bytes > block_.size() - at_) {
      throw malformed_message(message("message of ", block_.size(),
                                      " bytes ends before what it should hold; sender "
                                      "and receiver must be the same program"));
    }
    auto const* const data = block_.data() + at_;
    at_ += bytes;
    return data;
  }
  void read(void* to, std::size_t bytes) {
    auto const* const data = take(bytes);
    if (bytes > 0) {
      std::memcpy(to, data, bytes);
    }
  }

  std::span<std::byte const> block_;
  std::shared_ptr<void const> keeper_;
  std::size_t at_ = 0;
};

} // namespace glt::detail
