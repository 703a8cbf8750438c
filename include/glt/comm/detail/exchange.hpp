// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/detail/members.hpp>

namespace glt::detail {

/// Writes offsets[i] = counts[0] + … + counts[i − 1]; one offset more than counts.
inline void prefix_sums(std::span<std::int64_t const> counts, std::vector<std::int64_t>& offsets) {
  offsets.assign(counts.size() + 1, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    offsets[i + 1] = offsets[i] + counts[i];
  }
}

/// Sizes and offsets in bytes of consecutive slices, one per rank, for a variable exchange.
class byte_counts {
public:
  /// Sets the slice of rank p to counts[p] items of `item_bytes` bytes.
  void set(std::span<std::int64_t const> counts, std::size_t item_bytes) {
    sizes_.assign(counts.begin(), counts.end());
    for (auto& size : sizes_) {
      size *= static_cast<std::int64_t>(item_bytes);
    }
    prefix_sums(sizes_, offsets_);
  }

  [[nodiscard]] std::int64_t total() const noexcept { return offsets_.back(); }
  [[nodiscard]] std::int64_t offset(std::size_t rank) const noexcept { return offsets_[rank]; }

  [[nodiscard]] outgoing out(void const* data) const noexcept {
    return {static_cast<std::byte const*>(data), sizes_, std::span(offsets_).first(sizes_.size())};
  }
  [[nodiscard]] incoming in(void* data) const noexcept {
    return {static_cast<std::byte*>(data), sizes_, std::span(offsets_).first(sizes_.size())};
  }

private:
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> offsets_{0};
};

// The bytes of both sides of `exchange_rows`.
struct row_bytes {
  byte_counts sent;
  byte_counts received;

  row_bytes(std::int64_t send_size, std::span<std::int64_t const> send_counts, std::int64_t receive_size,
            std::span<std::int64_t const> receive_counts, std::int64_t columns, std::int64_t item) {
    if (columns < 0) {
      throw precondition_error(message("exchange_rows: rows of ", columns, " columns; pass 0 or more"));
    }
    sent.set(send_counts, static_cast<std::size_t>(item * columns));
    received.set(receive_counts, static_cast<std::size_t>(item * columns));
    if (sent.total() != send_size * item || received.total() != receive_size * item) {
      throw precondition_error(message("exchange_rows: ", send_size, " elements to send and ", receive_size,
                                       " to receive, but the counts say ", sent.total() / item, " and ",
                                       received.total() / item));
    }
  }
};

/// Sends a slice of rows to every rank and receives one from each; slices lie in rank order, without gaps.
///
/// @shape  send [sum of send_counts · columns] · send_counts [R], rows; 0 for this rank · receive_counts
///         [R], rows, as the other ranks count them · receive [sum of receive_counts · columns], written
/// @where  memory of any space that the communicator carries
/// @comm   collective; one variable exchange
/// @throws precondition_error  if columns is negative, or send or receive is not as long as its counts say
template <communicator C, memory_space Space, bytes_copyable T>
void exchange_rows(C& comm, array_view<Space, T const> send, std::span<std::int64_t const> send_counts,
                   array_view<Space, T> receive, std::span<std::int64_t const> receive_counts,
                   std::int64_t columns = 1) {
  static_assert(carries_space<C>(Space),
                "this communicator does not carry memory of the views: dist::device_comm takes it "
                "through memory of the host");
  row_bytes const bytes(send.size(), send_counts, receive.size(), receive_counts, columns, sizeof(T));
  comm.all_to_all_v(bytes.sent.out(send.data()), bytes.received.in(receive.data()));
}

/// Exchanges one number with every rank, such as the size of a later message that only its sender knows.
///
/// @shape  sizes [R], the number for every rank · received [R], written
/// @comm   collective; one all-to-all of 8 bytes a rank
/// @throws precondition_error  if sizes or received do not have R elements
template <communicator C>
void exchange_sizes(C& comm, std::span<std::int64_t const> sizes, std::span<std::int64_t> received) {
  check_length("exchange_sizes", "sizes", sizes.size(), comm.size());
  check_length("exchange_sizes", "received", received.size(), comm.size());
  comm.all_to_all(reinterpret_cast<std::byte const*>(sizes.data()), reinterpret_cast<std::byte*>(received.data()),
                  sizeof(std::int64_t));
}

/// Sends the list of every rank to the ranks with `receives(rank)`, which is the same function on all ranks. A list is
/// a `std::vector` or a `std::string`, of another length on each rank.
///
/// @shape  → [R], by rank, on a rank that receives; on other ranks only the local list is not empty
/// @comm   collective; one header exchange and one variable exchange; none on one rank
/// @throws collective_error  on every rank, if `failure` is not empty on one
template <communicator C, class List, std::predicate<int> Receives>
  requires bytes_copyable<typename List::value_type>
[[nodiscard]] std::vector<List> gather_lists(C& comm, call_site site, std::string const& failure, List const& own,
                                             Receives receives) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const self = static_cast<std::size_t>(comm.rank());
  std::vector<std::int64_t> counts(ranks, 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts[rank] = rank != self && receives(static_cast<int>(rank)) ? std::ssize(own) : 0;
  }
  std::vector<call_header> headers;
  exchange_headers(comm, site, counts, 0, failure, headers);
  return committed(comm, [&] {
    constexpr auto item = static_cast<std::int64_t>(sizeof(typename List::value_type));
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> arriving;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      sizes.push_back(counts[rank] * item);
      arriving.push_back(headers[rank].count);
    }
    byte_counts received;
    received.set(arriving, item);
    List arrived;
    arrived.resize(static_cast<std::size_t>(received.total() / item));
    if (ranks > 1) {
      std::vector<std::int64_t> const from_the_start(ranks, 0);
      comm.all_to_all_v({reinterpret_cast<std::byte const*>(own.data()), sizes, from_the_start},
                        received.in(arrived.data()));
    }
    std::vector<List> lists;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const first = arrived.begin() + received.offset(rank) / item;
      lists.push_back(rank == self ? own : List(first, first + arriving[rank]));
    }
    return lists;
  });
}

/// Sends the list of every rank to all ranks.
template <communicator C, class List>
[[nodiscard]] std::vector<List> gather_lists(C& comm, call_site site, std::string const& failure, List const& own) {
  return gather_lists(comm, site, failure, own, [](int) { return true; });
}

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

template <class... X>
[[nodiscard]] std::size_t packed_size(X const&... x) {
  packer count;
  (count.add(x), ...);
  return count.size();
}

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
                                      " bytes is too short for its content; sender and "
                                      "receiver must be the same program"));
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
