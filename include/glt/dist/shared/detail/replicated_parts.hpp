// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Node memory of a rank that shares none: every block is private.
template <communicator Comm>
class private_node {
public:
  explicit private_node(Comm comm) : comm_(std::move(comm)) {}

  [[nodiscard]] int rank() const { return comm_.rank(); }
  [[nodiscard]] int size() const { return comm_.size(); }

  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if `fill` throws on one
  template <class Fill>
  [[nodiscard]] node_blocks share(std::int64_t bytes, Fill fill) {
    node_blocks made;
    auto const failure = failure_of([&] {
      auto const block = make_node_block(bytes);
      made.own = {block.get(), static_cast<std::size_t>(bytes)};
      made.keeper = block;
      fill(made.own);
    });
    agree(comm_, {.what = operation::share}, failure);
    made.of_rank.resize(static_cast<std::size_t>(size()));
    made.of_rank[static_cast<std::size_t>(rank())] = made.own;
    return made;
  }

private:
  Comm comm_;
};

/// Division of the parts of other machines among the ranks of each machine: each part has one rank that keeps it for the
/// machine.
class kept_parts {
public:
  /// @shape  machines [R], the first rank of every rank's machine · bytes [R], of every rank's part
  kept_parts(std::vector<std::int64_t> machines, std::vector<std::int64_t> bytes)
      : machines_(std::move(machines)), bytes_(std::move(bytes)), sizes_(machines_.size() + 1, 0) {
    for (auto const machine : machines_) {
      places_.push_back(sizes_[static_cast<std::size_t>(machine)]++);
    }
  }

  [[nodiscard]] std::size_t num_parts() const noexcept { return machines_.size(); }
  [[nodiscard]] bool together(std::size_t a, std::size_t b) const noexcept { return machines_[a] == machines_[b]; }

  /// Returns true if a rank keeps a part of another machine.
  [[nodiscard]] bool keeps(std::size_t rank, std::size_t part) const noexcept {
    return !together(rank, part) && part % sizes_[static_cast<std::size_t>(machines_[rank])] == places_[rank];
  }

  /// Returns the places of the parts in the block of a rank that keeps them; −1 for others; the last is the length of
  /// the block.
  ///
  /// @shape  [P + 1]
  [[nodiscard]] std::vector<std::int64_t> places(std::size_t rank) const {
    std::vector<std::int64_t> places(num_parts() + 1, -1);
    std::int64_t at = 0;
    for (std::size_t part = 0; part < num_parts(); ++part) {
      if (keeps(rank, part)) {
        places[part] = at;
        at += (bytes_[part] + line_bytes - 1) / line_bytes * line_bytes;
      }
    }
    places.back() = at;
    return places;
  }
  [[nodiscard]] std::int64_t bytes(std::size_t part) const noexcept { return bytes_[part]; }

private:
  static constexpr std::int64_t line_bytes = 64;
  std::vector<std::int64_t> machines_;
  std::vector<std::int64_t> bytes_;
  std::vector<std::size_t> sizes_;  // ranks of the machine with each number
  std::vector<std::size_t> places_; // numbers of ranks within their machines
};

/// Adds to `views` the parts of ranks on other machines, so that every rank reads all parts in place. Each part travels
/// once to each machine, where one rank keeps it in node memory.
///
/// @shape  own: the block in which this rank shares its part · views [R], of the blocks of this machine
/// @param  `view_of`  returns the view of a block
/// @comm   collective; four header exchanges, a variable exchange of the blocks, and `share` of the node
/// @throws collective_error  on every rank, if a machine does not have the memory
/// @cost   memory of a machine: the blocks of all other machines' parts, twice while they are copied
template <communicator Comm, node_memory Node, class View, class ViewOf>
void replicate_parts(Comm& comm, Node& node, std::span<std::byte const> own, node_views<View>& views, ViewOf view_of) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const self = static_cast<std::size_t>(comm.rank());
  auto const numbers_of_ranks = [&](int hop, std::int64_t value) {
    std::vector<std::int64_t> numbers;
    for (auto const& header : exchange_values(comm, {.what = operation::share, .hop = hop}, {}, value)) {
      numbers.push_back(header.value);
    }
    return numbers;
  };
  auto const first = std::ranges::find_if(views.of_rank, [](auto const& view) { return view.has_value(); });
  auto machines = numbers_of_ranks(1, first - views.of_rank.begin()); // named by their first ranks
  kept_parts const kept(std::move(machines), numbers_of_ranks(2, std::ssize(own)));

  std::vector<std::int64_t> sent(ranks, 0);
  std::vector<std::int64_t> received(ranks, 0);
  std::vector<std::int64_t> const none(ranks, 0);
  auto const places = kept.places(self);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    sent[rank] = kept.keeps(rank, self) ? std::ssize(own) : 0;
    received[rank] = kept.keeps(self, rank) ? kept.bytes(rank) : 0;
  }
  std::shared_ptr<std::byte> arrived;
  agree(comm, {.what = operation::share, .hop = 3}, failure_of([&] {
          try {
            arrived = make_node_block(places.back());
          } catch (std::bad_alloc const&) {
            throw error(message("no memory for the parts of other machines, ", places.back(),
                                " bytes; leave the topology divided"));
          }
        }));
  std::vector<std::int64_t> offsets(places.begin(), places.end() - 1);
  std::ranges::replace(offsets, -1, 0);
  committed(comm, [&] { comm.all_to_all_v({own.data(), sent, none}, {arrived.get(), received, offsets}); });
  auto const blocks = node.share(
      places.back(), [&](std::span<std::byte> block) { copy_bytes(block.data(), arrived.get(), places.back()); });
  arrived.reset();

  std::string missing;
  for (std::size_t keeper = 0; keeper < ranks; ++keeper) {
    if (!kept.together(keeper, self)) {
      continue;
    }
    auto const places_there = kept.places(keeper);
    for (std::size_t part = 0; part < ranks; ++part) {
      if (!kept.keeps(keeper, part)) {
        continue;
      }
      if (auto const& block = blocks.of_rank[keeper]) {
        views.of_rank[part] = view_of(
            block->subspan(static_cast<std::size_t>(places_there[part]), static_cast<std::size_t>(kept.bytes(part))));
      } else if (missing.empty()) {
        missing = message("this machine cannot keep the parts of other machines: ", blocks.reason,
                          "; leave the topology divided");
      }
    }
  }
  agree(comm, {.what = operation::share, .hop = 4}, missing);
  keep_also(views, blocks.keeper);
  views.reason.clear();
  views.everywhere = true;
}

} // namespace glt::detail
