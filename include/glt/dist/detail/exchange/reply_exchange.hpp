// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace glt::detail {

/// Answers to requests, of sizes that only those who answer know.
///
/// A rank that cannot serve still answers, with nothing, so that nobody waits for it.
class reply_exchange {
public:
  /// @param of  what is requested, as errors name it; text that lives on
  explicit reply_exchange(std::string_view of) : of_(of) {}

  /// Sends what `serve()` returns and receives what was asked for.
  ///
  /// @shape  asked [R], how much this rank asked every rank for · received [R], how much it was asked for by them; what
  ///         the own rank asks of itself does not count
  /// @comm   collective
  /// @throws what `serve` has thrown, when the answers of the others are here
  template <communicator Comm, class Serve>
  void run(Comm& comm, std::span<std::int64_t const> asked, std::span<std::int64_t const> received, Serve&& serve) {
    committed(comm, [&] {
      mark(asked, comm.rank(), asked_);
      mark(received, comm.rank(), answering_);
      nothing_.set(received, 0); // what is sent by a rank that cannot serve
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

  /// The answer of a rank that was asked; valid until the next `run`.
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
