// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/walk/detail/walk_mail.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/validate.hpp>
#include <glt/sample/walk/detail/walk_block.hpp>
#include <glt/sample/walk/walks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// What a turn makes of a walker: where it goes now, and how many steps it made.
struct walk_move {
  static constexpr std::int32_t ended = -1;
  std::int32_t rank = ended; ///< the own rank if the turn was too short
  std::int32_t steps = 0;
};

/// A vertex that a walker came to, and the edge that led there; −1 if none did.
template <vertex_id Vertex>
struct walk_visit {
  Vertex vertex;
  edge_id edge;
};

/// Steps of a turn at most.
inline constexpr std::int64_t steps_of_turn = 8;

/// Walkers that wander over the ranks: each goes to where the rows are that it wants to see, makes there as
/// many steps as it can, and reports them to its home.
///
/// A `Walker` has members `home`, `walk` and `step`; a turn makes, names and moves them:
///
/// - `t.set_off(start, owner, number, home, walk)`: a walker at a start
/// - `t.name(walker)`: called once by the owner of the start, which knows its original id
/// - `t(walkers, moves, visits)`: up to `steps_of_turn` steps for each, with as many places among the visits
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Walker>
class walk_rounds {
public:
  static constexpr memory_space space = Policy::space;

  walk_rounds(Comm comm, bool edge_ids, Policy policy)
      : policy_(std::move(policy)), edge_ids_(edge_ids), mail_(std::move(comm), edge_ids) {}

  /// Walks from this rank's starts into `out`.
  ///
  /// @comm   collective; one exchange to set off and one a round, as `walk_mail::send`; a walker crosses
  ///         between ranks once a round at most
  /// @throws collective_error  on every rank, if a start of a rank is not in [0, V), the keys differ, or a
  ///                           rank runs out of memory
  template <class Turn>
  void run(sample_key key, array_view<space, Vertex const> starts, std::int64_t walks_per_start, std::int64_t length,
           partition_book const& book, Turn const& turn, walks<Policy, Vertex>& out) {
    call_site site{.what = operation::walk, .step = key.step};
    auto const set_off = failure_of([&] {
      validate_vertices("start", starts, book.num_vertices());
      out.resize(starts.size(), walks_per_start, length, edge_ids_);
      begin(starts, walks_per_start, book, turn, out);
    });
    mail_.send(site, print(key), set_off);
    check_keys();
    for (bool walking = true; walking;) {
      auto const failure = failure_of([&] {
        take(&turn, out);
        advance(turn, out);
        mail_.pack();
      });
      ++site.hop;
      mail_.send(site, static_cast<std::int64_t>(here_.size()) + num_leaving_, failure);
      walking = std::ranges::any_of(mail_.headers(), [](call_header const& header) { return header.value > 0; });
    }
    take(static_cast<Turn const*>(nullptr), out);
  }

private:
  template <class Turn>
  struct some_of {
    Turn turn;
    std::span<Walker> walkers;
    std::span<walk_move> moves;
    std::span<walk_visit<Vertex>> visits;

    void operator()(std::int64_t first, std::int64_t last) const {
      auto const begin = static_cast<std::size_t>(first);
      auto const count = static_cast<std::size_t>(last - first);
      turn(walkers.subspan(begin, count), moves.subspan(begin, count),
           visits.subspan(begin * steps_of_turn, count * steps_of_turn));
    }
  };

  // Walkers of a turn, and visits after which a round ends: what bounds the memory beside walkers and walks.
  static constexpr std::size_t walkers_of_turn = 16384;
  static constexpr std::int64_t visits_of_round = std::int64_t{1} << 20;

  static std::int64_t print(sample_key key) noexcept {
    return fingerprint{}.add(static_cast<std::int64_t>(key.seed)).add(key.epoch).value();
  }

