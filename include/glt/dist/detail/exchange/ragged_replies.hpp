// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Exchange of replies whose sizes only the replying ranks know.
///
/// A rank that cannot serve still sends an empty reply, so that no rank waits for it.
class reply_exchange {
public:
  /// @param  of  name of the request in error texts; the text must outlive this object
  explicit reply_exchange(std::string_view of) : of_(of) {}

  /// Sends the messages that `serve()` returns, and receives the replies to this rank's requests.
  ///
  /// @shape  asked [R], sizes of this rank's requests to every rank · received [R], sizes of the requests that it
  ///         received; requests of a rank to itself do not count
  /// @comm   collective
  /// @throws the exception of `serve`, once the other ranks' replies have arrived
  template <communicator Comm, class Serve>
  void run(Comm& comm, std::span<std::int64_t const> asked, std::span<std::int64_t const> received, Serve&& serve) {
    committed(comm, [&] {
      mark(asked, comm.rank(), asked_);
      mark(received, comm.rank(), answering_);
      nothing_.set(received, 0); // sent if this rank cannot serve
      in_world_.resize(asked.size());
      std::iota(in_world_.begin(), in_world_.end(), 0);
    });
    std::exception_ptr failure;
    outgoing replies;
    try {
      replies = serve();
    } catch (...) {
      failure = std::current_exception();
      replies = nothing_.out(nullptr);
    }
    comm.all_to_all_replies(replies, asked_, answering_, answers_);
    for (std::size_t rank = 0; rank < asked_.size(); ++rank) {
      if (asked_[rank] != 0 && answers_.sizes[rank] == 0) {
        in_world_[rank] = world_rank(comm, static_cast<int>(rank));
      }
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  /// Returns the reply of a rank that got a request; valid until the next `run`.
  ///
  /// @throws error  if that rank could not serve
  [[nodiscard]] std::span<std::byte const> from(std::size_t rank) const {
    if (asked_[rank] == 0 || answers_.sizes[rank] == 0) {
      throw error(
          message("rank ", in_world_[rank], " could not answer a request for ", of_, "; its own error says why"));
    }
    return answers_.from(static_cast<int>(rank));
  }

private:
  static void mark(std::span<std::int64_t const> counts, int self, std::vector<char>& marks) {
    marks.clear();
    for (auto const count : counts) {
      marks.push_back(count > 0 && std::ssize(marks) != self ? 1 : 0);
    }
  }

  std::string_view of_;
  std::vector<char> asked_;
  std::vector<char> answering_;
  byte_counts nothing_;
  reply_buffer answers_;
  std::vector<int> in_world_; // [R], ranks in the world, of those that could not answer
};

/// Messages to or from all ranks in one piece of memory, each aligned for any type.
template <device_policy Policy>
class rank_messages {
  static constexpr std::int64_t alignment = 16;

public:
  explicit rank_messages(Policy policy = {}) : bytes_(0, policy) {}

  void reserve(std::int64_t bytes) { bytes_.reserve(bytes); }
  void clear() {
    bytes_.clear();
    sizes_.clear();
    offsets_.clear();
  }
  /// Appends a message of `bytes` bytes and returns where to write it; valid until the next call.
  std::byte* append(std::int64_t bytes) {
    offsets_.push_back(bytes_.size());
    sizes_.push_back(bytes);
    bytes_.resize(bytes_.size() + (bytes + alignment - 1) / alignment * alignment);
    return bytes_.data() + offsets_.back();
  }

  /// Returns the start of a message; valid until the next `append`.
  [[nodiscard]] std::byte* data(std::size_t rank) noexcept { return bytes_.data() + offsets_[rank]; }
  [[nodiscard]] array_view<Policy::space, std::byte const> of(std::size_t rank) const noexcept {
    return bytes_.view().subview(offsets_[rank], sizes_[rank]);
  }
  [[nodiscard]] std::span<std::int64_t const> sizes() const noexcept { return sizes_; }
  [[nodiscard]] outgoing out() const noexcept { return {bytes_.data(), sizes_, offsets_}; }
  [[nodiscard]] incoming in() noexcept { return {bytes_.data(), sizes_, offsets_}; }

private:
  buffer<Policy, std::byte> bytes_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> offsets_;
};

/// Replies in memory of a policy, of sizes that only the replying ranks know. Host policies use `reply_exchange`, whose
/// messages carry their sizes. On other policies a header exchange sends the sizes first.
template <device_policy Policy>
class ragged_replies {
  static constexpr memory_space space = Policy::space;

public:
  /// @param  of  name of the request in error texts; the text must outlive this object
  explicit ragged_replies(std::string_view of, Policy policy = {}) : of_hosts_(of), arrived_(policy) {}

  /// Reserves memory for replies of `bytes` bytes; needed only if the policy is not a host policy. A lack of memory is
  /// best noticed before the other ranks are told to send.
  void reserve(std::int64_t bytes) { arrived_.reserve(bytes); }

  /// Sends the messages that `serve()` writes to a `rank_messages`, and receives the replies to this rank's requests.
  ///
  /// @shape  asked [R], sizes of this rank's requests to every rank · received [R], sizes of the requests that it
  ///         received
  /// @comm   collective; one exchange of replies; or one header exchange and one variable exchange
  /// @throws the exception of `serve`, once the other ranks' replies have arrived; or `collective_error` on every rank
  template <communicator Comm, class Serve>
  void run(Comm& comm, call_site site, std::span<std::int64_t const> asked, std::span<std::int64_t const> received,
           rank_messages<Policy>& messages, Serve serve) {
    if constexpr (host_policy<Policy>) {
      of_hosts_.run(comm, asked, received, [&] {
        serve();
        return messages.out();
      });
    } else {
      auto const failure = failure_of(serve);
      if (!failure.empty()) {
        messages.clear();
        for (std::size_t rank = 0; rank < asked.size(); ++rank) {
          messages.append(0);
        }
      }
      exchange_headers(host_comm(comm), site, messages.sizes(), 0, failure, headers_);
      arrived_.clear();
      for (auto const& header : headers_) {
        arrived_.append(&header - headers_.data() == comm.rank() ? 0 : header.count);
      }
      comm.start_all_to_all_v(messages.out(), arrived_.in()).wait();
    }
  }

  /// Returns the reply of a rank that got a request; valid until the next `run`.
  ///
  /// @throws error  if that rank could not serve
  [[nodiscard]] array_view<space, std::byte const> from(std::size_t rank) const {
    if constexpr (host_policy<Policy>) {
      auto const reply = of_hosts_.from(rank);
      return {reply.data(), static_cast<std::int64_t>(reply.size())};
    } else {
      return arrived_.of(rank);
    }
  }

private:
  reply_exchange of_hosts_;
  rank_messages<Policy> arrived_;
  std::vector<call_header> headers_; // [R]
};

} // namespace glt::detail
