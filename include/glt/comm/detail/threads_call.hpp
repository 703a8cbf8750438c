// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

namespace glt::detail {

class threads_board;
class threads_inboxes;

/// Arguments of one thread in a collective call; the other threads see them until the call is complete. Reusable.
struct threads_call {
  /// Does the work for all ranks at once; throws collective_error if their arguments do not fit together.
  using work = void (*)(std::span<threads_call* const> ranks);

  std::string_view name;   ///< of the call
  std::int64_t bytes = 0;  ///< that every rank must pass alike
  int root = 0;            ///< that every rank must pass alike
  std::string_view detail; ///< that every rank must pass alike: element type or reduction
  work complete = nullptr;
  std::span<int const> threads;             ///< [R], the number of each rank in `run_threads`
  std::shared_ptr<std::string const> group; ///< name of the communicator; null: none

  std::byte const* send = nullptr;
  std::byte* receive = nullptr;
  std::vector<std::int64_t> send_sizes, send_offsets, receive_sizes, receive_offsets; // their memory is kept
  std::span<char const> asked, answering;
  reply_buffer* replies = nullptr;
  int color = 0, order = 0;
  threads_board const* board = nullptr;     ///< that is split, or gets a mailbox
  std::shared_ptr<threads_board> new_board; ///< of this rank's color
  int new_rank = 0;
  std::shared_ptr<threads_inboxes> inboxes; ///< of the new mailbox

  /// Clears the arguments of the call before.
  void begin(std::string_view name_of_call, work completion) {
    std::tuple arrays(std::move(send_sizes), std::move(send_offsets), std::move(receive_sizes),
                      std::move(receive_offsets));
    *this = {};
    name = name_of_call;
    complete = completion;
    std::tie(send_sizes, send_offsets, receive_sizes, receive_offsets) = std::move(arrays);
    send_sizes.clear();
    send_offsets.clear();
  }
};

/// Returns the number that messages use for a rank of the call's communicator.
[[nodiscard]] inline int rank_in_world(threads_call const& call, std::size_t rank) noexcept {
  return rank < call.threads.size() ? call.threads[rank] : static_cast<int>(rank);
}

/// Returns the text before the cause of a rank's failure; see `group_prefix`.
[[nodiscard]] inline std::string group_text(std::string const* group, std::size_t rank) {
  return group == nullptr || group->empty() ? std::string() : message(*group, '-', rank, ": ");
}

/// Returns the error that all ranks of a call throw for one of them, which `threads_board` numbers as in `run_threads`.
[[nodiscard]] inline agreed_error agreed(std::span<threads_call* const> ranks, std::size_t rank,
                                         std::string_view cause) {
  return agreed_error(static_cast<int>(ranks.size()), static_cast<int>(rank),
                      group_text(ranks[rank]->group.get(), rank).append(cause));
}

[[nodiscard]] inline std::string to_string(threads_call const& call) {
  std::string words = message(call.name);
  if (!call.detail.empty()) {
    words += message(" (", call.detail, ")");
  }
  if (call.bytes > 0) {
    words += message(" of ", call.bytes, " bytes");
  }
  if (call.name == "broadcast") {
    words += message(" from rank ", rank_in_world(call, static_cast<std::size_t>(call.root)));
  }
  return words;
}

/// Makes sure that all ranks made the same call.
///
/// @throws collective_error  naming the first rank that differs from rank 0
inline void check_same(std::span<threads_call* const> ranks) {
  auto const& first = *ranks[0];
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    auto const& call = *ranks[rank];
    if (call.name != first.name || call.bytes != first.bytes || call.root != first.root ||
        call.detail != first.detail) {
      throw agreed(ranks, rank,
                   message("is in ", to_string(call), " while rank ", rank_in_world(first, 0), " is in ",
                           to_string(first), "; make the same calls in the same order on all ranks"));
    }
  }
}

inline void complete_nothing(std::span<threads_call* const>) {}