  void check_keys() const {
    for (std::size_t rank = 1; rank < mail_.headers().size(); ++rank) {
      if (mail_.headers()[rank].value != mail_.headers()[0].value) {
        throw collective_error(static_cast<int>(rank), "walks with another key than rank 0; pass the same seed, epoch "
                                                       "and step on all ranks");
      }
    }
  }

  template <class Turn>
  void begin(array_view<space, Vertex const> starts, std::int64_t walks_per_start, partition_book const& book,
             Turn const& turn, walks<Policy, Vertex>& out) {
    static_cast<void>(detail::narrow<std::int32_t>(out.num_walks(), "number of walks of a rank"));
    std::ranges::fill(out.vertices().flat(), Vertex{-1});
    std::ranges::fill(out.edge_ids().flat(), edge_id{-1});
    here_.clear();
    mail_.clear();
    for (std::int64_t walk = 0; walk < out.num_walks(); ++walk) {
      auto const start = starts[walk / walks_per_start];
      auto const owner = book.owner(start);
      out.vertices()(walk, 0) = start;
      auto walker = turn.set_off(start, owner, walk % walks_per_start, rank(), static_cast<std::int32_t>(walk));
      if (owner == rank()) {
        turn.name(walker);
        here_.push_back(walker);
      } else {
        mail_.add_walker(owner, walker);
      }
    }
    mail_.pack();
  }

  // In comes what the last exchange brought.
  template <class Turn>
  void take(Turn const* turn, walks<Policy, Vertex>& out) {
    mail_.open(
        [&](Walker walker) {
          if (walker.step == 0) {
            turn->name(walker);
          }
          here_.push_back(walker);
        },
        [&](walk_place at, Vertex vertex, edge_id edge) { visit(out, at, vertex, edge); });
  }

  template <class Turn>
  void advance(Turn const& turn, walks<Policy, Vertex>& out) {
    num_leaving_ = 0;
    while (!here_.empty() && mail_.num_visits() < visits_of_round) {
      auto const count = std::min(here_.size(), walkers_of_turn);
      moves_.resize(count);
      visits_.resize(count * steps_of_turn);
      auto const walkers = std::span(here_).last(count);
      policy_.executor().for_ranges(
          static_cast<std::int64_t>(count), glt::detail::walkers_at_once,
          some_of<Turn>{turn, walkers, moves_, visits_});
      here_.resize(here_.size() - count + settle(walkers, out));
    }
  }

  // Tells what was visited, sends off who leaves, and moves those that stay to the front; returns their number.
  std::size_t settle(std::span<Walker> walkers, walks<Policy, Vertex>& out) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      auto const& walker = walkers[i];
      auto const move = moves_[i];
      for (std::int32_t s = 0; s < move.steps; ++s) {
        auto const& [vertex, edge] = visits_[i * steps_of_turn + static_cast<std::size_t>(s)];
        walk_place const place{.walk = walker.walk, .step = walker.step - move.steps + s + 1};
        if (walker.home == rank()) {
          visit(out, place, vertex, edge);
        } else {
          mail_.add_visit(walker.home, place, vertex, edge);
        }
      }
      if (move.rank == rank()) {
        walkers[kept++] = walker;
      } else if (move.rank != walk_move::ended) {
        mail_.add_walker(move.rank, walker);
        ++num_leaving_;
      }
    }
    return kept;
  }

  void visit(walks<Policy, Vertex>& out, walk_place at, Vertex vertex, edge_id edge) const {
    out.vertices()(at.walk, at.step) = vertex;
    if (edge_ids_) {
      out.edge_ids()(at.walk, at.step - 1) = edge;
    }
  }

  [[nodiscard]] int rank() noexcept { return mail_.comm().rank(); }

  Policy policy_;
  bool edge_ids_;
  walk_mail<Comm, Walker, Vertex> mail_;
  std::vector<Walker> here_;
  std::vector<walk_move> moves_;
  std::vector<walk_visit<Vertex>> visits_;
  std::int64_t num_leaving_ = 0;
};

} // namespace glt::dist
