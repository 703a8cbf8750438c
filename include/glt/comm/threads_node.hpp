// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>

namespace glt {

/// Node memory of ranks that live in one process: threads, or a single rank.
///
/// A block is freed when the last rank that sees it has released it.
///
/// Concurrent calls: none on one object; blocks are read by all ranks at once.
template <communicator Comm>
class threads_node {
public:
  /// Options of a `threads_node`.
  struct options {
    int machine = 0;     ///< ranks of equal numbers share; others act as if they were elsewhere
    std::string refusal; ///< why this rank, and so its machine, cannot share; empty if it can
  };

  /// @comm   none
  explicit threads_node(Comm comm, options chosen) : comm_(std::move(comm)), options_(std::move(chosen)) {}
  explicit threads_node(Comm comm) : threads_node(std::move(comm), options{}) {}

  [[nodiscard]] int rank() const { return comm_.rank(); }
  [[nodiscard]] int size() const { return comm_.size(); }

  /// See `node_memory`.
  ///
  /// @comm   collective; one header exchange, one all-to-all, one barrier
  /// @throws collective_error  on every rank, if bytes is negative or `fill` throws on one
  template <class Fill>
  [[nodiscard]] node_blocks share(std::int64_t bytes, Fill fill) {
    auto const ranks = static_cast<std::size_t>(comm_.size());
    node_blocks made;
    auto const keep = std::make_shared<std::vector<std::shared_ptr<std::byte>>>(ranks);
    std::vector<card> sent(ranks);
    std::vector<card> cards(ranks);
    made.of_rank.resize(ranks);
    std::shared_ptr<std::byte> block;
    auto const failure = detail::failure_of([&] {
      detail::check_bytes("share", bytes);
      block = detail::make_node_block(bytes);
      made.own = {block.get(), static_cast<std::size_t>(bytes)};
      fill(made.own);
    });
    detail::exchange_values(comm_, {.what = detail::operation::share}, failure);
    sent.assign(ranks, card{&block, bytes, &options_});
    comm_.all_to_all(reinterpret_cast<std::byte const*>(sent.data()), reinterpret_cast<std::byte*>(cards.data()),
                     std::int64_t{sizeof(card)});
    auto const refusing = first_refusing(cards);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const& other = cards[rank];
      if (other.chosen == &options_ || (is_neighbor(other) && refusing == ranks)) {
        (*keep)[rank] = *other.block;
        made.of_rank[rank] = {other.block->get(), static_cast<std::size_t>(other.bytes)};
      }
    }
    made.keeper = keep;
    made.reason = reason(cards, refusing);
    comm_.barrier(); // the cards of other ranks refer to objects of this call
    return made;
  }

private:
  // Data that a rank shows to the others during `share`.
  struct card {
    std::shared_ptr<std::byte> const* block;
    std::int64_t bytes;
    typename threads_node::options const* chosen;
  };

  [[nodiscard]] bool is_neighbor(card const& other) const { return other.chosen->machine == options_.machine; }

  // Returns the first rank of this machine that refuses; `cards.size()` if none does.
  [[nodiscard]] std::size_t first_refusing(std::vector<card> const& cards) const {
    std::size_t rank = 0;
    while (rank < cards.size() && !(is_neighbor(cards[rank]) && !cards[rank].chosen->refusal.empty())) {
      ++rank;
    }
    return rank;
  }

  [[nodiscard]] std::string reason(std::vector<card> const& cards, std::size_t refusing) const {
    if (cards.size() > 1 && refusing < cards.size()) {
      return detail::message("rank ", detail::world_rank(comm_, static_cast<int>(refusing)),
                             " cannot share memory: ", cards[refusing].chosen->refusal);
    }
    auto const elsewhere = std::ranges::count_if(cards, [&](card const& other) { return !is_neighbor(other); });
    return elsewhere == 0 ? std::string()
                          : detail::message(elsewhere, " of ", cards.size(), " ranks are on other machines");
  }

  Comm comm_;
  options options_;
};

static_assert(node_memory<threads_node<serial_comm>>);

/// Returns the memory that the ranks of a communicator share: all of them are threads of one process.
///
/// @comm   none
[[nodiscard]] inline threads_node<threads_comm> node_memory_of(threads_comm comm) {
  return threads_node<threads_comm>(std::move(comm));
}

} // namespace glt