inline void complete_all_to_all(std::span<threads_call* const> ranks) {
  auto const bytes = ranks[0]->bytes;
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      move_bytes(ranks[to]->receive + static_cast<std::int64_t>(from) * bytes,
                 ranks[from]->send + static_cast<std::int64_t>(to) * bytes, bytes);
    }
  }
}

inline void complete_all_to_all_v(std::span<threads_call* const> ranks) {
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      auto const sent = ranks[from]->send_sizes[to];
      auto const expected = ranks[to]->receive_sizes[from];
      if (sent != expected) {
        throw agreed(ranks, to,
                     message("expects ", expected, " bytes of rank ", rank_in_world(*ranks[to], from), ", which sends ",
                             sent, "; pass the same size on both sides of all_to_all_v"));
      }
    }
  }
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      if (auto const bytes = ranks[from]->send_sizes[to]; bytes > 0) {
        move_bytes(ranks[to]->receive + ranks[to]->receive_offsets[from],
                   ranks[from]->send + ranks[from]->send_offsets[to], bytes);
      }
    }
  }
}

inline void complete_replies(std::span<threads_call* const> ranks) {
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      bool const asks = ranks[to]->asked[from] != 0;
      if (asks != (ranks[from]->answering[to] != 0)) {
        throw agreed(ranks, to,
                     message(asks ? "expects" : "does not expect", " a reply of rank ", rank_in_world(*ranks[to], from),
                             ", which ", asks ? "sends none" : "sends one",
                             "; let asked and answering mirror each other"));
      }
    }
  }
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    auto& replies = *ranks[to]->replies;
    replies.sizes.resize(ranks.size());
    replies.offsets.resize(ranks.size());
    std::int64_t total = 0;
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      replies.sizes[from] = ranks[from]->send_sizes[to];
      replies.offsets[from] = total;
      total += replies.sizes[from];
    }
    if (auto const needed = static_cast<std::size_t>(total); needed > replies.data.size()) {
      replies.data.resize(needed);
    }
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      if (replies.sizes[from] > 0) {
        move_bytes(replies.data.data() + replies.offsets[from], ranks[from]->send + ranks[from]->send_offsets[to],
                   replies.sizes[from]);
      }
    }
  }
}

inline void complete_broadcast(std::span<threads_call* const> ranks) {
  auto const& root = *ranks[static_cast<std::size_t>(ranks[0]->root)];
  for (auto* call : ranks) {
    move_bytes(call->receive, root.receive, root.bytes);
  }
}

/// Returns element type and reduction in words.
template <reducible T>
[[nodiscard]] constexpr std::string_view reduction_name(reduction op) noexcept {
  constexpr auto type = std::same_as<T, std::int32_t>   ? 0U
                        : std::same_as<T, std::int64_t> ? 1U
                        : std::same_as<T, float>        ? 2U
                                                        : 3U;
  constexpr std::array<std::array<std::string_view, 3>, 4> names{{{"sum of int32", "min of int32", "max of int32"},
                                                                  {"sum of int64", "min of int64", "max of int64"},
                                                                  {"sum of float", "min of float", "max of float"},
                                                                  {"sum of double", "min of double", "max of double"}}};
  return names[type][static_cast<std::size_t>(op)];
}

/// Reduces in the order of the ranks, once for all of them: every rank gets the same bits.
template <reducible T, reduction Op>
void complete_all_reduce(std::span<threads_call* const> ranks) {
  auto const elements = [](threads_call const& call) {
    return std::span(reinterpret_cast<T*>(call.receive), static_cast<std::size_t>(call.bytes) / sizeof(T));
  };
  auto const result = elements(*ranks[0]);
  for (auto* call : ranks.subspan(1)) {
    std::ranges::transform(result, elements(*call), result.begin(), [](T a, T b) {
      if constexpr (Op == reduction::sum) {
        return a + b;
      } else if constexpr (Op == reduction::min) {
        return std::min(a, b);
      } else {
        return std::max(a, b);
      }
    });
  }
  for (auto* call : ranks.subspan(1)) {
    move_bytes(call->receive, ranks[0]->receive, ranks[0]->bytes);
  }
}

} // namespace glt::detail
