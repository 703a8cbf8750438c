// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/core.hpp>

#include <exception>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

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
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  /// Returns the reply of a rank that got a request; valid until the next `run`.
  ///
  /// @throws error  if that rank could not serve
  [[nodiscard]] std::span<std::byte const> from(std::size_t rank) const {
    if (asked_[rank] == 0 || answers_.sizes[rank] == 0) {
      throw error(message("rank ", rank, " could not answer a request for ", of_, "; its own error says why"));
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
};

} // namespace glt::detail
