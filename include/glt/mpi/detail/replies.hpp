// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/environment.hpp>

namespace glt::detail {

inline constexpr int mpi_reply_tag = 1;

/// Replies on their way out, in pieces: all but the last have `block_bytes`, the last one has fewer, possibly none.
class mpi_reply_sends {
public:
  explicit mpi_reply_sends(mpi_handle& handle) noexcept : handle_(handle) {}
  mpi_reply_sends(mpi_reply_sends const&) = delete;
  mpi_reply_sends& operator=(mpi_reply_sends const&) = delete;
  ~mpi_reply_sends() { complete(); }

  void send(int peer, std::byte const* data, std::int64_t bytes) {
    auto& requests = handle_.requests();
    auto const block = handle_.block_bytes();
    requests.reserve(requests.size() + static_cast<std::size_t>(bytes / block) + 1);
    for (std::int64_t sent = 0; sent <= bytes; sent += block) {
      serial_guard const turn;
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Isend(sent < bytes ? data + sent : nullptr, static_cast<int>(std::min(block, bytes - sent)),
                          MPI_BYTE, peer, mpi_reply_tag, handle_.comm(), &request),
                "MPI_Isend");
      requests.push_back(request);
    }
  }

  void wait() { check_mpi(complete(), "MPI_Waitall"); }

private:
  int complete() noexcept {
    int worst = MPI_SUCCESS;
    for (auto& request : handle_.requests()) {
      if (request != MPI_REQUEST_NULL) {
        auto const code = handle_.wait(request, "all_to_all_replies");
        worst = worst == MPI_SUCCESS ? code : worst;
      }
    }
    handle_.requests().clear();
    return worst;
  }

  mpi_handle& handle_;
};

/// Waits until a piece of a reply of one peer has arrived.
inline void probe_reply(mpi_handle& handle, int peer, MPI_Message& message, MPI_Status& status) {
  if (!handle.tests()) {
    check_mpi(MPI_Mprobe(peer, mpi_reply_tag, handle.comm(), &message, &status), "MPI_Mprobe");
    return;
  }
  int code = MPI_SUCCESS;
  handle.watch().until("all_to_all_replies", [&] {
    int found = 0;
    code = MPI_Improbe(peer, mpi_reply_tag, handle.comm(), &found, &message, &status);
    return code != MPI_SUCCESS || found != 0;
  });
  check_mpi(code, "MPI_Improbe");
}

/// Writes the reply of one peer to `data` from byte `first` on, and returns the reply's size. Makes `data` longer if
/// needed.
inline std::int64_t receive_reply(mpi_handle& handle, int peer, std::vector<std::byte>& data, std::int64_t first) {
  auto end = static_cast<std::size_t>(first);
  for (std::int64_t piece = handle.block_bytes(); piece == handle.block_bytes();) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    probe_reply(handle, peer, message, status);
    int bytes = 0;
    {
      serial_guard const turn;
      check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    }
    if (auto const needed = end + static_cast<std::size_t>(bytes); needed > data.size()) {
      data.resize(needed);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    {
      serial_guard const turn;
      check_mpi(MPI_Imrecv(data.data() + end, bytes, MPI_BYTE, &message, &request), "MPI_Imrecv");
    }
    check_mpi(handle.wait(request, "all_to_all_replies"), "MPI_Wait");
    piece = bytes;
    end += static_cast<std::size_t>(bytes);
  }
  return static_cast<std::int64_t>(end) - first;
}

/// Exchanges replies whose sizes only their senders knew; see `communicator`.
inline void exchange_replies(mpi_handle& handle, outgoing const& out, std::span<char const> asked,
                             std::span<char const> answering, reply_buffer& replies) {
  mpi_reply_sends sends(handle);
  for (std::size_t peer = 0; peer < answering.size(); ++peer) {
    if (answering[peer] != 0) {
      sends.send(static_cast<int>(peer), out.data + (out.sizes[peer] > 0 ? out.offsets[peer] : 0), out.sizes[peer]);
    }
  }
  replies.sizes.assign(asked.size(), 0);
  replies.offsets.assign(asked.size(), 0);
  std::int64_t end = 0;
  for (std::size_t peer = 0; peer < asked.size(); ++peer) {
    replies.offsets[peer] = end;
    if (asked[peer] != 0) {
      replies.sizes[peer] = receive_reply(handle, static_cast<int>(peer), replies.data, end);
      end += replies.sizes[peer];
    }
  }
  sends.wait();
}

} // namespace glt::detail

namespace glt {

class mpi_comm;

namespace detail {

/// Exchange under way; move-only, and waits when it is destroyed.
class mpi_request {
public:
  mpi_request(mpi_request&&) noexcept = default;
  mpi_request& operator=(mpi_request&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(travelling_, other.travelling_);
    static_cast<void>(other.complete());
    return *this;
  }
  ~mpi_request() { static_cast<void>(complete()); }

  /// Blocks until all bytes have arrived; a second call does nothing.
  ///
  /// @throws library_error  if MPI reports a failure
  void wait() {
    if (auto const code = complete(); code != MPI_SUCCESS) {
      handle_->family()->lost = true;
      check_mpi(code, "MPI_Wait");
    }
  }

private:
  friend mpi_comm;

  mpi_request(std::shared_ptr<mpi_handle> handle, outgoing const& out, incoming const& in)
      : handle_(std::move(handle)), travelling_(handle_->exchanges().take()) {
    travelling_->start(handle_->comm(), handle_->block_bytes(), out, in);
  }

  int complete() noexcept {
    if (!travelling_) {
      return MPI_SUCCESS;
    }
    auto const code = mpi_is_running() ? handle_->wait(travelling_->request(), "all_to_all_v") : MPI_SUCCESS;
    handle_->exchanges().give_back(std::move(travelling_));
    return code;
  }

  std::shared_ptr<mpi_handle> handle_;
  std::unique_ptr<mpi_exchange> travelling_; // null once complete
};

} // namespace detail
} // namespace glt
