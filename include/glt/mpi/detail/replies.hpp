// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt::detail {

inline constexpr int mpi_reply_tag = 1;

/// Replies on their way out, in pieces: all but the last have `block_bytes`, the last one has fewer, maybe
/// none.
class mpi_reply_sends {
public:
  /// @param requests  memory for requests, empty
  explicit mpi_reply_sends(std::vector<MPI_Request>& requests) noexcept : requests_(requests) {}
  mpi_reply_sends(mpi_reply_sends const&) = delete;
  mpi_reply_sends& operator=(mpi_reply_sends const&) = delete;
  ~mpi_reply_sends() { complete(); }

  void send(mpi_handle const& handle, int peer, std::byte const* data, std::int64_t bytes) {
    auto const block = handle.block_bytes();
    requests_.reserve(requests_.size() + static_cast<std::size_t>(bytes / block) + 1);
    for (std::int64_t sent = 0; sent <= bytes; sent += block) {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Isend(sent < bytes ? data + sent : nullptr,
                          static_cast<int>(std::min(block, bytes - sent)), MPI_BYTE, peer, mpi_reply_tag,
                          handle.comm(), &request),
                "MPI_Isend");
      requests_.push_back(request);
    }
  }

  void wait() { check_mpi(complete(), "MPI_Waitall"); }

private:
  int complete() noexcept {
    int worst = MPI_SUCCESS;
    for (auto& request : requests_) {
      if (request != MPI_REQUEST_NULL) {
        auto const code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        worst = worst == MPI_SUCCESS ? code : worst;
      }
    }
    requests_.clear();
    return worst;
  }

  std::vector<MPI_Request>& requests_;
};

/// Writes the reply of one peer to `data` from byte `first` on, makes it longer where needed, and returns the
/// reply's size.
inline std::int64_t receive_reply(mpi_handle const& handle, int peer, std::vector<std::byte>& data,
                                  std::int64_t first) {
  auto end = static_cast<std::size_t>(first);
  for (std::int64_t piece = handle.block_bytes(); piece == handle.block_bytes();) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Mprobe(peer, mpi_reply_tag, handle.comm(), &message, &status), "MPI_Mprobe");
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (auto const needed = end + static_cast<std::size_t>(bytes); needed > data.size()) {
      data.resize(needed);
    }
    check_mpi(MPI_Mrecv(data.data() + end, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    piece = bytes;
    end += static_cast<std::size_t>(bytes);
  }
  return static_cast<std::int64_t>(end) - first;
}

/// See `communicator`: replies whose sizes only their senders knew.
inline void exchange_replies(mpi_handle& handle, outgoing const& out, std::span<char const> asked,
                             std::span<char const> answering, reply_buffer& replies) {
  mpi_reply_sends sends(handle.requests());
  for (std::size_t peer = 0; peer < answering.size(); ++peer) {
    if (answering[peer] != 0) {
      sends.send(handle, static_cast<int>(peer), out.data + (out.sizes[peer] > 0 ? out.offsets[peer] : 0),
                 out.sizes[peer]);
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
